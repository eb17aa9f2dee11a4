"""User interface that a script declares and the page draws: data, never HTML.

A script says what there is (a panel with a text and a button); how it looks is the page's. Unknown properties are left
out, so that nothing reaches the page that it does not know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from client.refusal import Refusal
from client.setup import SEATS

TYPES = ("panel", "modal", "screen", "layout", "text", "button", "input", "select")
MOST_ELEMENTS = 200
"""Of one script, at the top."""
MOST_PARTS = 500
"""Elements within one, itself included."""
DEEPEST_ELEMENT = 12
LONGEST_ID = 100
LONGEST_TEXT = 4000
MOST_OPTIONS = 200

_HOLDERS = frozenset({"panel", "modal", "screen", "layout"})
_TEXTS = frozenset({"title", "text", "label", "value", "placeholder", "description", "icon"})
_TRUTHS = frozenset({"disabled", "hidden", "multiline", "primary", "open", "closable", "readOnly"})
_NUMBERS = frozenset({"gap", "padding", "width", "height", "min", "max", "step", "maxLength", "columns", "order"})
_WORDS = {
    "direction": ("row", "column"),
    "align": ("start", "center", "end", "stretch"),
    "justify": ("start", "center", "end", "between"),
    "size": ("small", "medium", "large"),
    "tone": ("neutral", "good", "warning", "bad"),
    "weight": ("normal", "bold"),
    "anchor": (
        "top", "bottom", "left", "right", "center", "top-left", "top-right", "bottom-left", "bottom-right",
    ),
    "inputType": ("text", "number"),
}  # fmt: skip
_COLOURS = frozenset({"color", "background"})
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_HOOK = re.compile(r"on[A-Z][A-Za-z]{0,30}")
_HOOK_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,100}")


@dataclass(frozen=True, slots=True)
class Visibility:
    """Who an element is drawn for: everybody where both are None. ``seats`` by colour, ``peers`` by id."""

    seats: frozenset[str] | None = None
    peers: frozenset[str] | None = None

    def includes(self, seat: str | None, peer: str) -> bool:
        if self.seats is None and self.peers is None:
            return True
        return (self.seats is not None and seat in self.seats) or (self.peers is not None and peer in self.peers)


@dataclass(frozen=True, slots=True)
class UiElement:
    """``props`` holds what the page knows of the type, ``hooks`` an event's name for each ``on…`` property."""

    element_id: str
    type: str
    props: Mapping[str, Any]
    hooks: Mapping[str, str]
    visibility: Visibility
    children: tuple[UiElement, ...]

    def as_plain(self, seat: str | None, peer: str) -> dict[str, Any]:
        """The element as the page of one player draws it, without what others see."""
        return {
            "id": self.element_id,
            "type": self.type,
            "props": dict(self.props),
            "hooks": dict(self.hooks),
            "children": [one.as_plain(seat, peer) for one in self.children if one.visibility.includes(seat, peer)],
        }

    def find(self, element_id: str) -> UiElement | None:
        if self.element_id == element_id:
            return self
        return next((found for one in self.children if (found := one.find(element_id)) is not None), None)


def read_element(value: object) -> UiElement:
    """An element as a script gives it: {id, type, props?, children?, visibility?: {seats?, peers?}}.

    :raises Refusal: wrong-argument, or too-large
    """
    return _Reading().element(value, "element", 1, is_top=True)


