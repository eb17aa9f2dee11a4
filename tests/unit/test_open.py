"""Opening a table from end to end: click, pull, reload, republish, packs, failures."""

import asyncio
import itertools
import json
from dataclasses import replace
from typing import Any

import pytest

from client.cache import pull_lock
from client.errors import (
    Blocked,
    Cancelled,
    ManifestUnreadable,
    NotOpen,
    PeerError,
    RateLimited,
    StorageFailure,
    UnknownMod,
    UnknownVersion,
    Unreachable,
)
from client.manifest import MANIFEST_PATH
from client.no_store import NoStore
from client.opening import LOOK_AGAIN
from tests.contract.answer import NOT_FOUND, REFUSED, Answer
from tests.fakes import EPOCH, FakeBlob, sha256
from tests.unit.world import HOSTS, World, file, pointer, reported, settle, statuses

FILES = {"a.webp": b"aaaa", "models/b.glb": b"b" * 5000}
EVERY_FILE = ["a.webp", "diceytable.mod.json", "models/b.glb", "setup.json"]


def all_are(report: dict[str, Any], status: str) -> bool:
    return sorted(statuses(report)) == EVERY_FILE and set(statuses(report).values()) == {status}


# First and later visits


async def test_a_first_visit_downloads_every_declared_file(world: World) -> None:
    published = world.publish(files=FILES)
    report = await world.visited()
    assert all_are(report, "downloaded")
    assert (report["owner"], report["repo"], report["version"], report["ref"]) == (
        "alice",
        "chess",
        published.sha,
        published.sha,
    )
    assert (report["store"], report["boot"], report["packs"]) == ("opfs", "snapshot", [])
    assert report["bytesTotal"] == report["bytesFetched"] == sum(map(len, published.files.values()))
    assert report["startedAt"] >= EPOCH * 1000
    assert report["ms"] > 0


async def test_a_manifest_that_came_before_the_index_stays_verified(world: World) -> None:
    world.publish(files=FILES)

    def late(url: str, attempt: int) -> Answer | None:
        found = world._registry(url, attempt) if url.endswith("/files") else None
        return replace(found, delay=2.0) if found is not None else None

    world.network.when(late)
    for _ in range(2):
        report = await world.visited()
        assert [one["verified"] for one in report["files"]] == [True] * 4


async def test_every_byte_is_verified_though_no_manifest_lists_hashes(world: World) -> None:
    published = world.publish(files=FILES)
    report = await world.visited()
    assert [one["verified"] for one in report["files"]] == [True] * 4
    assert {one["path"]: one["sha256"] for one in report["files"]} == {
        path: sha256(data) for path, data in published.files.items()
    }


async def test_without_an_index_the_pull_works_and_nothing_is_called_verified(world: World) -> None:
    world.publish(files=FILES)
    world.indexed = False
    report = await world.visited()
    assert all_are(report, "downloaded")
    assert not any(one["verified"] for one in report["files"])


async def test_a_second_visit_fetches_nothing(world: World) -> None:
    world.publish(files=FILES)
    await world.visited()
    world.network.requests.clear()
    report = await world.visited()
    assert all_are(report, "cached")
    assert world.raw_requests() == []
    assert (report["bytesFetched"], report["bytesTotal"] > 0) == (0, True)


async def test_a_tab_killed_in_mid_pull_costs_only_what_was_in_flight(world: World) -> None:
    files = {f"f{number:02}": b"%d" % number * 100 for number in range(40)}
    world.publish(files=files)
    for number in range(20, 40):
        world.network.on(
            world.publish(files=files).url(f"f{number:02}"), Answer(body=files[f"f{number:02}"], delay=9.0)
        )
    peer = world.peer()
    opening = asyncio.ensure_future(reported(peer, "alice/chess"))
    await world.clock.sleep(3.0)
    opening.cancel()
    before = json.dumps(
        {key: [len(segment) for segment in mod.segments.values()] for key, mod in world.disk.mods.items()}
    )
    assert before
    world.network.requests.clear()
    world.disk.kill_sessions()
    await peer.close()
    report = await world.visited()
    assert sum(1 for status in statuses(report).values() if status == "cached") >= 20


async def test_segments_lost_since_are_fetched_again(world: World) -> None:
    world.publish(files=FILES)
    await world.visited()
    world.disk.lose_segments("alice/chess")
    assert all_are(await world.visited(), "downloaded")
    assert all_are(await world.visited(), "cached")


async def test_a_rotten_manifest_and_setup_are_fetched_again(world: World) -> None:
    world.publish(files=FILES)
    peer, _ = await world.opened()
    await settle(peer)
    opening = peer._opening
    assert opening is not None
    for path in (MANIFEST_PATH, "setup.json"):
        world.disk.rot("alice/chess", opening.game.scope.entries[path].place)
    await peer.close()
    found = statuses(await world.visited())
    assert (found["a.webp"], found[MANIFEST_PATH], found["setup.json"]) == ("cached", "downloaded", "downloaded")


async def test_a_mod_without_a_setup_opens_and_counts_no_failure(world: World) -> None:
    published = world.publish(files={"a.webp": b"a"}, entry={})
    del published.files["setup.json"]
    world.network.on(published.url("setup.json"), NOT_FOUND)
    for indexed in (True, False):
        world.indexed = indexed
        world.disk.mods.clear()
        assert statuses(await world.visited()) == {MANIFEST_PATH: "downloaded", "a.webp": "downloaded"}
    world.indexed = True
    world.network.requests.clear()
    assert set(statuses(await world.visited()).values()) == {"cached"}
    assert world.raw_requests() == []


