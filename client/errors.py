"""What stops a caller. The failure of a single file is a value (:mod:`client.report`), never one of these.

::

    PeerError                 code, message: what window.peer rejects with
    ├── UnknownMod            the registry has no such mod
    ├── Blocked               the registry's kill switch has stopped the mod or this version
    ├── UnknownVersion        not a version of this mod that the registry recorded or can prove
    ├── ManifestUnreadable    no manifest to open a table from
    ├── NotOpen               a call that needs an open table
    ├── PlatformAsset         the path names a piece of the platform, not a file of the mod
    ├── RefusedPath           a path that leaves the repository or can't name a file in it
    ├── HashMismatch          script, setup or card data whose bytes fail a known hash
    ├── RateLimited           a host asked to be left alone; retry_at is when, if it said so
    ├── Cancelled             the player or a newer call ended it
    ├── Unreachable           registry or GitHub did not answer
    └── StorageFailure        the browser's storage refused
"""

from __future__ import annotations


class PeerError(Exception):
    """Base of all errors that reach a caller of the peer; ``code`` is one of CONTRACT's stable names."""

    code = "error"

    retry_at: float | None = None
    """When to ask again, in seconds since the epoch, where a host said so."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def as_plain(self) -> dict[str, str | float | None]:
        """What the page is told; ``retryAt`` in milliseconds since the epoch."""
        retry_at = None if self.retry_at is None else self.retry_at * 1000
        return {"code": self.code, "message": self.message, "retryAt": retry_at}


class UnknownMod(PeerError):
    code = "unknown-mod"


class Blocked(PeerError):
    code = "blocked"


class UnknownVersion(PeerError):
    code = "unknown-version"


class ManifestUnreadable(PeerError):
    """The manifest is missing, or is not a JSON object.

    ``reason`` is the download's reason where it never arrived, else None; ``line`` is where it stops being JSON.
    """

    code = "manifest-unreadable"

    def __init__(self, message: str, *, reason: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.line = line


class NotOpen(PeerError):
    code = "not-open"

    def __init__(self, message: str = "No table is open.") -> None:
        super().__init__(message)


class PlatformAsset(PeerError):
    code = "platform-asset"


class RefusedPath(PeerError):
    code = "refused-path"


class HashMismatch(PeerError):
    code = "hash-mismatch"


class RateLimited(PeerError):
    code = "rate-limited"

    def __init__(self, message: str, *, retry_at: float | None = None) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class Cancelled(PeerError):
    code = "cancelled"

    def __init__(self, message: str = "The table was closed before it had opened.") -> None:
        super().__init__(message)


class Unreachable(PeerError):
    code = "unreachable"


class StorageFailure(PeerError):
    """The store could not do what was asked; ``quota`` tells a full disk from a broken one."""

    code = "storage"

    def __init__(self, message: str, *, quota: bool = False) -> None:
        super().__init__(message)
        self.quota = quota
