"""The append-only journal of what one writing session stored of one version.

A line is ``<crc32 of the rest, 8 hex digits> <JSON>\\n``; the first is the header. A line counts only when it is whole
and its check sum holds; the first that doesn't ends the readable part, so a crash in mid-write costs what was in flight
and nothing else. A version is the union of its journals. One that names others in ``replaces`` stands for them once
it ends with the seal, so compacting can be interrupted anywhere.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from client.asset_path import path_fault
from client.ports import Place
from client.version import ContentVersion

FORMAT = 1

_NAME = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64})\.([0-9a-f]{16})\.journal")
_SEGMENT = re.compile(r"[0-9a-z-]{1,64}")
_HEX = re.compile(r"[0-9a-f]*")
_ROWS = 1000


class Entry(NamedTuple):
    """One stored file: where its bytes are, their SHA-256, and whether that was known beforehand and matched.

    A tuple like the other values that a mod has thousands of: a frozen dataclass takes three times as long to make.
    """

    place: Place
    sha256: str
    verified: bool


@dataclass(frozen=True, slots=True)
class JournalReading:
    """What a journal says. ``readable`` is False for a newer format or a foreign file: it must be left alone.

    ``torn`` tells that bytes follow the readable part. ``replaces`` is empty until the seal is there.
    """

    version: ContentVersion
    readable: bool
    torn: bool
    replaces: frozenset[str]
    entries: dict[str, Entry]


def journal_name(version: ContentVersion, writer: str) -> str:
    """The name of the journal in which session ``writer`` (16 hex digits) records files of ``version``."""
    return f"{version}.{writer}.journal"


def journal_version(name: str) -> ContentVersion | None:
    """The version a journal belongs to; None for a file that is no journal."""
    match = _NAME.fullmatch(name)
    return ContentVersion(match[1]) if match else None


def _line(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def header(version: ContentVersion, replaces: Iterable[str] = ()) -> bytes:
    """The first line of a journal."""
    return _line({"format": FORMAT, "version": version, "replaces": sorted(replaces)})


def records(files: Mapping[str, Entry]) -> bytes:
    """The lines that say that these files are stored. Many share a line: a journal is read with every warm open."""
    rows = [
        [path, entry.place.segment, entry.place.offset, entry.place.length, entry.sha256, int(entry.verified)]
        for path, entry in files.items()
    ]
    return b"".join(_line({"files": rows[start : start + _ROWS]}) for start in range(0, len(rows), _ROWS))


def seal() -> bytes:
    """The last line of a compacted journal: from here on it stands for those it replaces."""
    return _line({"seal": True})


def read_journal(name: str, data: bytes) -> JournalReading | None:
    """What the journal ``name`` holds; None when the name is no journal's."""
    version = journal_version(name)
    if version is None:
        return None
    entries: dict[str, Entry] = {}
    announced: frozenset[str] = frozenset()
    sealed = False
    position, first = 0, True
    while position < len(data):
        end = data.find(b"\n", position)
        value = _parse(data, position, end)
        if value is None:
            break
        if first:
            if value.get("format") != FORMAT or value.get("version") != version:
                return JournalReading(version, False, False, frozenset(), {})
            replaces = value.get("replaces")
            announced = frozenset(replaces) if isinstance(replaces, list) else frozenset()
            first = False
        elif "files" in value:
            if not _take(entries, value["files"]):
                break
        elif "seal" in value:
            sealed = True
        position = end + 1
    return JournalReading(
        version,
        True,
        position < len(data),
        announced if sealed else frozenset(),
        entries,
    )


def _parse(data: bytes, start: int, end: int) -> dict[str, Any] | None:
    if end < 0 or end - start < 10 or data[start + 8] != 0x20:
        return None
    text = data[start + 9 : end]
    try:
        if int(data[start : start + 8], 16) != zlib.crc32(text):
            return None
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _take(entries: dict[str, Entry], rows: object) -> bool:
    """Add the rows of one line, all or none; False when one makes no sense.

    They are checked again, because a check sum proves that they were written so, not that they make sense: what they
    hold together in one look, since every warm open waits for it.
    """
    found: dict[str, Entry] = {}
    named: set[str] = set()
    try:
        for path, segment, offset, length, sha256, verified in rows:  # type: ignore[attr-defined]
            if segment not in named:
                if not _SEGMENT.fullmatch(segment):
                    return False
                named.add(segment)
            if offset < 0 or length < 0 or len(sha256) != 64 or path_fault(path) is not None:
                return False
            found[path] = Entry(Place(segment, int(offset), int(length)), sha256, verified == 1)
        if not _HEX.fullmatch("".join([entry.sha256 for entry in found.values()])):
            return False
    except (TypeError, ValueError):
        return False
    entries.update(found)
    return True
