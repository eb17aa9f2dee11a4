"""The cache of one owner/repo/version: which of its files are stored, and the session that adds more.

Nothing is believed that was not seen: a file counts when its journal record is whole **and** the segment it names
exists and is long enough (PLATFORM.md: after a kill a journal can survive while its segments are gone).
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping

from client import journal
from client.errors import StorageFailure
from client.journal import Entry, JournalReading
from client.ports import Appender, ModFolder, SegmentWriter
from client.version import ContentVersion


class Scope:
    """The stored files of one version.

    :meth:`load` reads it without any lock. Everything that writes is called under the mod's exclusive lock.
    """

    def __init__(self, folder: ModFolder, version: ContentVersion) -> None:
        self.folder = folder
        self.version = version
        self.entries: dict[str, Entry] = {}
        self.damaged = 0
        """Records that were found to name missing or short segments when the scope was last loaded."""
        self.others = False
        """Whether other versions of the mod were seen when the scope was last loaded."""
        self._journals: frozenset[str] = frozenset()
        self._untidy = False

    async def load(self) -> None:
        """Read the journals of this version and check that the segments they name are there in full."""
        readings, self.others = await _read_journals(self.folder, self.version)
        found = union(_standing(readings).values())
        # Those another one stands for are counted too: left over from an interrupted compaction, they would come back
        # once that one is compacted away itself.
        self._journals = frozenset(name for name, reading in readings.items() if reading.readable)
        compacted = [reading for reading in readings.values() if reading.replaces and not reading.torn]
        self._untidy = len(self._journals) > len(compacted) or len(self._journals) > 1
        lengths = await self.folder.segment_lengths({entry.place.segment for entry in found.values()})
        self.entries = {
            path: entry
            for path, entry in found.items()
            if lengths.get(entry.place.segment, -1) >= entry.place.offset + entry.place.length
        }
        self.damaged = len(found) - len(self.entries)

    async def session(self) -> ScopeSession:
        """Begin to add files.

        :raises StorageFailure: storage refused
        """
        name = journal.journal_name(self.version, secrets.token_hex(8))
        appender = await self.folder.write_journal(name)
        await appender.append(journal.header(self.version))
        self._journals |= {name}
        self._untidy = True
        return ScopeSession(self, name, appender, await self.folder.writer())

    async def compact(self) -> None:
        """Turn the journals of this version into one that is quick to read, unless that is what there is."""
        if not self._untidy and not self.damaged:
            return
        replaced = self._journals
        name = journal.journal_name(self.version, secrets.token_hex(8))
        appender = await self.folder.write_journal(name)
        try:
            head = journal.header(self.version, replaced)
            await appender.append(head + journal.records(self.entries) + journal.seal())
        finally:
            await appender.close()
        self._journals, self._untidy, self.damaged = frozenset({name}), False, 0
        await self.folder.remove_journals(replaced)

    async def drop(self, paths: Iterable[str]) -> None:
        """Forget files whose bytes were found rotten; they count as missing from here on."""
        for path in paths:
            if self.entries.pop(path, None) is not None:
                self._untidy = True
        await self.compact()


class ScopeSession:
    """One session's journal and segments. Bytes first, flushed, then the record."""

    def __init__(self, scope: Scope, name: str, appender: Appender, writer: SegmentWriter) -> None:
        self._scope = scope
        self._name = name
        self._appender = appender
        self.writer = writer
        self.broken: StorageFailure | None = None
        """What ended storing: set once, after which nothing more is added."""

    async def add(self, files: Mapping[str, Entry]) -> None:
        """Record files whose bytes are flushed.

        :raises StorageFailure: the records could not be written; the files then don't count as stored
        """
        if not files:
            return
        if self.broken is not None:
            raise self.broken
        try:
            await self._appender.append(journal.records(files))
        except StorageFailure as error:
            self.broken = error
            raise
        self._scope.entries.update(files)

    async def close(self) -> None:
        """Seal the segments and let go of the journal; what was added stays."""
        try:
            await self.writer.close()
        finally:
            await self._appender.close()


async def read_versions(folder: ModFolder, version: ContentVersion | None = None) -> dict[str, JournalReading]:
    """The journals of a mod by name, of one version or of all, without those another one stands for."""
    readings, _ = await _read_journals(folder, version)
    return _standing(readings)


def _standing(readings: Mapping[str, JournalReading]) -> dict[str, JournalReading]:
    replaced = {name for reading in readings.values() for name in reading.replaces}
    return {name: reading for name, reading in readings.items() if name not in replaced}


async def _read_journals(folder: ModFolder, version: ContentVersion | None) -> tuple[dict[str, JournalReading], bool]:
    """The journals by name, and whether there are others of other versions.

    Another tab may compact meanwhile: a listed journal that is gone when it is read makes the listing stale,
    so it is made again, a few times at most.
    """
    readings: dict[str, JournalReading] = {}
    others = False
    for _ in range(4):
        readings, others, stale = {}, False, False
        for name in await folder.journals():
            of = journal.journal_version(name)
            if of is None or (version is not None and of != version):
                others = others or of is not None
                continue
            data = await folder.read_journal(name)
            stale = stale or not data
            reading = journal.read_journal(name, data)
            if reading is not None:
                readings[name] = reading
        if not stale:
            break
    return readings, others


def union(readings: Iterable[JournalReading]) -> dict[str, Entry]:
    """All files the journals of one version hold together."""
    found: dict[str, Entry] = {}
    for reading in readings:
        found.update(reading.entries)
    return found
