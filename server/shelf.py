"""The repositories found under the local origin's roots, as ``<root>/<owner>/<repo>``, bare or with ``.git``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from server.git import Repository


@dataclass(frozen=True, slots=True)
class ShelfPlace:
    """A repository's name as its folders spell it, and where its git directory is."""

    owner: str
    name: str
    git_dir: Path

    @property
    def key(self) -> str:
        return f"{self.owner}/{self.name}".lower()

    @property
    def number(self) -> int:
        """Stands in for GitHub's numeric repository id: a stable hash of the lower-case name."""
        return int.from_bytes(hashlib.sha256(self.key.encode()).digest()[:5], "big")


def git_directory(folder: Path) -> Path | None:
    """The git directory of a working tree or a bare repository; None when ``folder`` is neither."""
    dot_git = folder / ".git"
    if dot_git.is_file():
        text = dot_git.read_text(errors="replace")
        if not text.startswith("gitdir: "):
            return None
        candidate = folder / text.removeprefix("gitdir: ").strip()
    elif dot_git.is_dir():
        candidate = dot_git
    else:
        candidate = folder
    return candidate if (candidate / "HEAD").is_file() and (candidate / "objects").is_dir() else None


def places(root: Path) -> Iterator[ShelfPlace]:
    """Every repository two levels below ``root``, in the order of their names; hidden folders are left out."""
    for owner in sorted(_folders(root)):
        for folder in sorted(_folders(owner)):
            git_dir = git_directory(folder)
            if git_dir is not None:
                yield ShelfPlace(owner.name, folder.name.removesuffix(".git") or folder.name, git_dir)


def _folders(folder: Path) -> list[Path]:
    try:
        return [child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")]
    except OSError:
        return []


class Shelf:
    """Finds repositories by name without regard to case; notices ones that come, go or are made anew.

    Where two roots hold the same name, the earlier root's counts. Belongs to one event loop.
    """

    def __init__(self, roots: Iterable[Path]) -> None:
        self.roots = tuple(roots)
        self._places: dict[str, ShelfPlace] = {}
        self._open: dict[str, tuple[tuple[int, int], Repository]] = {}

    def places(self) -> list[ShelfPlace]:
        """All repositories there are now."""
        found: dict[str, ShelfPlace] = {}
        for root in self.roots:
            for place in places(root):
                found.setdefault(place.key, place)
        self._places = found
        return list(found.values())

    async def find(self, owner: str, name: str) -> tuple[ShelfPlace, Repository] | None:
        key = f"{owner}/{name.removesuffix('.git')}".lower()
        place = self._places.get(key)
        if place is None or not place.git_dir.exists():
            self.places()
            place = self._places.get(key)
            if place is None:
                return None
        status = place.git_dir.stat()
        identity = (status.st_dev, status.st_ino)
        known = self._open.get(key)
        if known is not None and known[0] == identity:
            return place, known[1]
        if known is not None:
            await known[1].close()
        repository = Repository(place.git_dir)
        self._open[key] = (identity, repository)
        return place, repository

    async def close(self) -> None:
        """End every git process."""
        for _, repository in self._open.values():
            await repository.close()
        self._open.clear()
