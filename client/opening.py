"""A table from click to close: the game and the packs its setup names, each pulled in its own scope."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass

from client.cache import CachedMod, removable_mods
from client.errors import Blocked, Cancelled, NotOpen, PeerError, UnknownMod, UnknownVersion
from client.issue import Issue
from client.manifest import ModManifest
from client.note import read_note
from client.open_mod import OpenMod, Platform
from client.progress import ProgressMeter
from client.publish import ModRecord, Publish
from client.pull import FileState
from client.report import PullReport, Reason
from client.repository import Repository
from client.setup import PackReference, Setup
from client.table import Table
from client.version import AssetRef, ContentVersion, commit_sha

IDLE = 1.0
"""Seconds after opening before the cache is tidied."""
LOOK_AGAIN = 5.0
"""Seconds between two looks whether a version that another tab showed may go."""


@dataclass(slots=True)
class PackSlot:
    """One pack of the game, from the moment the setup names it."""

    reference: PackReference
    mod: OpenMod | None = None
    error: PeerError | None = None


class Opening:
    """The open, or opening, table.

    :param changed: called whenever there is something to draw anew
    """

    def __init__(self, platform: Platform, publish: Publish, changed: Callable[[], None]) -> None:
        self.platform = platform
        self.meter = ProgressMeter(platform.clock)
        self.game = OpenMod(
            platform, publish, self.meter, role="game", changed=self._mod_changed, setup_read=self._start_packs
        )
        self.packs: list[PackSlot] = []
        self.settled: list[str] = []
        """``owner/repo:path`` of files with a new outcome, until someone draws them and clears the list."""
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.issues: list[Issue] = []
        self.removable: list[CachedMod] = []
        """What could make room when the disk is full, the longest unused first."""
        self._table: Table | None = None
        self._impatient = False
        self._changed = changed
        self._tasks: list[asyncio.Task[None]] = []
        self._pack_tasks: list[asyncio.Task[None]] = []
        self._later: asyncio.Task[None] | None = None
        self._resting = True
        """Whether what is done when idle may be broken off at any moment."""

    @property
    def manifest(self) -> ModManifest:
        """The game's manifest.

        :raises NotOpen: it has not come yet
        """
        if self.game.manifest is None:
            raise NotOpen("The table is still opening.")
        return self.game.manifest

    @property
    def mods(self) -> list[OpenMod]:
        """The game, then its packs."""
        return [self.game, *(slot.mod for slot in self.packs if slot.mod is not None)]

    @property
    def table(self) -> Table:
        """What stands on it: the setup's objects until something moves them; a setup that comes later starts anew."""
        if self._table is None or self._table.setup is not self.game.setup:
            self._table = Table(self.game.setup, random.SystemRandom())
        return self._table

    def start(self) -> None:
        """Begin to load; :attr:`opened` tells when the table is open, or why it can't be."""
        self._tasks.append(asyncio.ensure_future(self._load()))

    async def _load(self) -> None:
        try:
            await self.game.load()
            if self._pack_tasks:
                await asyncio.wait(self._pack_tasks)
            self.meter.complete = True
            self.open_now()
        except PeerError as error:
            self._fail(error)
        except asyncio.CancelledError:
            self._fail(Cancelled())
            raise
        except Exception as error:
            self._fail(PeerError(f"The table could not be opened: {type(error).__name__}: {error}"))
            raise
        else:
            if any(mod.pulled for mod in self.mods):
                await self._remember()
            self._later = asyncio.ensure_future(self._tidy_up())
        finally:
            self._changed()

    async def _tidy_up(self) -> None:
        """What can wait until the table stands: an opening player is served first."""
        await self.platform.clock.sleep(IDLE)
        self._resting = False
        await self._remember()
        for mod in self.mods:
            await mod.tidy()
        await self._look_for_room()
        self._resting = True
        for mod in self.mods:
            await mod.examine()
        # A tab that closes or dies tells nobody, so the last one that shows an old version is waited for by looking.
        while any(mod.outlived for mod in self.mods):
            await self.platform.clock.sleep(LOOK_AGAIN)
            self._resting = False
            for mod in self.mods:
                if mod.outlived:
                    await mod.tidy()
            self._resting = True

    async def _look_for_room(self) -> None:
        """Where the disk was full, find what the player could remove."""
        if any(mod.storage_error is not None and mod.storage_error.quota for mod in self.mods):
            self.removable = await removable_mods(self.platform.store, self.platform.locks)
            self._changed()

    def open_now(self) -> None:
        """Open the table with what is here, as soon as there is a manifest; the pull goes on."""
        self._impatient = True
        if not self.opened.done() and self.game.manifest is not None:
            self.opened.set_result(None)
            self._changed()

    def _fail(self, error: PeerError) -> None:
        if not self.opened.done():
            self.opened.set_exception(error)
            self.opened.exception()  # it may be that nobody waits, which is no mistake here

    async def _remember(self) -> None:
        pins = tuple(
            (slot.mod.key, str(slot.mod.publish.version)) if slot.mod is not None else ("", "") for slot in self.packs
        )
        await self.game.remember(pins)
        for slot in self.packs:
            if slot.mod is not None:
                await slot.mod.remember(())

    def _start_packs(self, setup: Setup) -> None:
        for number, reference in enumerate(setup.packs):
            slot = PackSlot(reference)
            self.packs.append(slot)
            self._pack_tasks.append(asyncio.ensure_future(self._load_pack(slot, number)))

    async def _load_pack(self, slot: PackSlot, number: int) -> None:
        try:
            publish = await self._resolve_pack(slot.reference, number)
            slot.mod = OpenMod(self.platform, publish, self.meter, role=slot.reference.role, changed=self._mod_changed)
            await slot.mod.load()
        except PeerError as error:
            slot.error = error
        self._changed()

    async def _load_pack_again(self, slot: PackSlot) -> None:
        number, before = self.packs.index(slot), slot.mod
        slot.mod = slot.error = None
        if before is not None:
            await before.close()
        await self._load_pack(slot, number)

    async def _resolve_pack(self, reference: PackReference, number: int) -> Publish:
        registry = self.platform.registry
        if self.game.publish.offline:
            return await self._remembered_pack(reference, number)
        candidates = await registry.by_manifest_id(reference.pack_id) if registry is not None else []
        if not candidates:
            raise UnknownMod(f"No registered mod has the id {reference.pack_id!r}.")
        candidates.sort(key=lambda record: self._likeness(record, reference), reverse=True)
        if reference.sha is None or registry is None:
            return candidates[0].publish()
        for record in candidates:
            try:
                return await registry.pinned(record, reference.sha)
            except UnknownVersion:
                continue
        self.issues.append(
            Issue(
                "stale-pin",
                self.manifest.setup,
                f"packRefs.{reference.pack_id}",
                f"{reference.pack_id} is pinned at {reference.sha}, none of its versions; the current one is used.",
            )
        )
        return candidates[0].publish()

    def _likeness(self, record: ModRecord, reference: PackReference) -> tuple[bool, bool, bool]:
        """Several repositories may share a manifest id: the right kind first, then the game's own author."""
        same_owner = record.repository.owner.lower() == self.game.publish.repository.owner.lower()
        return record.available, record.kind == reference.role, same_owner

    async def _remembered_pack(self, reference: PackReference, number: int) -> Publish:
        """The pack as it was when the game was last open, from the game's own pins."""
        note = await read_note(self.game.scope.folder)
        of = note.versions.get(self.game.publish.version)
        if of is None or number >= len(of.pins):
            raise UnknownMod(f"{reference.pack_id!r} was never loaded with this game, and the registry can't be asked.")
        key, version = of.pins[number]
        if not key:
            raise UnknownMod(f"{reference.pack_id!r} could not be loaded when this game was last open.")
        pack = await read_note(self.platform.store.folder(key))
        known = pack.versions.get(version)
        if known is not None and known.verdict.stopped:
            raise Blocked(f"The registry had stopped {key} when it was last asked.")
        if pack.resolved is not None and pack.resolved.version == version:
            return pack.resolved
        mod_id = known.mod_id if known is not None else None
        ref = AssetRef(version if commit_sha(version) else "HEAD")
        return Publish(Repository.parse(key), ref, ContentVersion(version), mod_id, key, current=False, offline=True)

    def _mod_changed(self, mod: OpenMod, state: FileState | None) -> None:
        if state is not None:
            self.settled.append(f"{mod.publish.repository}:{state.planned.path}")
        if self._impatient:
            self.open_now()
        self._changed()

    async def retry(self, paths: list[str] | None, reasons: frozenset[Reason] | None = None) -> None:
        """Fetch failed files of the game and its packs once more: these, or all, or those with such a reason."""
        packs = [slot for slot in self.packs if slot.error is not None] if paths is None else []
        if not packs and not any(state.status == "failed" for mod in self.mods for state in mod.files.values()):
            return
        self.meter = ProgressMeter(self.platform.clock)
        for mod in self.mods:
            mod.measure_with(self.meter)
        await asyncio.gather(
            *(mod.retry(paths, reasons) for mod in self.mods if mod.state == "open"),
            *(self._load_pack_again(slot) for slot in packs),
        )
        self.meter.complete = True
        for mod in self.mods:
            await mod.tidy()
        await self._look_for_room()
        self._changed()

    def cancel(self) -> None:
        """End all pulls; the table opens with what came down."""
        for mod in self.mods:
            mod.cancel()

    async def close(self) -> None:
        """Stop everything and let go of the versions shown."""
        self.cancel()
        self._fail(Cancelled())
        running = [task for task in [*self._tasks, *self._pack_tasks] if not task.done()]
        if running:
            await asyncio.wait(running)
        if self._later is not None:
            if self._resting:
                self._later.cancel()
            await asyncio.wait([self._later])
        for mod in self.mods:
            await mod.close()

    def reports(self) -> PullReport:
        """The game's report with its packs' inside."""
        return self.game.report(tuple(slot.mod.report() for slot in self.packs if slot.mod is not None))
