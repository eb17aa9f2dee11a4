"""One version's cache: nothing is believed that was not seen, and no crash makes it forget or lie."""

import contextlib
import json
import zlib

import pytest

from client.errors import StorageFailure
from client.journal import Entry, header, journal_name, records
from client.ports import Place
from client.scope import Scope, read_versions
from client.version import ContentVersion
from tests.fakes import FakeStore, Killed, Machine, sha256

KEY = "alice/chess"
VERSION = ContentVersion("0123456789abcdef0123456789abcdef01234567")


async def stored(store: FakeStore, files: dict[str, bytes], *, compact: bool = False) -> Scope:
    """A scope in which one more session has stored ``files``."""
    scope = Scope(store.folder(KEY), VERSION)
    await scope.load()
    session = await scope.session()
    for path, data in files.items():
        await session.add({path: Entry(await session.writer.put(data), sha256(data), True)})
    await session.close()
    if compact:
        await scope.compact()
    return scope


async def loaded(store: FakeStore) -> Scope:
    scope = Scope(store.folder(KEY), VERSION)
    await scope.load()
    return scope


async def content(scope: Scope) -> dict[str, bytes | None]:
    return {path: await scope.folder.read(entry.place) for path, entry in scope.entries.items()}


async def test_what_one_session_stored_the_next_one_finds(machine: Machine) -> None:
    await stored(machine.store, {"a": b"one", "b": b"two"})
    assert await content(await loaded(machine.store)) == {"a": b"one", "b": b"two"}


async def test_a_version_is_the_union_of_its_sessions(machine: Machine) -> None:
    await stored(machine.store, {"a": b"one"})
    await stored(machine.store, {"b": b"two"})
    assert await content(await loaded(machine.store)) == {"a": b"one", "b": b"two"}


async def test_another_version_of_the_mod_is_another_scope(machine: Machine) -> None:
    await stored(machine.store, {"a": b"one"})
    other = Scope(machine.store.folder(KEY), ContentVersion("f" * 40))
    await other.load()
    assert other.entries == {}


async def test_records_whose_segments_are_gone_do_not_count(machine: Machine) -> None:
    await stored(machine.store, {"a": b"one", "b": b"two"})
    machine.store.lose_segments(KEY)
    scope = await loaded(machine.store)
    assert scope.entries == {}
    assert scope.damaged == 2


async def test_records_beyond_the_end_of_a_short_segment_do_not_count(machine: Machine) -> None:
    await stored(machine.store, {"a": b"one", "b": b"two"})
    machine.store.shorten_segments(KEY, 5)
    scope = await loaded(machine.store)
    assert await content(scope) == {"a": b"one"}
    assert scope.damaged == 1


async def test_an_empty_file_is_stored_like_any_other(machine: Machine) -> None:
    await stored(machine.store, {"empty": b"", "a": b"one"})
    assert await content(await loaded(machine.store)) == {"empty": b"", "a": b"one"}


async def test_a_torn_journal_costs_only_what_was_in_flight(machine: Machine) -> None:
    await stored(machine.store, {"a": b"one", "b": b"two"})
    journal = next(iter(machine.store.mods[KEY].journals))
    machine.store.tear_journal(KEY, journal, len(machine.store.mods[KEY].journals[journal]) - 1)
    assert await content(await loaded(machine.store)) == {"a": b"one"}


async def test_compacting_leaves_one_journal_with_everything(machine: Machine) -> None:
    await stored(machine.store, {"a": b"one"})
    await stored(machine.store, {"b": b"two"})
    await stored(machine.store, {"c": b"three"}, compact=True)
    assert len(machine.store.mods[KEY].journals) == 1
    assert await content(await loaded(machine.store)) == {"a": b"one", "b": b"two", "c": b"three"}


async def test_a_compacted_journal_is_not_written_again(machine: Machine) -> None:
    await stored(machine.store, {"a": b"one"}, compact=True)
    before = machine.store.writes
    await (await loaded(machine.store)).compact()
    assert machine.store.writes == before


async def test_compacting_drops_what_a_lost_segment_took_away(machine: Machine) -> None:
    await stored(machine.store, {"a": b"one", "b": b"two"})
    machine.store.shorten_segments(KEY, 5)
    await (await loaded(machine.store)).compact()
    scope = await loaded(machine.store)
    assert scope.damaged == 0
    assert list(scope.entries) == ["a"]


