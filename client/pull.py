"""The pull: every planned file fetched on its own, checked, stored and given an outcome; none stops the others."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count

from client.errors import StorageFailure
from client.index import LfsPointer, read_pointer
from client.journal import Entry
from client.media_type import media_type
from client.plan import PlannedFile, host_of
from client.ports import Clock, Job, Lane, Outcome, Transfer
from client.report import PASSING, FileReport, Reason, Status
from client.retry import Breaker, RetryPolicy, reason_of
from client.scope import ScopeSession
from client.trace import Trace

SMALL = 1024 * 1024
"""Bytes up to which a file counts as small: many at once hide the latency."""
MOST_SMALL = 64
"""Small files at once; the best of 24, 64 and 128 over HTTP/2 (PLATFORM.md)."""
FEWEST_SMALL = 12
MOST_SMALL_BYTES = 3 * 1024 * 1024
"""Bytes of small files under way at once: what a killed tab has fetched in vain."""
MOST_LARGE_BYTES = 8 * 1024 * 1024
"""Bytes of large files under way at once, so that memory and the line's queue stay bounded."""
AHEAD = 2
"""Jobs handed to the transfer beyond those that run, as a multiple: it must not run dry between two batches."""
TICK = 0.1
"""Seconds between two looks at what runs, so that ten times a second at most the bar moves."""


@dataclass(slots=True)
class FileState:
    """One file of a pull and what became of it so far."""

    planned: PlannedFile
    keep_body: bool = False
    """Whether Python needs the bytes (manifest and setup)."""
    status: Status = "pending"
    reason: Reason | None = None
    length: int = 0
    """Bytes it turned out to have."""
    verified: bool = False
    sha256: str | None = None
    attempts: int = 0
    ms: float = 0.0
    body: bytes | None = None
    pointer: LfsPointer | None = field(default=None, repr=False)

    @property
    def settled(self) -> bool:
        return self.status != "pending"

    @property
    def size(self) -> int | None:
        """Bytes it will have, None while unknown."""
        return self.pointer.size if self.pointer is not None else self.planned.size

    def report(self) -> FileReport:
        """The state as it stands in the report."""
        known = self.length if self.length or self.size is None else self.size
        return FileReport(
            self.planned.path, self.status, known, self.verified, self.sha256, self.reason, self.attempts, self.ms
        )

    def found(self, entry: Entry, status: Status) -> None:
        """The file is in the cache."""
        known = {self.planned.sha256, self.planned.also_sha256}
        self.status, self.reason, self.length, self.sha256 = status, None, entry.place.length, entry.sha256
        self.verified = entry.verified or entry.sha256 in known

    def fail(self, reason: Reason) -> None:
        self.status, self.reason = "failed", reason

    def reset(self) -> None:
        """Make it pending again, for another try."""
        self.status, self.reason, self.attempts, self.ms, self.pointer = "pending", None, 0, 0.0, None


