"""Git LFS: pointer files in git, and the objects a local repository keeps beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

LARGEST_POINTER = 1024
"""Bytes. The specification wants pointers below this, which lets a reader skip everything larger."""

_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,18})\n?"
)


@dataclass(frozen=True, slots=True)
class LfsPointer:
    """The real content's SHA-256 as ``oid`` and its ``size`` in bytes (git-lfs specification, "The Pointer")."""

    oid: str
    size: int


def read_pointer(data: bytes) -> LfsPointer | None:
    """The pointer that ``data`` is; None for anything else."""
    if len(data) >= LARGEST_POINTER:
        return None
    match = _POINTER.fullmatch(data)
    return LfsPointer(match[1].decode(), int(match[2])) if match else None


def object_file(git_dir: Path, oid: str) -> Path:
    """Where git-lfs keeps the content of an object; it may be absent."""
    return git_dir / "lfs" / "objects" / oid[:2] / oid[2:4] / oid
