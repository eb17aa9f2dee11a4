"""What is remembered of a mod beside its files: its last resolved publish, when each version was used, its pins, and
what the registry said of its scripts.

Notes are small files written anew under a higher number each time; the highest that is whole counts,
so a crash in mid-write leaves the one before.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from client.ports import ModFolder
from client.publish import Publish, remembered_publish
from client.verdict import Verdict
from client.version import ContentVersion

_NAME = re.compile(r"note-(\d{1,12})")


@dataclass(frozen=True, slots=True)
class VersionNote:
    """One version: when it was last opened (seconds since the epoch), the packs it pins as (key, version), the optional
    files it was found not to have, what the registry last said of its scripts, and its id there."""

    last_used: float
    pins: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()
    verdict: Verdict = field(default_factory=Verdict)
    mod_id: str | None = None


@dataclass(frozen=True, slots=True)
class ModNote:
    """The note of one mod; an empty one where nothing is remembered."""

    resolved: Publish | None = None
    versions: Mapping[str, VersionNote] = field(default_factory=dict)

    def used(self, publish: Publish, now: float, absent: tuple[str, ...] = ()) -> ModNote:
        """The note after ``publish`` was opened and these optional files were not there."""
        before = self.versions.get(publish.version, VersionNote(now))
        # What the registry has just given out is not stopped.
        verdict = replace(before.verdict, stopped=before.verdict.stopped and publish.offline)
        version = replace(before, last_used=now, absent=absent, verdict=verdict, mod_id=publish.mod_id)
        resolved = publish if publish.current else self.resolved
        return ModNote(resolved, {**self.versions, publish.version: version})

    def pinning(self, version: ContentVersion, pins: tuple[tuple[str, str], ...]) -> ModNote:
        """The note after the setup of ``version`` was read."""
        before = self.versions.get(version, VersionNote(0.0))
        return replace(self, versions={**self.versions, version: replace(before, pins=pins)})

    def judging(self, version: ContentVersion, verdict: Verdict) -> ModNote:
        """The note after the registry has said this of a version."""
        before = self.versions.get(version, VersionNote(0.0))
        return replace(self, versions={**self.versions, version: replace(before, verdict=verdict)})

    def stopping(self, version: ContentVersion | None = None) -> ModNote:
        """The note after the registry has stopped a version, or all that is known of."""
        wanted = self.versions if version is None else {version: self.versions.get(version, VersionNote(0.0))}
        stopped = {of: replace(one, verdict=replace(one.verdict, stopped=True)) for of, one in wanted.items()}
        return replace(self, versions={**self.versions, **stopped})

    def verdict(self, version: ContentVersion) -> Verdict:
        """What the registry last said of a version's scripts; that none may run where it was never asked."""
        found = self.versions.get(version)
        return Verdict() if found is None else found.verdict

    def without(self, versions: set[ContentVersion]) -> ModNote:
        """The note after these versions were deleted."""
        return replace(self, versions={of: note for of, note in self.versions.items() if of not in versions})


async def read_note(folder: ModFolder) -> ModNote:
    """The newest whole note of a mod."""
    for name in sorted(await folder.journals(), key=_number, reverse=True):
        if _number(name) < 0:
            break
        note = _parse(await folder.read_journal(name))
        if note is not None:
            return note
    return ModNote()


async def write_note(folder: ModFolder, note: ModNote) -> None:
    """Replace the note.

    :raises client.errors.StorageFailure: it could not be written; the one before stands
    """
    numbers = [_number(name) for name in await folder.journals()]
    old = [f"note-{number}" for number in numbers if number >= 0]
    appender = await folder.write_journal(f"note-{max([*numbers, 0]) + 1}")
    try:
        await appender.append(_text(note))
    finally:
        await appender.close()
    await folder.remove_journals(old)


def _number(name: str) -> int:
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else -1


def _text(note: ModNote) -> bytes:
    values = {
        "resolved": note.resolved.as_plain() if note.resolved is not None else None,
        "versions": {of: _plain(version) for of, version in note.versions.items()},
    }
    text = json.dumps(values).encode()
    return b"%08x %s" % (zlib.crc32(text), text)


def _plain(version: VersionNote) -> list[object]:
    scripts, stopped = sorted(version.verdict.scripts), version.verdict.stopped
    return [version.last_used, version.pins, version.absent, scripts, stopped, version.mod_id]


def _parse(data: bytes) -> ModNote | None:
    try:
        if int(data[:8], 16) != zlib.crc32(data[9:]):
            return None
        values = json.loads(data[9:])
        versions = {str(of): _version(*fields) for of, fields in values["versions"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return ModNote(remembered_publish(values.get("resolved")), versions)


def _version(
    used: Any, pins: Any, absent: Any, scripts: Any = (), stopped: Any = False, mod_id: Any = None
) -> VersionNote:
    """What an earlier build has written lacks the verdict and the id."""
    return VersionNote(
        float(used),
        tuple((str(key), str(version)) for key, version in pins),
        tuple(str(path) for path in absent),
        Verdict(frozenset(str(one) for one in scripts), stopped is True),
        mod_id if isinstance(mod_id, str) else None,
    )
