"""The registry's file index of one version: what the scan found at exactly that commit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from client.asset_path import path_fault
from client.json_document import read_object

LONGEST_INDEX = 64 * 1024 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class LfsPointer:
    """What a Git LFS pointer points to: SHA-256 of the real bytes and how many they are."""

    oid: str
    size: int


class IndexedFile(NamedTuple):
    """A file as git stores it; ``lfs`` where that is only a pointer."""

    path: str
    size: int
    sha256: str
    lfs: LfsPointer | None = None


@dataclass(frozen=True, slots=True)
class FileIndex:
    """All files of a version by path; ``scripts`` are the SHA-256s of those that may run, in hex."""

    version: str
    files: Mapping[str, IndexedFile]
    scripts: frozenset[str] = frozenset()


def read_index(data: bytes, place: str) -> FileIndex:
    """The index as the registry sends it; entries that make no sense are left out, as if they weren't indexed.

    :raises client.json_document.DocumentUnreadable: it is no index at all
    """
    values = read_object(data, place, longest=LONGEST_INDEX)
    entries = values.get("files")
    files = [_indexed(entry) for entry in entries] if isinstance(entries, list) else []
    scripts = values.get("scripts")
    return FileIndex(
        str(values.get("version", "")),
        {file.path: file for file in files if file is not None},
        frozenset(filter(None, map(_scanned, scripts))) if isinstance(scripts, list) else frozenset(),
    )


def _indexed(entry: Any) -> IndexedFile | None:
    match entry:
        case {"path": str(path), "size": int(size), "sha256": str(sha256)} if (
            path_fault(path) is None and size >= 0 and _SHA256.fullmatch(sha256)
        ):
            return IndexedFile(path, size, sha256, _lfs(entry.get("lfs")))
    return None


def _scanned(entry: Any) -> str | None:
    sha256 = entry.get("sha256") if isinstance(entry, dict) else None
    return sha256 if isinstance(sha256, str) and _SHA256.fullmatch(sha256) else None


def _lfs(value: Any) -> LfsPointer | None:
    match value:
        case {"oid": str(oid), "size": int(size)} if size >= 0 and _SHA256.fullmatch(oid.removeprefix("sha256:")):
            return LfsPointer(oid.removeprefix("sha256:"), size)
    return None


_POINTER = re.compile(
    r"version https://git-lfs\.github\.com/spec/v1\n(?:[a-z0-9.-]+ [^\n]*\n)*?oid sha256:([0-9a-f]{64})\n"
    r"(?:[a-z0-9.-]+ [^\n]*\n)*?size (\d{1,15})\n?"
)


def read_pointer(text: bytes) -> LfsPointer | None:
    """A Git LFS pointer file's content (git-lfs spec v1), None when it is no pointer."""
    match = _POINTER.match(text.decode("utf-8", "replace"))
    return LfsPointer(match[1], int(match[2])) if match else None
