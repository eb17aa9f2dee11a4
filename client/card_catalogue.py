"""The cards a game's scripts can look up: ``data/cardSchema.json`` and the catalogue it names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from client.asset_path import AssetPath, path_fault
from client.json_document import DocumentUnreadable, read_object

SCHEMA_PATH = AssetPath("data/cardSchema.json")
LONGEST_CATALOGUE = 32 * 1024 * 1024
MOST_ASKED = 500


@dataclass(frozen=True)
class CardCatalogue:
    """Cards by key, and by title in any case. Where two share a title the first has it."""

    by_key: dict[str, dict[str, Any]] = field(default_factory=dict)
    by_title: dict[str, dict[str, Any]] = field(default_factory=dict)

    def resolve(self, asked: Sequence[str]) -> list[dict[str, Any]]:
        """``{cardId, data}`` for each key or title that is known, as it was asked; the others are left out."""
        found = []
        for name in asked:
            data = self.by_key.get(name) or self.by_title.get(name.casefold())
            if data is not None:
                found.append({"cardId": name, "data": data})
        return found


async def read_catalogue(read: Callable[[AssetPath], Awaitable[bytes | None]]) -> CardCatalogue:
    """The catalogue of a mod whose files ``read`` answers; an empty one where it has none that can be read."""
    try:
        schema = read_object(await read(SCHEMA_PATH) or b"{}", SCHEMA_PATH, longest=LONGEST_CATALOGUE)
        source = schema.get("source")
        path = source.get("cardsPath") if isinstance(source, dict) and source.get("kind") == "static" else None
        if not isinstance(path, str) or path_fault(path) is not None:
            return CardCatalogue()
        values = read_object(await read(AssetPath(path)) or b"{}", path, longest=LONGEST_CATALOGUE)
    except DocumentUnreadable:
        return CardCatalogue()
    roles = schema.get("roles")
    named = roles if isinstance(roles, dict) else {}
    return _indexed(values.get("cards"), str(named.get("key", "key")), str(named.get("title", "name")))


def _indexed(cards: object, key: str, title: str) -> CardCatalogue:
    found = CardCatalogue()
    for card in cards if isinstance(cards, list) else ():
        data = card.get("data") if isinstance(card, dict) else None
        if not isinstance(data, dict):
            continue
        if isinstance(data.get(key), str):
            found.by_key.setdefault(data[key], data)
        if isinstance(data.get(title), str):
            found.by_title.setdefault(data[title].casefold(), data)
    return found
