"""All mods this browser keeps: what goes, and above all what stays."""

import json
import zlib

import pytest

from client.cache import CachedMod, cached_mods, forget, older_files, pull_lock, shown_lock, supersede, sweep
from client.errors import StorageFailure
from client.journal import Entry, journal_name
from client.note import ModNote, read_note, write_note
from client.publish import Publish
from client.repository import Repository
from client.scope import Scope
from client.version import AssetRef, ContentVersion
from tests.fakes import Machine, sha256

CHESS = "alice/chess"
OLD, NEW, NEWER = (ContentVersion(letter * 40) for letter in "abc")


async def store(machine: Machine, key: str, version: ContentVersion, files: dict[str, bytes]) -> Scope:
    scope = Scope(machine.store.folder(key), version)
    await scope.load()
    session = await scope.session()
    await session.add({path: Entry(await session.writer.put(data), sha256(data), True) for path, data in files.items()})
    await session.close()
    return scope


async def pin(machine: Machine, game: str, version: ContentVersion, pack: str, pinned: ContentVersion) -> None:
    folder = machine.store.folder(game)
    await write_note(folder, (await read_note(folder)).pinning(version, ((pack, pinned),)))


async def versions(machine: Machine, key: str) -> set[str]:
    return {mod.version for mod in await cached_mods(machine.store) if f"{mod.owner}/{mod.repo}" == key}


async def test_older_versions_go_and_the_current_one_stays(machine: Machine) -> None:
    await store(machine, CHESS, OLD, {"a": b"one"})
    await store(machine, CHESS, NEW, {"a": b"two"})
    assert await supersede(machine.store, machine.locks, CHESS, NEW) == [OLD]
    assert await versions(machine, CHESS) == {NEW}
    assert [len(data) for data in machine.store.mods[CHESS].segments.values()] == [3]


async def test_another_mod_loses_nothing(machine: Machine) -> None:
    await store(machine, CHESS, OLD, {"a": b"one"})
    await store(machine, "bob/go", OLD, {"a": b"one"})
    await store(machine, CHESS, NEW, {"a": b"two"})
    await supersede(machine.store, machine.locks, CHESS, NEW)
    assert await versions(machine, "bob/go") == {OLD}


async def test_a_version_shown_in_a_tab_stays_until_it_is_closed(machine: Machine) -> None:
    await store(machine, CHESS, OLD, {"a": b"one"})
    await store(machine, CHESS, NEW, {"a": b"two"})
    async with machine.locks.shared(shown_lock(CHESS, OLD)):
        assert await supersede(machine.store, machine.locks, CHESS, NEW) == []
    assert await supersede(machine.store, machine.locks, CHESS, NEW) == [OLD]


async def test_a_version_a_cached_game_pins_stays(machine: Machine) -> None:
    await store(machine, CHESS, OLD, {"a": b"one"})
    await store(machine, CHESS, NEW, {"a": b"two"})
    await store(machine, "bob/game", NEW, {"a": b"game"})
    await pin(machine, "bob/game", NEW, CHESS, OLD)
    assert await supersede(machine.store, machine.locks, CHESS, NEW) == []
    assert await versions(machine, CHESS) == {OLD, NEW}


async def test_the_pins_of_a_game_that_is_no_longer_cached_hold_nothing(machine: Machine) -> None:
    await store(machine, CHESS, OLD, {"a": b"one"})
    await store(machine, CHESS, NEW, {"a": b"two"})
    await store(machine, "bob/game", NEWER, {"a": b"game"})
    await pin(machine, "bob/game", NEW, CHESS, OLD)
    assert await supersede(machine.store, machine.locks, CHESS, NEW) == [OLD]