async def test_a_mod_without_a_setup_keeps_opening_offline(world: World) -> None:
    published = world.publish(files={"a.webp": b"a"}, entry={})
    del published.files["setup.json"]
    world.network.on(published.url("setup.json"), NOT_FOUND)
    await world.visited()
    world.network.down = True
    assert set(statuses(await world.visited()).values()) == {"cached"}


async def test_ten_thousand_assets_open(world: World) -> None:
    files = {f"tiles/{number}": b"%d" % number for number in range(10_000)}
    world.publish(files=files)
    report = await world.visited()
    assert set(statuses(report).values()) == {"downloaded"}
    assert set(statuses(report)) >= set(files)
    assert set(statuses(await world.visited()).values()) == {"cached"}


# Republishing


async def test_a_republish_fetches_what_changed_carries_the_rest_and_drops_the_old_version(world: World) -> None:
    old = world.publish(files={**FILES, "c.webp": b"old"})
    await world.visited()
    new = world.publish(files={**FILES, "c.webp": b"new"})
    world.network.requests.clear()
    report = await world.visited()
    assert statuses(report) == {
        MANIFEST_PATH: "carried",
        "setup.json": "carried",
        "a.webp": "carried",
        "models/b.glb": "carried",
        "c.webp": "downloaded",
    }
    assert world.raw_requests() == [new.url("c.webp")]
    assert report["superseded"] == (old.sha,)
    assert (report["bytesFetched"], report["bytesCarried"]) == (3, report["bytesTotal"] - 3)
    assert [mod["version"] for mod in await world.peer().cached()] == [new.sha]


async def test_a_publish_in_mid_pull_mixes_nothing_into_the_table_that_opens(world: World) -> None:
    entry = {"setup": "setup.json", "script": "main.js"}
    old = world.publish(files={**FILES, "main.js": b"old"}, entry=entry)
    world.network.on(old.url("a.webp"), Answer(body=b"aaaa", delay=5.0))
    peer = world.peer()
    opening = asyncio.ensure_future(peer.open("alice/chess"))
    await world.clock.sleep(2.0)
    new = world.publish(files={**FILES, "main.js": b"new"}, entry=entry)
    await opening
    assert all(old.sha in url for url in world.raw_requests())
    assert new.sha not in str(peer.report())
    assert await peer.text("main.js") == "old"


async def test_what_was_carried_is_simply_cached_on_the_next_visit(world: World) -> None:
    world.publish(files={**FILES, "c.webp": b"old"})
    await world.visited()
    world.publish(files={**FILES, "c.webp": b"new"})
    await world.visited()
    report = await world.visited()
    assert set(statuses(report).values()) == {"cached"}
    assert (await world.peer().cached())[0]["files"] == 5


async def test_a_file_that_moved_is_carried_to_its_new_place(world: World) -> None:
    world.publish(files={"old/a.webp": b"aaaa"})
    await world.visited()
    world.publish(files={"new/a.webp": b"aaaa"})
    assert statuses(await world.visited())["new/a.webp"] == "carried"


async def test_the_old_version_stays_while_another_tab_shows_it(world: World) -> None:
    old = world.publish(files=FILES)
    first, _ = await world.opened()
    await settle(first)
    new = world.publish(files={"a.webp": b"changed"})
    second, report = await world.opened()
    await settle(second)
    assert report["superseded"] == ()
    assert (await first.asset("a.webp")).blob == FakeBlob(b"aaaa", "image/webp")
    await first.close()
    await second.close()
    await world.visited()
    assert {mod["version"] for mod in await world.peer().cached()} == {new.sha}
    assert old.sha != new.sha


async def test_the_old_version_goes_when_its_last_tab_closes_although_that_tells_nobody(world: World) -> None:
    old = world.publish(files=FILES)
    older_tab, _ = await world.opened()
    await settle(older_tab)
    new = world.publish(files={**FILES, "a.webp": b"new"})
    tab, _ = await world.opened()
    await world.clock.sleep(60)
    assert {mod["version"] for mod in await tab.cached()} == {old.sha, new.sha}
    await older_tab.close()
    await world.clock.sleep(LOOK_AGAIN + 1)
    assert {mod["version"] for mod in await tab.cached()} == {new.sha}
    assert tab.report()["superseded"] == (old.sha,)
    assert (await tab.asset("a.webp")).source == "cache"


async def test_opening_an_old_version_deletes_nothing(world: World) -> None:
    old = world.publish(files={"a.webp": b"old"})
    new = world.publish(files={"a.webp": b"new"})
    await world.visited()
    peer, report = await world.opened(version=old.sha)
    await settle(peer)
    assert (report["version"], report["superseded"]) == (old.sha, ())
    await peer.close()
    assert {mod["version"] for mod in await world.peer().cached()} == {old.sha, new.sha}


async def test_a_version_that_is_not_the_mods_does_not_open(world: World) -> None:
    world.publish()
    for version in ("0" * 40, "main", "cafe1234", "A" * 40):
        with pytest.raises(UnknownVersion):
            await reported(world.peer(), "alice/chess", version)


