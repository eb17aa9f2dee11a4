"""What is in the box: every file of the table by kind, in portions, because a mod may have ten thousand; and the game's
decks, card by card."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

from client.asset_path import AssetPath
from client.deck import Cell, Deck, Sheet
from client.media_type import AssetGroup, asset_group, media_type
from client.open_mod import OpenMod
from client.opening import Opening
from client.pull import FileState

PORTION = 60
"""Files of a kind that are told and drawn together: whole rows of three, four, five and six."""


def contents(opening: Opening, search: str = "", told: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The files whose path contains ``search``, whatever its case, the game's first and then each pack's; and the decks
    whose name does.

    :param told: how many portions of a kind to tell, where one is not enough
    :returns: the ``Box`` of ``web/messages.js``
    """
    wanted = search.strip().lower()
    found: dict[AssetGroup, list[tuple[OpenMod, AssetPath, FileState]]] = {group: [] for group in get_args(AssetGroup)}
    all_of = dict.fromkeys(found, 0)
    total = 0
    decks = opening.game.setup.card_decks
    sheets = {path: index for index, deck in reversed([*enumerate(decks)]) for path in deck.paths}
    for mod in opening.mods:
        for path, state in mod.files.items():
            group = asset_group(path)
            all_of[group] += 1
            total += _bytes(state) or 0
            if not wanted or wanted in path.lower():
                found[group].append((mod, path, state))
    return {
        "files": sum(all_of.values()),
        "bytes": total,
        "decks": [_deck_line(opening, index, deck) for index, deck in enumerate(decks) if wanted in deck.label.lower()],
        "groups": [
            {
                "group": group,
                "matching": len(files),
                "portions": [
                    json.dumps([_line(opening, sheets, *one) for one in files[start : start + PORTION]])
                    for start in range(0, min(len(files), (told or {}).get(group, 1) * PORTION), PORTION)
                ],
            }
            for group, files in found.items()
            if all_of[group]
        ],
    }


def _line(
    opening: Opening, sheets: Mapping[AssetPath, int], mod: OpenMod, path: AssetPath, state: FileState
) -> dict[str, Any]:
    pack = mod is not opening.game
    name = str(mod.publish.repository)
    return {
        "path": path,
        "mod": name if pack else None,
        "from": ((mod.manifest.name if mod.manifest is not None else "") or name) if pack else None,
        "group": asset_group(path),
        "mime": media_type(path),
        "bytes": _bytes(state),
        "status": state.status,
        "reason": state.reason,
        "deck": None if pack else sheets.get(path),
    }


def _bytes(state: FileState) -> int | None:
    return state.size if state.status in {"failed", "pending"} else state.length


def deck(opening: Opening, index: int) -> dict[str, Any] | None:
    """One deck's cards; None when there are not so many decks. Sheets are listed once, and cards name them by place.

    :returns: the ``Deck`` of ``web/messages.js``
    """
    decks = opening.game.setup.card_decks
    if not 0 <= index < len(decks):
        return None
    one = decks[index]
    sheets = list(dict.fromkeys([*one.sheets, *one.backs]))
    places = {sheet: place for place, sheet in enumerate(sheets)}

    def cell(part: Cell | None) -> list[int] | None:
        return None if part is None else [places[part.sheet], part.column, part.row]

    return {
        "label": one.label,
        "copies": one.copies,
        "sheets": [_sheet(opening, sheet) for sheet in sheets],
        "cards": [
            {"label": card.label, "copies": card.copies, "face": cell(card.face), "back": cell(card.back)}
            for card in one.cards
        ],
    }


def _deck_line(opening: Opening, index: int, one: Deck) -> dict[str, Any]:
    """What to show of a deck that is still closed: its back, or else its first face."""
    shown = next((part for card in one.cards for part in (card.back, card.face) if part is not None), None)
    picture = None if shown is None else {**_sheet(opening, shown.sheet), "column": shown.column, "row": shown.row}
    return {"index": index, "label": one.label, "kinds": len(one.cards), "copies": one.copies, "picture": picture}


def _sheet(opening: Opening, sheet: Sheet) -> dict[str, Any]:
    state = None if sheet.path is None else opening.game.files.get(sheet.path)
    return {
        "path": sheet.path,
        "status": None if state is None else state.status,
        "columns": sheet.columns,
        "rows": sheet.rows,
        "shape": sheet.shape,
    }
