"""What is remembered of a mod beside its files."""

import json
import zlib
from dataclasses import replace

import pytest

from client.errors import StorageFailure
from client.note import ModNote, VersionNote, read_note, write_note
from client.publish import Publish
from client.repository import Repository
from client.verdict import Verdict
from client.version import AssetRef, ContentVersion
from tests.fakes import Killed, Machine

KEY = "alice/chess"
SHA = "a" * 40
PUBLISH = Publish(Repository("Alice", "Chess"), AssetRef(SHA), ContentVersion(SHA), "m1", "Chess", current=True)


async def test_a_mod_nothing_is_remembered_of_has_an_empty_note(machine: Machine) -> None:
    assert await read_note(machine.store.folder(KEY)) == ModNote()


async def test_the_last_publish_is_remembered_for_opening_offline(machine: Machine) -> None:
    folder = machine.store.folder(KEY)
    await write_note(folder, ModNote().used(PUBLISH, 12.5).pinning(PUBLISH.version, (("bob/room", "b" * 40),)))
    note = await read_note(folder)
    assert note.resolved is not None
    assert (note.resolved.repository, note.resolved.version, note.resolved.mod_id) == (PUBLISH.repository, SHA, "m1")
    assert note.resolved.offline
    assert not note.resolved.current
    assert note.versions == {SHA: VersionNote(12.5, (("bob/room", "b" * 40),), mod_id="m1")}


async def test_what_the_registry_said_of_scripts_is_remembered_by_version(machine: Machine) -> None:
    folder = machine.store.folder(KEY)
    verdict = Verdict(frozenset({"1" * 64, "2" * 64}))
    await write_note(folder, ModNote().used(PUBLISH, 1.0).judging(PUBLISH.version, verdict))
    note = await read_note(folder)
    assert note.verdict(PUBLISH.version) == verdict
    assert note.verdict(ContentVersion("c" * 40)) == Verdict()
    await write_note(folder, note.stopping())
    note = await read_note(folder)
    assert note.verdict(PUBLISH.version) == Verdict(verdict.scripts, stopped=True)
    assert note.used(replace(PUBLISH, offline=True), 2.0).verdict(PUBLISH.version).stopped
    assert note.used(PUBLISH, 2.0).verdict(PUBLISH.version) == verdict


async def test_a_note_of_an_earlier_build_is_still_read(machine: Machine) -> None:
    folder = machine.store.folder(KEY)
    text = json.dumps({"resolved": PUBLISH.as_plain(), "versions": {SHA: [12.5, [["bob/room", "x"]], ["a.webp"]]}})
    appender = await folder.write_journal("note-7")
    await appender.append(b"%08x %s" % (zlib.crc32(text.encode()), text.encode()))
    await appender.close()
    note = await read_note(folder)
    assert note.resolved is not None
    assert note.versions == {SHA: VersionNote(12.5, (("bob/room", "x"),), ("a.webp",))}


async def test_opening_a_pinned_version_does_not_change_what_is_opened_offline() -> None:
    old = Publish(PUBLISH.repository, AssetRef("c" * 40), ContentVersion("c" * 40), "m1", "Chess", current=False)
    note = ModNote().used(PUBLISH, 1.0).used(old, 2.0)
    assert note.resolved == PUBLISH
    assert set(note.versions) == {SHA, "c" * 40}
    assert set(note.without({old.version}).versions) == {SHA}


async def test_only_the_newest_note_is_kept(machine: Machine) -> None:
    folder = machine.store.folder(KEY)
    for moment in (1.0, 2.0, 3.0):
        await write_note(folder, (await read_note(folder)).used(PUBLISH, moment))
    assert len(await folder.journals()) == 1
    assert (await read_note(folder)).versions[SHA].last_used == 3.0


@pytest.mark.parametrize("steps", range(1, 4))
async def test_a_crash_in_mid_write_leaves_the_note_before_or_the_new_one(machine: Machine, steps: int) -> None:
    folder = machine.store.folder(KEY)
    await write_note(folder, ModNote().used(PUBLISH, 1.0))
    machine.store.dies_at = machine.store.writes + steps
    with pytest.raises(Killed):
        await write_note(folder, ModNote().used(PUBLISH, 2.0))
    machine.store.dies_at = None
    assert (await read_note(folder)).versions[SHA].last_used == (1.0 if steps < 3 else 2.0)


async def test_a_full_disk_leaves_the_note_before(machine: Machine) -> None:
    folder = machine.store.folder(KEY)
    await write_note(folder, ModNote().used(PUBLISH, 1.0))
    machine.store.room = 20
    with pytest.raises(StorageFailure):
        await write_note(folder, ModNote().used(PUBLISH, 2.0))
    assert (await read_note(folder)).versions[SHA].last_used == 1.0


@pytest.mark.parametrize("data", [b"", b"rubbish", b"00000000 {}", b"zzzzzzzz {}", b"a" * 5000, b"[" * 5000])
async def test_a_note_that_is_not_whole_is_passed_over(machine: Machine, data: bytes) -> None:
    folder = machine.store.folder(KEY)
    await write_note(folder, ModNote().used(PUBLISH, 1.0))
    machine.store.mods[KEY].journals["note-99"] = bytearray(data)
    assert (await read_note(folder)).versions[SHA].last_used == 1.0