async def test_a_registration_without_a_sha_is_addressed_by_branch_and_busted_by_its_hash(world: World) -> None:
    published = world.publish(files={"a.webp": b"a"})
    record = world.record()
    record["commitSha"], record["version"] = None, record["artifactHash"]
    for path, data in published.files.items():
        world.network.on(f"{HOSTS.raw}/alice/chess/main/{path}?v={record['artifactHash']}", Answer(body=data))
    report = await world.visited()
    assert (report["ref"], report["version"]) == ("main", record["artifactHash"])
    assert set(statuses(report).values()) == {"downloaded"}


# Failures


async def test_a_partial_pull_opens_the_table_and_tells_what_failed(world: World) -> None:
    published = world.publish(files={"good.webp": b"g", "gone.webp": b"x", "wrong.webp": b"right", "../evil": b""})
    world.network.on(published.url("gone.webp"), NOT_FOUND)
    world.network.on(published.url("wrong.webp"), Answer(body=b"wrong"))
    peer, report = await world.opened()
    assert statuses(report) == {
        MANIFEST_PATH: "downloaded",
        "setup.json": "downloaded",
        "good.webp": "downloaded",
        "gone.webp": "not-found",
        "wrong.webp": "hash-mismatch",
        "../evil": "refused-path",
    }
    await settle(peer)
    view = world.views[-1][1]
    assert view["state"] == "open"
    assert {(one["path"], one["reason"]) for one in view["failures"]} == {
        ("gone.webp", "not-found"),
        ("wrong.webp", "hash-mismatch"),
        ("../evil", "refused-path"),
    }


async def test_only_what_failed_is_asked_for_on_the_next_visit(world: World) -> None:
    published = world.publish(files={"good.webp": b"g", "gone.webp": b"x"})
    world.network.on(published.url("gone.webp"), NOT_FOUND)
    await world.visited()
    world.network.requests.clear()
    world.network.on(published.url("gone.webp"), Answer(body=b"x"))
    report = await world.visited()
    assert world.raw_requests() == [published.url("gone.webp")]
    assert (statuses(report)["gone.webp"], statuses(report)["good.webp"]) == ("downloaded", "cached")


async def test_trying_again_fetches_the_failed_files_and_no_others(world: World) -> None:
    published = world.publish(files={"a.webp": b"a", "b.webp": b"b", "c.webp": b"c"})
    for path in ("b.webp", "c.webp"):
        world.network.on(published.url(path), NOT_FOUND, Answer(body=path[:1].encode()))
    peer, _ = await world.opened()
    await settle(peer)
    world.network.requests.clear()
    report = await peer.retry(["b.webp", "unknown"])
    assert (statuses(report)["b.webp"], statuses(report)["c.webp"]) == ("downloaded", "not-found")
    assert set(statuses(await peer.retry()).values()) == {"downloaded"}
    assert world.raw_requests() == [published.url("b.webp"), published.url("c.webp")]
    await peer.close()
    assert set(statuses(await world.visited()).values()) == {"cached"}


@pytest.mark.parametrize(
    ("answer", "reason"), [(NOT_FOUND, "not-found"), (REFUSED, "network"), (Answer(status=403), "forbidden")]
)
async def test_a_manifest_that_does_not_come_fails_the_table_and_says_why(
    world: World, answer: Answer, reason: str
) -> None:
    published = world.publish()
    world.network.on(published.url(MANIFEST_PATH), answer)
    peer = world.peer()
    with pytest.raises(ManifestUnreadable, match="diceytable") as refusal:
        await reported(peer, "alice/chess")
    assert (refusal.value.code, refusal.value.reason) == ("manifest-unreadable", reason)
    await world.clock.sleep(1.0)
    view = world.views[-1][1]
    assert (view["state"], view["error"]["code"]) == ("failed", "manifest-unreadable")
    assert reason in view["error"]["message"]
    with pytest.raises(NotOpen):
        peer.report()


@pytest.mark.parametrize("data", [b"", b"[]", b"<html>", b"{"])
async def test_a_manifest_that_is_none_fails_the_table_by_name(world: World, data: bytes) -> None:
    published = world.publish()
    published.files[MANIFEST_PATH] = data
    world.network.on(published.url(MANIFEST_PATH), Answer(body=data))
    with pytest.raises(ManifestUnreadable, match="diceytable"):
        await reported(world.peer(), "alice/chess")


async def test_a_manifest_that_was_cut_unseen_does_not_spoil_every_later_visit(world: World) -> None:
    world.indexed = False
    published = world.publish(files=FILES)
    whole = published.files[MANIFEST_PATH]
    world.network.on(published.url(MANIFEST_PATH), Answer(body=whole[:50]), Answer(body=whole))
    with pytest.raises(ManifestUnreadable):
        await reported(world.peer(), "alice/chess")
    assert all_are(await world.visited(), "downloaded")
    assert all_are(await world.visited(), "cached")


async def test_after_a_failure_the_same_tab_opens_another_table(world: World) -> None:
    published = world.publish()
    world.network.on(published.url(MANIFEST_PATH), NOT_FOUND)
    world.publish("bob/go", {"a": b"a"})
    peer = world.peer()
    with pytest.raises(ManifestUnreadable):
        await reported(peer, "alice/chess")
    assert set(statuses(await reported(peer, "bob/go")).values()) == {"downloaded"}


async def test_a_setup_that_is_not_json_is_an_issue_and_the_table_opens(world: World) -> None:
    published = world.publish(files=FILES)
    published.files["setup.json"] = b"{oops"
    world.network.on(published.url("setup.json"), Answer(body=b"{oops"))
    for _ in range(2):
        report = await world.visited()
        assert [issue["code"] for issue in report["issues"]] == ["setup-unreadable"]


