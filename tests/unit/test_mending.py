"""What goes bad in the cache is noticed, served live, fetched again once; what failed in passing, when back online."""

from __future__ import annotations

from client.manifest import MANIFEST_PATH
from client.opening import IDLE, Opening
from client.peer import Peer
from tests.contract.answer import NOT_FOUND, Answer
from tests.fakes import FakeBlob, git_blob_id, json_answer
from tests.unit.world import HOSTS, World, settle, statuses

FILES = {"a.webp": b"aaaa", "data/cards.json": b"{}", "models/b.glb": b"b" * 5000}
WHILE = IDLE + 60


async def visited(world: World) -> tuple[Peer, Opening]:
    """A table opened from the cache."""
    await world.visited()
    peer, _ = await world.opened()
    assert peer._opening is not None
    return peer, peer._opening


async def test_a_picture_that_went_bad_is_replaced_while_the_table_stands(world: World) -> None:
    world.publish(files=FILES)
    peer, opening = await visited(world)
    world.disk.rot("alice/chess", opening.game.scope.entries["a.webp"].place)
    before = len(world.raw_requests())
    await world.clock.sleep(WHILE)
    assert statuses(peer.report())["a.webp"] == "downloaded"
    assert (await peer.asset("a.webp")).blob == FakeBlob(b"aaaa", "image/webp")
    assert len(world.raw_requests()) == before + 1


async def test_nothing_is_asked_of_the_network_when_all_is_well(world: World) -> None:
    world.publish(files=FILES)
    await visited(world)
    before = len(world.network.requests)
    await world.clock.sleep(WHILE)
    assert len(world.network.requests) == before


async def test_data_that_went_bad_is_never_used_and_fetched_again(world: World) -> None:
    published = world.publish(files=FILES)
    peer, opening = await visited(world)
    world.disk.rot("alice/chess", opening.game.scope.entries["data/cards.json"].place)
    asset = await peer.asset("data/cards.json")
    assert (asset.source, asset.url) == ("live", published.url("data/cards.json"))
    await world.clock.sleep(0.5)
    assert (await peer.asset("data/cards.json")).source == "cache"


async def test_a_segment_that_vanished_under_the_table_is_live_and_fetched_again(world: World) -> None:
    world.publish(files=FILES)
    peer, opening = await visited(world)
    segment = opening.game.scope.entries["a.webp"].place.segment
    await world.disk.folder("alice/chess").remove_segments([segment])
    assert (await peer.asset("a.webp")).source == "live"
    await world.clock.sleep(0.5)
    assert (await peer.asset("a.webp")).source == "cache"


async def test_a_disk_that_eats_a_file_again_and_again_is_not_fed_for_ever(world: World) -> None:
    world.publish(files=FILES)
    peer, opening = await visited(world)
    for _ in range(4):
        entry = opening.game.scope.entries.get("a.webp")
        if entry is not None:
            await world.disk.folder("alice/chess").remove_segments([entry.place.segment])
        assert (await peer.asset("a.webp")).source == "live"
        await world.clock.sleep(0.5)
    assert sum(url.endswith("a.webp") for url in world.raw_requests()) == 2


async def test_what_repair_has_replaced_is_shown_when_it_answers(world: World) -> None:
    world.publish(files=FILES)
    peer, opening = await visited(world)
    await world.clock.sleep(0.5)
    world.disk.rot("alice/chess", opening.game.scope.entries["a.webp"].place)
    shown = len(world.views)
    assert await peer.repair() == {"checked": 5, "dropped": 1, "refetched": 1}
    assert "alice/chess:a.webp" in [path for _, view in world.views[shown:] for path in view["settled"]]


async def test_a_disk_that_works_again_takes_what_is_tried_again(world: World) -> None:
    world.publish(files=FILES)
    world.disk.refusing = True
    peer, _ = await world.opened()
    await settle(peer)
    assert statuses(peer.report())["a.webp"] == "storage"
    world.disk.refusing = False
    report = await peer.retry()
    assert statuses(report)["a.webp"] == "downloaded"
    assert (await peer.asset("a.webp")).source == "cache"
    assert [notice["kind"] for notice in world.views[-1][1]["notices"]] == []