@pytest.mark.parametrize("steps", range(1, 8))
async def test_compacting_interrupted_at_any_step_loses_nothing(machine: Machine, steps: int) -> None:
    store = machine.store
    await stored(store, {"a": b"one", "b": b"two"})
    await stored(store, {"b": b"newer", "c": b"three"})
    whole = await content(await loaded(store))
    scope = await loaded(store)
    store.dies_at = store.writes + steps
    try:
        await scope.compact()
    except Killed:
        assert steps <= 4
    store.dies_at = None
    assert await content(await loaded(store)) == whole
    await (await loaded(store)).compact()
    assert await content(await loaded(store)) == whole
    assert len(store.mods[KEY].journals) == 1


@pytest.mark.parametrize("steps", range(1, 12))
async def test_a_session_killed_at_any_step_leaves_only_true_records(machine: Machine, steps: int) -> None:
    files = {"a": b"one", "b": b"two", "c": b"three"}
    machine.store.dies_at = steps
    with contextlib.suppress(Killed):
        await stored(machine.store, files)
    machine.store.dies_at = None
    for path, data in (await content(await loaded(machine.store))).items():
        assert data == files[path]


async def test_a_full_disk_refuses_the_record_and_everything_after(machine: Machine) -> None:
    scope = Scope(machine.store.folder(KEY), VERSION)
    await scope.load()
    session = await scope.session()
    entry = Entry(await session.writer.put(b"one"), sha256(b"one"), True)
    machine.store.room = 10
    with pytest.raises(StorageFailure) as refusal:
        await session.add({"a": entry})
    assert refusal.value.quota
    machine.store.room = None
    with pytest.raises(StorageFailure):
        await session.add({"a": entry})
    await session.close()
    assert scope.entries == {}
    assert (await loaded(machine.store)).entries == {}


async def test_dropped_files_stay_dropped(machine: Machine) -> None:
    scope = await stored(machine.store, {"a": b"one", "b": b"two"})
    await scope.drop(["a", "unknown"])
    assert list((await loaded(machine.store)).entries) == ["b"]


async def test_a_dropped_file_does_not_come_back_after_an_interrupted_compaction(machine: Machine) -> None:
    scope = await stored(machine.store, {"rotten": b"one", "b": b"two"})
    machine.store.dies_at = machine.store.writes + 3
    with pytest.raises(Killed):
        await scope.drop(["rotten"])
    machine.store.dies_at = None
    await stored(machine.store, {"c": b"three"}, compact=True)
    await stored(machine.store, {"d": b"four"}, compact=True)
    assert set((await loaded(machine.store)).entries) == {"b", "c", "d"}


async def test_a_journal_of_a_newer_build_is_left_alone(machine: Machine) -> None:
    await stored(machine.store, {"a": b"one"})
    text = json.dumps({"format": 2, "version": VERSION}).encode()
    newer = b"%08x %s\n" % (zlib.crc32(text), text)
    name = journal_name(VERSION, "f" * 16)
    machine.store.mods[KEY].journals[name] = bytearray(newer)
    scope = await stored(machine.store, {"b": b"two"}, compact=True)
    assert set(scope.entries) == {"a", "b"}
    assert machine.store.mods[KEY].journals[name] == newer


async def test_files_that_are_no_journals_are_passed_over(machine: Machine) -> None:
    await stored(machine.store, {"a": b"one"})
    machine.store.mods[KEY].journals[".DS_Store"] = bytearray(b"\x00\x01")
    assert list(await read_versions(machine.store.folder(KEY))) == [
        name for name in machine.store.mods[KEY].journals if name.endswith(".journal")
    ]


async def test_a_journal_of_an_earlier_build_reads_by_its_bytes_alone(machine: Machine) -> None:
    """The format is a promise to every cache in the field."""
    entry = Entry(Place("abc-0", 0, 3), sha256(b"one"), True)
    text = header(VERSION) + records({"a.webp": entry})
    assert text.splitlines()[0][9:] == b'{"format":1,"version":"%s","replaces":[]}' % VERSION.encode()
    assert text.splitlines()[1][9:] == b'{"files":[["a.webp","abc-0",0,3,"%s",1]]}' % sha256(b"one").encode()
