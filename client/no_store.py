"""The store of a browser that keeps nothing: every table still opens, and everything on it is live."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NoReturn

from client.errors import StorageFailure
from client.ports import Blob, DigestKind, ModFolder, Place
from client.report import StoreKind


class NoStore:
    """Empty, and refuses to be written to."""

    kind: StoreKind = "none"

    async def repositories(self) -> list[str]:
        return []

    def folder(self, key: str) -> ModFolder:
        return _NoFolder()

    async def forget(self, key: str) -> None:
        return

    async def estimate(self) -> tuple[int, int] | None:
        return None


class _NoFolder:
    async def journals(self) -> list[str]:
        return []

    async def read_journal(self, name: str) -> bytes:
        return b""

    async def write_journal(self, name: str) -> NoReturn:
        raise StorageFailure("This browser lets the page store nothing.")

    async def remove_journals(self, names: Iterable[str]) -> None:
        return

    async def segment_lengths(self, ids: Iterable[str] | None = None) -> dict[str, int]:
        return {}

    async def remove_segments(self, ids: Iterable[str]) -> None:
        return

    async def writer(self) -> NoReturn:
        raise StorageFailure("This browser lets the page store nothing.")

    async def read(self, place: Place) -> bytes | None:
        return None

    async def digest(self, places: Sequence[Place], kind: DigestKind = "sha256") -> list[str | None]:
        return [None for _ in places]

    async def blob(self, place: Place, media_type: str) -> Blob | None:
        return None
