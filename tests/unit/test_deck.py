"""Decks of a setup as single cards: where each lies on its sheet, what its back is, how many there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.deck import MOST_CARDS, Deck, read_decks
from client.setup import read_setup
from tests.unit.world import World

SETUPS = Path(__file__).parents[1] / "shapes/setups"
SHEET = {"texturePath": "a.webp", "columns": 3, "rows": 2, "cardCount": 5, "cardWidthPx": 200, "cardHeightPx": 300}
BACK = {"kind": "single", "texturePath": "back.webp"}


def thing(custom: dict[str, Any], pile: list[str] | None = None, **keys: Any) -> dict[str, Any]:
    cards = [{"cardId": identity, "faceDown": True} for identity in pile or []]
    return {"kind": "deck", "label": "Main", "metadata": {"customDeck": custom, "cards": cards}, **keys}


def deck(custom: dict[str, Any], pile: list[str] | None = None) -> Deck:
    (found,) = read_decks([thing(custom, pile)])
    return found


def faces(found: Deck) -> list[tuple[str, int, int] | None]:
    """Path, column and row of each card's face."""
    cells = [card.face for card in found.cards]
    return [(str(cell.sheet.path), cell.column, cell.row) if cell is not None else None for cell in cells]


def test_a_deck_of_the_real_shape_has_each_card_on_its_sheet() -> None:
    setup = read_setup((SETUPS / "card-game.setup.json").read_bytes(), "setup.json")
    (found,) = setup.card_decks
    assert [len(found.cards), found.copies, setup.cards] == [20, 40, 40]
    assert [(sheet.columns, sheet.rows, sheet.cards) for sheet in found.sheets] == [(4, 4, 16), (2, 2, 4)]
    assert faces(found)[:6] == [(found.sheets[0].path, column, row) for column, row in
                                [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1)]]  # fmt: skip
    assert faces(found)[16:] == [(found.sheets[1].path, column, row) for column, row in
                                 [(0, 0), (1, 0), (0, 1), (1, 1)]]  # fmt: skip
    assert {card.back.sheet.path for card in found.cards if card.back} == {"card_back.webp"}
    assert {card.copies for card in found.cards} == {2}


def test_a_face_index_runs_through_the_sheets_in_order() -> None:
    second = {"texturePath": "b.webp", "columns": 2, "rows": 1}
    cards = [{"faceIndex": index} for index in (4, 5, 6, 7)]
    found = deck({"face": SHEET, "extraFaceSheets": [second], "cards": cards})
    assert faces(found) == [("a.webp", 1, 1), ("b.webp", 0, 0), ("b.webp", 1, 0), None]


def test_without_a_list_of_cards_each_cell_is_one() -> None:
    found = deck({"face": SHEET, "back": BACK})
    assert faces(found) == [("a.webp", column, row) for column, row in [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)]]
    assert [card.copies for card in found.cards] == [1] * 5


def test_the_pile_says_how_many_there_are_and_else_the_author() -> None:
    cards = [{"cardId": "sun", "count": 9, "faceIndex": 0}, {"cardId": "moon", "count": 4, "faceIndex": 1}]
    assert [card.copies for card in deck({"face": SHEET, "cards": cards}).cards] == [9, 4]
    piled = deck({"face": SHEET, "cards": cards}, ["sun", "sun#2", "sun#3"])
    assert [card.copies for card in piled.cards] == [3, 0]
    assert piled.copies == 3


def test_a_back_is_one_for_all_or_each_card_s_own() -> None:
    single = deck({"face": SHEET, "back": BACK})
    assert {(card.back.column, card.back.row) for card in single.cards if card.back} == {(0, 0)}
    own = deck({"face": SHEET, "back": {"texturePath": "backs.webp", "columns": 3, "rows": 2}, "uniqueBacks": True})
    assert [(card.back.column, card.back.row) for card in own.cards if card.back] == [
        (0, 0), (1, 0), (2, 0), (0, 1), (1, 1),
    ]  # fmt: skip
    assert all(card.back is None for card in deck({"face": SHEET}).cards)