class _Reading:
    def __init__(self) -> None:
        self._parts = 0
        self._ids: set[str] = set()

    def element(self, value: object, place: str, depth: int, *, is_top: bool) -> UiElement:
        self._parts += 1
        if self._parts > MOST_PARTS or depth > DEEPEST_ELEMENT:
            message = f"An element has at most {MOST_PARTS} parts, {DEEPEST_ELEMENT} levels deep."
            raise Refusal("too-large", message)
        if not isinstance(value, dict):
            raise Refusal("wrong-argument", f"{place} should be an object.")
        kind = value.get("type")
        if kind not in TYPES:
            raise Refusal("wrong-argument", f"{place}.type should be one of {', '.join(TYPES)}.")
        given = value.get("props", {})
        if not isinstance(given, dict):
            raise Refusal("wrong-argument", f"{place}.props should be an object.")
        props, hooks = _props(given, f"{place}.props")
        below = value.get("children", [])
        if not isinstance(below, list) or (below and kind not in _HOLDERS):
            raise Refusal("wrong-argument", f"{place}.children should be a list, of a {', '.join(sorted(_HOLDERS))}.")
        return UiElement(
            self._id(value.get("id"), place, is_top=is_top),
            kind,
            props,
            hooks,
            _visibility(value.get("visibility"), place),
            tuple(
                self.element(one, f"{place}.children[{number}]", depth + 1, is_top=False)
                for number, one in enumerate(below)
            ),
        )

    def _id(self, given: object, place: str, *, is_top: bool) -> str:
        if given is None and not is_top:
            given = f"part-{self._parts}"
        if not isinstance(given, str) or not 1 <= len(given) <= LONGEST_ID:
            raise Refusal("wrong-argument", f"{place}.id should be a text of 1 to {LONGEST_ID} characters.")
        if given in self._ids:
            raise Refusal("wrong-argument", f"{place}.id stands twice in this element: {given}.")
        self._ids.add(given)
        return given


def _props(given: Mapping[str, Any], place: str) -> tuple[dict[str, Any], dict[str, str]]:
    props: dict[str, Any] = {}
    hooks: dict[str, str] = {}
    for key, value in given.items():
        if value is None:
            continue
        if key in _TEXTS:
            # Numbers are shown as readily as texts; true and false are not.
            shown = value if isinstance(value, str) else _plain_number(value)
            if shown is None or len(shown) > LONGEST_TEXT:
                raise Refusal("wrong-argument", f"{place}.{key} should be a text of at most {LONGEST_TEXT} characters.")
            props[key] = shown
        elif key in _TRUTHS:
            if not isinstance(value, bool):
                raise Refusal("wrong-argument", f"{place}.{key} should be true or false.")
            props[key] = value
        elif key in _NUMBERS:
            if _plain_number(value) is None or abs(value) > 10_000:
                raise Refusal("wrong-argument", f"{place}.{key} should be a number of ordinary size.")
            props[key] = value
        elif key in _WORDS:
            if value not in _WORDS[key]:
                raise Refusal("wrong-argument", f"{place}.{key} should be one of {', '.join(_WORDS[key])}.")
            props[key] = value
        elif key in _COLOURS:
            if not isinstance(value, str) or not _COLOUR.fullmatch(value):
                raise Refusal("wrong-argument", f"{place}.{key} should be # and six hex digits.")
            props[key] = value
        elif key == "options":
            props[key] = _options(value, f"{place}.options")
        elif _HOOK.fullmatch(key):
            if not isinstance(value, str) or not _HOOK_NAME.fullmatch(value):
                raise Refusal("wrong-argument", f"{place}.{key} should be the name of an event.")
            hooks[key] = value
    return props, hooks


def _plain_number(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return f"{value:.15g}"


def _options(value: object, place: str) -> list[dict[str, str]]:
    if not isinstance(value, list) or len(value) > MOST_OPTIONS:
        raise Refusal("wrong-argument", f"{place} should be a list of at most {MOST_OPTIONS} options.")
    found = []
    for number, one in enumerate(value):
        entry = one if isinstance(one, dict) else {"value": one}
        given = entry.get("value")
        label = entry.get("label", given)
        if not isinstance(given, str) or not isinstance(label, str) or len(given) + len(label) > LONGEST_TEXT:
            raise Refusal("wrong-argument", f"{place}[{number}] should be a text, or have a value and a label.")
        found.append({"value": given, "label": label})
    return found


def _visibility(value: object, place: str) -> Visibility:
    if value is None:
        return Visibility()
    if not isinstance(value, dict):
        raise Refusal("wrong-argument", f"{place}.visibility should be an object.")
    seats, peers = (_names(value.get(key), f"{place}.visibility.{key}") for key in ("seats", "peers"))
    if seats is not None and not seats <= set(SEATS):
        raise Refusal("wrong-argument", f"{place}.visibility.seats should name seats: {', '.join(SEATS)}.")
    return Visibility(seats, peers)


def _names(value: object, place: str) -> frozenset[str] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > 100 or not all(isinstance(one, str) for one in value):
        raise Refusal("wrong-argument", f"{place} should be a list of at most 100 texts.")
    return frozenset(value)
