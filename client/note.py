"""What is remembered of a mod beside its files: its last resolved publish, when each version was used, its pins.

Notes are small files written anew under a higher number each time; the highest that is whole counts,
so a crash in mid-write leaves the one before.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from client.ports import ModFolder
from client.publish import Publish, remembered_publish
from client.version import ContentVersion

_NAME = re.compile(r"note-(\d{1,12})")


@dataclass(frozen=True, slots=True)
class VersionNote:
    """One version: when it was last opened (seconds since the epoch), the packs it pins as (key, version), and the
    optional files it was found not to have."""

    last_used: float
    pins: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModNote:
    """The note of one mod; an empty one where nothing is remembered."""

    resolved: Publish | None = None
    versions: Mapping[str, VersionNote] = field(default_factory=dict)

    def used(self, publish: Publish, now: float, absent: tuple[str, ...] = ()) -> ModNote:
        """The note after ``publish`` was opened and these optional files were not there."""
        before = self.versions.get(publish.version)
        version = VersionNote(now, before.pins if before is not None else (), absent)
        resolved = publish if publish.current else self.resolved
        return ModNote(resolved, {**self.versions, publish.version: version})

    def pinning(self, version: ContentVersion, pins: tuple[tuple[str, str], ...]) -> ModNote:
        """The note after the setup of ``version`` was read."""
        before = self.versions.get(version, VersionNote(0.0))
        return replace(self, versions={**self.versions, version: replace(before, pins=pins)})

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
        "versions": {of: [version.last_used, version.pins, version.absent] for of, version in note.versions.items()},
    }
    text = json.dumps(values).encode()
    return b"%08x %s" % (zlib.crc32(text), text)


def _parse(data: bytes) -> ModNote | None:
    try:
        if int(data[:8], 16) != zlib.crc32(data[9:]):
            return None
        values = json.loads(data[9:])
        versions = {
            str(of): VersionNote(
                float(used),
                tuple((str(key), str(version)) for key, version in pins),
                tuple(str(path) for path in absent),
            )
            for of, (used, pins, absent) in values["versions"].items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return ModNote(remembered_publish(values.get("resolved")), versions)
