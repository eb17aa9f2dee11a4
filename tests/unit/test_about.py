"""A mod's own page: what it says of itself, read without pulling it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from client.errors import ManifestUnreadable, NotOpen, RateLimited, UnknownMod, Unreachable
from client.manifest import MANIFEST_PATH
from tests.contract.answer import Answer
from tests.fakes import EPOCH
from tests.unit.world import HOSTS, World, settle

STORY: dict[str, Any] = {
    "summary": "A game of kings.",
    "description": "# Chess",
    "coverImage": "cover.webp",
    "rules": [{"kind": "markdown", "path": "rules.md", "title": "How to play"}],
    "players": {"min": 2, "max": 2},
}
FILES = {"cover.webp": b"cover", "a.webp": b"a" * 1000, "rules.md": b"# Rules"}


async def test_the_page_of_a_mod_costs_its_manifest_alone(world: World) -> None:
    published = world.publish(files=FILES, assets=["a.webp"], **STORY)
    page = await world.peer().about("alice/chess")
    assert world.raw_requests() == [published.url(MANIFEST_PATH)]
    assert (page["name"], page["summary"], page["description"]) == ("Chess", "A game of kings.", "# Chess")
    assert page["cover"] == {"path": "cover.webp", "status": "pending"}
    assert page["mod"]["version"] == published.sha
    assert (page["files"], page["bytes"]) == (5, sum(map(len, published.files.values())))
    assert page["missing"] == page["bytes"] - len(published.files[MANIFEST_PATH])
    assert await world.store.repositories() == []
    json.dumps(page)


async def test_its_pictures_and_texts_are_live_until_the_mod_is_opened(world: World) -> None:
    published = world.publish(files=FILES, **STORY)
    peer = world.peer()
    await peer.about("alice/chess")
    assert (await peer.asset("cover.webp", "Alice/Chess")).url == published.url("cover.webp")
    assert await peer.text("rules.md", "alice/chess") == "# Rules"
    with pytest.raises(NotOpen):
        await peer.asset("cover.webp")
    await peer.open("alice/chess")
    assert (await peer.asset("cover.webp", "alice/chess")).source == "cache"


async def test_what_is_kept_is_read_from_there(world: World) -> None:
    world.publish(files=FILES, **STORY)
    await world.visited()
    before = len(world.raw_requests())
    peer = world.peer()
    page = await peer.about("alice/chess")
    assert (await peer.asset("cover.webp", "alice/chess")).source == "cache"
    assert (page["standing"], page["missing"]) == ("cached", 0)
    assert len(world.raw_requests()) == before


async def test_the_page_opens_offline_for_a_mod_that_is_kept(world: World) -> None:
    world.publish(files=FILES, **STORY)
    await world.visited()
    world.network.down = True
    page = await world.peer().about("alice/chess")
    assert (page["name"], page["versions"]) == ("Chess", [])
    with pytest.raises(Unreachable):
        await world.peer().about("bob/go")


async def test_versions_say_which_is_current_and_which_is_kept(world: World) -> None:
    old = world.publish(files={"a": b"1"})
    await world.visited()
    new = world.publish(files={"a": b"2"}, version="2.0.0")
    page = await world.peer().about("alice/chess")
    assert page["standing"] == "update"
    assert [(one["sha"], one["release"], one["current"], one["kept"]) for one in page["versions"]] == [
        (new.sha, "2.0.0", True, False),
        (old.sha, "1.0.0", False, True),
    ]


async def test_a_mod_that_can_not_be_read_or_found_says_so(world: World) -> None:
    published = world.publish()
    world.network.on(published.url(MANIFEST_PATH), Answer(body=b"[]"))
    with pytest.raises(ManifestUnreadable):
        await world.peer().about("alice/chess")
    with pytest.raises(UnknownMod):
        await world.peer().about("m-nobody")


async def test_looking_at_a_mod_leaves_the_open_table_alone(world: World) -> None:
    world.publish(files=FILES)
    world.publish("bob/go", {"stone.webp": b"stone"})
    peer, report = await world.opened()
    await peer.about("bob/go")
    assert peer.report()["repo"] == report["repo"] == "chess"
    assert (await peer.asset("a.webp")).source == "cache"


async def test_credits_are_read_in_the_words_authors_use(world: World) -> None:
    written = [
        {"id": "credit-0", "paths": ["a.webp", "original.xcf"], "origin": "third-party", "name": "Stones",
         "author": " Ada ", "licence": "CC BY 4.0", "url": "https://example.org/stones"},
        {"title": "Bell", "source": "javascript:alert(1)", "paths": "no list"},
        "nothing",
    ]  # fmt: skip
    published = world.publish(files=FILES, credits=written)
    page = await world.peer().about("alice/chess")
    assert page["credits"] == [
        {"title": "Stones", "author": "Ada", "license": "CC BY 4.0", "origin": "third-party",
         "source": "https://example.org/stones", "files": 2},
        {"title": "Bell", "author": None, "license": None, "origin": None, "source": None, "files": 0},
    ]  # fmt: skip
    assert page["issues"] == []
    assert world.raw_requests() == [published.url(MANIFEST_PATH)]


@pytest.mark.parametrize("written", [{"everyone": True}, "me", 7, None])
async def test_credits_that_are_no_list_are_no_credits(world: World, written: object) -> None:
    world.publish(files=FILES, credits=written)
    assert (await world.peer().about("alice/chess"))["credits"] == []


async def test_a_preview_asks_the_registry_for_the_head_and_spends_no_call_of_github(world: World) -> None:
    published = world.publish(registered=False)
    world.heads["alice/chess"] = published.sha
    page = await world.peer().about("alice/chess")
    assert (page["mod"]["version"], page["mod"]["preview"]) == (published.sha, True)
    assert not [url for url in world.network.requests if url.startswith(HOSTS.api)]


async def test_a_preview_spends_one_call_where_the_registry_does_not_know(world: World) -> None:
    published = world.publish(registered=False)
    peer = world.peer()
    await peer.open("alice/chess")
    assert peer.report()["version"] == published.sha
    assert [url for url in world.network.requests if url.startswith(HOSTS.api)] == [
        f"{HOSTS.api}/repos/alice/chess/commits/HEAD"
    ]
    await settle(peer)


async def test_a_rate_limit_is_told_with_the_time_it_ends(world: World) -> None:
    reset = int(EPOCH) + 1800
    world.network.on(
        f"{HOSTS.api}/repos/alice/chess/commits/HEAD",
        Answer(status=403, headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(reset)}),
    )
    with pytest.raises(RateLimited) as refused:
        await world.peer().open("alice/chess")
    assert refused.value.as_plain()["retryAt"] == reset * 1000
