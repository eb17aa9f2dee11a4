"""All mods this browser keeps: what is superseded goes, what is in use or pinned stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from client import note as notes
from client.errors import StorageFailure
from client.journal import Entry, JournalReading, journal_version
from client.ports import Locks, ModFolder, Store
from client.repository import Repository
from client.scope import read_versions, union
from client.version import ContentVersion


def shown_lock(key: str, version: str) -> str:
    """The lock a tab shares while it shows this version of ``owner/name``."""
    return f"peer:shown:{key}/{version}"


def pull_lock(key: str) -> str:
    """The lock under which one tab alone pulls and collects for ``owner/name``."""
    return f"peer:pull:{key}"


def note_lock(key: str) -> str:
    """The lock under which one tab alone rewrites what is remembered of ``owner/name``."""
    return f"peer:note:{key}"


@dataclass(frozen=True, slots=True)
class CachedMod:
    """One cached version. ``last_used`` is in seconds since the epoch."""

    owner: str
    repo: str
    version: str
    files: int
    bytes: int
    last_used: float

    @property
    def key(self) -> str:
        """``owner/name`` in lower case."""
        return f"{self.owner}/{self.repo}".lower()


@dataclass(frozen=True, slots=True)
class OlderFiles:
    """Files of other versions of a mod, by SHA-256 and by path."""

    by_hash: Mapping[str, Entry]
    by_path: Mapping[str, Entry]


async def cached_mods(store: Store) -> list[CachedMod]:
    """Every version of every mod that has files in the store, the last used first."""
    found = []
    for key in await store.repositories():
        folder = store.folder(key)
        note = await notes.read_note(folder)
        repository = note.resolved.repository if note.resolved is not None else Repository.parse(key)
        for version, readings in _by_version(await read_versions(folder)).items():
            entries = union(readings)
            used = note.versions.get(version)
            size = sum(entry.place.length for entry in entries.values())
            last_used = used.last_used if used is not None else 0.0
            if entries:
                found.append(CachedMod(repository.owner, repository.name, version, len(entries), size, last_used))
    return sorted(found, key=lambda mod: mod.last_used, reverse=True)


async def removable_mods(store: Store, locks: Locks) -> list[CachedMod]:
    """What the player may remove to make room: the longest unused first, and nothing a tab shows."""
    free = []
    in_use: set[str] = set()
    for mod in await cached_mods(store):
        async with locks.exclusive_if_free(shown_lock(mod.key, mod.version)) as unused:
            if unused:
                free.append(mod)
            else:
                in_use.add(mod.key)
    return [mod for mod in reversed(free) if mod.key not in in_use]


async def older_files(folder: ModFolder, besides: ContentVersion) -> OlderFiles:
    """What the other versions of a mod hold in full: it can be carried over without copying a byte."""
    readings = await read_versions(folder)
    others = [item for reading in readings.values() if reading.version != besides for item in reading.entries.items()]
    lengths = await folder.segment_lengths({entry.place.segment for _, entry in others})
    whole = [
        (path, entry)
        for path, entry in others
        if lengths.get(entry.place.segment, -1) >= entry.place.offset + entry.place.length
    ]
    return OlderFiles({entry.sha256: entry for _, entry in whole}, dict(whole))


async def supersede(store: Store, locks: Locks, key: str, current: ContentVersion) -> list[ContentVersion]:
    """Delete the versions of a mod that are older than its registered current one, are pinned by no cached game and
    shown in no tab; returns them. Call it under the mod's exclusive lock (seed page, step 2; DESIGN.md)."""
    folder = store.folder(key)
    versions = _by_version(await read_versions(folder))
    candidates = [version for version in versions if version != current]
    if not candidates:
        return []
    pinned = await _pins(store, key)
    gone: list[ContentVersion] = []
    for version in candidates:
        if version in pinned or not all(reading.readable for reading in versions[version]):
            continue
        async with locks.exclusive_if_free(shown_lock(key, version)) as free:
            if free:
                await _delete_version(folder, version)
                gone.append(version)
    if gone:
        await sweep(folder)
        async with locks.exclusive(note_lock(key)):
            await notes.write_note(folder, (await notes.read_note(folder)).without(set(gone)))
    return gone


async def others_shown(store: Store, locks: Locks, key: str, current: ContentVersion) -> bool:
    """Whether a tab shows another version of a mod than its current one, which therefore had to stay."""
    versions = {journal_version(name) for name in await store.folder(key).journals()} - {None, current}
    for version in versions:
        async with locks.exclusive_if_free(shown_lock(key, str(version))) as free:
            if not free:
                return True
    return False


async def sweep(folder: ModFolder) -> int:
    """Remove the segments no journal names: leftovers of killed writers and of deleted versions; returns how many.

    Call it under the mod's exclusive lock. Where a journal can't be read because a newer build wrote it,
    nothing is removed: it may name any segment.
    """
    readings = (await read_versions(folder)).values()
    if not all(reading.readable for reading in readings):
        return 0
    named = {entry.place.segment for reading in readings for entry in reading.entries.values()}
    unnamed = set(await folder.segment_lengths()) - named
    await folder.remove_segments(unnamed)
    return len(unnamed)


async def forget(store: Store, locks: Locks, repository: Repository) -> None:
    """Remove all of a mod.

    :raises StorageFailure: a tab shows it
    """
    key = repository.key
    folder = store.folder(key)
    async with locks.exclusive(pull_lock(key)):
        for version in _by_version(await read_versions(folder)):
            async with locks.exclusive_if_free(shown_lock(key, version)) as free:
                if not free:
                    raise StorageFailure(f"{repository} is open in a tab; close it there first.")
        await store.forget(key)


async def remember_stopped(store: Store, locks: Locks, key: str, version: ContentVersion | None) -> None:
    """Note that the registry has stopped a version of a mod, or the mod, so that it is known without the registry too.

    Of a mod that is not kept there is nothing to note, and a store that refuses is no failure here.
    """
    folder = store.folder(key)
    try:
        async with locks.exclusive(note_lock(key)):
            note = await notes.read_note(folder)
            stopped = note.stopping(version)
            if note.versions and note != stopped:
                await notes.write_note(folder, stopped)
    except StorageFailure:
        return


async def _delete_version(folder: ModFolder, version: ContentVersion) -> None:
    prefix = f"{version}."
    await folder.remove_journals([name for name in await folder.journals() if name.startswith(prefix)])


async def _pins(store: Store, key: str) -> set[str]:
    """The versions of ``key`` that cached games pin."""
    pinned: set[str] = set()
    for other in await store.repositories():
        if other == key:
            continue
        folder = store.folder(other)
        versions = (await notes.read_note(folder)).versions
        wanted = {of: [version for pack, version in note.pins if pack == key] for of, note in versions.items()}
        if any(wanted.values()):
            cached = _by_version(await read_versions(folder))
            pinned.update(version for of, found in wanted.items() if of in cached for version in found)
    return pinned


def _by_version(readings: Mapping[str, JournalReading]) -> dict[ContentVersion, list[JournalReading]]:
    versions: dict[ContentVersion, list[JournalReading]] = {}
    for reading in readings.values():
        versions.setdefault(reading.version, []).append(reading)
    return versions
