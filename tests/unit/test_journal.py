"""The append-only journal: whatever a crash leaves of it, what is read is what was written."""

import itertools
import json
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.asset_path import path_fault
from client.journal import (
    Entry,
    JournalReading,
    header,
    journal_name,
    journal_version,
    read_journal,
    records,
    seal,
)
from client.ports import Place
from client.version import ContentVersion

VERSION = ContentVersion("0123456789abcdef0123456789abcdef01234567")
NAME = journal_name(VERSION, "00ff00ff00ff00ff")
OTHER = journal_name(VERSION, "1111111111111111")


def entry(number: int, *, verified: bool = True) -> Entry:
    return Entry(Place("abc-0", number * 10, 10), f"{number:064x}", verified)


ENTRIES = {f"art/tile {number} ü.webp": entry(number, verified=number % 2 == 0) for number in range(4)}
LINES = [header(VERSION), *(records({path: stored}) for path, stored in ENTRIES.items())]
JOURNAL = b"".join(LINES)


def read(data: bytes) -> JournalReading:
    reading = read_journal(NAME, data)
    assert reading is not None
    return reading


def line(value: Any) -> bytes:
    text = json.dumps(value).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def test_what_is_recorded_is_read_back() -> None:
    assert read(JOURNAL) == JournalReading(VERSION, True, False, frozenset(), ENTRIES)


def test_a_later_record_of_a_path_counts() -> None:
    assert read(JOURNAL + records({"art/tile 0 ü.webp": entry(9)})).entries["art/tile 0 ü.webp"] == entry(9)


def test_an_empty_journal_holds_nothing_and_is_whole() -> None:
    assert read(b"") == JournalReading(VERSION, True, False, frozenset(), {})


def test_a_journal_torn_anywhere_yields_exactly_its_whole_records() -> None:
    ends = list(itertools.accumulate(map(len, LINES)))
    for length in range(len(JOURNAL)):
        whole = [end for end in ends if end <= length]
        reading = read(JOURNAL[:length])
        assert list(reading.entries.items()) == list(ENTRIES.items())[: max(0, len(whole) - 1)]
        assert reading.torn == (max(whole, default=0) < length)
        assert reading.readable


@given(st.integers(0, len(JOURNAL) * 8 - 1))
def test_a_flipped_bit_never_yields_a_record_that_was_not_written(bit: int) -> None:
    data = bytearray(JOURNAL)
    data[bit // 8] ^= 1 << bit % 8
    for path, stored in read(bytes(data)).entries.items():
        assert stored == ENTRIES[path]


@given(st.binary())
def test_no_bytes_break_the_reader(data: bytes) -> None:
    assert read(data).entries == {}


@given(st.binary())
def test_rubbish_behind_a_journal_costs_nothing_before_it(data: bytes) -> None:
    assert read(JOURNAL + b"\xff" + data).entries == ENTRIES


def test_nothing_behind_a_torn_record_is_believed() -> None:
    torn = b"".join([*LINES[:2], LINES[2][:-5], b"\n", *LINES[3:]])
    reading = read(torn)
    assert list(reading.entries) == list(ENTRIES)[:1]
    assert reading.torn


def test_a_journal_of_a_newer_format_is_not_read_and_not_called_torn() -> None:
    newer = line({"format": 2, "version": VERSION, "replaces": []}) + LINES[1]
    assert read(newer) == JournalReading(VERSION, False, False, frozenset(), {})


def test_a_journal_of_another_version_is_not_read() -> None:
    assert not read(header(ContentVersion("f" * 40)) + LINES[1]).readable


def test_a_journal_stands_for_others_only_once_it_is_sealed() -> None:
    compacted = header(VERSION, [OTHER]) + b"".join(LINES[1:])
    assert read(compacted).replaces == frozenset()
    assert read(compacted + seal()).replaces == {OTHER}
    assert read(compacted + seal()[:-1]).replaces == frozenset()


@pytest.mark.parametrize(
    "fields",
    [
        ["../evil", "abc-0", 0, 1, "0" * 64, 1],
        ["a", "../../x", 0, 1, "0" * 64, 1],
        ["a", "ABC", 0, 1, "0" * 64, 1],
        ["a", "abc", -1, 1, "0" * 64, 1],
        ["a", "abc", 0, -1, "0" * 64, 1],
        ["a", "abc", 0, 1, "0" * 63, 1],
        ["a", "abc", 0, 1, "0" * 64],
        ["a", "abc", "0", 1, "0" * 64, 1],
        {"path": "a"},
        None,
    ],
)
def test_a_record_that_makes_no_sense_is_not_believed_though_its_check_sum_holds(fields: Any) -> None:
    reading = read(LINES[0] + line({"files": [fields]}) + LINES[1])
    assert reading.entries == {}
    assert reading.torn


def test_many_files_in_one_line_are_read_like_one_line_each() -> None:
    files = {f"f{number}": entry(number) for number in range(2500)}
    data = header(VERSION) + records(files)
    assert read(data).entries == files
    assert data.count(b"\n") < 10


def test_a_line_of_many_files_counts_whole_or_not_at_all() -> None:
    rows: list[Any] = [["a", "abc", 0, 1, "0" * 64, 1], ["../evil", "abc", 0, 1, "0" * 64, 1]]
    reading = read(LINES[0] + line({"files": rows}) + LINES[1])
    assert reading.entries == {}
    assert reading.torn


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_no_line_breaks_the_reader_whatever_it_holds(value: Any) -> None:
    for key in ("files",):
        for path, stored in read(LINES[0] + line({key: value})).entries.items():
            assert path_fault(path) is None
            assert stored.place.offset >= 0


def test_a_line_of_a_kind_to_come_is_passed_over() -> None:
    assert read(LINES[0] + line({"note": "hello"}) + LINES[1]).entries == dict(list(ENTRIES.items())[:1])


@pytest.mark.parametrize(
    "name", ["note-3", f"{VERSION}.journal", f"main.{'0' * 16}.journal", f"{VERSION}.XYZ.journal", ".DS_Store", ""]
)
def test_a_file_that_is_no_journal_is_told_by_its_name(name: str) -> None:
    assert journal_version(name) is None
    assert read_journal(name, JOURNAL) is None


@given(st.lists(st.tuples(st.text(min_size=1).filter(lambda text: path_fault(text) is None), st.integers(0, 99))))
def test_any_paths_survive_the_round_trip(files: list[tuple[str, int]]) -> None:
    written = {path: entry(number) for path, number in files}
    data = header(VERSION) + b"".join(records({path: stored}) for path, stored in written.items())
    assert read(data).entries == written
