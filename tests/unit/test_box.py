"""The box tells every file of the table by kind, a portion at a time."""

from __future__ import annotations

import json
from typing import Any

from client.box import PORTION
from client.media_type import asset_group
from tests.contract.answer import NOT_FOUND
from tests.unit.world import World, settle


def files_of(shelf: dict[str, Any]) -> list[dict[str, Any]]:
    return [file for portion in shelf["portions"] for file in json.loads(portion)]


def shelves(box: dict[str, Any]) -> dict[str, list[str]]:
    return {shelf["group"]: [file["path"] for file in files_of(shelf)] for shelf in box["groups"]}


async def test_files_stand_by_kind_with_what_became_of_them(world: World) -> None:
    published = world.publish(files={"a.webp": b"aaaa", "models/b.glb": b"b" * 5000, "lost.webp": b"gone"})
    world.network.on(published.url("lost.webp"), NOT_FOUND)
    peer, _ = await world.opened()
    box = peer.box()
    assert shelves(box) == {
        "image": ["a.webp", "lost.webp"],
        "model": ["models/b.glb"],
        "data": ["diceytable.mod.json", "setup.json"],
    }
    assert box["files"] == 5
    assert {shelf["group"]: shelf["matching"] for shelf in box["groups"]} == {"image": 2, "model": 1, "data": 2}
    pictures = {file["path"]: file for file in files_of(box["groups"][0])}
    assert (pictures["a.webp"]["status"], pictures["a.webp"]["bytes"]) == ("downloaded", 4)
    assert (pictures["lost.webp"]["status"], pictures["lost.webp"]["reason"]) == ("failed", "not-found")
    json.dumps(box)


async def test_a_search_leaves_the_kinds_and_the_totals_as_they_are(world: World) -> None:
    world.publish(files={"Cards/King.webp": b"k", "cards/queen.webp": b"q", "b.glb": b"b"})
    peer, _ = await world.opened()
    everything, found = peer.box(), peer.box("KING ")
    assert shelves(found) == {"image": ["Cards/King.webp"], "model": [], "data": []}
    assert (found["files"], found["bytes"]) == (everything["files"], everything["bytes"])
    assert shelves(peer.box("no such file")) == {"image": [], "model": [], "data": []}


async def test_more_of_one_kind_is_told_when_asked_for(world: World) -> None:
    names = [f"{number:03}.webp" for number in range(PORTION + 30)]
    world.publish(files={name: name.encode() for name in [*names, "b.glb"]})
    peer, _ = await world.opened()
    assert shelves(peer.box())["image"] == names[:PORTION]
    assert peer.box()["groups"][0]["matching"] == PORTION + 30
    told = peer.box("", {"image": 2})
    assert (shelves(told)["image"], shelves(told)["model"]) == (names, ["b.glb"])
    assert told["groups"][0]["portions"][0] == peer.box()["groups"][0]["portions"][0], "the same text, not read again"


async def test_the_files_of_packs_say_which_pack_they_are_from(world: World) -> None:
    pack = world.publish("bob/tavern", {"room.glb": b"room"}, id="tavern", name="The Tavern", type="room-pack")
    reference = {"packId": "tavern", "role": "room", "commitSha": pack.sha}
    world.publish(files={"own.glb": b"own"}, setup={"packRefs": [reference]})
    peer, _ = await world.opened()
    await settle(peer)
    models = next(shelf for shelf in peer.box()["groups"] if shelf["group"] == "model")
    assert [(file["path"], file["mod"], file["from"]) for file in files_of(models)] == [
        ("own.glb", None, None),
        ("room.glb", "bob/tavern", "The Tavern"),
    ]
    assert {asset_group(file["path"]) for file in files_of(models)} == {"model"}
