"""What is remembered of a mod beside its files."""

import pytest

from client.errors import StorageFailure
from client.note import ModNote, VersionNote, read_note, write_note
from client.publish import Publish
from client.repository import Repository
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
    assert note.versions == {SHA: VersionNote(12.5, (("bob/room", "b" * 40),))}


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
