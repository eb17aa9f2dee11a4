"""The peer: everything ``window.peer`` can be asked, over the ports of one machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from client import box, cache, resolver, view
from client import note as notes
from client.errors import Blocked, Cancelled, NotOpen, PeerError, RateLimited, UnknownMod, UnknownVersion, Unreachable
from client.github import GitHub
from client.inventory import Standing, inventory, kept_publish, standing
from client.media_type import media_type
from client.open_mod import OpenMod, Platform
from client.opening import Opening
from client.progress import ProgressMeter
from client.publish import ModRecord, Publish
from client.registry import PublishedVersion
from client.report import PASSING
from client.repository import Repository
from client.resolver import Asset
from client.room import LocalRoom
from client.scope import Scope
from client.script_runner import ScriptRunner
from client.version import CommitSha, ContentVersion, commit_sha

FRAME = 0.1
"""Seconds between two views at least."""


class Peer:
    """One page's loader: at most one table is open.

    :param show: called with each new view, at most ten times a second and always with the last one
    """

    def __init__(self, platform: Platform, show: Callable[[dict[str, Any]], None]) -> None:
        self._platform = platform
        self._show = show
        self._opening: Opening | None = None
        self._runner: ScriptRunner | None = None
        self._error: PeerError | None = None
        self._looked: OpenMod | None = None
        self._last_report: dict[str, Any] | None = None
        self._shown_at = float("-inf")
        self._showing: asyncio.Task[None] | None = None
        self._generation = 0

    async def open(self, mod: str, version: str | None = None) -> None:
        """Open a table from ``owner/repo`` or a registry id; returns once it is open.

        :raises UnknownMod, UnknownVersion, ManifestUnreadable, RateLimited, Unreachable: there is nothing to open
        :raises Blocked: the registry has stopped it
        :raises Cancelled: it was closed, or another table opened, before it was there
        """
        await self.close()
        self._generation += 1
        mine = self._generation
        try:
            with self._platform.trace.span("resolve", mod=mod):
                publish = await self._resolve(mod, version)
            if mine != self._generation:
                raise Cancelled("Another table was opened meanwhile.")
            opening = self._opening = Opening(self._platform, publish, self._changed)
            opening.start()
            self._changed()
            await asyncio.shield(opening.opened)
            if mine == self._generation:
                self._run_scripts(opening)
        except PeerError as error:
            if mine == self._generation:
                failed, self._opening = self._opening, None
                self._error = error if error.code != "cancelled" else None
                if failed is not None:
                    await failed.close()
                self._changed()
            raise

    async def _resolve(self, mod: str, version: str | None) -> Publish:
        wanted = commit_sha(version)
        if version is not None and wanted is None:
            raise UnknownVersion(f"{version[:80]!r} is not a full commit sha (40 lower-case hex digits).")
        try:
            repository = Repository.parse(mod) if "/" in mod else None
        except ValueError as error:
            raise UnknownMod(f"{error}.") from None
        try:
            return await self._ask_for(mod, repository, wanted)
        except Blocked:
            for key in await self._keys(mod, repository):
                await cache.remember_stopped(
                    self._platform.store, self._platform.locks, key, ContentVersion(wanted) if wanted else None
                )
            raise
        except (Unreachable, RateLimited):
            remembered = await self._remembered(mod, repository, wanted)
            if remembered is None:
                raise
            return remembered

    async def _ask_for(self, mod: str, repository: Repository | None, wanted: CommitSha | None) -> Publish:
        registry = self._platform.registry
        record: ModRecord | None = None
        if registry is not None:
            record = await (registry.mod(mod) if repository is None else registry.by_repository(repository))
            if record is not None and registry is not None:
                return record.publish() if wanted is None else await registry.pinned(record, wanted)
        if repository is None:
            raise UnknownMod(f"{mod!r} is no owner/repo, and without a registry ids mean nothing.")
        # The registry asks git itself, which costs none of GitHub's 60 calls an hour. What it has stopped is in none of
        # its lists, but is no stranger's repository either.
        head = await registry.head(repository) if registry is not None else None
        sha = wanted or head
        github = GitHub(self._platform.http, self._platform.hosts)
        return await github.preview(repository, sha, current=wanted is None)

    async def _remembered(self, mod: str, repository: Repository | None, wanted: CommitSha | None) -> Publish | None:
        """What was open before, for when nobody can be asked."""
        for key in await self._keys(mod, repository):
            note = await notes.read_note(self._platform.store.folder(key))
            resolved = note.resolved
            if resolved is not None and (wanted is None or str(wanted) == str(resolved.version)):
                if note.verdict(resolved.version).stopped:
                    raise Blocked(f"The registry had stopped {resolved.name} when it was last asked.")
                return resolved
        return None

    async def _keys(self, mod: str, repository: Repository | None) -> list[str]:
        """Under which repositories something may be remembered of a mod."""
        if repository is not None:
            return [repository.key]
        store = self._platform.store
        notes_of = {key: await notes.read_note(store.folder(key)) for key in await store.repositories()}
        return [key for key, note in notes_of.items() if note.resolved is not None and note.resolved.mod_id == mod]

    async def close(self) -> None:
        """Close the table; transfers end, and nothing is left running."""
        self._generation += 1
        if self._runner is not None:
            self._runner.close()
            self._runner = None
        opening, self._opening, self._error = self._opening, None, None
        if opening is not None:
            self._last_report = opening.reports().as_plain()
            await opening.close()
        self._changed()

    async def about(self, mod: str, version: str | None = None) -> dict[str, Any]:
        """A mod's own page, without opening it; its pictures and texts can be asked for until another is looked at.

        :raises UnknownMod, UnknownVersion, ManifestUnreadable, RateLimited, Unreachable: there is nothing to read
        """
        publish = await self._resolve(mod, version)
        looked = self._apart(publish)
        await looked.look()
        assert looked.manifest is not None
        self._looked = looked
        kept = await cache.cached_mods(self._platform.store)
        return view.looked_at(looked, looked.manifest, await self._versions(publish), kept)

    def _apart(self, publish: Publish) -> OpenMod:
        """A mod that is at no table: nothing is drawn of its progress."""
        meter = ProgressMeter(self._platform.clock)
        return OpenMod(self._platform, publish, meter, role="game", changed=lambda _, __: None)

    async def _versions(self, publish: Publish) -> list[PublishedVersion]:
        registry = self._platform.registry
        if registry is None or publish.mod_id is None or publish.offline:
            return []
        try:
            return await registry.versions(publish.mod_id)
        except (Unreachable, RateLimited):
            return []

    def _run_scripts(self, opening: Opening) -> None:
        if self._platform.stage is not None:
            self._runner = ScriptRunner(opening, LocalRoom(), self._platform.stage, self._platform.clock)
            self._runner.start()

    @property
    def runner(self) -> ScriptRunner | None:
        """The scripts of the open table; None while there are none to run."""
        return self._runner

    def press(self, script: str, element_id: str, prop: str, value: object = None) -> None:
        """The player has used an element that a script has put on the screen."""
        if self._runner is not None:
            self._runner.press(script, element_id, prop, value)

    def scripts(self) -> list[dict[str, Any]]:
        """What became of each script of the table."""
        return [] if self._runner is None else [one.as_plain() for one in self._runner.scripts.values()]

    def open_now(self) -> None:
        """Open the table with what is here while the pull goes on."""
        self._table().open_now()

    def report(self) -> dict[str, Any]:
        """The pull report.

        :raises NotOpen: no table is open or opening
        """
        return self._table().reports().as_plain()

    def last_report(self) -> dict[str, Any] | None:
        """The pull report of the table that was closed last, as it was then; None where there was none yet."""
        return self._last_report

    async def asset(self, path: str, mod: str | None = None) -> Asset:
        """Where an element finds ``path``; ``mod`` names one of the packs as owner/repo."""
        return await resolver.resolve(self._mod(mod), path)

    async def text(self, path: str, mod: str | None = None) -> str:
        """A file's checked text."""
        return await resolver.read_text(self._mod(mod), path)

    def details(self) -> dict[str, Any]:
        """All there is to show of the table."""
        return view.details(self._table())

    def box(self, search: str = "", told: dict[str, int] | None = None) -> dict[str, Any]:
        """The files whose path contains ``search``, a portion of each kind; ``told`` asks for more portions of one."""
        return box.contents(self._table(), search, told)

    def deck(self, index: int) -> dict[str, Any] | None:
        """The cards of one of the decks that ``box`` lists; None when there is no such deck."""
        return box.deck(self._table(), index)

    async def retry(self, paths: list[str] | None = None) -> dict[str, Any]:
        """Fetch failed files again, these or all; returns the report afterwards."""
        opening = self._table()
        await opening.retry(paths)
        return opening.reports().as_plain()

    async def online(self) -> None:
        """The browser is back online: files that failed for a passing reason are tried once more."""
        if self._opening is not None and self._opening.opened.done():
            await self._opening.retry(None, PASSING)

    def cancel(self) -> None:
        """End the pull: what came down stays, unsettled files fail as ``cancelled``, the table opens."""
        self._table().cancel()

    async def cached(self) -> list[dict[str, Any]]:
        """What is kept, the last used first; ``lastUsed`` in milliseconds since the epoch."""
        mods = [asdict(mod) for mod in await cache.cached_mods(self._platform.store)]
        return [mod | {"lastUsed": mod.pop("last_used") * 1000} for mod in mods]

    async def standing(self, mods: list[dict[str, str]]) -> list[Standing]:
        """For each published {owner, repo, version} whether it is kept here, an older one is, or none."""
        kept = await cache.cached_mods(self._platform.store)
        return [standing(kept, f"{mod['owner']}/{mod['repo']}".lower(), mod["version"]) for mod in mods]

    async def storage(self) -> list[dict[str, Any]]:
        """Everything kept, as the storage panel shows it."""
        kept = await inventory(self._platform.store, self._platform.locks)
        return [view.kept_version(one) for one in kept]

    async def kept(self, path: str, mod: str, version: str) -> Asset:
        """A file of a cached version, whether or not it is at the table.

        :raises NotOpen: it is not kept
        """
        folder = self._platform.store.folder(mod.lower())
        scope = Scope(folder, ContentVersion(version))
        await scope.load()
        entry = scope.entries.get(path)
        blob = await folder.blob(entry.place, media_type(path)) if entry is not None else None
        if entry is None or blob is None:
            raise NotOpen(f"{path} of {mod} at {version} is not kept.")
        return Asset("cache", entry.verified, media_type(path), None, blob)

    async def mend(self, owner: str, repo: str, version: str) -> dict[str, int]:
        """:meth:`repair` for a cached version that no table here shows."""
        publish = await kept_publish(self._platform.store, _repository(owner, repo), version)
        mod = self._apart(publish)
        checked, dropped, refetched = await mod.mend()
        return {"checked": checked, "dropped": dropped, "refetched": refetched}

    async def forget(self, owner: str, repo: str) -> None:
        """Remove a mod from the cache.

        :raises StorageFailure: a tab shows it
        :raises UnknownMod: that is no repository's name
        """
        await cache.forget(self._platform.store, self._platform.locks, _repository(owner, repo))

    async def repair(self) -> dict[str, int]:
        """Digest every cached file of the table; drop what is rotten and fetch it again.

        :raises NotOpen: no table is open
        """
        checked = dropped = refetched = 0
        for mod in self._table().mods:
            seen, rotten = await mod.rotten()
            checked += seen
            dropped += len(rotten)
            if rotten:
                await mod.refetch(rotten)
                refetched += sum(1 for path in rotten if path in mod.scope.entries)
        await self._drawn()
        return {"checked": checked, "dropped": dropped, "refetched": refetched}

    def trace(self) -> dict[str, Any]:
        """Where the time went, as Chrome trace-event JSON."""
        return self._platform.trace.as_plain()

    def room(self) -> None:
        """The room this table is in; a table opened by itself is in none."""
        return

    def table(self) -> dict[str, Any]:
        """What stands on the table: ``digest`` is SHA-256 over the objects' canonical JSON, ``seq`` counts changes."""
        table = self._table().table
        return {"seq": table.seq, "digest": table.digest(), "objects": table.objects}

    def _table(self) -> Opening:
        if self._opening is None:
            raise NotOpen
        return self._opening

    def _mod(self, name: str | None) -> OpenMod:
        if name is not None and self._looked is not None and self._looked.key == name.lower():
            at_table = self._opening is not None and any(mod.key == name.lower() for mod in self._opening.mods)
            if not at_table:
                return self._looked
        opening = self._table()
        if name is None:
            return opening.game
        found = next((mod for mod in opening.mods if mod.key == name.lower()), None)
        if found is None:
            raise NotOpen(f"{name} is not at this table.")
        return found

    def _changed(self) -> None:
        if self._showing is None:
            self._showing = asyncio.ensure_future(self._draw_soon())

    async def _drawn(self) -> None:
        """Wait until what has changed is shown: until then the page hands out addresses of the bytes before."""
        if self._showing is not None:
            await asyncio.wait([self._showing])

    async def _draw_soon(self) -> None:
        """Draw once the frame is over, so that any number of changes make at most ten views a second."""
        wait = self._shown_at + FRAME - self._platform.clock.monotonic()
        if wait > 0:
            await self._platform.clock.sleep(wait)
        self._showing = None
        self._shown_at = self._platform.clock.monotonic()
        if self._opening is not None:
            shown = view.table(self._opening)
        elif self._error is not None:
            shown = view.failed(self._error)
        else:
            shown = view.lobby()
        self._show(shown)


def _repository(owner: str, repo: str) -> Repository:
    try:
        return Repository(owner, repo)
    except ValueError as error:
        raise UnknownMod(f"{error}.") from None
