"""The loader's ports in memory: time that jumps, a scripted network, a store that can lose things, locks.

They pass the contract suites of ``tests/contract``, as the browser's adapters do, so they can't drift from them.
"""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import itertools
import json
import selectors
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar
from urllib.parse import urljoin

from client.errors import StorageFailure, Unreachable
from client.ports import (
    Appender,
    Batch,
    DigestKind,
    FaultKind,
    Job,
    Lane,
    ModFolder,
    Outcome,
    Place,
    Reply,
    SegmentWriter,
)
from client.report import StoreKind
from tests.contract.answer import NOT_FOUND, REFUSED, Answer

T = TypeVar("T")

EPOCH = 1_800_000_000.0
HORIZON = 3600.0
"""Seconds of fake time after which a test counts as going round for ever."""


class DeadlockError(Exception):
    """Every task waits and nothing is due, or an hour has passed: in a browser this would hang for ever."""


class Killed(Exception):
    """The tab died here: nobody is to catch this."""


# Time


class FakeClock:
    """Time that stands still while anything can run, and jumps to the next due moment when nothing can."""

    def __init__(self) -> None:
        self._monotonic = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> float:
        return EPOCH + self._monotonic

    def monotonic(self) -> float:
        return self._monotonic

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.wake_at(self._monotonic + seconds, woken)
        await woken

    def wake_at(self, moment: float, waiting: asyncio.Future[None]) -> None:
        """Resolve ``waiting`` when that moment comes, unless it is done by then."""
        heapq.heappush(self._sleepers, (moment, next(self._order), waiting))

    def advance(self, seconds: float) -> None:
        """Let time pass at once; for what is synchronous."""
        self._monotonic += seconds
        self._wake()

    def jump(self) -> bool:
        """Go to the next due moment; False when nothing is due ever."""
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        if not self._sleepers:
            return False
        self._monotonic = max(self._monotonic, self._sleepers[0][0])
        if self._monotonic > HORIZON:
            raise DeadlockError
        self._wake()
        return True

    def _wake(self) -> None:
        while self._sleepers and self._sleepers[0][0] <= self._monotonic:
            waiting = heapq.heappop(self._sleepers)[2]
            if not waiting.done():
                waiting.set_result(None)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on an event loop that takes this clock's time.

        :raises DeadlockError: everything waits for what never comes
        """
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(_JumpingSelector(self))) as runner:
            return runner.run(work)


class _JumpingSelector(selectors.DefaultSelector):
    """The event loop asks its selector to wait only when no task can run: the very moment to let time jump."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if (timeout is None or timeout > 0) and self._clock.jump():
            return super().select(0)
        if timeout is None:
            ready = super().select(0)
            if not ready:
                raise DeadlockError
            return ready
        return super().select(timeout)


# Network


class FakeNetwork:
    """Answers by address and attempt; an address nobody scripted is not found."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.requests: list[str] = []
        """Every address asked for, in order; redirects' targets too."""
        self.down = False
        """Whether nothing answers at all."""
        self.latency = 0.02
        """Seconds before each answer."""
        self.rate: float | None = None
        """Bytes a second of each body; None for at once."""
        self.open = 0
        self.most_open = 0
        self._answers: dict[str, Sequence[Answer]] = {}
        self._finders: list[Callable[[str, int], Answer | None]] = []
        self._attempts: Counter[str] = Counter()

    def on(self, url: str, *answers: Answer) -> None:
        """Answer the first request for ``url`` with the first of these and so on; the last one stays."""
        self._answers[url] = answers
        self._attempts[url] = 0

    def when(self, finder: Callable[[str, int], Answer | None]) -> None:
        """Ask ``finder(url, attempt)`` first, attempts counted from 1; None leaves the request to the others."""
        self._finders.insert(0, finder)

    def asked(self, part: str) -> list[str]:
        """The addresses asked for that contain ``part``."""
        return [url for url in self.requests if part in url]

    def answer(self, url: str) -> Answer:
        """What the next request for ``url`` gets; redirects are followed."""
        for _ in range(20):
            self.requests.append(url)
            found = self._next(url)
            if found.location is None:
                return found
            url = urljoin(url, found.location)
        return REFUSED

    def _next(self, url: str) -> Answer:
        self._attempts[url] += 1
        if self.down:
            return REFUSED
        for finder in self._finders:
            found = finder(url, self._attempts[url])
            if found is not None:
                return found
        answers = self._answers.get(url, (NOT_FOUND,))
        return answers[min(self._attempts[url], len(answers)) - 1]


