"""What the loader needs of the machine it runs on, each as a protocol with one adapter in ``worker/``.

The fakes in ``tests/`` and the adapters pass the same contract suites, so a fake can't drift from its original.
Bytes of assets never pass through here one by one: :class:`Lane` moves them from the network into a
:class:`SegmentWriter` and reports in batches, because waking Python costs about as much as a small file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from client.report import StoreKind

Blob = Any
"""The browser's handle on bytes outside of Python; only ever passed on."""


DigestKind = Literal["sha256", "git"]
"""SHA-256 of the bytes, or git's id of them as a blob (SHA-1 with a header)."""


class Place(NamedTuple):
    """Where a file's bytes lie: ``length`` bytes from ``offset`` of a segment of one mod."""

    segment: str
    offset: int
    length: int


class Appender(Protocol):
    """A journal open for writing by this session alone."""

    async def append(self, data: bytes) -> None:
        """Add bytes: when this returns they survive the browser's death, and from :meth:`close` on the machine's.

        :raises StorageFailure: they could not be written whole
        """

    async def close(self) -> None:
        """Let go of the journal; what was appended stays."""


class SegmentWriter(Protocol):
    """This session's segments of one mod: written once, sealed when large enough, never touched again."""

    async def put(self, data: bytes) -> Place:
        """Store bytes that Python already holds; flushed when this returns.

        :raises StorageFailure: no room, or the storage broke
        """

    async def seal(self) -> None:
        """Flush and seal what is open, so that it backs blobs from disk; later bytes go to a new segment.

        :raises StorageFailure: the last bytes could not be written
        """

    async def close(self) -> None:
        """Seal, and remove spare segments nothing was written to."""


class ModFolder(Protocol):
    """Everything stored of one owner/repo: journals by name and segments by id."""

    async def journals(self) -> list[str]:
        """The names of the journals, in no order."""

    async def read_journal(self, name: str) -> bytes:
        """A journal's bytes; empty when there is none of that name."""

    async def write_journal(self, name: str) -> Appender:
        """Open a new or an existing journal at its end.

        :raises StorageFailure: another session holds it, or storage refused
        """

    async def remove_journals(self, names: Iterable[str]) -> None:
        """Remove journals; one that is not there is no error."""

    async def segment_lengths(self, ids: Iterable[str] | None = None) -> dict[str, int]:
        """The length in bytes of each of these segments that exists; of all when ``ids`` is None."""

    async def remove_segments(self, ids: Iterable[str]) -> None:
        """Remove segments; one that is not there, or that can't be removed now, is no error."""

    async def writer(self) -> SegmentWriter:
        """Begin a writing session. Call it under the mod's exclusive lock.

        :raises StorageFailure: storage refused
        """

    async def read(self, place: Place) -> bytes | None:
        """The bytes at ``place`` copied into Python, None when they are not there in full."""

    async def digest(self, places: Sequence[Place], kind: DigestKind = "sha256") -> list[str | None]:
        """The digest in hex of the bytes at each place, computed outside of Python; None where they are missing."""

    async def blob(self, place: Place, media_type: str) -> Blob | None:
        """A handle on the bytes at ``place`` that stays good while the segment is not removed; None when missing."""


class Store(Protocol):
    """Where mods are kept between visits."""

    @property
    def kind(self) -> StoreKind: ...

    async def repositories(self) -> list[str]:
        """``owner/name`` in lower case of every mod that has anything stored."""

    def folder(self, key: str) -> ModFolder:
        """The folder of one ``owner/name`` in lower case; it need not exist yet."""

    async def forget(self, key: str) -> None:
        """Remove all of one mod."""

    async def estimate(self) -> tuple[int, int] | None:
        """Bytes used and bytes allowed for the whole origin as the browser guesses them, None when it won't say."""


class Job(NamedTuple):
    """One file to fetch.

    ``size`` and ``sha256`` are what the bytes must be, None where unknown: bytes that differ are not stored.
    ``most`` bounds what is read, in bytes. ``writer`` is where the bytes go; None keeps them in memory for ``body``.
    ``stall`` is how many seconds without a byte end the attempt. An answer of the media type ``refused_type`` is some
    host's error page, whatever its status. HTTP caches are passed by: what is kept, we keep, and checked.
    """

    id: int
    url: str
    writer: SegmentWriter | None
    size: int | None
    sha256: str | None
    most: int
    stall: float
    refused_type: str | None = None


