"""What became of a pull, as plain frozen values: the public way to look inside (CONTRACT.md, PullReport)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["cached", "carried", "downloaded", "failed", "pending"]
Reason = Literal[
    "not-found",
    "forbidden",
    "server-error",
    "network",
    "timeout",
    "rate-limited",
    "hash-mismatch",
    "size-mismatch",
    "refused-path",
    "lfs-missing",
    "quota",
    "storage",
    "cancelled",
]
StoreKind = Literal["opfs", "indexeddb", "none"]
BootKind = Literal["snapshot", "plain"]

PERMANENT: frozenset[Reason] = frozenset({"not-found", "forbidden", "refused-path", "lfs-missing", "quota", "storage"})
"""Reasons that asking again will not change."""
PASSING: frozenset[Reason] = frozenset({"network", "timeout", "server-error", "rate-limited"})
"""Reasons that may be gone when the browser is back online."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file's outcome. ``bytes`` is its size, ``ms`` the time its last attempt took;
    ``verified`` says that its bytes matched a hash known beforehand."""

    path: str
    status: Status
    bytes: int
    verified: bool
    sha256: str | None
    reason: Reason | None
    attempts: int
    ms: float


@dataclass(frozen=True, slots=True)
class PullReport:
    """One mod's pull. Sizes are bytes, ``startedAt`` milliseconds since the epoch, ``ms`` milliseconds.

    ``issues`` stands beside CONTRACT's names: what the author should know of the mod.
    """

    owner: str
    repo: str
    ref: str
    version: str
    store: StoreKind
    boot: BootKind
    files: tuple[FileReport, ...]
    bytesTotal: int
    bytesFetched: int
    bytesCarried: int
    startedAt: float
    ms: float
    superseded: tuple[str, ...]
    packs: tuple[PullReport, ...] = ()
    issues: tuple[dict[str, Any], ...] = field(default=())

    def as_plain(self) -> dict[str, Any]:
        """The report as what JSON can hold."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        files = [{name: getattr(file, name) for name in FileReport.__slots__} for file in self.files]
        return plain | {"files": files, "packs": [pack.as_plain() for pack in self.packs]}