@pytest.mark.parametrize("mod", ["nobody/nothing", "evilgithub.com/a/b", "m-unknown", "", "a/b/c"])
async def test_an_unknown_mod_does_not_open(world: World, mod: str) -> None:
    peer = world.peer()
    with pytest.raises(UnknownMod):
        await reported(peer, mod)
    await world.clock.sleep(1.0)
    assert (world.views[-1][1]["state"], world.views[-1][1]["error"]["code"]) == ("failed", "unknown-mod")


async def test_a_mod_opens_by_its_id_and_by_any_spelling_of_its_name(world: World) -> None:
    world.publish("Alice/Chess", {"a.webp": b"a"})
    for mod in ("m-alice-chess", "alice/CHESS", "https://github.com/Alice/Chess"):
        peer, report = await world.opened(mod)
        assert (report["owner"], report["repo"]) == ("Alice", "Chess")
        await peer.close()
    assert len(await world.peer().cached()) == 1


# Storage in trouble


async def test_a_full_disk_opens_the_table_and_says_so_once(world: World) -> None:
    world.publish(files={f"f{number}": bytes(1000) + b"%d" % number for number in range(50)})
    world.disk.room = 20_000
    peer, report = await world.opened()
    await settle(peer)
    reasons = set(statuses(report).values())
    assert reasons == {"downloaded", "quota"}
    view = world.views[-1][1]
    assert (view["state"], view["failures"]) == ("open", [])
    assert [(notice["kind"], notice["code"]) for notice in view["notices"]] == [("storage", "quota")]
    assert (await peer.asset("f49")).source == "live"


async def test_room_made_since_is_used_on_the_next_visit(world: World) -> None:
    world.publish(files={f"f{number}": bytes(1000) + b"%d" % number for number in range(50)})
    world.disk.room = 20_000
    await world.visited()
    world.disk.room = None
    report = await world.visited()
    assert set(statuses(report).values()) <= {"cached", "downloaded"}
    assert set(statuses(await world.visited()).values()) == {"cached"}


async def test_a_disk_that_refuses_opens_the_table_live(world: World) -> None:
    world.publish(files=FILES)
    world.disk.refusing = True
    peer, report = await world.opened()
    await settle(peer)
    assert statuses(report)["a.webp"] == "storage"
    assert [notice["code"] for notice in world.views[-1][1]["notices"]] == ["storage-broken"]
    assert (await peer.asset("a.webp")).url is not None


async def test_a_disk_that_can_not_be_read_opens_the_table_live(world: World) -> None:
    world.publish(files=FILES)
    world.disk.unreadable = True
    peer, report = await world.opened()
    await settle(peer)
    assert (statuses(report)[MANIFEST_PATH], statuses(report)["a.webp"]) == ("downloaded", "storage")
    assert world.views[-1][1]["state"] == "open"


async def test_a_browser_that_keeps_nothing_opens_every_table_live(world: World) -> None:
    published = world.publish(files=FILES)
    world.store = NoStore()
    peer, report = await world.opened()
    await settle(peer)
    assert report["store"] == "none"
    assert [notice["code"] for notice in world.views[-1][1]["notices"]] == ["no-storage"]
    assert (await peer.asset("a.webp")).url == published.url("a.webp")
    assert published.url("a.webp") not in world.network.requests
    await peer.close()
    assert await peer.cached() == []


# Cancelling, closing, opening now


async def test_open_now_opens_with_what_is_here_while_the_pull_goes_on(world: World) -> None:
    published = world.publish(files={"fast.webp": b"f", "slow.webp": b"s"})
    world.network.on(published.url("slow.webp"), Answer(body=b"s", delay=15.0))
    peer = world.peer()
    opening = asyncio.ensure_future(reported(peer, "alice/chess"))
    await world.clock.sleep(2.0)
    peer.open_now()
    report = await opening
    assert (statuses(report)["fast.webp"], statuses(report)["slow.webp"]) == ("downloaded", "pending")
    assert (await peer.asset("slow.webp")).url == published.url("slow.webp")
    await settle(peer)
    assert set(statuses(peer.report()).values()) == {"downloaded"}
    assert (await peer.asset("slow.webp")).source == "cache"


async def test_open_now_before_there_is_a_manifest_waits_for_it(world: World) -> None:
    published = world.publish(files=FILES)
    world.network.on(published.url(MANIFEST_PATH), Answer(body=published.files[MANIFEST_PATH], delay=5.0))
    peer = world.peer()
    opening = asyncio.ensure_future(reported(peer, "alice/chess"))
    await world.clock.sleep(1.0)
    peer.open_now()
    report = await opening
    assert statuses(report)[MANIFEST_PATH] == "downloaded"
    assert statuses(report)["a.webp"] == "pending"


async def test_cancelling_keeps_what_came_down_and_opens_the_table(world: World) -> None:
    published = world.publish(files={"fast.webp": b"f", "slow.webp": b"s"})
    world.network.on(published.url("slow.webp"), Answer(body=b"s", delay=15.0))
    peer = world.peer()
    opening = asyncio.ensure_future(reported(peer, "alice/chess"))
    await world.clock.sleep(2.0)
    peer.cancel()
    report = await opening
    assert (statuses(report)["fast.webp"], statuses(report)["slow.webp"]) == ("downloaded", "cancelled")
    await settle(peer)
    world.network.on(published.url("slow.webp"), Answer(body=b"s"))
    assert set(statuses(await peer.retry()).values()) == {"downloaded"}