class Pull:
    """One run over some files of one mod.

    :param session: where bytes are stored; None when there is no storage, and then only kept bodies are fetched
    :param settled: called with each file that has its outcome
    :param running: called at most every :data:`TICK` seconds with the bytes received so far of files under way
    """

    def __init__(
        self,
        transfer: Transfer,
        session: ScopeSession | None,
        clock: Clock,
        *,
        trace: Trace,
        media_url: Callable[[str], str],
        settled: Callable[[FileState], None],
        running: Callable[[dict[str, int]], None],
        policy: RetryPolicy | None = None,
        breaker: Callable[[], Breaker] = Breaker,
    ) -> None:
        self._transfer = transfer
        self._session = session
        self._clock = clock
        self._trace = trace
        self._media_url = media_url
        self._settled = settled
        self._show_running = running
        self._policy = policy or RetryPolicy()
        self._new_breaker = breaker
        self._breakers: dict[str, Breaker] = {}
        self._small: deque[FileState] = deque()
        self._large: deque[FileState] = deque()
        self._waiting: list[tuple[float, int, FileState]] = []
        self._running: dict[int, FileState] = {}
        self._ids = count(1)
        self._order = count()
        self._lane: Lane | None = None
        self._cancelled = False
        self.bytes_fetched = 0
        """Body bytes received, of failed attempts too."""

    def add(self, files: Iterable[FileState]) -> None:
        """Queue files, also while the pull runs."""
        for state in files:
            self._queue(state)

    def cancel(self) -> None:
        """End the pull: transfers are aborted, every unsettled file fails as ``cancelled``."""
        self._cancelled = True
        if self._lane is not None:
            self._lane.abort()

    async def run(self) -> None:
        """Work until every file has its outcome."""
        self._lane = lane = self._transfer.lane(self._most_at_once())
        try:
            while self._small or self._large or self._waiting or self._running:
                if self._cancelled:
                    self._give_up(self._queued(), "cancelled")
                else:
                    self._top_up(lane)
                if not self._running and not self._waiting and not (self._small or self._large):
                    break
                batch = await lane.take(self._patience())
                with self._trace.span("outcomes", files=len(batch.outcomes), running=len(batch.running)):
                    await self._take(lane, batch.outcomes)
                self._show_running(
                    {
                        self._running[job].planned.path: received
                        for job, received in batch.running.items()
                        if job in self._running
                    }
                )
        finally:
            lane.close()
            self._lane = None
            self._show_running({})

    def _most_at_once(self) -> int:
        """As many as hide the latency, and fewer where each is heavy."""
        sizes = [state.size for state in self._small if state.size is not None]
        mean = sum(sizes) / len(sizes) if sizes else 0
        return MOST_SMALL if mean * MOST_SMALL <= MOST_SMALL_BYTES else max(FEWEST_SMALL, int(MOST_SMALL_BYTES / mean))

    def _queue(self, state: FileState) -> None:
        unstorable = self._unstorable(state)
        if unstorable is not None:
            self._finish(state, unstorable)
            return
        size = state.size
        (self._small if size is None or size <= SMALL else self._large).append(state)

    def _queued(self) -> list[FileState]:
        queued = [*self._small, *self._large, *(state for _, _, state in self._waiting)]
        self._small.clear()
        self._large.clear()
        self._waiting.clear()
        return queued

    def _give_up(self, states: Iterable[FileState], reason: Reason) -> None:
        for state in states:
            self._finish(state, reason)

    def _patience(self) -> float:
        if self._running:
            return TICK
        due = self._waiting[0][0] - self._clock.monotonic() if self._waiting else TICK
        waits = [breaker.wait(self._clock.monotonic()) for breaker in self._breakers.values()]
        if self._small or self._large:
            due = min([due, *(wait for wait in waits if wait > 0)])
        return max(0.005, due)

    def _top_up(self, lane: Lane) -> None:
        now = self._clock.monotonic()
        while self._waiting and self._waiting[0][0] <= now:
            self._queue(heapq.heappop(self._waiting)[2])
        jobs: list[Job] = []
        large_bytes = sum(state.size or 0 for state in self._running.values() if (state.size or 0) > SMALL)
        large_bytes = self._hand_out(self._large, jobs, now, large_bytes)
        self._hand_out(self._small, jobs, now, large_bytes)
        if jobs:
            lane.submit(jobs)

    def _hand_out(self, queue: deque[FileState], jobs: list[Job], now: float, large_bytes: int) -> int:
        held_back: list[FileState] = []
        while queue and len(self._running) < MOST_SMALL * (1 + AHEAD):
            size = queue[0].size or 0
            if size > SMALL and large_bytes and large_bytes + size > MOST_LARGE_BYTES:
                break
            state = queue.popleft()
            breaker = self._breaker(state)
            if breaker.gone:
                self._finish(state, state.reason or "network")
                continue
            if not breaker.allowance(now, 1):
                held_back.append(state)
                continue
            breaker.started()
            large_bytes += size if size > SMALL else 0
            jobs.append(self._job(state))
        queue.extendleft(reversed(held_back))
        return large_bytes

    def _url(self, state: FileState) -> str:
        return state.planned.url if state.pointer is None else self._media_url(state.planned.path)

    def _breaker(self, state: FileState) -> Breaker:
        """The breaker of the host that has the file's bytes."""
        host = state.planned.host if state.pointer is None else host_of(self._url(state))
        if host not in self._breakers:
            self._breakers[host] = self._new_breaker()
        return self._breakers[host]

    def _job(self, state: FileState) -> Job:
        planned = state.planned
        job = Job(
            id=next(self._ids),
            url=self._url(state),
            writer=None if state.keep_body or self._session is None else self._session.writer,
            size=state.size,
            sha256=planned.sha256 if state.pointer is None else state.pointer.oid,
            most=planned.most if state.pointer is None else state.pointer.size,
            stall=20.0,
            refused_type="text/html" if media_type(planned.path) != "text/html" else None,
        )
        self._running[job.id] = state
        return job

    async def _take(self, lane: Lane, outcomes: Iterable[Outcome]) -> None:
        stored: list[tuple[FileState, Entry]] = []
        for outcome in outcomes:
            state = self._running.pop(outcome.id, None)
            if state is None:
                continue
            self.bytes_fetched += outcome.received
            state.ms = outcome.ms
            breaker = self._breaker(state)
            if outcome.fault == "aborted":
                breaker.called_back()
            if outcome.fault == "aborted" and not self._cancelled:
                self._queue(state)  # called back when its host was to be left alone; it has done nothing wrong
                continue
            state.attempts += 1
            if outcome.fault is None:
                breaker.answered()
                entry = await self._check(state, outcome)
                if entry is not None:
                    stored.append((state, entry))
            else:
                self._failed(lane, state, outcome)
        await self._record(stored)

    async def _check(self, state: FileState, outcome: Outcome) -> Entry | None:
        """What to store of bytes that arrived whole; None when they are not to be (the file is settled then)."""
        planned = state.planned
        assert outcome.sha256 is not None
        if planned.also_sha256 is not None or (
            state.pointer is not None and planned.sha256 not in {None, outcome.sha256}
        ):
            self._finish(state, "hash-mismatch")
            return None
        if outcome.received == 0 and planned.size is None:
            self._again_or_fail(state, "size-mismatch", None)
            return None
        verified = outcome.sha256 == planned.sha256
        state.length, state.sha256, state.verified = outcome.received, outcome.sha256, verified
        place = outcome.place
        if state.keep_body:
            state.body = outcome.body
            if self._session is None or self._session.broken is not None:
                self._finish(state, None)
                return None
            try:
                place = await self._session.writer.put(outcome.body or b"")
            except StorageFailure as error:
                self._storage_broke(error)
                self._finish(state, None)
                return None
        assert place is not None
        return Entry(place, outcome.sha256, verified)

    async def _record(self, stored: list[tuple[FileState, Entry]]) -> None:
        if not stored or self._session is None:
            return
        try:
            await self._session.add({state.planned.path: entry for state, entry in stored})
        except StorageFailure as error:
            self._storage_broke(error)
            self._give_up((state for state, _ in stored), "quota" if error.quota else "storage")
            return
        for state, _ in stored:
            self._finish(state, None)

    def _failed(self, lane: Lane, state: FileState, outcome: Outcome) -> None:
        if outcome.fault == "pointer" and state.pointer is None:
            pointer = read_pointer(outcome.body or b"")
            if pointer is not None:
                self._breaker(state).answered()
                state.pointer, state.attempts = pointer, 0  # of the file itself there was none yet
                self._queue(state)
                return
        reason = reason_of(outcome)
        if reason == "not-found" and (state.pointer is not None or state.planned.lfs):
            reason = "lfs-missing"
        breaker = self._breaker(state)
        if reason in PASSING:
            if breaker.failed(self._clock.monotonic(), outcome.retry_after):
                lane.abort()
        elif reason not in {"quota", "storage", "cancelled"}:
            breaker.answered()
        if reason in {"quota", "storage"}:
            self._storage_broke(
                StorageFailure(outcome.detail or "The browser's storage refused.", quota=reason == "quota")
            )
        self._again_or_fail(state, reason, outcome.retry_after)

    def _again_or_fail(self, state: FileState, reason: Reason, retry_after: float | None) -> None:
        gone = self._breaker(state).gone
        if self._cancelled or gone or not self._policy.may_retry(reason, state.attempts):
            self._finish(state, reason)
            return
        state.reason = reason
        due = self._clock.monotonic() + self._policy.delay(state.attempts, retry_after)
        heapq.heappush(self._waiting, (due, next(self._order), state))

    def _storage_broke(self, error: StorageFailure) -> None:
        """Nothing more can be stored: what is not here yet stays live, and no byte is fetched in vain."""
        assert self._session is not None
        if self._session.broken is None:
            self._session.broken = error
        for state in self._queued():
            self._queue(state)
        if self._lane is not None:
            self._lane.abort()

    def _unstorable(self, state: FileState) -> Reason | None:
        if state.keep_body:
            return None
        if self._session is None:
            return "storage"
        broken = self._session.broken
        return None if broken is None else "quota" if broken.quota else "storage"

    def _finish(self, state: FileState, reason: Reason | None) -> None:
        if reason is None:
            state.status, state.reason = "downloaded", None
        else:
            state.fail(reason)
        self._settled(state)
