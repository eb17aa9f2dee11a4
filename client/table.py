"""What stands on a table, and the only ways it changes.

The objects are the setup's own, so that what an author wrote is what a script reads; each has an ``id`` here. Only the
host changes a table. Every change is one step of ``seq`` and is told to whoever listens.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from client.refusal import Refusal
from client.setup import SEATS, Setup
from client.zone import Zone

MOST_OBJECTS = 5000
MOST_DRAWN = 500
FARTHEST = 10_000.0
"""Setup units from the middle of the table, along each axis."""
LARGEST = 1000.0
LONGEST_LABEL = 500
MOST_TAGS = 50
LARGEST_METADATA = 64 * 1024
"""Bytes of JSON."""

KINDS = ("token", "deck", "card", "board", "die", "custom", "button")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_SIDES = re.compile(r"d(\d{1,3})$")
_COPY = re.compile(r"#\d+$")
_VECTORS = ("position", "rotation", "scale")

Thing = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TableChange:
    """``kind``: spawn, move, flip, lock, change, shuffle, draw, put, take, roll, remove, enter or leave.

    ``zone`` is of the last two.
    """

    kind: str
    object_id: str
    zone: Zone | None = None


class Table:
    """The objects of one setup.

    :param chance: what shuffles and rolls
    """

    def __init__(self, setup: Setup, chance: random.Random) -> None:
        self.setup = setup
        self.seq = 0
        self.listeners: list[Callable[[TableChange], None]] = []
        self.zones = setup.zones
        self._chance = chance
        self._things: dict[str, Thing] = {}
        self._made = 0
        for thing in setup.objects[:MOST_OBJECTS]:
            self._place(_own(thing))
        self._inside = {thing_id: self._zones_at(thing) for thing_id, thing in self._things.items()}

    @property
    def objects(self) -> list[Thing]:
        """All of them in the setup's order, then in the order they came."""
        return list(self._things.values())

    def digest(self) -> str:
        """SHA-256 over the objects' canonical JSON, in hex."""
        canonical = json.dumps(self.objects, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()

    def thing(self, thing_id: object) -> Thing:
        """:raises Refusal: unknown-object"""
        found = self._things.get(thing_id) if isinstance(thing_id, str) else None
        if found is None:
            raise Refusal("unknown-object", f"There is no object {str(thing_id)[:80]!r} on the table.")
        return found

    def find(self, thing_id: object) -> Thing | None:
        return self._things.get(thing_id) if isinstance(thing_id, str) else None

    def zone(self, seat: str | None, zone_id: str) -> Zone | None:
        return next((zone for zone in self.zones if zone.key == (seat, zone_id)), None)

    def in_zone(self, zone: Zone) -> list[Thing]:
        return [thing for thing_id, thing in self._things.items() if zone in self._inside.get(thing_id, ())]

    def zones_around(self, thing: Thing) -> tuple[Zone, ...]:
        return self._inside.get(thing["id"], ())

    # Changes

    def spawn(self, spec: Mapping[str, Any]) -> Thing:
        """A new object of the fields a setup's object has.

        :raises Refusal: wrong-argument, or too-many
        """
        self._room_for(1)
        thing: Thing = {
            "kind": _one_of(spec.get("kind", "token"), "kind", KINDS),
            "label": _text(spec.get("label", ""), "label", LONGEST_LABEL),
            "position": _vector(spec.get("position"), "position", 0.0, FARTHEST),
            "rotation": _vector(spec.get("rotation"), "rotation", 0.0, 360_000.0),
            "scale": _vector(spec.get("scale"), "scale", 1.0, LARGEST),
            "color": _colour(spec.get("color", "#ffffff")),
            "ownerSeat": _seat(spec.get("ownerSeat")),
            "faceDown": _truth(spec.get("faceDown", False), "faceDown"),
            "locked": _truth(spec.get("locked", False), "locked"),
            "stackCount": _count(spec.get("stackCount", 1), "stackCount", 10_000),
            "tags": _tags(spec.get("tags", [])),
            "metadata": _metadata(spec.get("metadata", {})),
        }
        return self._arrive(thing)

    def act(self, thing_id: object, action: object) -> list[Thing]:
        """Do what an action says, and answer the objects it is about afterwards: none when it is gone.

        An action is a word, or an object whose ``type`` is the word: move {position?, rotation?, scale?}, flip
        {faceDown?}, lock, unlock, set {label?, color?, tags?, ownerSeat?}, shuffle, draw {count?, seat?, position?},
        put {container}, take {index?, position?}, roll, remove.

        :raises Refusal: unknown-object, wrong-argument, or too-many
        """
        thing = self.thing(thing_id)
        details: Mapping[str, Any] = action if isinstance(action, Mapping) else {"type": action}
        match details.get("type"):
            case "move":
                return [self._move(thing, details)]
            case "flip":
                down = _truth(details.get("faceDown", not thing.get("faceDown")), "faceDown")
                return [self._change("flip", thing, faceDown=down)]
            case "lock" | "unlock":
                return [self._change("lock", thing, locked=details["type"] == "lock")]
            case "set":
                return [self._set(thing, details)]
            case "shuffle":
                return [self._shuffle(thing)]
            case "draw":
                return self._draw(thing, details)
            case "put":
                return [self._put(thing, self.thing(details.get("container")))]
            case "take":
                return [self._take(thing, details)]
            case "roll":
                return [self._roll(thing)]
            case "remove" | "delete":
                self._leave(thing, "remove")
                return []
            case word:
                raise Refusal("wrong-argument", f"{str(word)[:40]!r} is no action.")

    def contents(self, thing: Thing) -> list[Thing]:
        """What a container holds: a deck's cards from the bottom up, or the objects that were put in.

        :raises Refusal: wrong-argument, it is no container
        """
        if thing.get("kind") == "deck":
            return [
                {"index": index, "kind": "card", "label": _card_label(thing, card["cardId"]), **card}
                for index, card in enumerate(_pile(thing))
            ]
        inside = _inside_of(thing)
        if inside is None:
            raise Refusal("wrong-argument", f"{thing['id']} is neither a deck nor a container.")
        return list(inside)

    def _move(self, thing: Thing, details: Mapping[str, Any]) -> Thing:
        moved = {
            key: _vector(details[key], key, 0.0, LARGEST if key == "scale" else FARTHEST, thing.get(key))
            for key in _VECTORS
            if key in details
        }
        if not moved:
            raise Refusal("wrong-argument", "move takes a position, a rotation or a scale.")
        return self._change("move", thing, **moved)

    def _set(self, thing: Thing, details: Mapping[str, Any]) -> Thing:
        changed: dict[str, Any] = {}
        if "label" in details:
            changed["label"] = _text(details["label"], "label", LONGEST_LABEL)
        if "color" in details:
            changed["color"] = _colour(details["color"])
        if "tags" in details:
            changed["tags"] = _tags(details["tags"])
        if "ownerSeat" in details:
            changed["ownerSeat"] = _seat(details["ownerSeat"])
        return self._change("change", thing, **changed)

    def _shuffle(self, thing: Thing) -> Thing:
        pile = _pile(thing) if thing.get("kind") == "deck" else _inside_of(thing)
        if pile is None:
            raise Refusal("wrong-argument", "Only a deck or a container can be shuffled.")
        self._chance.shuffle(pile)
        _keep(thing, pile)
        return self._change("shuffle", thing)

    def _draw(self, deck: Thing, details: Mapping[str, Any]) -> list[Thing]:
        count = _count(details.get("count", 1), "count", MOST_DRAWN)
        seat = _seat(details.get("seat"))
        if deck.get("kind") != "deck":
            raise Refusal("wrong-argument", "Only from a deck can be drawn.")
        pile = _pile(deck)
        drawn = min(count, len(pile))
        self._room_for(drawn)
        place = self._hand_of(seat) or _beside(deck)
        if "position" in details:
            place = _vector(details["position"], "position", 0.0, FARTHEST)
        cards = [self._draw_one(deck, pile.pop(), seat, place) for _ in range(drawn)]
        self._recount(deck, pile)
        return cards

    def _draw_one(self, deck: Thing, card: dict[str, Any], seat: str | None, place: Thing) -> Thing:
        size = deck.get("scale")
        scale = size if isinstance(size, dict) else {}
        return self._arrive(
            {
                "kind": "card",
                "label": _card_label(deck, card["cardId"]),
                "position": dict(place),
                "rotation": {"x": 0.0, "y": 0.0, "z": 0.0},
                "scale": {"x": scale.get("x", 1.0), "y": 0.01, "z": scale.get("z", 1.0)},
                "color": deck.get("color"),
                "ownerSeat": seat,
                "faceDown": card["faceDown"],
                "locked": False,
                "stackCount": 1,
                "tags": [],
                "metadata": {"cardId": card["cardId"], "deckId": deck["id"], **_face_of(deck, card["cardId"])},
            },
            "draw",
        )

    def _put(self, thing: Thing, container: Thing) -> Thing:
        if container is thing:
            raise Refusal("wrong-argument", "Nothing goes into itself.")
        if container.get("kind") == "deck":
            card_id = _of(thing, "metadata").get("cardId")
            if thing.get("kind") != "card" or not isinstance(card_id, str):
                raise Refusal("wrong-argument", "Only cards go into a deck.")
            self._leave(thing, "put")
            card = {"cardId": card_id, "faceDown": thing.get("faceDown") is True}
            self._recount(container, [*_pile(container), card])
            return container
        inside = _inside_of(container)
        if inside is None:
            raise Refusal("wrong-argument", f"{container['id']} is neither a deck nor a container.")
        if _inside_of(thing) is not None or thing.get("kind") == "deck":
            raise Refusal("wrong-argument", "A container does not go into another.")
        if len(inside) >= MOST_DRAWN:
            raise Refusal("too-many", "The container is full.")
        self._leave(thing, "put")
        _keep(container, [*inside, thing])
        return self._change("put", container)

    def _take(self, container: Thing, details: Mapping[str, Any]) -> Thing:
        size = len(self.contents(container))
        index = details.get("index", size - 1)
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < size:
            raise Refusal("wrong-argument", "There is nothing at that index.")
        self._room_for(1)
        place = _vector(details.get("position"), "position", 0.0, FARTHEST, _beside(container))
        if container.get("kind") == "deck":
            pile = _pile(container)
            drawn = self._draw_one(container, pile.pop(index), None, place)
            self._recount(container, pile)
            return drawn
        inside = _inside_of(container) or []
        taken = {**inside.pop(index), "position": place}
        _keep(container, inside)
        self._change("take", container)
        return self._arrive(taken, "take")

    def _roll(self, thing: Thing) -> Thing:
        if thing.get("kind") != "die":
            raise Refusal("wrong-argument", "Only a die can be rolled.")
        metadata = _of(thing, "metadata")
        match = _SIDES.search(str(metadata.get("standardPresetId", "")))
        sides = max(2, int(match[1])) if match else 6
        return self._change("roll", thing, metadata={**metadata, "value": self._chance.randint(1, sides)})

    # The table itself

    def _place(self, thing: Thing) -> None:
        thing_id = thing.get("id")
        if not isinstance(thing_id, str) or not thing_id or thing_id in self._things:
            thing["id"] = self._new_id()
        self._things[thing["id"]] = thing

    def _new_id(self) -> str:
        while True:
            self._made += 1
            thing_id = f"object-{self._made}"
            if thing_id not in self._things:
                return thing_id

    def _room_for(self, more: int) -> None:
        if len(self._things) + more > MOST_OBJECTS:
            raise Refusal("too-many", f"A table holds {MOST_OBJECTS} objects at most.")

    def _arrive(self, thing: Thing, kind: str = "spawn") -> Thing:
        self._place(thing)
        self._tell(kind, thing)
        return thing

    def _leave(self, thing: Thing, kind: str) -> None:
        del self._things[thing["id"]]
        self._tell(kind, thing)

    def _change(self, kind: str, thing: Thing, **values: Any) -> Thing:
        thing.update(values)
        self._tell(kind, thing)
        return thing

    def _recount(self, deck: Thing, pile: list[dict[str, Any]]) -> None:
        _keep(deck, pile)
        deck["stackCount"] = len(pile)
        if not pile:
            self._leave(deck, "remove")

    def _tell(self, kind: str, thing: Thing) -> None:
        self.seq += 1
        thing_id = thing["id"]
        before = self._inside.pop(thing_id, ())
        now = self._zones_at(thing) if thing_id in self._things else ()
        if now:
            self._inside[thing_id] = now
        changes = [TableChange(kind, thing_id)]
        changes += [TableChange("leave", thing_id, zone) for zone in before if zone not in now]
        changes += [TableChange("enter", thing_id, zone) for zone in now if zone not in before]
        for change in changes:
            for listener in list(self.listeners):
                listener(change)

    def _zones_at(self, thing: Thing) -> tuple[Zone, ...]:
        return tuple(zone for zone in self.zones if zone.holds(thing.get("position")))

    def _hand_of(self, seat: str | None) -> Thing | None:
        hand = next(
            (zone for zone in self.zones if seat is not None and zone.seat == seat and zone.kind == "hand"), None
        )
        return None if hand is None else {"x": hand.x, "y": 0.0, "z": hand.z}


def _pile(deck: Thing) -> list[dict[str, Any]]:
    """A deck's cards from the bottom up, each {cardId, faceDown}; what is no card is left out."""
    cards = _of(deck, "metadata").get("cards")
    return [
        {**card, "faceDown": card.get("faceDown") is True}
        for card in (cards if isinstance(cards, list) else ())
        if isinstance(card, dict) and isinstance(card.get("cardId"), str)
    ]


def _inside_of(thing: Thing) -> list[Thing] | None:
    """What was put into a container; None where it is none."""
    metadata = _of(thing, "metadata")
    if not metadata.get("container"):
        return None
    inside = metadata.get("contents")
    return [
        one
        for one in (inside if isinstance(inside, list) else ())
        if isinstance(one, dict) and isinstance(one.get("id"), str)
    ]


def _keep(container: Thing, inside: list[Thing]) -> None:
    key = "cards" if container.get("kind") == "deck" else "contents"
    container["metadata"] = {**_of(container, "metadata"), key: inside}


def _own(value: Any) -> Any:
    """A copy in which every number can be written as JSON: 1e999 is read as infinity."""
    if isinstance(value, dict):
        return {key: _own(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_own(one) for one in value]
    return 0.0 if isinstance(value, float) and not math.isfinite(value) else value


def _definition(deck: Thing, card_id: str) -> dict[str, Any]:
    cards = _of(_of(deck, "metadata"), "customDeck").get("cards")
    plain = _COPY.sub("", card_id)
    for card in cards if isinstance(cards, list) else ():
        if isinstance(card, dict) and card.get("cardId") == plain:
            return card
    return {}


def _card_label(deck: Thing, card_id: str) -> str:
    label = _definition(deck, card_id).get("label")
    return label if isinstance(label, str) else card_id


def _face_of(deck: Thing, card_id: str) -> dict[str, Any]:
    face = _definition(deck, card_id).get("faceIndex")
    return {"faceIndex": face} if isinstance(face, int) else {}


def _of(thing: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = thing.get(key)
    return value if isinstance(value, dict) else {}


def _beside(thing: Thing) -> Thing:
    place, size = _of(thing, "position"), _of(thing, "scale")
    width = size.get("x")
    step = width if isinstance(width, int | float) else 1.0
    return _vector({**place, "x": _coordinate(place, "x") + step * 1.2}, "position", 0.0, FARTHEST)


def _coordinate(place: Mapping[str, Any], axis: str) -> float:
    value = place.get(axis)
    return float(value) if isinstance(value, int | float) else 0.0


# What scripts give


def _vector(value: object, name: str, otherwise: float, most: float, before: object = None) -> Thing:
    """``{x, y, z}``; an axis that is left out keeps what it was."""
    base = before if isinstance(before, Mapping) else {}
    if value is None:
        value = {}
    if not isinstance(value, Mapping):
        raise Refusal("wrong-argument", f"{name} should be an object with x, y and z.")
    return {axis: _axis(value.get(axis, base.get(axis, otherwise)), f"{name}.{axis}", most) for axis in "xyz"}


def _axis(value: object, name: str, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refusal("wrong-argument", f"{name} should be a number.")
    if not math.isfinite(value) or abs(value) > most:
        raise Refusal("wrong-argument", f"{name} should be a number between -{most:g} and {most:g}.")
    return float(value)


def _text(value: object, name: str, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise Refusal("wrong-argument", f"{name} should be a text of at most {longest} characters.")
    return value


def _truth(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise Refusal("wrong-argument", f"{name} should be true or false.")
    return value


def _count(value: object, name: str, most: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise Refusal("wrong-argument", f"{name} should be a whole number from 1 to {most}.")
    return value


def _one_of(value: object, name: str, words: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in words:
        raise Refusal("wrong-argument", f"{name} should be one of {', '.join(words)}.")
    return value


def _seat(value: object) -> str | None:
    return None if value is None else _one_of(value, "seat", SEATS)


def _colour(value: object) -> str:
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        raise Refusal("wrong-argument", "color should be # and six hex digits.")
    return value


def _tags(value: object) -> list[str]:
    if not isinstance(value, list) or len(value) > MOST_TAGS:
        raise Refusal("wrong-argument", f"tags should be a list of at most {MOST_TAGS} texts.")
    return [_text(tag, "a tag", LONGEST_LABEL) for tag in value]


def _metadata(value: object) -> dict[str, Any]:
    if not isinstance(value, dict) or len(json.dumps(value)) > LARGEST_METADATA:
        raise Refusal("wrong-argument", f"metadata should be an object of at most {LARGEST_METADATA} bytes.")
    return copy.deepcopy(value)


# Who may see what


def redacted(table: Table, thing: Thing, seat: str | None, *, all_seen: bool) -> Thing:
    """An object as the reader at ``seat`` may see it: of what lies face down, or in another's hand, only where it is.

    ``all_seen`` is the capability to read hidden information.
    """
    if all_seen:
        return copy.deepcopy(thing)
    in_hand = [zone for zone in table.zones_around(thing) if zone.kind == "hand"]
    hidden = thing.get("faceDown") is True or any(zone.seat != seat for zone in in_hand)
    if in_hand and any(zone.seat == seat for zone in in_hand):
        # Cards in one's own hand lie with their backs to the others.
        hidden = False
    if hidden:
        shown = {key: copy.deepcopy(value) for key, value in thing.items() if key not in {"label", "tags", "metadata"}}
        return {**shown, "label": "", "tags": [], "metadata": {}, "hidden": True}
    shown = copy.deepcopy(thing)
    metadata = shown.get("metadata")
    if isinstance(metadata, dict):
        metadata.pop("contents", None)
        if isinstance(metadata.get("cards"), list):
            metadata["cards"] = [
                card if card.get("faceDown") is False else redacted_card(card)
                for card in metadata["cards"]
                if isinstance(card, dict)
            ]
    return shown


def redacted_card(card: Mapping[str, Any]) -> dict[str, Any]:
    """What may be seen of one among others that can't be seen: that it is there, and where."""
    return {key: card[key] for key in ("index", "kind") if key in card} | {"faceDown": True, "hidden": True}


def all_redacted(table: Table, seat: str | None, *, all_seen: bool) -> Iterator[Thing]:
    for thing in table.objects:
        yield redacted(table, thing, seat, all_seen=all_seen)