async def test_closing_during_the_load_rejects_with_cancelled_and_leaves_nothing_running(world: World) -> None:
    published = world.publish(files={"slow.webp": b"s"})
    world.network.on(published.url("slow.webp"), Answer(body=b"s", delay=15.0))
    peer = world.peer()
    opening = asyncio.ensure_future(reported(peer, "alice/chess"))
    await world.clock.sleep(2.0)
    await peer.close()
    with pytest.raises(Cancelled):
        await opening
    assert await world.machine.locks.held() == []
    assert world.clock.monotonic() < 3.0
    await world.clock.sleep(1.0)
    assert world.views[-1][1]["state"] == "lobby"
    assert len(asyncio.all_tasks()) == 1


async def test_opening_another_table_ends_the_first(world: World) -> None:
    published = world.publish(files={"slow.webp": b"s"})
    world.network.on(published.url("slow.webp"), Answer(body=b"s", delay=15.0))
    world.publish("bob/go", {"a": b"a"})
    peer = world.peer()
    first = asyncio.ensure_future(reported(peer, "alice/chess"))
    await world.clock.sleep(1.0)
    report = await reported(peer, "bob/go")
    with pytest.raises(Cancelled):
        await first
    assert report["repo"] == "go"


async def test_opening_two_tables_at_once_leaves_the_last_one_open(world: World) -> None:
    world.publish(files=FILES)
    world.publish("bob/go", {"a": b"a"})
    peer = world.peer()
    first = asyncio.ensure_future(reported(peer, "alice/chess"))
    second = asyncio.ensure_future(reported(peer, "bob/go"))
    with pytest.raises(Cancelled):
        await first
    assert (await second)["repo"] == "go"
    assert peer.report()["repo"] == "go"


async def test_calls_that_need_a_table_say_that_none_is_open(world: World) -> None:
    peer = world.peer()
    for call in (peer.report, peer.open_now, peer.cancel, peer.details, peer.box, peer.table):
        with pytest.raises(NotOpen):
            call()
    for waiting in (peer.asset("a"), peer.text("a"), peer.retry(), peer.repair()):
        with pytest.raises(NotOpen):
            await waiting
    await peer.close()


# Several tabs


async def test_two_tabs_pull_once(world: World) -> None:
    world.publish(files=FILES)
    first, second = world.peer(), world.peer()
    reports = await asyncio.gather(reported(first, "alice/chess"), reported(second, "alice/chess"))
    assert {tuple(sorted(set(statuses(report).values()))) for report in reports} == {("downloaded",), ("cached",)}
    assert len(world.raw_requests()) == len(set(world.raw_requests())) == 4


async def test_closing_does_not_wait_for_another_tabs_pull(world: World) -> None:
    world.publish(files=FILES)
    world.publish("bob/go", {"a": b"a"})
    async with world.machine.locks.exclusive(pull_lock("alice/chess")):
        peer = world.peer()
        opening = asyncio.ensure_future(reported(peer, "alice/chess"))
        await world.clock.sleep(1.0)
        assert (await reported(peer, "bob/go"))["repo"] == "go"
        with pytest.raises(Cancelled):
            await opening


async def test_cancelling_while_another_tab_pulls_rejects_with_cancelled(world: World) -> None:
    world.publish(files=FILES)
    async with world.machine.locks.exclusive(pull_lock("alice/chess")):
        peer = world.peer()
        opening = asyncio.ensure_future(reported(peer, "alice/chess"))
        await world.clock.sleep(1.0)
        peer.cancel()
        with pytest.raises(Cancelled):
            await opening
    assert await world.machine.locks.held() == []


async def test_a_mod_open_in_another_tab_is_not_forgotten_and_a_closed_one_is(world: World) -> None:
    world.publish(files=FILES)
    first, _ = await world.opened()
    await settle(first)
    with pytest.raises(StorageFailure, match="open in a tab"):
        await world.peer().forget("alice", "chess")
    await first.close()
    await world.peer().forget("Alice", "Chess")
    assert await world.peer().cached() == []
    with pytest.raises(UnknownMod):
        await world.peer().forget("..", "chess")
    assert all_are(await world.visited(), "downloaded")


# Packs


def pack(name: str, sha: str | None, role: str = "room") -> dict[str, Any]:
    return {"packId": name, "role": role} | ({"commitSha": sha} if sha is not None else {})


async def test_packs_load_each_in_its_own_scope_at_the_pinned_commit(world: World) -> None:
    old = world.publish("bob/tavern", {"room.glb": b"old"}, id="tavern", type="room-pack")
    world.publish("bob/tavern", {"room.glb": b"new"}, id="tavern", type="room-pack")
    table = world.publish("bob/oak", {"table.glb": b"oak"}, id="oak", type="table-pack")
    world.publish(files=FILES, setup={"packRefs": [pack("tavern", old.sha), pack("oak", None, "table")]})
    peer, report = await world.opened()
    await settle(peer)
    assert [(one["repo"], one["version"]) for one in report["packs"]] == [("tavern", old.sha), ("oak", table.sha)]
    assert statuses(report["packs"][0])["room.glb"] == "downloaded"
    assert (await peer.asset("room.glb", "Bob/Tavern")).blob == FakeBlob(b"old", "model/gltf-binary")
    assert [line["state"] for line in world.views[-1][1]["packs"]] == ["open", "open"]
    assert {mod["repo"] for mod in await peer.cached()} == {"chess", "tavern", "oak"}
    assert [line["role"] for line in world.views[-1][1]["packs"]] == ["room", "table"]
    world.network.requests.clear()
    await peer.close()
    again = await world.visited()
    assert {status for one in [again, *again["packs"]] for status in statuses(one).values()} == {"cached"}
    assert world.raw_requests() == []