async def test_closing_breaks_the_idle_examination_off(world: World) -> None:
    world.publish(files={f"{number}.webp": b"%d" % number for number in range(500)})
    peer, _ = await visited(world)
    await world.clock.sleep(IDLE + 0.3)
    began = world.clock.monotonic()
    await peer.close()
    assert world.clock.monotonic() - began < 0.1


async def test_what_failed_in_passing_is_tried_again_when_the_browser_is_back_online(world: World) -> None:
    published = world.publish(files=FILES)
    world.network.on(published.url("a.webp"), Answer(status=503))
    world.network.on(published.url("models/b.glb"), Answer(status=404))
    peer, _ = await world.opened()
    assert (statuses(peer.report())["a.webp"], statuses(peer.report())["models/b.glb"]) == ("server-error", "not-found")
    world.network.on(published.url("a.webp"), Answer(body=b"aaaa"))
    before = len(world.raw_requests())
    await peer.online()
    assert statuses(peer.report())["a.webp"] == "downloaded"
    assert len(world.raw_requests()) == before + 1


async def test_being_online_again_means_nothing_without_a_table(world: World) -> None:
    await world.peer().online()
    assert world.network.requests == []


async def test_a_full_disk_offers_the_longest_unused_mods_and_none_in_use(world: World) -> None:
    world.publish("alice/oldest", files={"a.webp": b"1" * 100})
    world.publish("alice/older", files={"a.webp": b"2" * 100})
    world.publish("alice/shown", files={"a.webp": b"3" * 100})
    for name in ("alice/oldest", "alice/older"):
        await world.visited(name)
        await world.clock.sleep(60)
    await world.opened("alice/shown")
    await world.clock.sleep(WHILE)
    world.publish("bob/big", files={f"{number}.webp": b"%d" % number * 5000 for number in range(10)})
    world.disk.room = 10_000
    await world.opened("bob/big")
    await world.clock.sleep(WHILE)
    notice = next(one for one in world.views[-1][1]["notices"] if one["kind"] == "storage")
    assert notice["code"] == "quota"
    assert [mod["repo"] for mod in notice["data"]["removable"]] == ["oldest", "older"]


async def test_without_an_index_a_republish_costs_the_changed_file_and_one_look_at_gits_tree(world: World) -> None:
    world.indexed = False
    world.publish(files=FILES)
    await world.visited()
    published = world.publish(files=FILES | {"a.webp": b"AAAA"})
    tree = f"{HOSTS.api}/repos/alice/chess/git/trees/{published.sha}?recursive=1"
    entries = [
        {"type": "blob", "path": path, "sha": git_blob_id(data), "size": len(data)}
        for path, data in published.files.items()
    ]
    world.network.on(tree, json_answer({"tree": entries, "truncated": False}))
    before = len(world.raw_requests())
    report = await world.visited()
    assert {path: status for path, status in statuses(report).items() if status != "carried"} == {
        "a.webp": "downloaded"
    }
    assert len(world.raw_requests()) == before + 1
    assert not any(file["verified"] for file in report["files"])


async def test_without_index_and_without_a_tree_everything_is_fetched_anew(world: World) -> None:
    world.indexed = False
    world.publish(files=FILES)
    await world.visited()
    world.publish(files=FILES | {"a.webp": b"AAAA"})
    report = await world.visited()
    assert set(statuses(report).values()) == {"downloaded"}


async def test_a_preview_without_a_setup_asks_for_none_on_later_visits(world: World) -> None:
    published = world.publish(files={"a.webp": b"aaaa"}, entry={})
    world.network.on(published.url("setup.json"), NOT_FOUND)
    world.unregister("alice/chess")
    await world.visited()
    before = len(world.raw_requests())
    report = await world.visited()
    assert (len(world.raw_requests()), statuses(report)) == (before, {MANIFEST_PATH: "cached", "a.webp": "cached"})


async def test_trying_again_looks_for_a_pack_that_was_not_to_be_found(world: World) -> None:
    setup = {"packRefs": [{"packId": "hall", "role": "room"}]}
    world.publish(files={"a.webp": b"aaaa"}, setup=setup)
    peer, report = await world.opened()
    assert report["packs"] == []
    world.publish("bob/hall", files={"wall.webp": b"w"}, id="hall", type="room-pack")
    report = await peer.retry()
    assert [pack["repo"] for pack in report["packs"]] == ["hall"]
    assert set(statuses(report["packs"][0]).values()) == {"downloaded"}
