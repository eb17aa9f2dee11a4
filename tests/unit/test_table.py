"""What stands on a table changes by actions only, each one a step that listeners are told of."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.refusal import Refusal
from client.setup import read_setup
from client.table import MOST_OBJECTS, Table, TableChange, redacted

CARDS = [{"cardId": f"card-{n}", "label": f"Card {n}", "faceIndex": n} for n in range(1, 4)]
PILE = [{"cardId": "card-1", "faceDown": True}, {"cardId": "card-1#2", "faceDown": True}]
DECK = {
    "id": "deck",
    "kind": "deck",
    "label": "Harbour",
    "position": {"x": 0, "y": 0, "z": 0},
    "scale": {"x": 1, "y": 0.1, "z": 1.5},
    "faceDown": True,
    "stackCount": 4,
    "metadata": {"customDeck": {"cards": CARDS}, "cards": [*PILE, {"cardId": "card-2", "faceDown": True}, "odd"]},
}
DIE = {"id": "die", "kind": "die", "position": {"x": 5, "y": 0, "z": 5}, "metadata": {"standardPresetId": "die-d8"}}
BOX = {
    "id": "box",
    "kind": "custom",
    "label": "Box",
    "position": {"x": 9, "y": 0, "z": 9},
    "metadata": {"container": True},
}
HAND = {"id": "hand", "type": "hand", "position": {"x": 0, "y": 0, "z": 10}, "scale": {"x": 4, "y": 1, "z": 2}}
SEATS = [{"seat": "red", "zones": [HAND]}, {"seat": "blue", "zones": [{**HAND, "position": {"x": 0, "z": -10}}]}]


def table(*objects: Any, **setup: Any) -> Table:
    values = {"objects": objects or [DECK, DIE, BOX], "seatZones": SEATS, **setup}
    return Table(read_setup(json.dumps(values).encode(), "setup.json"), random.Random(4))


def heard(at: Table) -> list[tuple[str, str]]:
    changes: list[tuple[str, str]] = []
    at.listeners.append(lambda change: changes.append((change.kind, change.object_id)))
    return changes


def test_an_untouched_table_is_its_setup() -> None:
    at = table()
    assert at.objects == [DECK, DIE, BOX]
    assert at.seq == 0
    assert at.digest() == table().digest()


def test_objects_without_an_id_of_their_own_get_one() -> None:
    at = table({"kind": "card"}, {"id": "x"}, {"id": "x"}, {"id": "object-1"}, {"id": 7})
    ids = [thing["id"] for thing in at.objects]
    assert len(set(ids)) == 5
    assert "x" in ids


def test_every_change_is_a_step() -> None:
    at = table()
    changes = heard(at)
    before = at.digest()
    at.act("die", {"type": "move", "position": {"x": 6}})
    at.act("die", "flip")
    at.act("die", "lock")
    at.act("die", {"type": "set", "label": "Night", "color": "#a0b0c0", "tags": ["lucky"]})
    assert changes == [("move", "die"), ("flip", "die"), ("lock", "die"), ("change", "die")]
    assert at.seq == 4
    assert at.digest() != before
    die = at.thing("die")
    assert die["position"] == {"x": 6, "y": 0, "z": 5}
    assert (die["faceDown"], die["locked"], die["label"], die["tags"]) == (True, True, "Night", ["lucky"])
    at.act("die", "remove")
    assert at.find("die") is None


def test_drawing_takes_from_the_top_and_knows_what_a_card_is_called() -> None:
    at = table()
    changes = heard(at)
    first, second = at.act("deck", {"type": "draw", "count": 2})
    assert [first["metadata"]["cardId"], second["metadata"]["cardId"]] == ["card-2", "card-1#2"]
    assert (second["label"], second["metadata"]["faceIndex"], second["faceDown"]) == ("Card 1", 1, True)
    assert at.thing("deck")["stackCount"] == 1
    assert [kind for kind, _ in changes] == ["draw", "draw"]
    at.act("deck", {"type": "draw", "count": 5})
    assert at.find("deck") is None
    assert changes[-1] == ("remove", "deck")


def test_drawing_to_a_seat_lays_the_card_in_its_hand() -> None:
    at = table()
    entered: list[TableChange] = []
    at.listeners.append(entered.append)
    (card,) = at.act("deck", {"type": "draw", "seat": "blue"})
    hand = at.zone("blue", "hand")
    assert hand is not None
    assert at.in_zone(hand) == [card]
    assert [(change.kind, change.zone) for change in entered if change.zone] == [("enter", hand)]
    at.act(card["id"], {"type": "move", "position": {"x": 0, "y": 0, "z": 0}})
    assert at.in_zone(hand) == []
    assert entered[-1].kind == "leave"


def test_shuffling_changes_the_order_and_nothing_else() -> None:
    pile = [{"cardId": f"card-{n}", "faceDown": True} for n in range(30)]
    at = table({**DECK, "metadata": {"cards": pile}})
    at.act("deck", "shuffle")
    after = at.thing("deck")["metadata"]["cards"]
    assert after != pile
    assert sorted(after, key=str) == sorted(pile, key=str)


def test_a_card_goes_back_into_a_deck_and_anything_into_a_box() -> None:
    at = table()
    (card,) = at.act("deck", "draw")
    at.act(card["id"], {"type": "put", "container": "deck"})
    assert [one["cardId"] for one in at.contents(at.thing("deck"))] == ["card-1", "card-1#2", "card-2"]
    at.act("die", {"type": "put", "container": "box"})
    assert at.find("die") is None
    assert [one["id"] for one in at.contents(at.thing("box"))] == ["die"]
    (die,) = at.act("box", "take")
    assert at.thing("die") is die
    assert at.contents(at.thing("box")) == []


def test_a_die_shows_one_of_its_sides() -> None:
    at = table()
    rolls = {at.act("die", "roll")[0]["metadata"]["value"] for _ in range(200)}
    assert rolls == set(range(1, 9))


@pytest.mark.parametrize(
    ("thing", "action", "code"),
    [
        ("gone", "flip", "unknown-object"),
        (None, "flip", "unknown-object"),
        ({"id": "die"}, "flip", "unknown-object"),
        ("die", "explode", "wrong-argument"),
        ("die", None, "wrong-argument"),
        ("die", ["flip"], "wrong-argument"),
        ("die", "shuffle", "wrong-argument"),
        ("die", "draw", "wrong-argument"),
        ("deck", "roll", "wrong-argument"),
        ("die", "move", "wrong-argument"),
        ("die", {"type": "move", "position": 5}, "wrong-argument"),
        ("die", {"type": "move", "position": {"x": "1"}}, "wrong-argument"),
        ("die", {"type": "move", "position": {"x": 1e30}}, "wrong-argument"),
        ("die", {"type": "move", "position": {"x": True}}, "wrong-argument"),
        ("die", {"type": "flip", "faceDown": 1}, "wrong-argument"),
        ("die", {"type": "set", "color": "red; background: url(x)"}, "wrong-argument"),
        ("die", {"type": "set", "ownerSeat": "gold"}, "wrong-argument"),
        ("die", {"type": "set", "tags": [5]}, "wrong-argument"),
        ("die", {"type": "put", "container": "die"}, "wrong-argument"),
        ("die", {"type": "put", "container": "deck"}, "wrong-argument"),
        ("deck", {"type": "put", "container": "box"}, "wrong-argument"),
        ("box", "take", "wrong-argument"),
        ("deck", {"type": "take", "index": -1}, "wrong-argument"),
        ("deck", {"type": "draw", "count": 0}, "wrong-argument"),
        ("deck", {"type": "draw", "seat": "nobody"}, "wrong-argument"),
    ],
)
def test_an_action_that_makes_no_sense_changes_nothing(thing: Any, action: Any, code: str) -> None:
    at = table()
    before = at.digest()
    with pytest.raises(Refusal) as refused:
        at.act(thing, action)
    assert refused.value.code == code
    assert (at.seq, at.digest()) == (0, before)


def test_a_spawned_object_has_every_field_and_only_those() -> None:
    at = table()
    made = at.spawn({"kind": "card", "position": {"x": 1}, "id": "deck", "onclick": "x", "metadata": {"a": [1]}})
    assert made["id"] not in {"deck", "die", "box"}
    assert set(made) == {*DECK, "rotation", "color", "ownerSeat", "locked", "tags"}
    assert at.thing(made["id"]) is made


@pytest.mark.parametrize(
    "spec", [{"kind": "window"}, {"label": 5}, {"stackCount": 0}, {"metadata": []}, {"metadata": {"a": "x" * 70_000}}]
)
def test_a_spawn_that_makes_no_sense_is_refused(spec: dict[str, Any]) -> None:
    with pytest.raises(Refusal):
        table().spawn(spec)


def test_a_table_has_room_for_so_much() -> None:
    at = table(*[{"id": f"t{n}", "kind": "token"} for n in range(MOST_OBJECTS)])
    with pytest.raises(Refusal) as refused:
        at.spawn({})
    assert refused.value.code == "too-many"


def test_what_lies_face_down_is_seen_as_nothing_but_there() -> None:
    at = table()
    (card,) = at.act("deck", "draw")
    shown = redacted(at, card, "red", all_seen=False)
    assert (shown["id"], shown["position"], shown["hidden"]) == (card["id"], card["position"], True)
    assert (shown["label"], shown["tags"], shown["metadata"]) == ("", [], {})
    assert redacted(at, card, "red", all_seen=True) == card
    at.act(card["id"], "flip")
    assert redacted(at, card, "red", all_seen=False) == card


def test_a_hand_is_seen_by_who_holds_it() -> None:
    at = table()
    (card,) = at.act("deck", {"type": "draw", "seat": "red"})
    assert redacted(at, card, "red", all_seen=False) == card
    for seat in ("blue", None):
        assert redacted(at, card, seat, all_seen=False)["hidden"] is True
    at.act(card["id"], {"type": "flip", "faceDown": False})
    assert redacted(at, card, "blue", all_seen=False)["hidden"] is True


def test_an_open_deck_shows_its_open_cards_only() -> None:
    cards = [{"cardId": "card-1", "faceDown": True}, {"cardId": "card-2", "faceDown": False}]
    at = table({**DECK, "faceDown": False, "metadata": {"cards": cards}})
    shown = redacted(at, at.thing("deck"), None, all_seen=False)
    assert shown["metadata"]["cards"] == [{"faceDown": True, "hidden": True}, {"cardId": "card-2", "faceDown": False}]


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
words = st.sampled_from(["move", "flip", "set", "shuffle", "draw", "put", "take", "roll", "remove", "lock"])
keys = st.sampled_from(["position", "rotation", "faceDown", "label", "count", "seat", "container", "index", "tags"])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["deck", "die", "box", "object-1"]) | json_values,
            words
            | json_values
            | st.builds(lambda word, more: {**more, "type": word}, words, st.dictionaries(keys, json_values)),
        ),
        max_size=12,
    )
)
def test_whatever_is_asked_the_table_stays_one_that_can_be_written(actions: list[tuple[Any, Any]]) -> None:
    at = table()
    for thing, action in actions:
        before = at.digest()
        try:
            at.act(thing, action)
        except Refusal:
            assert at.digest() == before
    json.dumps(at.objects, allow_nan=False)
