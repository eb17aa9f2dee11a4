"""Decks of ``setup.json`` as single cards: which part of which sheet each one is, and how many of it there are.

The shapes are those of FORMATS, ``setup.json``: ``metadata.customDeck`` has sheets of faces, and a card's ``faceIndex``
runs through them in order; ``metadata.cards`` is the pile, copies told apart by ``#2``, ``#3``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from client.asset_path import AssetPath, reference_kind

MOST_CARDS = 5000
"""Kinds of cards read of one deck."""
MOST_CELLS = 1000
"""Columns, or rows, of one sheet."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A picture of ``columns`` by ``rows`` cells, of which the first ``cards`` are cards, row by row.

    ``path`` is None where the picture is the platform's, or its path can't name a file. ``shape`` is a card's width
    divided by its height, None where the author does not say.
    """

    path: AssetPath | None
    columns: int
    rows: int
    cards: int
    shape: float | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One part of a sheet, counted from the top left."""

    sheet: Sheet
    column: int
    row: int


@dataclass(frozen=True, slots=True)
class Card:
    """A kind of card. ``face`` and ``back`` are None where no sheet has them; ``copies`` may be 0."""

    label: str
    copies: int
    face: Cell | None
    back: Cell | None


@dataclass(frozen=True, slots=True)
class Deck:
    """One deck: its sheets of faces and of backs, and its cards in the author's order."""

    label: str
    sheets: tuple[Sheet, ...]
    backs: tuple[Sheet, ...]
    cards: tuple[Card, ...]

    @property
    def copies(self) -> int:
        """Cards in the pile."""
        return sum(card.copies for card in self.cards)

    @property
    def paths(self) -> frozenset[AssetPath]:
        """The pictures of its faces."""
        return frozenset(sheet.path for sheet in self.sheets if sheet.path is not None)


def read_decks(objects: Iterable[dict[str, Any]]) -> tuple[Deck, ...]:
    """The decks among a setup's objects. What makes no sense is passed over: the table opens without it."""
    return tuple(deck for thing in objects if (deck := _deck(thing)) is not None)


def _deck(thing: dict[str, Any]) -> Deck | None:
    metadata = _object(thing.get("metadata"))
    custom = _object(metadata.get("customDeck"))
    sheets = tuple(_sheets([custom.get("face"), *_list(custom.get("extraFaceSheets"))]))
    if not sheets:
        return None
    # One back for all is a picture of one cell; where each card has its own, the backs lie as the faces do.
    backs = tuple(_sheets([custom.get("back")]))
    pile = Counter(_base(each.get("cardId")) for each in map(_object, _list(metadata.get("cards"))))
    entries = [_object(entry) for entry in _list(custom.get("cards"))[:MOST_CARDS]]
    if not entries:
        entries = [{"faceIndex": index} for index in range(min(MOST_CARDS, sum(sheet.cards for sheet in sheets)))]
    cards = tuple(_card(number, entry, sheets, backs, pile) for number, entry in enumerate(entries))
    return Deck(_text(thing.get("label")), sheets, backs, cards)


def _card(
    number: int, entry: dict[str, Any], sheets: tuple[Sheet, ...], backs: tuple[Sheet, ...], pile: Counter[str]
) -> Card:
    index = _whole(entry.get("faceIndex"), 0)
    face = _cell(sheets, number if index is None else index)
    alike = bool(backs) and backs[0].cards == 1
    back = _cell(backs, 0 if alike else number if index is None else index)
    identity = _base(entry.get("cardId"))
    copies = _whole(entry.get("count"), 0)
    if pile and identity:
        copies = pile[identity]
    return Card(_text(entry.get("label")), 1 if copies is None else copies, face, back)


def _cell(sheets: tuple[Sheet, ...], index: int) -> Cell | None:
    for sheet in sheets:
        if index < sheet.cards:
            return Cell(sheet, index % sheet.columns, index // sheet.columns)
        index -= sheet.cards
    return None


def _sheets(values: Iterable[Any]) -> Iterator[Sheet]:
    for values_of_one in map(_object, values):
        path = values_of_one.get("texturePath")
        if not isinstance(path, str) or not path:
            continue
        columns = min(_whole(values_of_one.get("columns"), 1) or 1, MOST_CELLS)
        rows = min(_whole(values_of_one.get("rows"), 1) or 1, MOST_CELLS)
        cards = _whole(values_of_one.get("cardCount"), 1) or columns * rows
        width, height = _whole(values_of_one.get("cardWidthPx"), 1), _whole(values_of_one.get("cardHeightPx"), 1)
        yield Sheet(
            AssetPath(path) if reference_kind(path) == "repository" else None,
            columns,
            rows,
            min(cards, columns * rows),
            width / height if width and height else None,
        )


def _base(identity: Any) -> str:
    """A card's id without the number that tells its copies apart."""
    name, mark, copy = identity.rpartition("#") if isinstance(identity, str) else ("", "", "")
    return name if mark and copy.isdecimal() else identity if isinstance(identity, str) else ""


def _whole(value: Any, least: int) -> int | None:
    """A whole number of at least ``least`` and of a size a deck may have, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if least <= value <= 1_000_000 and value == int(value) else None


def _text(value: Any) -> str:
    return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
