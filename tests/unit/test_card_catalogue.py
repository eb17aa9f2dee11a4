"""The cards of a game, as its scripts look them up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from client.asset_path import AssetPath
from client.card_catalogue import read_catalogue

SAMPLE = Path(__file__).parents[1] / "mods/tablewright-samples/lantern-duel"


def reader(files: dict[str, bytes]) -> Callable[[AssetPath], Awaitable[bytes | None]]:
    async def read(path: AssetPath) -> bytes | None:
        return files.get(path)

    return read


async def test_a_sample_s_cards_are_found_by_key_and_by_name() -> None:
    files = {path: (SAMPLE / path).read_bytes() for path in ("data/cardSchema.json", "data/cards.json")}
    found = (await read_catalogue(reader(files))).resolve(["ember-01", "EMBER WISP", "nothing"])
    assert [card["cardId"] for card in found] == ["ember-01", "EMBER WISP"]
    assert found[0]["data"] == found[1]["data"]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"data/cardSchema.json": b"["},
        {"data/cardSchema.json": b'{"source": {"kind": "plugin", "pluginId": "x"}}'},
        {"data/cardSchema.json": b'{"source": {"kind": "static", "cardsPath": "../x.json"}}'},
        {"data/cardSchema.json": b'{"source": {"kind": "static", "cardsPath": "x.json"}}'},
        {"data/cardSchema.json": b'{"source": {"kind": "static", "cardsPath": "x.json"}}', "x.json": b"[]"},
        {"data/cardSchema.json": b'{"source": {"kind": "static", "cardsPath": "x.json"}}', "x.json": b'{"cards": [1]}'},
    ],
)
async def test_a_mod_without_a_readable_catalogue_has_no_cards(files: dict[str, bytes]) -> None:
    assert (await read_catalogue(reader(files))).resolve(["ember-01"]) == []