async def test_a_pinned_pack_outlives_a_visit_of_its_current_version(world: World) -> None:
    old = world.publish("bob/tavern", {"room.glb": b"old"}, id="tavern", type="room-pack")
    world.publish(files=FILES, setup={"packRefs": [pack("tavern", old.sha)]})
    await world.visited()
    new = world.publish("bob/tavern", {"room.glb": b"new"}, id="tavern", type="room-pack")
    await world.visited("bob/tavern")
    assert {mod["version"] for mod in await world.peer().cached() if mod["repo"] == "tavern"} == {old.sha, new.sha}


async def test_a_stale_pin_that_is_no_version_of_the_pack_uses_the_current_one_and_says_so(world: World) -> None:
    current = world.publish("bob/tavern", {"room.glb": b"new"}, id="tavern", type="room-pack")
    world.publish(files=FILES, setup={"packRefs": [pack("tavern", "0" * 40)]})
    peer, report = await world.opened()
    assert report["packs"][0]["version"] == current.sha
    assert [issue["code"] for issue in peer.details()["issues"]] == ["stale-pin"]


async def test_a_pack_nobody_registered_is_told_and_the_table_opens(world: World) -> None:
    world.publish(files=FILES, setup={"packRefs": [pack("nowhere", None)]})
    peer, report = await world.opened()
    await settle(peer)
    assert (all_are(report, "downloaded"), report["packs"]) == (True, [])
    line = world.views[-1][1]["packs"][0]
    assert (line["name"], line["state"], line["code"]) == ("nowhere", "failed", "unknown-mod")


async def test_of_two_mods_with_one_id_the_right_kind_then_the_games_author_is_taken(world: World) -> None:
    world.publish("zoe/tavern", {"r": b"zoe"}, id="tavern", type="room-pack")
    world.publish("alice/tavern-game", {"r": b"game"}, id="tavern", type="game-pack")
    world.publish("alice/tavern", {"r": b"alice"}, id="tavern", type="room-pack")
    world.publish(files=FILES, setup={"packRefs": [pack("tavern", None)]})
    _, report = await world.opened()
    assert (report["packs"][0]["owner"], report["packs"][0]["repo"]) == ("alice", "tavern")


async def test_of_two_mods_with_one_id_the_one_that_has_the_pinned_commit_is_taken(world: World) -> None:
    world.publish("alice/tavern", {"r": b"alice"}, id="tavern", type="room-pack")
    pinned = world.publish("zoe/tavern", {"r": b"zoe"}, id="tavern", type="room-pack")
    world.publish(files=FILES, setup={"packRefs": [pack("tavern", pinned.sha)]})
    _, report = await world.opened()
    assert (report["packs"][0]["owner"], report["packs"][0]["version"]) == ("zoe", pinned.sha)


async def test_a_pack_without_a_readable_manifest_fails_alone(world: World) -> None:
    broken = world.publish("bob/tavern", {"r": b"r"}, id="tavern", type="room-pack")
    world.network.on(broken.url(MANIFEST_PATH), NOT_FOUND)
    world.publish(files=FILES, setup={"packRefs": [pack("tavern", None)]})
    peer, report = await world.opened()
    await settle(peer)
    assert all_are(report, "downloaded")
    assert world.views[-1][1]["packs"][0]["code"] == "manifest-unreadable"


async def test_the_table_opens_when_the_last_pack_has_its_outcome(world: World) -> None:
    slow = world.publish("bob/tavern", {"r": b"r"}, id="tavern", type="room-pack")
    world.network.on(slow.url("r"), Answer(body=b"r", delay=12.0))
    world.publish(files=FILES, setup={"packRefs": [pack("tavern", None)]})
    _, report = await world.opened()
    assert statuses(report["packs"][0])["r"] == "downloaded"
    assert world.clock.monotonic() > 12.0


async def test_closing_ends_the_packs_too(world: World) -> None:
    slow = world.publish("bob/tavern", {"r": b"r"}, id="tavern", type="room-pack")
    world.network.on(slow.url("r"), Answer(body=b"r", delay=12.0))
    world.publish(files=FILES, setup={"packRefs": [pack("tavern", None)]})
    peer = world.peer()
    opening = asyncio.ensure_future(reported(peer, "alice/chess"))
    await world.clock.sleep(2.0)
    await peer.close()
    with pytest.raises(Cancelled):
        await opening
    assert await world.machine.locks.held() == []
    assert world.clock.monotonic() < 3.0


async def test_a_failed_file_of_a_pack_is_tried_again_with_the_games(world: World) -> None:
    tavern = world.publish("bob/tavern", {"r": b"r"}, id="tavern", type="room-pack")
    world.network.on(tavern.url("r"), NOT_FOUND, Answer(body=b"r"))
    world.publish(files=FILES, setup={"packRefs": [pack("tavern", None)]})
    peer, _ = await world.opened()
    await settle(peer)
    report = await peer.retry()
    assert statuses(report["packs"][0])["r"] == "downloaded"