async def test_bytes_that_were_carried_over_outlive_the_version_they_came_with(machine: Machine) -> None:
    await store(machine, CHESS, OLD, {"same": b"one", "changed": b"x"})
    known = (await older_files(machine.store.folder(CHESS), NEW)).by_hash
    scope = Scope(machine.store.folder(CHESS), NEW)
    session = await scope.session()
    await session.add({"moved": known[sha256(b"one")]})
    await session.close()
    await supersede(machine.store, machine.locks, CHESS, NEW)
    await scope.load()
    assert await scope.folder.read(scope.entries["moved"].place) == b"one"


async def test_only_bytes_that_are_there_in_full_are_offered_for_carrying_over(machine: Machine) -> None:
    await store(machine, CHESS, OLD, {"a": b"one", "b": b"two"})
    await store(machine, CHESS, NEW, {"c": b"three"})
    machine.store.shorten_segments(CHESS, 3)
    assert set((await older_files(machine.store.folder(CHESS), NEW)).by_hash) == {sha256(b"one")}


async def test_a_journal_of_a_newer_build_keeps_its_version_and_every_segment(machine: Machine) -> None:
    await store(machine, CHESS, OLD, {"a": b"one"})
    await store(machine, CHESS, NEW, {"a": b"two"})
    machine.store.mods[CHESS].journals[journal_name(OLD, "9" * 16)] = _newer_journal()
    machine.store.mods[CHESS].segments["theirs-0"] = bytearray(b"theirs")
    assert await supersede(machine.store, machine.locks, CHESS, NEW) == []
    assert await sweep(machine.store.folder(CHESS)) == 0
    assert "theirs-0" in machine.store.mods[CHESS].segments


def _newer_journal() -> bytearray:
    text = json.dumps({"format": 2, "version": OLD}).encode()
    return bytearray(b"%08x %s\n" % (zlib.crc32(text), text))


async def test_sweeping_takes_what_killed_writers_left_and_nothing_else(machine: Machine) -> None:
    await store(machine, CHESS, NEW, {"a": b"one"})
    machine.store.mods[CHESS].segments["dead-0"] = bytearray(b"rest of a killed tab")
    assert await sweep(machine.store.folder(CHESS)) == 1
    scope = Scope(machine.store.folder(CHESS), NEW)
    await scope.load()
    assert await scope.folder.read(scope.entries["a"].place) == b"one"


async def test_cached_mods_are_told_the_last_used_first(machine: Machine) -> None:
    await store(machine, CHESS, OLD, {"a": b"one", "b": b"four"})
    await store(machine, "bob/go", NEW, {"a": b"12345"})
    publish = Publish(Repository("Bob", "Go"), AssetRef(NEW), NEW, "m2", "Go", current=True)
    await write_note(machine.store.folder("bob/go"), ModNote().used(publish, 12.5))
    assert await cached_mods(machine.store) == [
        CachedMod("Bob", "Go", NEW, 1, 5, 12.5),
        CachedMod("alice", "chess", OLD, 2, 7, 0.0),
    ]


async def test_an_empty_store_has_nothing_cached(machine: Machine) -> None:
    assert await cached_mods(machine.store) == []


async def test_forgetting_removes_all_of_a_mod(machine: Machine) -> None:
    await store(machine, CHESS, OLD, {"a": b"one"})
    await store(machine, CHESS, NEW, {"a": b"two"})
    await forget(machine.store, machine.locks, Repository("Alice", "Chess"))
    assert await machine.store.repositories() == []


async def test_a_mod_open_in_a_tab_is_not_forgotten(machine: Machine) -> None:
    await store(machine, CHESS, OLD, {"a": b"one"})
    async with machine.locks.shared(shown_lock(CHESS, OLD)):
        with pytest.raises(StorageFailure, match="open in a tab"):
            await forget(machine.store, machine.locks, Repository("alice", "chess"))
    assert await versions(machine, CHESS) == {OLD}
    assert await machine.locks.held() == []


def test_locks_are_named_after_what_they_guard() -> None:
    assert shown_lock(CHESS, OLD) != shown_lock(CHESS, NEW)
    assert pull_lock(CHESS) != pull_lock("bob/go")