FaultKind = Literal[
    "status", "network", "stall", "cut", "too-long", "size", "hash", "quota", "storage", "aborted", "html", "pointer"
]


class Outcome(NamedTuple):
    """What became of one :class:`Job`.

    ``fault`` is None when the bytes arrived whole and are flushed at ``place`` (or are ``body``).
    ``fault="pointer"`` means a Git LFS pointer came instead of the file; ``body`` holds its text.
    ``status`` is the HTTP status, 0 when there was no answer; ``retry_after`` is in seconds where it could be read.
    ``received`` counts body bytes, ``ms`` the attempt's time.
    """

    id: int
    fault: FaultKind | None
    status: int
    received: int
    ms: float
    sha256: str | None = None
    place: Place | None = None
    body: bytes | None = None
    media_type: str = ""
    retry_after: float | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """Outcomes since the last look, and the bytes received so far of each job still running."""

    outcomes: tuple[Outcome, ...]
    running: Mapping[int, int]


class Lane(Protocol):
    """One pull's share of the transfer: jobs in, outcomes out."""

    def submit(self, jobs: Sequence[Job]) -> None:
        """Queue jobs; they start in this order as the transfer's limits allow."""

    async def take(self, seconds: float) -> Batch:
        """Wait for outcomes, at most ``seconds``; whatever is there by then comes in one batch, maybe nothing.

        Stored bytes are flushed before their outcomes are handed over.
        """

    def abort(self) -> None:
        """End every job of this lane, running or queued; each yields an outcome with ``fault="aborted"``."""

    def close(self) -> None:
        """Abort, and drop what is left."""


class Transfer(Protocol):
    """Fetches many files at once. Mechanism only: what, in which order and what counts as good is decided above."""

    def lane(self, most_jobs: int) -> Lane:
        """Open a lane that runs at most ``most_jobs`` jobs at once and queues the rest."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A small HTTP answer, read whole. ``headers`` have lower-case names; across origins only some are visible."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class Http(Protocol):
    """Small requests whose whole answer Python reads: the registry, GitHub's API, a text for the player."""

    async def get(self, url: str, *, most: int, fresh: bool = False) -> Reply:
        """GET ``url`` and read at most ``most`` bytes; ``fresh`` goes past the HTTP cache.

        :raises Unreachable: no answer, or a longer one
        """

    def anticipate(self, url: str) -> None:
        """Begin a request that :meth:`get` or a job will make soon; it is handed over then, not repeated."""

    async def blob(self, url: str, media_type: str) -> tuple[Blob, int] | None:
        """The body of ``url`` as a Blob of the given type, with its length; None unless it answers 200."""

    def wrap(self, data: bytes, media_type: str) -> Blob:
        """Bytes as a Blob of the given type."""


class Locks(Protocol):
    """Locks shared by every tab of this origin, let go of when their holder dies."""

    def exclusive(self, name: str) -> AbstractAsyncContextManager[None]:
        """Hold ``name`` alone, waiting for it."""

    def shared(self, name: str) -> AbstractAsyncContextManager[None]:
        """Hold ``name`` together with other sharers."""

    def exclusive_if_free(self, name: str) -> AbstractAsyncContextManager[bool]:
        """Hold ``name`` alone if nobody holds it now; yields whether it is held."""

    def steal(self, name: str) -> AbstractAsyncContextManager[None]:
        """Hold ``name`` alone at once, whoever holds it: for a holder that gives no sign of life."""

    async def held(self) -> list[str]:
        """The names held now in any tab, once for each holder."""


class Channel(Protocol):
    """Word of mouth between the tabs of this origin. Nobody may rely on a message: a tab can be gone any time."""

    def publish(self, topic: str, values: Mapping[str, Any]) -> None:
        """Tell every other tab."""

    def subscribe(self, topic: str, heard: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        """Call ``heard`` with what other tabs publish, until the returned function is called."""


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch."""

    def monotonic(self) -> float:
        """Seconds that only grow."""

    async def sleep(self, seconds: float) -> None: ...