# Offline and previews


async def test_a_mod_opened_before_opens_offline(world: World) -> None:
    world.publish(files=FILES)
    await world.visited()
    world.network.down = True
    peer, report = await world.opened()
    await settle(peer)
    assert all_are(report, "cached")
    assert [notice["kind"] for notice in world.views[-1][1]["notices"]] == ["offline"]
    await peer.close()
    peer, report = await world.opened("m-alice-chess")
    assert all_are(report, "cached")


async def test_packs_open_offline_as_they_were(world: World) -> None:
    old = world.publish("bob/tavern", {"room.glb": b"old"}, id="tavern", type="room-pack")
    world.publish("bob/tavern", {"room.glb": b"new"}, id="tavern", type="room-pack")
    world.publish(files=FILES, setup={"packRefs": [pack("tavern", old.sha)]})
    await world.visited()
    world.network.down = True
    report = await world.visited()
    assert [(one["owner"], one["version"]) for one in report["packs"]] == [("bob", old.sha)]
    assert set(statuses(report["packs"][0]).values()) == {"cached"}


async def test_a_pack_that_never_loaded_is_told_offline_and_the_table_opens(world: World) -> None:
    world.publish(files=FILES, setup={"packRefs": [pack("nowhere", None)]})
    await world.visited()
    world.network.down = True
    peer, report = await world.opened()
    await settle(peer)
    assert all_are(report, "cached")
    assert world.views[-1][1]["packs"][0]["state"] == "failed"


async def test_a_mod_never_opened_does_not_open_offline(world: World) -> None:
    world.publish(files=FILES)
    world.network.down = True
    with pytest.raises(Unreachable):
        await reported(world.peer(), "alice/chess")


async def test_a_registry_that_asks_to_wait_opens_what_is_remembered(world: World) -> None:
    world.publish(files=FILES)
    busy = True
    world.network.when(lambda url, _: Answer(status=429) if busy and "registry" in url else None)
    with pytest.raises(RateLimited):
        await reported(world.peer(), "alice/chess")
    busy = False
    await world.visited()
    busy = True
    assert all_are(await world.visited(), "cached")


async def test_offline_a_republish_is_not_noticed_and_nothing_is_deleted(world: World) -> None:
    old = world.publish(files=FILES)
    await world.visited()
    world.publish(files={"a.webp": b"new"})
    world.network.down = True
    report = await world.visited()
    assert (report["version"], report["superseded"]) == (old.sha, ())


async def test_an_unregistered_repository_opens_as_a_preview(world: World) -> None:
    published = world.publish(files=FILES, registered=False)
    peer, report = await world.opened()
    await settle(peer)
    assert (all_are(report, "downloaded"), report["version"]) == (True, published.sha)
    view = world.views[-1][1]
    assert (view["mod"]["preview"], [notice["kind"] for notice in view["notices"]]) == (True, ["preview"])


async def test_without_a_registry_every_mod_is_a_preview(world: World) -> None:
    world.publish(files=FILES)
    peer = world.peer(registry=False)
    assert all_are(await reported(peer, "alice/chess"), "downloaded")
    with pytest.raises(UnknownMod):
        await reported(peer, "m-alice-chess")


# What is remembered, repaired, shown


async def test_cached_mods_tell_when_they_were_last_used(world: World) -> None:
    world.publish(files=FILES)
    world.publish("bob/go", {"a": b"a"})
    await world.visited()
    await world.clock.sleep(60.0)
    await world.visited("bob/go")
    first, second = await world.peer().cached()
    assert (first["owner"], first["repo"], second["repo"]) == ("bob", "go", "chess")
    assert first["lastUsed"] - second["lastUsed"] >= 60_000
    assert (second["files"], second["bytes"]) == (4, sum(map(len, FILES.values())) + second["bytes"] - 5004)


async def test_repairing_drops_what_is_rotten_and_fetches_it_again(world: World) -> None:
    world.publish(files=FILES)
    peer, _ = await world.opened()
    await settle(peer)
    opening = peer._opening
    assert opening is not None
    world.disk.rot("alice/chess", opening.game.scope.entries["a.webp"].place)
    assert await peer.repair() == {"checked": 4, "dropped": 1, "refetched": 1}
    assert await peer.repair() == {"checked": 4, "dropped": 0, "refetched": 0}
    assert (await peer.asset("a.webp")).blob == FakeBlob(b"aaaa", "image/webp")
    await peer.close()
    assert all_are(await world.visited(), "cached")


async def test_repairing_offline_drops_what_is_rotten_and_serves_it_live(world: World) -> None:
    published = world.publish(files=FILES)
    peer, _ = await world.opened()
    await settle(peer)
    opening = peer._opening
    assert opening is not None
    world.disk.rot("alice/chess", opening.game.scope.entries["a.webp"].place)
    world.network.down = True
    assert await peer.repair() == {"checked": 4, "dropped": 1, "refetched": 0}
    assert (await peer.asset("a.webp")).url == published.url("a.webp")
    assert statuses(peer.report())["a.webp"] == "network"


