"""The contract of :class:`client.ports.Store`."""

from __future__ import annotations

import itertools

from client.journal import Entry
from client.ports import Place, SegmentWriter
from client.scope import Scope
from client.version import ContentVersion
from tests.contract.bytes import patterned, sha256
from tests.contract.ports import Ports

SIZES = (0, 1, 255 * 1024, 256 * 1024, 1024 * 1024, 3 * 1024 * 1024 + 7)
"""Below, at and above every bound at which an adapter changes its ways."""


async def _put(writer: SegmentWriter, *sizes: int) -> dict[Place, bytes]:
    return {await writer.put(data): data for data in map(patterned, sizes)}


async def nothing_is_stored_of_an_unknown_mod(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    assert await folder.journals() == []
    assert await folder.segment_lengths() == {}
    assert await folder.read_journal("note-1") == b""
    assert ports.key not in await ports.store.repositories()


async def a_journal_reads_back_what_was_appended(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    journal = await folder.write_journal("note-1")
    await journal.append(b"one\n")
    await journal.append(bytes(range(256)))
    await journal.close()
    assert await folder.read_journal("note-1") == b"one\n" + bytes(range(256))


async def a_journal_is_readable_from_another_tab_while_it_is_written(ports: Ports) -> None:
    journal = await ports.store.folder(ports.key).write_journal("note-1")
    await journal.append(b"one")
    assert await (await ports.another_tab()).folder(ports.key).read_journal("note-1") == b"one"
    await journal.append(b"two")
    assert await (await ports.another_tab()).folder(ports.key).read_journal("note-1") == b"onetwo"
    await journal.close()


async def a_journal_opened_again_goes_on_at_its_end(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    for text in (b"one", b"two", b"three"):
        journal = await folder.write_journal("note-1")
        await journal.append(text)
        await journal.close()
    assert await folder.read_journal("note-1") == b"onetwothree"


async def a_large_journal_is_whole(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    journal = await folder.write_journal("note-1")
    await journal.append(patterned(2_000_000))
    await journal.close()
    assert await folder.read_journal("note-1") == patterned(2_000_000)


async def journals_are_listed_and_removed_by_name(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    for name in ("note-1", "note-10", "note-2"):
        journal = await folder.write_journal(name)
        await journal.append(name.encode())
        await journal.close()
    assert sorted(await folder.journals()) == ["note-1", "note-10", "note-2"]
    await folder.remove_journals(["note-1", "never-there"])
    assert sorted(await folder.journals()) == ["note-10", "note-2"]
    assert await folder.read_journal("note-1") == b""
    assert await folder.read_journal("note-10") == b"note-10"


async def bytes_of_any_size_read_back_at_once_when_sealed_and_from_another_tab(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    stored = await _put(writer, *SIZES, *SIZES)
    assert [place.length for place in stored] == [*SIZES, *SIZES]
    for place, data in stored.items():
        assert await folder.read(place) == data
    await writer.seal()
    for place, data in stored.items():
        assert await folder.read(place) == data
    await writer.close()
    later = (await ports.another_tab()).folder(ports.key)
    for place, data in stored.items():
        assert await later.read(place) == data


async def no_two_files_share_a_byte(ports: Ports) -> None:
    writer = await ports.store.folder(ports.key).writer()
    places = sorted(await _put(writer, *SIZES, *SIZES), key=lambda place: (place.segment, place.offset))
    for before, after in itertools.pairwise(places):
        assert before.segment != after.segment or before.offset + before.length <= after.offset
    await writer.close()


async def an_empty_file_and_the_file_after_it_are_told_apart(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    empty, full = await writer.put(b""), await writer.put(b"full")
    assert (await folder.read(empty), await folder.read(full)) == (b"", b"full")
    await writer.close()
    assert (await folder.read(empty), await folder.read(full)) == (b"", b"full")


async def an_empty_file_alone_survives_the_session(ports: Ports) -> None:
    writer = await ports.store.folder(ports.key).writer()
    place = await writer.put(b"")
    await writer.close()
    later = (await ports.another_tab()).folder(ports.key)
    assert await later.read(place) == b""
    assert await later.segment_lengths([place.segment]) == {place.segment: 0}


async def a_blob_has_the_bytes_and_the_type_it_was_asked_for(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    stored = await _put(writer, 10, 300_000, 0)
    for place, data in stored.items():
        assert await ports.content(await folder.blob(place, "image/webp")) == (data, "image/webp")
    await writer.close()
    for place, data in stored.items():
        assert await ports.content(await folder.blob(place, "model/gltf-binary")) == (data, "model/gltf-binary")


async def a_blob_outlives_what_is_written_and_sealed_after_it(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    place = await writer.put(patterned(1000))
    early = await folder.blob(place, "image/webp")
    await writer.put(patterned(500_000))
    await writer.seal()
    sealed = await folder.blob(place, "image/webp")
    await writer.put(patterned(2000))
    await writer.close()
    assert await ports.content(early) == (patterned(1000), "image/webp")
    assert await ports.content(sealed) == (patterned(1000), "image/webp")


async def a_blob_outlives_the_removal_of_other_segments(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    kept = await writer.put(b"kept")
    await writer.seal()
    gone = await writer.put(b"gone")
    await writer.close()
    blob = await folder.blob(kept, "image/webp")
    await folder.remove_segments([gone.segment])
    assert await ports.content(blob) == (b"kept", "image/webp")


async def what_is_not_there_in_full_is_missing(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    place = await writer.put(b"12345")
    await writer.close()
    for missing in (
        Place(place.segment, place.offset, 6),
        Place(place.segment, place.offset + 1, 5),
        Place(place.segment, 1000, 1),
        Place("nowhere-0", 0, 1),
        Place("nowhere-0", 0, 0),
    ):
        assert await folder.read(missing) is None
        assert await folder.blob(missing, "image/webp") is None
        assert await folder.digest([missing]) == [None]


async def a_part_of_what_was_stored_can_be_read(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    place = await writer.put(patterned(2_500_000))
    await writer.close()
    for offset, length in ((0, 10), (1_048_570, 20), (2_499_990, 10)):
        part = Place(place.segment, place.offset + offset, length)
        assert await folder.read(part) == patterned(2_500_000)[offset : offset + length]


async def digests_come_in_the_order_asked_for(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    stored = await _put(writer, 3, 0, 2_000_000)
    await writer.close()
    places = [*stored, Place("nowhere-0", 0, 1)]
    assert await folder.digest(places) == [*map(sha256, stored.values()), None]
    assert await folder.digest([]) == []


async def segments_are_as_long_as_what_was_stored(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    stored = await _put(writer, 1000, 300_000, 1000)
    await writer.close()
    lengths = await folder.segment_lengths()
    assert sum(lengths.values()) == 302_000
    assert set(lengths) == {place.segment for place in stored}
    assert await folder.segment_lengths([*lengths, "nowhere-0"]) == lengths
    assert await folder.segment_lengths([]) == {}


async def sealing_begins_a_new_segment(ports: Ports) -> None:
    writer = await ports.store.folder(ports.key).writer()
    first = await writer.put(b"one")
    await writer.seal()
    second = await writer.put(b"two")
    await writer.close()
    assert first.segment != second.segment


async def sealing_what_is_empty_changes_nothing(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    await writer.seal()
    await writer.seal()
    place = await writer.put(b"one")
    await writer.close()
    assert await folder.segment_lengths() == {place.segment: 3}


async def a_session_that_stored_nothing_leaves_nothing(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    await (await folder.writer()).close()
    assert await folder.segment_lengths() == {}


async def a_session_larger_than_a_segment_is_whole(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    stored = await _put(writer, *(1_400_000 + number for number in range(14)), *range(100))
    await writer.close()
    for place, data in stored.items():
        assert await folder.read(place) == data
    assert sum((await folder.segment_lengths()).values()) == sum(map(len, stored.values()))


async def two_sessions_never_write_to_one_segment(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    first, second = await folder.writer(), await folder.writer()
    one, two = await first.put(b"one"), await second.put(b"two")
    three = await first.put(b"three")
    await first.close()
    await second.close()
    assert one.segment != two.segment
    assert [await folder.read(place) for place in (one, two, three)] == [b"one", b"two", b"three"]


async def removed_segments_are_gone_and_others_stay(ports: Ports) -> None:
    folder = ports.store.folder(ports.key)
    writer = await folder.writer()
    kept = await writer.put(b"kept")
    await writer.seal()
    gone = await writer.put(b"gone")
    await writer.close()
    await folder.remove_segments([gone.segment, "never-there-0"])
    assert (await folder.read(kept), await folder.read(gone)) == (b"kept", None)
    assert set(await folder.segment_lengths()) == {kept.segment}


async def forgetting_a_mod_leaves_the_others(ports: Ports) -> None:
    other = f"{ports.key}-2"
    for key in (ports.key, other):
        folder = ports.store.folder(key)
        journal = await folder.write_journal("note-1")
        await journal.append(b"one")
        await journal.close()
        writer = await folder.writer()
        await writer.put(b"bytes")
        await writer.close()
    assert {ports.key, other} <= set(await ports.store.repositories())
    await ports.store.forget(ports.key)
    assert ports.key not in await ports.store.repositories()
    assert other in await ports.store.repositories()
    folder = ports.store.folder(ports.key)
    assert (await folder.journals(), await folder.segment_lengths()) == ([], {})
    assert await ports.store.folder(other).read_journal("note-1") == b"one"
    await ports.store.forget(other)
    await ports.store.forget("nobody/nothing")


async def a_forgotten_mod_can_be_stored_again(ports: Ports) -> None:
    for text in (b"one", b"two"):
        folder = ports.store.folder(ports.key)
        writer = await folder.writer()
        place = await writer.put(text)
        await writer.close()
        assert await folder.read(place) == text
        await ports.store.forget(ports.key)


async def a_repository_with_dots_and_dashes_is_one_of_its_own(ports: Ports) -> None:
    for key in (f"{ports.key}.x_y-1", f"{ports.key}.x_y-2"):
        journal = await ports.store.folder(key).write_journal("note-1")
        await journal.append(key.encode())
        await journal.close()
    for key in (f"{ports.key}.x_y-1", f"{ports.key}.x_y-2"):
        assert await ports.store.folder(key).read_journal("note-1") == key.encode()
        await ports.store.forget(key)


async def what_is_used_and_allowed_is_a_guess_in_bytes(ports: Ports) -> None:
    guess = await ports.store.estimate()
    assert guess is None or 0 <= guess[0] <= guess[1]


async def a_scope_finds_what_sessions_left_and_compacts_it(ports: Ports) -> None:
    version = ContentVersion("a" * 40)
    for path, data in (("one", b"1"), ("two", patterned(400_000)), ("empty", b"")):
        scope = Scope(ports.store.folder(ports.key), version)
        await scope.load()
        session = await scope.session()
        await session.add({path: Entry(await session.writer.put(data), sha256(data), True)})
        await session.close()
    for _ in range(2):
        scope = Scope((await ports.another_tab()).folder(ports.key), version)
        await scope.load()
        found = {path: await scope.folder.read(entry.place) for path, entry in scope.entries.items()}
        assert found == {"one": b"1", "two": patterned(400_000), "empty": b""}
        await scope.compact()
    assert len(await ports.store.folder(ports.key).journals()) == 1