@pytest.mark.parametrize("path", ["/assets/platform.webp?v=2", "builtin:cards", "../up.webp", "https://x.test/a.webp"])
def test_a_sheet_that_is_no_file_of_the_mod_has_no_path(path: str) -> None:
    found = deck({"face": {**SHEET, "texturePath": path}})
    assert found.sheets[0].path is None
    assert found.paths == frozenset()
    assert len(found.cards) == 5


def test_what_is_no_deck_is_passed_over() -> None:
    objects: list[dict[str, Any]] = [
        {"kind": "deck"},
        {"kind": "token", "metadata": {"customDeck": None}},
        thing({}),
        thing({"face": {"columns": 3}}),
        thing({"face": SHEET}),
    ]
    assert [found.label for found in read_decks(objects)] == ["Main"]


def test_numbers_that_make_no_sense_cost_no_memory() -> None:
    huge = deck({"face": {**SHEET, "columns": 10**12, "rows": 10**12, "cardCount": 10**12}})
    assert (huge.sheets[0].columns, huge.sheets[0].rows) == (1, 1)
    assert len(deck({"face": {**SHEET, "columns": 900, "rows": 900, "cardCount": 810_000}}).cards) == MOST_CARDS
    assert len(deck({"face": SHEET, "cards": [{}] * (MOST_CARDS + 5)}).cards) == MOST_CARDS


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "customDeck",
                        "face",
                        "back",
                        "extraFaceSheets",
                        "cards",
                        "texturePath",
                        "columns",
                        "faceIndex",
                        "count",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_object_breaks_the_reader(metadata: Any) -> None:
    for found in read_decks([{"kind": "deck", "metadata": metadata}]):
        assert found.copies >= 0


DECK = {"face": SHEET, "back": BACK, "cards": [{"cardId": "sun", "label": "Sun", "faceIndex": 4, "count": 2}]}


async def test_a_table_tells_its_decks_and_each_deck_its_cards(world: World) -> None:
    world.publish(files={"a.webp": b"faces", "back.webp": b"back"}, setup={"objects": [thing(DECK), {"kind": "die"}]})
    peer, _ = await world.opened()
    back = {"path": "back.webp", "status": "downloaded", "columns": 1, "rows": 1, "shape": None}
    closed = {"index": 0, "label": "Main", "kinds": 1, "copies": 2, "picture": {**back, "column": 0, "row": 0}}
    assert peer.box()["decks"] == [closed]
    assert peer.box("MAI")["decks"] == [closed]
    assert peer.box("no such deck")["decks"] == []
    told = peer.deck(0)
    assert told == {
        "label": "Main",
        "copies": 2,
        "sheets": [{"path": "a.webp", "status": "downloaded", "columns": 3, "rows": 2, "shape": 2 / 3}, back],
        "cards": [{"label": "Sun", "copies": 2, "face": [0, 1, 1], "back": [1, 0, 0]}],
    }
    json.dumps(told)
    assert peer.deck(1) is None
    assert peer.deck(-1) is None


async def test_the_box_says_which_picture_is_a_deck_s_sheet(world: World) -> None:
    other = thing({"face": {**SHEET, "texturePath": "b.webp"}, "extraFaceSheets": [SHEET]})
    files = {"a.webp": b"faces", "b.webp": b"more", "back.webp": b"back", "c.webp": b"picture"}
    world.publish(files=files, setup={"objects": [thing(DECK), other]})
    peer, _ = await world.opened()
    [pictures] = [json.loads(shelf["portions"][0]) for shelf in peer.box()["groups"] if shelf["group"] == "image"]
    assert {file["path"]: file["deck"] for file in pictures} == {
        "a.webp": 0, "b.webp": 1, "back.webp": None, "c.webp": None,
    }  # fmt: skip