@dataclass(frozen=True, slots=True)
class FakeBlob:
    """Bytes outside of Python."""

    data: bytes
    media_type: str


class FakeHttp:
    """Whole answers from the fake network."""

    def __init__(self, network: FakeNetwork) -> None:
        self._network = network
        self.fresh: list[str] = []
        """Addresses asked for past the HTTP cache."""

    async def get(self, url: str, *, most: int, fresh: bool = False) -> Reply:
        if fresh:
            self.fresh.append(url)
        answer = self._network.answer(url)
        await self._network.clock.sleep(self._network.latency + answer.delay)
        if answer.ending != "whole" or len(answer.body) > most:
            raise Unreachable(f"{url} does not answer.")
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return Reply(url, answer.status, headers | {"content-type": answer.media_type}, answer.body)

    def anticipate(self, url: str) -> None:
        """Nothing is early on this machine."""

    async def blob(self, url: str, media_type: str) -> tuple[FakeBlob, int] | None:
        try:
            reply = await self.get(url, most=2**31)
        except Unreachable:
            return None
        return (FakeBlob(reply.body, media_type), len(reply.body)) if reply.status == 200 else None

    def wrap(self, data: bytes, media_type: str) -> FakeBlob:
        return FakeBlob(data, media_type)


class _FaultError(Exception):
    def __init__(self, kind: FaultKind) -> None:
        self.kind = kind


@dataclass(slots=True)
class _Attempt:
    job: Job
    began: float
    received: int = 0
    status: int = 0
    media_type: str = ""
    retry_after: float | None = None
    body: bytes | None = None
    digest: str | None = None
    place: Place | None = None
    task: asyncio.Task[None] | None = None


class FakeTransfer:
    """The pump over the fake network."""

    def __init__(self, network: FakeNetwork) -> None:
        self._network = network
        self.jobs: list[Job] = []
        """Every job ever submitted."""
        self.most_running = 0

    def lane(self, most_jobs: int) -> Lane:
        return _FakeLane(self._network, most_jobs, self)


_BATCH = 0.05
_PIECE = 64 * 1024
_LONGEST_POINTER = 1024


