"""From a path to something an element can load."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.asset_path import path_fault
from client.errors import HashMismatch, NotOpen, PlatformAsset, RefusedPath, Unreachable
from client.peer import Peer
from client.resolver import Asset, checked_path
from tests.contract.answer import NOT_FOUND, Answer
from tests.fakes import FakeBlob
from tests.unit.world import HOSTS, World, reported, settle

SCRIPT, CARDS, DRAWING = b"exports.setup = () => {}", b'{"version": 1, "cards": []}', b"<svg/>"
FILES = {"a.webp": b"aaaa", "main.js": SCRIPT, "data/cards.json": CARDS, "icon.svg": DRAWING, "x y#1.webp": b"odd"}


async def opened(world: World) -> Peer:
    peer, _ = await world.opened()
    await settle(peer)
    return peer


async def test_a_cached_file_is_a_blob_of_its_own_type(world: World) -> None:
    world.publish(files=FILES)
    peer = await opened(world)
    assert await peer.asset("a.webp") == Asset("cache", True, "image/webp", None, FakeBlob(b"aaaa", "image/webp"))
    assert await peer.asset("icon.svg") == Asset(
        "cache", True, "image/svg+xml", None, FakeBlob(DRAWING, "image/svg+xml")
    )
    assert (await peer.asset("x y#1.webp")).blob == FakeBlob(b"odd", "image/webp")


async def test_a_file_nobody_could_check_is_called_unverified(world: World) -> None:
    world.indexed = False
    world.publish(files=FILES)
    peer = await opened(world)
    assert await peer.asset("a.webp") == Asset("cache", False, "image/webp", None, FakeBlob(b"aaaa", "image/webp"))


async def test_a_failed_picture_resolves_to_its_live_address_at_once(world: World) -> None:
    published = world.publish(files=FILES)
    world.network.on(published.url("a.webp"), NOT_FOUND)
    peer = await opened(world)
    world.network.requests.clear()
    assert await peer.asset("a.webp") == Asset("live", False, "image/webp", published.url("a.webp"), None)
    assert world.network.requests == []


async def test_a_picture_whose_hash_failed_is_shown_live_and_unverified(world: World) -> None:
    published = world.publish(files=FILES)
    world.network.on(published.url("a.webp"), Answer(body=b"evil"))
    peer = await opened(world)
    assert await peer.asset("a.webp") == Asset("live", False, "image/webp", published.url("a.webp"), None)


@pytest.mark.parametrize("path", ["main.js", "data/cards.json", "setup.json"])
async def test_script_setup_and_card_data_whose_bytes_fail_a_known_hash_are_not_used(world: World, path: str) -> None:
    published = world.publish(files=FILES, entry={"setup": "setup.json", "script": "main.js"})
    world.network.on(published.url(path), Answer(body=b"e" * len(published.files[path])))
    peer = await opened(world)
    for call in (peer.asset(path), peer.text(path)):
        with pytest.raises(HashMismatch) as refusal:
            await call
        assert refusal.value.code == "hash-mismatch"


async def test_a_setup_whose_bytes_fail_a_known_hash_is_not_laid_on_the_table(world: World) -> None:
    published = world.publish(files=FILES, setup={"objects": [{"id": "true"}]})
    evil = published.files["setup.json"].replace(b"true", b"evil")
    world.network.on(published.url("setup.json"), Answer(body=evil))
    assert (await opened(world)).table()["objects"] == []


async def test_a_script_that_went_rotten_in_the_cache_is_fetched_and_checked(world: World) -> None:
    world.publish(files=FILES)
    peer = await opened(world)
    opening = peer._opening
    assert opening is not None
    world.disk.rot("alice/chess", opening.game.scope.entries["main.js"].place)
    asset = await peer.asset("main.js")
    assert (asset.source, asset.verified, asset.blob) == ("live", True, FakeBlob(SCRIPT, "text/javascript"))


@pytest.mark.parametrize("path", ["icon.svg", "main.js"])
async def test_a_type_a_raw_host_can_not_serve_is_fetched_and_given_its_type(world: World, path: str) -> None:
    published = world.publish(files=FILES)
    world.network.on(published.url(path), NOT_FOUND, Answer(body=published.files[path], media_type="text/plain"))
    peer = await opened(world)
    asset = await peer.asset(path)
    assert (asset.source, asset.url) == ("live", None)
    assert asset.blob == FakeBlob(published.files[path], asset.media_type)
    assert asset.media_type in {"image/svg+xml", "text/javascript"}


async def test_a_live_script_that_is_not_the_known_one_is_refused(world: World) -> None:
    published = world.publish(files=FILES)
    world.network.on(published.url("main.js"), NOT_FOUND, Answer(body=b"evil()"))
    peer = await opened(world)
    with pytest.raises(HashMismatch):
        await peer.asset("main.js")


async def test_a_live_text_that_is_not_the_known_one_is_refused(world: World) -> None:
    published = world.publish(files=FILES)
    world.network.on(published.url("data/cards.json"), NOT_FOUND, Answer(body=b"[]"), Answer(body=CARDS))
    peer = await opened(world)
    with pytest.raises(HashMismatch):
        await peer.text("data/cards.json")
    assert await peer.text("data/cards.json") == CARDS.decode()


async def test_a_text_that_can_not_be_had_is_unreachable(world: World) -> None:
    published = world.publish(files=FILES)
    world.network.on(published.url("data/cards.json"), NOT_FOUND)
    peer = await opened(world)
    with pytest.raises(Unreachable):
        await peer.text("data/cards.json")


async def test_a_reference_that_is_not_declared_falls_back_to_its_live_address(world: World) -> None:
    published = world.publish(files=FILES)
    peer = await opened(world)
    assert (await peer.asset("undeclared/b c.webp")).url == (
        f"{HOSTS.raw}/alice/chess/{published.sha}/undeclared/b%20c.webp"
    )


async def test_the_live_address_of_a_lfs_file_is_at_the_media_host(world: World) -> None:
    published = world.publish(files={}, lfs={"big.glb": b"large" * 100})
    world.network.on(published.media("big.glb"), NOT_FOUND)
    peer = await opened(world)
    assert (await peer.asset("big.glb")).url == published.media("big.glb")


@pytest.mark.parametrize("path", ["/assets/wood.webp", "/assets/wood.webp?v=2", "builtin:felt", "mat-0f8fad5b-d9cb"])
async def test_a_piece_of_the_platform_is_refused_as_such_and_counts_no_failure(world: World, path: str) -> None:
    world.publish(files=FILES)
    peer = await opened(world)
    with pytest.raises(PlatformAsset) as refusal:
        await peer.asset(path)
    assert refusal.value.code == "platform-asset"
    assert world.views[-1][1]["failureCount"] == 0


@pytest.mark.parametrize("path", ["../a", "a/../../b", "", "a\\b", "C:/x", "//evil.example/x", "/../x", "a\0"])
async def test_a_path_that_leaves_the_repository_never_resolves(world: World, path: str) -> None:
    world.publish(files=FILES)
    peer = await opened(world)
    world.network.requests.clear()
    for call in (peer.asset(path), peer.text(path)):
        with pytest.raises(RefusedPath) as refusal:
            await call
        assert refusal.value.code == "refused-path"
    assert world.network.requests == []


async def test_a_refused_entry_of_the_manifest_never_resolves(world: World) -> None:
    world.publish(files={"../evil": b"e"})
    peer = await opened(world)
    with pytest.raises(RefusedPath):
        await peer.asset("../evil")


async def test_what_is_not_here_yet_resolves_live_while_the_pull_runs(world: World) -> None:
    published = world.publish(files={"slow.webp": b"s"})
    world.network.on(published.url("slow.webp"), Answer(body=b"s", delay=9.0))
    peer = world.peer()
    opening = asyncio.ensure_future(reported(peer, "alice/chess"))
    await world.clock.sleep(1.0)
    assert (await peer.asset("slow.webp")).url == published.url("slow.webp")
    await opening
    assert (await peer.asset("slow.webp")).source == "cache"


async def test_a_pack_that_is_not_at_the_table_is_said_so(world: World) -> None:
    world.publish(files=FILES)
    peer = await opened(world)
    with pytest.raises(NotOpen, match="bob/tavern"):
        await peer.asset("a.webp", "bob/tavern")
    assert (await peer.asset("a.webp", "Alice/CHESS")).source == "cache"


async def test_a_segment_removed_by_the_player_resolves_live(world: World) -> None:
    published = world.publish(files=FILES)
    peer = await opened(world)
    world.disk.lose_segments("alice/chess")
    assert (await peer.asset("a.webp")).url == published.url("a.webp")


@given(
    st.text() | st.builds("/".join, st.lists(st.sampled_from(["..", ".", "", "a", "b.webp", "/", "C:"]), max_size=6))
)
def test_any_text_is_a_checked_path_or_a_refusal_that_says_why(text: str) -> None:
    try:
        path = checked_path(text)
    except (PlatformAsset, RefusedPath):
        return
    assert path_fault(path) is None
    assert not path.startswith("/")