async def test_views_come_at_most_ten_times_a_second_and_always_the_last(world: World) -> None:
    files = {f"f{number}": bytes(20_000) + b"%d" % number for number in range(300)}
    world.publish(files=files)
    world.network.rate = 100_000.0
    peer, _ = await world.opened()
    await settle(peer)
    await world.clock.sleep(1.0)
    moments = [moment for moment, _ in world.views]
    assert min(after - before for before, after in itertools.pairwise(moments)) >= 0.0999
    percents = [view["progress"]["percent"] for _, view in world.views if view["progress"]]
    assert percents == sorted(percents)
    assert (percents[-1], world.views[-1][1]["state"], world.views[-1][1]["pulling"]) == (100, "open", False)
    revisions = [view["revision"] for _, view in world.views]
    assert revisions == sorted(revisions)


async def test_every_files_outcome_is_announced_once(world: World) -> None:
    world.publish(files=FILES)
    peer, _ = await world.opened()
    await settle(peer)
    await world.clock.sleep(1.0)
    settled = [name for _, view in world.views for name in view["settled"]]
    assert sorted(settled) == [f"alice/chess:{path}" for path in EVERY_FILE]


async def test_progress_counts_what_is_to_be_fetched_packs_included(world: World) -> None:
    tavern = world.publish("bob/tavern", {"r": b"r" * 1000}, id="tavern", type="room-pack")
    published = world.publish(files=FILES, setup={"packRefs": [pack("tavern", None)]})
    peer, report = await world.opened()
    await settle(peer)
    progress = world.views[-1][1]["progress"]
    manifests = len(published.files[MANIFEST_PATH]) + len(tavern.files[MANIFEST_PATH])
    assert progress["filesDone"] == progress["filesTotal"] == 5
    assert progress["bytesDone"] == progress["bytesTotal"]
    assert report["bytesTotal"] + report["packs"][0]["bytesTotal"] == progress["bytesTotal"] + manifests


async def test_the_details_name_everything_there_is_to_show(world: World) -> None:
    world.publish(
        files=FILES,
        description="# Chess",
        players={"min": 2, "max": 2},
        coverImage="a.webp",
        assetRepos=[{"owner": "bob", "repo": "art", "ref": "main"}],
        setup={
            "seatZones": [{"seat": "red"}],
            "objects": [{"kind": "card"}, {"kind": "deck", "metadata": {"cards": [1, 2]}}],
        },
    )
    peer, _ = await world.opened()
    details = peer.details()
    assert (details["name"], details["description"], details["seats"]) == ("Chess", "# Chess", ["red"])
    assert details["cover"] == {"path": "a.webp", "status": "downloaded"}
    assert details["players"] == {"min": 2, "max": 2}
    assert details["scene"] == {"objects": 2, "decks": 1, "cards": 3}
    assert [one["repo"] for one in details["assetRepos"]] == ["art"]
    json.dumps(details)


async def test_the_table_has_a_digest_of_what_stands_on_it(world: World) -> None:
    world.publish(files=FILES, setup={"objects": [{"id": "x", "kind": "card"}]})
    peer, _ = await world.opened()
    table = peer.table()
    assert (table["seq"], table["objects"]) == (0, [{"id": "x", "kind": "card"}])
    assert table["digest"] == sha256(b'[{"id":"x","kind":"card"}]')


async def test_the_trace_tells_where_the_time_went(world: World) -> None:
    world.publish(files=FILES)
    peer, _ = await world.opened()
    names = {event["name"] for event in peer.trace()["traceEvents"]}
    assert {"resolve", "open scope", "index", "fetch", "seal"} <= names


async def test_nothing_in_a_report_or_view_is_beyond_json(world: World) -> None:
    world.publish(files={"a.webp": b"a"}, assets=["a.webp", "../\ud800", "x\0"], lfs={"l": b"large"}, name="C\ud800")
    peer, report = await world.opened()
    await settle(peer)
    await world.clock.sleep(1.0)
    json.dumps([report, peer.details(), *(view for _, view in world.views)])


async def test_a_lfs_file_is_pulled_from_the_media_host_and_verified(world: World) -> None:
    published = world.publish(files={"a.webp": b"a"}, lfs={"big.glb": b"large" * 100})
    assert published.files["big.glb"] == pointer(b"large" * 100)
    report = await world.visited()
    found = file(report, "big.glb")
    assert (found["status"], found["verified"], found["bytes"]) == ("downloaded", True, 500)
    assert published.media("big.glb") in world.network.requests


async def test_an_unexpected_error_ends_the_opening_with_a_message(world: World) -> None:
    world.publish(files=FILES)
    world.disk.dies_at = 3
    peer = world.peer()
    with pytest.raises(PeerError, match="Killed"):
        await reported(peer, "alice/chess")
    with pytest.raises(NotOpen):
        peer.report()


async def test_a_blocked_mod_opens_in_no_way_not_even_as_a_preview(world: World) -> None:
    published = world.publish(files={"a.webp": b"a"})
    world.blocked.add(world.record()["id"])
    for name in ("alice/chess", "Alice/Chess", world.record()["id"]):
        for version in (None, published.sha):
            with pytest.raises(Blocked):
                await world.opened(name, version)
    assert world.raw_requests() == []


async def test_a_blocked_pack_is_left_out_of_its_game(world: World) -> None:
    pack = world.publish("bob/hall", {"a.webp": b"a"}, id="hall", type="room-pack")
    world.publish(setup={"packRefs": [{"packId": "hall", "role": "room", "commitSha": pack.sha}]})
    world.blocked.add(world.record("bob/hall")["id"])
    _, report = await world.opened()
    assert report["packs"] == []
    assert pack.url("a.webp") not in world.raw_requests()
