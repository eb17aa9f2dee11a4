"""The storage panel: what is kept, who needs it, and mending it without a table."""

from __future__ import annotations

import json

import pytest

from client.errors import NotOpen, UnknownMod
from client.manifest import MANIFEST_PATH
from client.scope import Scope
from client.version import ContentVersion
from tests.unit.world import Published, World, settle

FILES = {"cover.webp": b"cover", "a.webp": b"a" * 1000, "b.webp": b"b" * 2000}


async def rot(world: World, published: Published, *paths: str) -> None:
    scope = Scope(world.store.folder("alice/chess"), ContentVersion(published.sha))
    await scope.load()
    for path in paths:
        world.disk.rot("alice/chess", scope.entries[path].place)


async def test_each_kept_version_says_what_it_is_and_when_it_was_opened(world: World) -> None:
    published = world.publish("Alice/Chess", FILES, coverImage="cover.webp")
    await world.visited("alice/chess")
    [kept] = await world.peer().storage()
    assert (kept["owner"], kept["repo"], kept["version"]) == ("Alice", "Chess", published.sha)
    assert (kept["name"], kept["kind"], kept["release"], kept["cover"]) == ("Chess", "game", "1.0.0", "cover.webp")
    assert (kept["files"], kept["bytes"]) == (5, sum(map(len, published.files.values())))
    assert kept["lastUsed"] > 0
    json.dumps(kept)


async def test_a_kept_version_says_which_tabs_show_it_and_which_games_need_it(world: World) -> None:
    pack = world.publish("bob/tavern", {"room.glb": b"room"}, id="tavern", name="The Tavern", type="room-pack")
    world.publish(files=FILES, setup={"packRefs": [{"packId": "tavern", "role": "room", "commitSha": pack.sha}]})
    first, _ = await world.opened()
    await settle(first)
    second, _ = await world.opened()
    of = {kept["name"]: kept for kept in await world.peer().storage()}
    assert (of["Chess"]["tabs"], of["Chess"]["pinnedBy"]) == (2, [])
    assert (of["The Tavern"]["tabs"], of["The Tavern"]["pinnedBy"]) == (2, ["Chess"])
    await first.close()
    await second.close()
    assert [kept["tabs"] for kept in await world.peer().storage()] == [0, 0]


async def test_a_file_of_a_kept_version_is_had_without_opening_it(world: World) -> None:
    published = world.publish(files=FILES)
    await world.visited()
    world.network.down = True
    asset = await world.peer().kept("a.webp", "alice/chess", published.sha)
    assert (asset.source, asset.media_type) == ("cache", "image/webp")
    with pytest.raises(NotOpen):
        await world.peer().kept("no.webp", "alice/chess", published.sha)
    with pytest.raises(NotOpen):
        await world.peer().kept("a.webp", "alice/chess", "0" * 40)


async def test_a_mod_stands_as_kept_as_an_update_or_not_at_all(world: World) -> None:
    old = world.publish(files=FILES)
    world.publish("bob/go", {"stone.webp": b"stone"})
    await world.visited()
    asked = [
        {"owner": "Alice", "repo": "Chess", "version": old.sha},
        {"owner": "alice", "repo": "chess", "version": "f" * 40},
        {"owner": "bob", "repo": "go", "version": "f" * 40},
    ]
    assert await world.peer().standing(asked) == ["cached", "update", "none"]


async def test_mending_fetches_what_is_rotten_again_and_nothing_else(world: World) -> None:
    published = world.publish(files=FILES)
    await world.visited()
    await rot(world, published, "a.webp", MANIFEST_PATH)
    before = len(world.raw_requests())
    assert await world.peer().mend("alice", "chess", published.sha) == {"checked": 5, "dropped": 2, "refetched": 2}
    assert len(world.raw_requests()) == before + 3, "the manifest is read once to know the files, and once to be kept"
    assert await world.peer().mend("alice", "chess", published.sha) == {"checked": 5, "dropped": 0, "refetched": 0}
    assert {file["status"] for file in (await world.visited())["files"]} == {"cached"}


async def test_mending_offline_removes_what_is_rotten_and_loses_nothing_else(world: World) -> None:
    published = world.publish(files=FILES)
    await world.visited()
    await rot(world, published, "a.webp")
    world.network.down = True
    assert await world.peer().mend("alice", "chess", published.sha) == {"checked": 5, "dropped": 1, "refetched": 0}
    [kept] = await world.peer().storage()
    assert kept["files"] == 4


async def test_mending_an_older_version_leaves_the_current_one_alone(world: World) -> None:
    old = world.publish(files=FILES)
    await world.visited()
    world.publish(files={**FILES, "c.webp": b"c"})
    await rot(world, old, "b.webp")
    assert (await world.peer().mend("alice", "chess", old.sha))["refetched"] == 1
    assert [kept["version"] for kept in await world.peer().storage()] == [old.sha]


async def test_mending_what_is_no_repository_is_refused(world: World) -> None:
    with pytest.raises(UnknownMod):
        await world.peer().mend("..", "x", "0" * 40)


async def test_the_report_of_the_last_table_is_there_when_it_is_closed(world: World) -> None:
    world.publish(files=FILES)
    peer = world.peer()
    assert peer.last_report() is None
    await peer.open("alice/chess")
    open_report = peer.report()
    await peer.close()
    closed = peer.last_report()
    assert closed is not None
    assert (closed["repo"], closed["files"]) == ("chess", open_report["files"])