class _FakeLane:
    def __init__(self, network: FakeNetwork, most: int, transfer: FakeTransfer) -> None:
        self._network = network
        self._clock = network.clock
        self._most = most
        self._transfer = transfer
        self._queue: deque[Job] = deque()
        self._running: dict[int, _Attempt] = {}
        self._outcomes: list[Outcome] = []
        self._writers: dict[int, FakeWriter] = {}
        self._taken = self._clock.monotonic()
        self._wake: asyncio.Future[None] | None = None
        self._closed = False

    def submit(self, jobs: Sequence[Job]) -> None:
        self._transfer.jobs += jobs
        self._queue.extend(jobs)
        self._start_next()

    async def take(self, seconds: float) -> Batch:
        until = self._clock.monotonic() + seconds
        while True:
            now, ripe = self._clock.monotonic(), self._taken + _BATCH
            idle = not self._running and not self._queue
            if (self._outcomes and (idle or now >= ripe)) or now >= until or self._closed:
                break
            self._wake = asyncio.get_running_loop().create_future()
            self._clock.wake_at(min(until, ripe) if self._outcomes else until, self._wake)
            await self._wake
        outcomes, self._outcomes = self._outcomes, []
        self._taken = self._clock.monotonic()
        running = {job: attempt.received for job, attempt in self._running.items()}
        return Batch(tuple(self._commit(outcomes)), running)

    def abort(self) -> None:
        while self._queue:
            self._report(_Attempt(self._queue.popleft(), self._clock.monotonic()), "aborted")
        for attempt in self._running.values():
            assert attempt.task is not None
            attempt.task.cancel()

    def close(self) -> None:
        self._closed = True
        self._queue.clear()
        for attempt in self._running.values():
            assert attempt.task is not None
            attempt.task.cancel()
        self._awake()

    def _awake(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def _start_next(self) -> None:
        while self._queue and len(self._running) < self._most:
            attempt = _Attempt(self._queue.popleft(), self._clock.monotonic())
            self._running[attempt.job.id] = attempt
            self._transfer.most_running = max(self._transfer.most_running, len(self._running))
            attempt.task = asyncio.ensure_future(self._run(attempt))
            attempt.task.add_done_callback(partial(self._ended, attempt))

    def _ended(self, attempt: _Attempt, task: asyncio.Task[None]) -> None:
        fault: FaultKind | None = None
        if task.cancelled():
            fault = "aborted"
        elif (error := task.exception()) is not None:
            if not isinstance(error, _FaultError):
                raise error
            fault = error.kind
        self._report(attempt, fault)

    def _report(self, attempt: _Attempt, fault: FaultKind | None) -> None:
        job = attempt.job
        self._running.pop(job.id, None)
        if self._closed:
            return
        self._outcomes.append(
            Outcome(
                id=job.id,
                fault=fault,
                status=attempt.status,
                received=attempt.received,
                ms=(self._clock.monotonic() - attempt.began) * 1000,
                sha256=attempt.digest if fault in {None, "pointer"} else None,
                place=attempt.place if fault is None else None,
                body=attempt.body if fault in {None, "pointer"} else None,
                media_type=attempt.media_type,
                retry_after=attempt.retry_after,
            )
        )
        if isinstance(job.writer, FakeWriter):
            self._writers[job.id] = job.writer
        self._start_next()
        self._awake()

    async def _run(self, attempt: _Attempt) -> None:
        job, answer = attempt.job, self._network.answer(attempt.job.url)
        delay = self._network.latency + answer.delay
        await self._clock.sleep(min(delay, job.stall))
        if delay > job.stall:
            raise _FaultError("stall")
        if answer.ending == "refused":
            raise _FaultError("network")
        headers = {name.lower(): value for name, value in answer.headers.items()}
        attempt.status, attempt.media_type = answer.status, answer.media_type.partition(";")[0].lower()
        attempt.retry_after = float(headers["retry-after"]) if "retry-after" in headers else None
        if answer.status != 200:
            raise _FaultError("status")
        if attempt.media_type and attempt.media_type == job.refused_type:
            raise _FaultError("html")
        data = await self._receive(attempt, answer)
        attempt.digest = hashlib.sha256(data).hexdigest()
        pointer = len(data) < _LONGEST_POINTER and data.startswith(b"version https://git-lfs")
        if pointer and attempt.digest != job.sha256:
            attempt.body = data
            raise _FaultError("pointer")
        if job.size is not None and job.size != len(data):
            raise _FaultError("cut" if len(data) < job.size else "size")
        if job.sha256 is not None and job.sha256 != attempt.digest:
            raise _FaultError("hash")
        if job.writer is None:
            attempt.body = data
            return
        assert isinstance(job.writer, FakeWriter)
        try:
            attempt.place = job.writer.gather(data)
        except StorageFailure as error:
            raise _FaultError("quota" if error.quota else "storage") from None

    async def _receive(self, attempt: _Attempt, answer: Answer) -> bytes:
        sent = answer.sent
        for start in range(0, len(sent), _PIECE):
            piece = sent[start : start + _PIECE]
            if self._network.rate is not None:
                await self._clock.sleep(len(piece) / self._network.rate)
            attempt.received += len(piece)
            if attempt.received > attempt.job.most:
                raise _FaultError("too-long")
        if answer.ending == "stall":
            await self._clock.sleep(attempt.job.stall)
            raise _FaultError("stall")
        declared = answer.declared if answer.declared is not None else len(answer.body)
        if answer.announced and len(sent) < declared:
            raise _FaultError("cut")
        return sent

    def _commit(self, outcomes: list[Outcome]) -> Iterable[Outcome]:
        faults: dict[FakeWriter, FaultKind] = {}
        written = {self._writers[outcome.id] for outcome in outcomes if outcome.place is not None}
        for writer in written:
            try:
                writer.commit()
            except StorageFailure as error:
                faults[writer] = "quota" if error.quota else "storage"
        for outcome in outcomes:
            fault = faults.get(self._writers[outcome.id]) if outcome.place is not None else None
            if fault is None:
                yield outcome
            else:
                yield Outcome(outcome.id, fault, outcome.status, outcome.received, outcome.ms)


# Store


@dataclass(slots=True)
class _Mod:
    journals: dict[str, bytearray] = field(default_factory=dict)
    segments: dict[str, bytearray] = field(default_factory=dict)
    open_segments: set[str] = field(default_factory=set)


class FakeStore:
    """Mods in memory; all tabs of a test share one.

    ``room`` is how many bytes fit in yet, None for any number. While ``refusing``, every write fails.
    ``dies_at`` ends the tab (:class:`Killed`) at that write, counted in :attr:`writes`; a dying append is torn.
    """

    def __init__(self, kind: StoreKind = "opfs") -> None:
        self._kind: StoreKind = kind
        self.mods: dict[str, _Mod] = {}
        self.room: int | None = None
        self.refusing = False
        self.unreadable = False
        self.writes = 0
        self.dies_at: int | None = None
        self._sessions = itertools.count(1)

    @property
    def kind(self) -> StoreKind:
        return self._kind

    async def repositories(self) -> list[str]:
        return [key for key, mod in self.mods.items() if mod.journals or mod.segments]

    def folder(self, key: str) -> ModFolder:
        return _FakeFolder(self, key)

    async def forget(self, key: str) -> None:
        self.touch()
        self.mods.pop(key, None)

    async def estimate(self) -> tuple[int, int] | None:
        used = sum(len(data) for mod in self.mods.values() for data in [*mod.journals.values(), *mod.segments.values()])
        return used, used + (self.room if self.room is not None else 2**40)

    def lose_segments(self, key: str) -> None:
        """All segments of a mod are gone, its journals whole: seen after a kill."""
        self.mods[key].segments.clear()

    def shorten_segments(self, key: str, length: int) -> None:
        """No segment is longer than ``length`` any more."""
        for segment in self.mods[key].segments.values():
            del segment[length:]

    def rot(self, key: str, place: Place) -> None:
        """Flip one bit of the file at ``place``."""
        self.mods[key].segments[place.segment][place.offset] ^= 1

    def tear_journal(self, key: str, name: str, length: int) -> None:
        """Only the first ``length`` bytes of a journal reached the disk."""
        del self.mods[key].journals[name][length:]

    def kill_sessions(self) -> None:
        """The tabs that were writing are gone; their handles are free."""
        for mod in self.mods.values():
            mod.open_segments.clear()

    def new_prefix(self) -> str:
        return f"{next(self._sessions):016x}"

    def mod(self, key: str) -> _Mod:
        return self.mods.setdefault(key, _Mod())

    def touch(self) -> None:
        """Count a write.

        :raises StorageFailure: the store refuses
        :raises Killed: the tab dies at this one
        """
        self.writes += 1
        if self.dies_at is not None and self.writes >= self.dies_at:
            raise Killed
        if self.refusing:
            raise StorageFailure("The disk refused.")

    def write(self, target: bytearray, data: bytes) -> None:
        """Append bytes, fewer when they don't fit or the tab dies."""
        try:
            self.touch()
        except Killed:
            target += data[: len(data) // 2]
            raise
        if self.room is not None and len(data) > self.room:
            target += data[: self.room]
            self.room = 0
            raise StorageFailure("The disk is full.", quota=True)
        if self.room is not None:
            self.room -= len(data)
        target += data


class _FakeFolder:
    def __init__(self, store: FakeStore, key: str) -> None:
        self._store = store
        self._key = key

    @property
    def _mod(self) -> _Mod:
        return self._store.mods.get(self._key) or _Mod()

    async def journals(self) -> list[str]:
        if self._store.unreadable:
            raise StorageFailure("The disk can't be read.")
        return list(self._mod.journals)

    async def read_journal(self, name: str) -> bytes:
        return bytes(self._mod.journals.get(name, b""))

    async def write_journal(self, name: str) -> Appender:
        self._store.touch()
        return _FakeAppender(self._store, self._store.mod(self._key).journals.setdefault(name, bytearray()))

    async def remove_journals(self, names: Iterable[str]) -> None:
        for name in list(names):
            self._store.touch()
            self._mod.journals.pop(name, None)

    async def segment_lengths(self, ids: Iterable[str] | None = None) -> dict[str, int]:
        segments = self._mod.segments
        wanted = segments if ids is None else set(ids) & set(segments)
        return {segment: len(segments[segment]) for segment in wanted}

    async def remove_segments(self, ids: Iterable[str]) -> None:
        for segment in list(ids):
            self._store.touch()
            if segment not in self._mod.open_segments:
                self._mod.segments.pop(segment, None)

    async def writer(self) -> SegmentWriter:
        self._store.touch()
        return FakeWriter(self._store, self._store.mod(self._key), self._store.new_prefix())

    async def read(self, place: Place) -> bytes | None:
        segment = self._mod.segments.get(place.segment)
        if segment is None or len(segment) < place.offset + place.length:
            return None
        return bytes(segment[place.offset : place.offset + place.length])

    async def digest(self, places: Sequence[Place], kind: DigestKind = "sha256") -> list[str | None]:
        found = [await self.read(place) for place in places]
        digest = sha256 if kind == "sha256" else git_blob_id
        return [digest(data) if data is not None else None for data in found]

    async def blob(self, place: Place, media_type: str) -> FakeBlob | None:
        data = await self.read(place)
        return FakeBlob(data, media_type) if data is not None else None


class _FakeAppender:
    def __init__(self, store: FakeStore, journal: bytearray) -> None:
        self._store = store
        self._journal = journal

    async def append(self, data: bytes) -> None:
        self._store.write(self._journal, data)

    async def close(self) -> None:
        return


class FakeWriter:
    """A writing session; sealing at 1 MB, so that tests see several segments without large files."""

    seal_at = 1024 * 1024

    def __init__(self, store: FakeStore, mod: _Mod, prefix: str) -> None:
        self._store = store
        self._mod = mod
        self._prefix = prefix
        self._count = itertools.count()
        self._unflushed = bytearray()
        self._begin()

    def _begin(self) -> None:
        self._id = f"{self._prefix}-{next(self._count)}"
        self._used = False
        self._mod.segments[self._id] = bytearray()
        self._mod.open_segments.add(self._id)

    def gather(self, data: bytes) -> Place:
        """Take bytes; they are safe once :meth:`commit` is done."""
        if self._store.refusing:
            raise StorageFailure("The disk refused.")
        segment = self._mod.segments[self._id]
        if len(segment) >= self.seal_at and not self._unflushed:
            self._mod.open_segments.discard(self._id)
            self._begin()
            segment = self._mod.segments[self._id]
        place = Place(self._id, len(segment) + len(self._unflushed), len(data))
        self._used = True
        self._unflushed += data
        return place

    def commit(self) -> None:
        data, self._unflushed = bytes(self._unflushed), bytearray()
        if data:
            self._store.write(self._mod.segments[self._id], data)

    async def put(self, data: bytes) -> Place:
        place = self.gather(data)
        self.commit()
        return place

    async def seal(self) -> None:
        self.commit()
        if self._used:
            self._mod.open_segments.discard(self._id)
            self._begin()

    async def close(self) -> None:
        self.commit()
        self._mod.open_segments.discard(self._id)
        if not self._used:
            self._mod.segments.pop(self._id, None)


# Locks


@dataclass(eq=False, slots=True)
class _Request:
    mode: Literal["exclusive", "shared"]
    granted: asyncio.Future[None]


class FakeLocks:
    """Web Locks: first come, first served, sharers together. All tabs of a test share one."""

    def __init__(self) -> None:
        self._held: dict[str, list[_Request]] = {}
        self._waiting: dict[str, list[_Request]] = {}

    async def held(self) -> list[str]:
        return sorted(name for name, holders in self._held.items() for _ in holders)

    def exclusive(self, name: str) -> AbstractAsyncContextManager[None]:
        return _Hold(self, name, "exclusive")

    def shared(self, name: str) -> AbstractAsyncContextManager[None]:
        return _Hold(self, name, "shared")

    def exclusive_if_free(self, name: str) -> AbstractAsyncContextManager[bool]:
        return _HoldIfFree(self, name)

    @asynccontextmanager
    async def steal(self, name: str) -> AsyncIterator[None]:
        request = _Request("exclusive", asyncio.get_running_loop().create_future())
        self._held[name] = [request]
        try:
            yield
        finally:
            self.release(name, request)

    def free(self, name: str) -> bool:
        return not self._held.get(name) and not self._waiting.get(name)

    def request(self, name: str, mode: Literal["exclusive", "shared"]) -> _Request:
        """Ask for a lock; it is had when the request is granted."""
        request = _Request(mode, asyncio.get_running_loop().create_future())
        self._waiting.setdefault(name, []).append(request)
        self._grant(name)
        return request

    def release(self, name: str, request: _Request) -> None:
        """Let go of a lock, or stop waiting for it."""
        for requests in (self._waiting[name], self._held[name]):
            if request in requests:
                requests.remove(request)
        self._grant(name)

    def _grant(self, name: str) -> None:
        held, waiting = self._held.setdefault(name, []), self._waiting.setdefault(name, [])
        while waiting and (not held or (waiting[0].mode == held[0].mode == "shared")):
            request = waiting.pop(0)
            held.append(request)
            if not request.granted.done():
                request.granted.set_result(None)


class FakeChannel:
    """Word of mouth between the tabs of a test: each is an ear of one ``air``."""

    def __init__(self, air: list[FakeChannel]) -> None:
        self._air = air
        self._listeners: dict[str, list[Callable[[dict[str, Any]], None]]] = {}
        self.silent = False
        """A process that is stopped says nothing."""
        air.append(self)

    def publish(self, topic: str, values: Mapping[str, Any]) -> None:
        for tab in self._air if not self.silent else ():
            if tab is not self:
                for heard in list(tab._listeners.get(topic, ())):
                    heard(json.loads(json.dumps(dict(values))))

    def subscribe(self, topic: str, heard: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        listeners = self._listeners.setdefault(topic, [])
        listeners.append(heard)
        return lambda: listeners.remove(heard)


class _Hold(AbstractAsyncContextManager[None]):
    def __init__(self, locks: FakeLocks, name: str, mode: Literal["exclusive", "shared"]) -> None:
        self._locks = locks
        self._name = name
        self._mode: Literal["exclusive", "shared"] = mode
        self._request: _Request | None = None

    async def __aenter__(self) -> None:
        self._request = self._locks.request(self._name, self._mode)
        try:
            await self._request.granted
        except BaseException:
            self._locks.release(self._name, self._request)
            raise

    async def __aexit__(self, *exception: object) -> None:
        assert self._request is not None
        self._locks.release(self._name, self._request)


class _HoldIfFree(AbstractAsyncContextManager[bool]):
    def __init__(self, locks: FakeLocks, name: str) -> None:
        self._locks = locks
        self._name = name
        self._request: _Request | None = None

    async def __aenter__(self) -> bool:
        if not self._locks.free(self._name):
            return False
        self._request = self._locks.request(self._name, "exclusive")
        return True

    async def __aexit__(self, *exception: object) -> None:
        if self._request is not None:
            self._locks.release(self._name, self._request)


# All of it together


@dataclass(slots=True)
class Machine:
    """One machine's ports: clock, network and store are shared by all of its tabs."""

    clock: FakeClock = field(default_factory=FakeClock)
    store: FakeStore = field(default_factory=FakeStore)
    locks: FakeLocks = field(default_factory=FakeLocks)
    network: FakeNetwork = field(init=False)
    http: FakeHttp = field(init=False)
    transfer: FakeTransfer = field(init=False)
    air: list[FakeChannel] = field(default_factory=list)

    def channel(self) -> FakeChannel:
        """One more tab's ear."""
        return FakeChannel(self.air)

    def __post_init__(self) -> None:
        self.network = FakeNetwork(self.clock)
        self.http = FakeHttp(self.network)
        self.transfer = FakeTransfer(self.network)


def git_blob_id(data: bytes) -> str:
    """Git's name for these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def sha256(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def json_answer(values: Mapping[str, Any], status: int = 200) -> Answer:
    """An answer in JSON."""
    return Answer(status=status, body=json.dumps(values).encode(), media_type="application/json")
