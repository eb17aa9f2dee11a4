"""One mod at the table, the game or one of its packs: resolve → scope → supersede → pull → serve (seed page)."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from client import cache
from client import note as notes
from client.asset_path import AssetPath, asset_path
from client.errors import Cancelled, ManifestUnreadable, PeerError, StorageFailure, UnknownVersion
from client.github import GitBlob, GitHub
from client.index import FileIndex
from client.issue import Issue
from client.journal import Entry
from client.json_document import DocumentUnreadable
from client.manifest import MANIFEST_FILE, MANIFEST_PATH, DeclaredFile, ModManifest, read_manifest
from client.plan import PlannedFile, plan_files
from client.ports import Clock, Http, Locks, Store, Transfer
from client.progress import ProgressMeter
from client.publish import Publish
from client.pull import FileState, Pull
from client.registry import Registry
from client.report import BootKind, FileReport, PullReport, Reason
from client.scope import Scope, ScopeSession
from client.setup import EMPTY_SETUP, Setup, read_setup, unreadable_setup
from client.stage import Stage
from client.trace import Trace
from client.turn import Turns
from client.urls import GitHubHosts, media_url
from client.verdict import Verdict

EXAMINED_AT_ONCE = 64
EXAMINED_BYTES = 8 * 1024 * 1024
EXAMINING_PAUSE = 0.25
"""Seconds between two portions of idle examination, so that it is never felt."""

Observer = Callable[["OpenMod", "FileState | None"], None]


@dataclass(frozen=True, slots=True)
class Platform:
    """The machine under the loader: every port, where GitHub is, and how the runtime came up."""

    store: Store
    transfer: Transfer
    http: Http
    locks: Locks
    turns: Turns
    clock: Clock
    hosts: GitHubHosts
    registry: Registry | None
    boot: BootKind
    trace: Trace
    stage: Stage | None = None
    """None where there is nowhere to run scripts in."""


class OpenMod:
    """A mod from the moment it is resolved until its table closes.

    :param changed: called after anything worth drawing anew; with the file that got its outcome, or None
    :param setup_read: called once with the setup, as soon as it can be read, while the pull goes on
    """

    def __init__(
        self,
        platform: Platform,
        publish: Publish,
        meter: ProgressMeter,
        *,
        role: str,
        changed: Observer,
        setup_read: Callable[[Setup], None] | None = None,
    ) -> None:
        self.platform = platform
        self.publish = publish
        self.role = role
        self.manifest: ModManifest | None = None
        self.setup: Setup = EMPTY_SETUP
        self.index: FileIndex | None = None
        self.files: dict[AssetPath, FileState] = {}
        self.scope = Scope(platform.store.folder(publish.repository.key), publish.version)
        self.state: Literal["loading", "open", "failed"] = "loading"
        self.error: PeerError | None = None
        self.storage_error: StorageFailure | None = None
        self.superseded: tuple[str, ...] = ()
        self.outlived = False
        """Whether another tab still showed an older version when the cache was last tidied."""
        self.bytes_fetched = 0
        self._meter = meter
        self._changed = changed
        self._setup_read = setup_read
        self._pull: Pull | None = None
        self._cancelled = False
        self._waiting: asyncio.Task[object] | None = None
        self._holds = AsyncExitStack()
        self._carried: frozenset[str] = frozenset()
        self._blobs: Mapping[str, GitBlob] | None = None
        self._absent: set[AssetPath] = set()
        """Optional files that this version does not have."""
        self._verdict: Verdict | None = None
        """What the registry last said of the scripts, once it was asked or remembered."""
        self._lost: set[AssetPath] = set()
        self._mending: set[asyncio.Task[None]] = set()
        self.fetching: tuple[str, ...] = ()
        """Paths under way now."""
        self.revision = 0
        """Moves when what there is to show of the mod changes: its files, their outcomes, its setup."""
        self.pulled = False
        """Whether anything had to be asked of the network."""
        self._started = platform.clock.now()
        self._began = platform.clock.monotonic()
        self._ms: float | None = None

    @property
    def key(self) -> str:
        return self.publish.repository.key

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What the author should know of manifest and setup."""
        return (*(self.manifest.issues if self.manifest is not None else ()), *self.setup.issues)

    async def load(self) -> None:
        """Open the scope and give every declared file an outcome.

        :raises ManifestUnreadable: there is no manifest to open a table from
        :raises UnknownVersion: an unregistered repository has none at the commit asked for
        :raises Cancelled: it was cancelled before the manifest had come
        """
        try:
            await self._load()
        except PeerError as error:
            self.state, self.error = "failed", error
            raise
        finally:
            self._ms = (self.platform.clock.monotonic() - self._began) * 1000
        self.state = "open"
        self._changed(self, None)

    async def look(self) -> None:
        """Read what the mod says of itself, without pulling it: from the cache where it is, else live.

        :raises ManifestUnreadable, UnknownVersion: as :meth:`load`
        """
        await self._load_scope()
        await self._read_index()
        await self._plan(await self._fetch_manifest(None))

    async def mend(self) -> tuple[int, int, int]:
        """Digest every file kept of this version, drop what is rotten and fetch it again, for a mod no table shows.

        :return: how many files were checked, dropped, and fetched again
        """
        await self._load_scope()
        seen, rotten = await self.rotten()
        if not rotten:
            return seen, 0, 0
        async with self._alone():
            await self.scope.drop(rotten)
            with contextlib.suppress(PeerError):  # what can't be fetched now comes when the mod is next opened
                await self.look()
                lost = [self.files[AssetPath(path)] for path in rotten if path in self.files]
                for state in lost:
                    state.reset()
                await self._run_session(lambda session: self._fetch(lost, session))
        return seen, len(rotten), sum(1 for path in rotten if path in self.scope.entries)

    async def _load(self) -> None:
        trace = self.platform.trace
        await self._holds.enter_async_context(
            self.platform.locks.shared(cache.shown_lock(self.key, self.publish.version))
        )
        with trace.span("open scope", mod=self.key):
            await self._load_scope()
        if not await self._open_from_cache():
            self.pulled = True
            index = asyncio.ensure_future(self._read_index())
            try:
                if not self.scope.others and MANIFEST_PATH not in self.scope.entries:
                    self.platform.http.anticipate(self._planned((MANIFEST_FILE,))[MANIFEST_PATH].url)
                async with self._alone():
                    await self._load_scope()
                    await self._run_session(lambda session: self._pull_all(session, index))
            finally:
                index.cancel()

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Hold the mod's exclusive lock. Another tab's pull may take minutes, so waiting for it can be cancelled.

        :raises Cancelled: it was, before the lock was had
        """
        self._waiting = asyncio.current_task()
        async with AsyncExitStack() as stack:
            try:
                if self._cancelled:
                    raise Cancelled
                await stack.enter_async_context(
                    self.platform.turns.take(
                        cache.pull_lock(self.key), follow=self._follow, progress=self._meter.as_plain
                    )
                )
            except asyncio.CancelledError:
                if self._cancelled:
                    raise Cancelled from None
                raise
            finally:
                self._waiting = None
                self._meter.follow(None)
            yield

    def _follow(self, progress: Mapping[str, Any]) -> None:
        """Show what the tab that pulls this mod says of it, while we wait for our turn."""
        self._meter.follow(progress)
        self._changed(self, None)

    def measure_with(self, meter: ProgressMeter) -> None:
        """Count what is fetched from now on with another meter, for a pull of its own."""
        self._meter = meter

    async def _load_scope(self) -> None:
        try:
            await self.scope.load()
        except StorageFailure as error:
            self.storage_error = error

    async def _open_from_cache(self) -> bool:
        """Whether the whole mod is in the cache; if so, it is open afterwards and nothing was asked of the network."""
        data = await self.document(MANIFEST_PATH)
        if data is None:
            return False
        try:
            manifest = read_manifest(data)
        except ManifestUnreadable:
            return False
        if any(not declared.optional and declared.path not in self.scope.entries for declared in manifest.files):
            return False
        if any(declared.path not in self.scope.entries for declared in manifest.files) and not await self._known_absent(
            manifest
        ):
            return False
        await self._plan(manifest)
        return all(state.settled for state in self.files.values())

    async def _known_absent(self, manifest: ModManifest) -> bool:
        """Whether it is known that the optional files we lack don't exist, so that nothing is left to fetch: the index
        says so, or an earlier visit found it; offline nobody can say, and nothing could be fetched."""
        if self.publish.offline:
            return True
        missing = {file.path for file in manifest.files if file.optional and file.path not in self.scope.entries}
        await self._read_index()
        if self.index is not None:
            return not missing & self.index.files.keys()
        known = (await notes.read_note(self.scope.folder)).versions.get(self.publish.version)
        self._absent = missing & {AssetPath(path) for path in (known.absent if known is not None else ())}
        return self._absent == missing

    async def _run_session(self, work: Callable[[ScopeSession | None], Awaitable[None]]) -> None:
        """Do work that may add files, under the mod's exclusive lock, and leave the scope tidy whatever happens."""
        session: ScopeSession | None = None
        try:
            if self.storage_error is None or self.storage_error.quota:
                session = await self.scope.session()
                self.storage_error = None
        except StorageFailure as error:
            self.storage_error = error
        try:
            await work(session)
        finally:
            if session is not None:
                await self._end(session)

    async def _end(self, session: ScopeSession) -> None:
        try:
            with self.platform.trace.span("seal", mod=self.key):
                await session.close()
        except StorageFailure as error:
            session.broken = session.broken or error
        self.storage_error = session.broken or self.storage_error

    async def _pull_all(self, session: ScopeSession | None, index: asyncio.Future[None]) -> None:
        older = await self._older_files(session)
        if older is not None:
            # What an older version holds need not be fetched, the manifest least of all: the index tells, or git.
            await index
            if self.index is None and not self.publish.offline:
                github = GitHub(self.platform.http, self.platform.hosts)
                self._blobs = await github.blobs(self.publish.repository, self.publish.ref)
            await self._carry_over(session, older, (MANIFEST_FILE,))
        manifest = await self._fetch_manifest(session)
        await index
        await self._carry_over(session, older, manifest.files)
        if self.publish.current and session is not None and self.scope.others:
            gone = await cache.supersede(self.platform.store, self.platform.locks, self.key, self.publish.version)
            self.superseded = tuple(gone)
        await self._plan(manifest)
        await self._confirm_manifest(session)
        await self._fetch([state for state in self.files.values() if not state.settled], session)

    async def _confirm_manifest(self, session: ScopeSession | None) -> None:
        """Record that the manifest, where it came before its hash was known, turned out to be the right one."""
        entry, state = self.scope.entries.get(MANIFEST_PATH), self.files.get(MANIFEST_PATH)
        if session is None or entry is None or entry.verified or state is None or not state.verified:
            return
        with contextlib.suppress(StorageFailure):
            await session.add({MANIFEST_PATH: entry._replace(verified=True)})

    async def _older_files(self, session: ScopeSession | None) -> cache.OlderFiles | None:
        """What other versions hold; None where there are none, or nothing could be added."""
        if session is None or not self.scope.others:
            return None
        try:
            return await cache.older_files(self.scope.folder, self.publish.version)
        except StorageFailure:
            return None

    async def _read_index(self) -> None:
        """The registry's index, when it has one; a pull works without, it only knows less."""
        if self.index is not None or self.platform.registry is None or self.publish.preview or self.publish.offline:
            return
        try:
            with self.platform.trace.span("index", mod=self.key):
                self.index = await self.platform.registry.files(self.publish)
        except PeerError:
            self.index = None

    async def scanned_scripts(self) -> frozenset[str]:
        """The SHA-256s of the scripts of this version that the registry has read and found fit to run, as it says or,
        where it can't be asked, as it said before."""
        await self._read_index()
        known = await self._known_verdict()
        if self.index is None:
            return known.scripts
        await self._judge(replace(known, scripts=self.index.scripts))
        return self.index.scripts

    async def is_stopped(self) -> bool:
        """Whether the registry has stopped the mod or this version, as it says or, where it can't be asked, said."""
        registry, publish = self.platform.registry, self.publish
        known = await self._known_verdict()
        if registry is None or publish.mod_id is None:
            return known.stopped
        try:
            stopped = await registry.is_blocked(publish.mod_id, publish.version)
        except PeerError:
            return known.stopped
        await self._judge(replace(known, stopped=stopped))
        return stopped

    async def _known_verdict(self) -> Verdict:
        if self._verdict is None:
            known = (await notes.read_note(self.scope.folder)).verdict(self.publish.version)
            self._verdict = replace(known, stopped=known.stopped and self.publish.offline)
        return self._verdict

    async def _judge(self, verdict: Verdict) -> None:
        if verdict == self._verdict:
            return
        self._verdict = verdict
        await self._rewrite_note(lambda note: note.judging(self.publish.version, verdict))

    async def _rewrite_note(self, change: Callable[[notes.ModNote], notes.ModNote]) -> None:
        """Change what is remembered of a mod that is kept. A store that refuses is no failure here."""
        if not self.scope.entries:
            return
        folder = self.scope.folder
        try:
            async with self.platform.locks.exclusive(cache.note_lock(self.key)):
                await notes.write_note(folder, change(await notes.read_note(folder)))
        except StorageFailure:
            return

    async def _fetch_manifest(self, session: ScopeSession | None) -> ModManifest:
        publish = self.publish
        data = await self.document(MANIFEST_PATH)
        if data is not None:
            try:
                return read_manifest(data)
            except ManifestUnreadable:
                data = None  # it may have been cut where nobody could tell, so what is kept is not the last word
        if data is None:
            planned = self._planned((MANIFEST_FILE,))[MANIFEST_PATH]
            state = FileState(planned, keep_body=True)
            self.files[planned.path] = state
            await self._fetch([state], session)
            if state.reason == "cancelled":
                raise Cancelled
            if state.body is None:
                where = f"{publish.repository} at {publish.ref}"
                if state.reason == "not-found" and publish.preview and not publish.current:
                    raise UnknownVersion(f"{publish.repository} has no commit {publish.version} that holds a mod.")
                if state.reason == "size-mismatch" and not state.length:
                    raise ManifestUnreadable(f"{MANIFEST_PATH} of {where} is empty.", reason=state.reason)
                raise ManifestUnreadable(
                    f"{MANIFEST_PATH} of {where} could not be loaded ({state.reason}).", reason=state.reason
                )
            data = state.body
        return read_manifest(data)

    async def _carry_over(
        self, session: ScopeSession | None, older: cache.OlderFiles | None, files: tuple[DeclaredFile, ...]
    ) -> None:
        """Record files that an older version holds with the very bytes: no byte is copied, none fetched."""
        if session is None or older is None:
            return
        missing = {path: planned for path, planned in self._planned(files).items() if path not in self.scope.entries}
        carried: dict[str, Entry] = {}
        for path, planned in missing.items():
            known = planned.sha256 if planned.also_sha256 is None else None
            if known is not None and known in older.by_hash:
                carried[path] = older.by_hash[known]._replace(verified=True)
        if self._blobs is not None:
            carried |= await self._unchanged(older, [path for path in missing if path not in carried], self._blobs)
        with self.platform.trace.span("carry over", mod=self.key, files=len(carried)):
            try:
                await session.add(carried)
            except StorageFailure:
                return
        self._carried |= frozenset(carried)

    async def _unchanged(
        self, older: cache.OlderFiles, paths: list[AssetPath], blobs: Mapping[str, GitBlob]
    ) -> dict[str, Entry]:
        """Of these paths, the files whose stored bytes are git's of the new version.

        Without an index nobody knows their SHA-256 beforehand, but git's own tree names every blob by its content.
        """
        stored = {path: older.by_path[path] for path in paths if path in older.by_path and path in blobs}
        alike = {path: entry for path, entry in stored.items() if entry.place.length == blobs[path].size}
        ids = await self.scope.folder.digest([entry.place for entry in alike.values()], "git")
        return {
            path: entry._replace(verified=False)
            for (path, entry), id_ in zip(alike.items(), ids, strict=True)
            if id_ == blobs[path].id
        }

    def _planned(self, files: tuple[DeclaredFile, ...]) -> dict[AssetPath, PlannedFile]:
        publish = self.publish
        return plan_files(files, self.index, self.platform.hosts, publish.repository, publish.ref, publish.version)

    async def _plan(self, manifest: ModManifest) -> None:
        """Know every file of the mod, and which of them are here already."""
        before = dict(self.files)
        self.files = {}
        for path, planned in self._planned(manifest.files).items():
            if planned.optional and path not in self.scope.entries and self._is_absent(path):
                continue
            state = before.get(path)
            if state is None or not state.settled:
                state = FileState(planned, keep_body=planned.role == "setup")
            else:
                state.planned = planned
                state.verified = state.sha256 is not None and state.sha256 == planned.sha256
            entry = self.scope.entries.get(path)
            if entry is not None and not state.settled:
                wrong = planned.sha256 is not None and planned.sha256 != entry.sha256
                if wrong or planned.also_sha256 is not None:
                    del self.scope.entries[path]
                else:
                    state.found(entry, "carried" if path in self._carried else "cached")
            self.files[path] = state
        self.manifest = manifest
        self.revision += 1
        for state in self.files.values():
            if not state.settled:
                self._expect(state)
        setup = self.files.get(manifest.setup)
        if setup is not None and setup.settled and setup.status != "failed":
            await self._use_cached_setup(setup)
        elif setup is None:
            self._use_setup(EMPTY_SETUP)
        self._changed(self, None)

    def _is_absent(self, path: AssetPath) -> bool:
        indexed = self.index is None or path in self.index.files
        return self.publish.offline or not indexed or path in self._absent

    async def _use_cached_setup(self, state: FileState) -> None:
        data = await self.document(state.planned.path)
        if data is not None:
            self._use_setup(_setup(data, state.planned.path))
        elif state.status != "downloaded":
            state.reset()
            self._expect(state)

    def _expect(self, state: FileState) -> None:
        self._meter.expect(f"{self.key}:{state.planned.path}", state.size)

    def _use_setup(self, setup: Setup) -> None:
        self.setup = setup
        self.revision += 1
        if self._setup_read is not None:
            announce, self._setup_read = self._setup_read, None
            announce(setup)

    async def _fetch(self, states: list[FileState], session: ScopeSession | None) -> None:
        if not states:
            return
        publish, hosts = self.publish, self.platform.hosts
        pull = Pull(
            self.platform.transfer,
            session,
            self.platform.clock,
            trace=self.platform.trace,
            media_url=lambda path: media_url(hosts, publish.repository, publish.ref, publish.version, asset_path(path)),
            settled=self._settled,
            running=self._running,
        )
        if self._cancelled:
            pull.cancel()
        self._pull = pull
        try:
            with self.platform.trace.span("fetch", mod=self.key, files=len(states)):
                pull.add(states)
                await pull.run()
        finally:
            self._pull = None
            self.bytes_fetched += pull.bytes_fetched

    def _settled(self, state: FileState) -> None:
        self._meter.settle(f"{self.key}:{state.planned.path}", state.length if state.status == "downloaded" else 0)
        if state.planned.optional and state.reason == "not-found":
            self.files.pop(state.planned.path, None)
            self._absent.add(state.planned.path)
        self.revision += 1
        if self.manifest is not None and state.planned.path == self.manifest.setup:
            body, state.body = state.body, None
            self._use_setup(_setup(body, state.planned.path) if body is not None else EMPTY_SETUP)
        self._changed(self, state)

    def _running(self, received: dict[str, int]) -> None:
        self._meter.running(self.key, {f"{self.key}:{path}": got for path, got in received.items()})
        self.fetching = tuple(received)
        self._changed(self, None)

    async def retry(self, paths: Iterable[str] | None = None, reasons: Collection[Reason] | None = None) -> None:
        """Fetch failed files again: these, or all, or those that failed for these reasons.

        Paths that have not failed are left alone.
        """
        wanted = set(paths) if paths is not None else None
        states = [
            state
            for path, state in self.files.items()
            if state.status == "failed"
            and (wanted is None or path in wanted)
            and (reasons is None or state.reason in reasons)
        ]
        if states and wanted is None and reasons is None:
            # Manifest and setup are used even when they can't be stored; they are stored with the rest.
            kept = self.scope.entries
            states += [state for path, state in self.files.items() if state.status == "downloaded" and path not in kept]
        if not states:
            return
        self._cancelled = False
        self.storage_error = None  # who asks again may have mended that, too
        for state in states:
            state.reset()
            self._expect(state)
            self.revision += 1
            self._changed(self, state)
        async with self._alone():
            await self._run_session(lambda session: self._fetch(states, session))

    async def refetch(self, paths: Iterable[str]) -> None:
        """Forget cached files whose bytes were found rotten, and fetch them again."""
        rotten = [self.files[path] for path in map(AssetPath, paths) if path in self.files]
        async with self._alone():
            await self.scope.drop(state.planned.path for state in rotten)
            for state in rotten:
                state.reset()
                self.revision += 1
            await self._run_session(lambda session: self._fetch(rotten, session))

    async def rotten(self, paths: Iterable[str] | None = None) -> tuple[int, list[str]]:
        """How many cached files were digested, of these or of all, and those whose bytes are not what was stored."""
        known = self.scope.entries
        entries = {path: known[path] for path in (known if paths is None else paths) if path in known}
        digests = await self.scope.folder.digest([entry.place for entry in entries.values()])
        wrong = [path for (path, entry), digest in zip(entries.items(), digests, strict=True) if digest != entry.sha256]
        return len(entries), wrong

    async def examine(self) -> None:
        """Digest what was in the cache when the table opened, a little at a time, and replace what is rotten.

        Code and data are digested before each use anyhow; this finds the picture that went bad on the disk.
        """
        unseen = [path for path, state in self.files.items() if state.status in {"cached", "carried"}]
        while unseen:
            portion: list[AssetPath] = []
            size = 0
            while unseen and len(portion) < EXAMINED_AT_ONCE and size < EXAMINED_BYTES:
                portion.append(unseen.pop())
                size += self.files[portion[-1]].length if portion[-1] in self.files else 0
            _, wrong = await self.rotten(portion)
            if wrong:
                await self.refetch(wrong)
            await self.platform.clock.sleep(EXAMINING_PAUSE)

    def lose(self, path: AssetPath) -> None:
        """A cached file turned out to be missing or rotten just when it was wanted: it is live from here on, and
        fetched again once. A file lost a second time stays live: a disk that eats it would do so for ever."""
        self.scope.entries.pop(path, None)
        state = self.files.get(path)
        if state is None or path in self._lost or self.state != "open":
            return
        self._lost.add(path)
        task = asyncio.ensure_future(self.refetch([path]))
        self._mending.add(task)
        task.add_done_callback(self._mended)

    def _mended(self, task: asyncio.Task[None]) -> None:
        self._mending.discard(task)
        if not task.cancelled() and task.exception() is not None and not isinstance(task.exception(), PeerError):
            self.platform.trace.add("mending failed", self.platform.clock.monotonic(), 0, error=str(task.exception()))

    async def remember(self, pins: tuple[tuple[str, str], ...]) -> None:
        """Note that this version was opened now, what it pins, and what is known of its scripts."""
        version, verdict = self.publish.version, self._verdict

        def change(before: notes.ModNote) -> notes.ModNote:
            note = before.used(self.publish, self.platform.clock.now(), tuple(sorted(self._absent)))
            note = note.pinning(version, pins)
            return note if verdict is None else note.judging(version, verdict)

        await self._rewrite_note(change)

    async def tidy(self) -> None:
        """Compact the journals, collect what none of them names, and versions another tab had kept alive.

        Left for another time when another tab is pulling, or when storage refuses.
        """
        async with self.platform.locks.exclusive_if_free(cache.pull_lock(self.key)) as free:
            if not free:
                return
            try:
                await self.scope.compact()
                if self.publish.current:
                    store, locks = self.platform.store, self.platform.locks
                    gone = await cache.supersede(store, locks, self.key, self.publish.version)
                    self.superseded = (*self.superseded, *gone)
                    self.outlived = await cache.others_shown(store, locks, self.key, self.publish.version)
                await cache.sweep(self.scope.folder)
            except StorageFailure:
                return

    def cancel(self) -> None:
        """End a running pull; what came down stays, the rest fails as ``cancelled``."""
        self._cancelled = True
        if self._waiting is not None:
            self._waiting.cancel()
        if self._pull is not None:
            self._pull.cancel()

    async def close(self) -> None:
        """Let go of the version, so that it may be superseded."""
        self.cancel()
        for task in list(self._mending):
            task.cancel()
        if self._mending:
            await asyncio.wait(self._mending)
        await self._holds.aclose()

    async def document(self, path: AssetPath) -> bytes | None:
        """A cached file's bytes, digested before use; None when it is missing or rotten (and then forgotten)."""
        entry = self.scope.entries.get(path)
        if entry is None:
            return None
        data = await self.scope.folder.read(entry.place)
        if data is None or hashlib.sha256(data).hexdigest() != entry.sha256:
            self.lose(path)
            return None
        return data

    def report(self, packs: tuple[PullReport, ...] = ()) -> PullReport:
        """What became of the pull so far."""
        refused = tuple(
            FileReport(entry.path, "failed", 0, False, None, "refused-path", 0, 0.0)
            for entry in (self.manifest.refused if self.manifest is not None else ())
        )
        files = tuple(state.report() for state in self.files.values()) + refused
        ms = self._ms if self._ms is not None else (self.platform.clock.monotonic() - self._began) * 1000
        return PullReport(
            owner=self.publish.repository.owner,
            repo=self.publish.repository.name,
            ref=self.publish.ref,
            version=self.publish.version,
            store=self.platform.store.kind,
            boot=self.platform.boot,
            files=files,
            bytesTotal=sum(file.bytes for file in files),
            bytesFetched=self.bytes_fetched + (self._pull.bytes_fetched if self._pull is not None else 0),
            bytesCarried=sum(file.bytes for file in files if file.status == "carried"),
            startedAt=self._started * 1000,
            ms=ms,
            superseded=self.superseded,
            packs=packs,
            issues=tuple(asdict(issue) for issue in self.issues),
        )


def _setup(data: bytes, file: str) -> Setup:
    try:
        return read_setup(data, file)
    except DocumentUnreadable as error:
        return unreadable_setup(error, file)
