"""JSON files as authors write them, read without trusting them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from client.issue import Issue

DEEPEST = 100
"""Levels of lists and objects in each other; what authors write has ten, and Python in a browser dies of thousands."""

_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKET = re.compile(r"[^\[\]{}]+")
_INNERMOST = re.compile(r"\[\]|\{\}")


class DocumentUnreadable(Exception):
    """The bytes are not the JSON object they should be. The message names file and place; ``line`` counts from 1."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


def read_object(data: bytes, file: str, *, longest: int) -> dict[str, Any]:
    """Parse a JSON object of at most ``longest`` bytes.

    :raises DocumentUnreadable: too long, not UTF-8, not JSON (NaN and Infinity are not), nested too deep, not an object
    """
    if len(data) > longest:
        raise DocumentUnreadable(f"{file} is {len(data)} bytes long; at most {longest} are read.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentUnreadable(f"{file} is not UTF-8: byte {error.start} is not part of a character.") from None
    if _is_too_deep(text):
        raise DocumentUnreadable(f"{file} is nested too deep to be read: more than {DEEPEST} levels.")
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DocumentUnreadable(f"{file} is not JSON: {error.msg.lower()} at {where}.", error.lineno) from None
    except ValueError as error:
        raise DocumentUnreadable(f"{file} is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise DocumentUnreadable(f"{file} holds {_kind(value)}, not an object.")
    return value


def read_json(text: str | bytes) -> Any:
    """Any JSON value from outside, such as a registry's answer.

    :raises ValueError: it is not JSON, not UTF-8, or nested too deep
    """
    text = text if isinstance(text, str) else text.decode()
    if _is_too_deep(text):
        raise ValueError(f"nested too deep to be read: more than {DEEPEST} levels")
    return json.loads(text)


def _is_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    brackets = _NO_BRACKET.sub("", _TEXT.sub("", text))
    for _ in range(DEEPEST):
        outer = _INNERMOST.sub("", brackets)
        if outer == brackets:
            # Not paired, so no JSON; the parser may find out where, unless it would go deep on the way.
            return len(brackets) > DEEPEST
        brackets = outer
    return bool(brackets)


def _is_whole(value: float) -> bool:
    return abs(value) <= 2**53 and value == int(value)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


def _kind(value: object) -> str:
    if value is None:
        return "null"
    for types, name in ((bool, "true or false"), (str, "a text"), ((int, float), "a number"), (list, "a list")):
        if isinstance(value, types):
            return name
    return "an object"


class LenientObject:
    """One JSON object read key by key. A value of the wrong type counts as absent and becomes an :class:`Issue`;
    unknown keys are left alone."""

    def __init__(self, values: Mapping[str, Any], file: str, place: str, issues: list[Issue]) -> None:
        self._values = values
        self._file = file
        self._place = place
        self._issues = issues

    @property
    def values(self) -> dict[str, Any]:
        """The object itself, as parsed."""
        return dict(self._values)

    def __contains__(self, key: str) -> bool:
        return self._values.get(key) is not None

    def place(self, key: str) -> str:
        """The key as an author would look for it, like ``players.min``."""
        return f"{self._place}.{key}" if self._place else key

    def complain(self, code: str, key: str, message: str) -> None:
        """Record an issue at ``key`` of this object."""
        place = self.place(key)
        self._issues.append(Issue(code, self._file, place, f"{self._file}: {place} {message}"))

    def wrong(self, key: str, wanted: str, value: object) -> None:
        """Record that ``key`` holds something else than ``wanted``."""
        self.complain("wrong-type", key, f"should be {wanted}, not {_kind(value)}.")

    def raw(self, key: str) -> Any:
        return self._values.get(key)

    def text(self, key: str) -> str | None:
        """A text without what storage and databases can't hold (NUL, lone surrogates)."""
        value = self._values.get(key)
        if value is None:
            return None
        if not isinstance(value, str):
            self.wrong(key, "a text", value)
            return None
        return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")

    def integer(self, key: str) -> int | None:
        value = self._values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not _is_whole(value):
            self.wrong(key, "a whole number", value)
            return None
        return int(value)

    def number(self, key: str) -> float | None:
        value = self._values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.wrong(key, "a number", value)
            return None
        if abs(value) > 1e300:
            self.wrong(key, "a number of ordinary size", value)
            return None
        return float(value)

    def child(self, key: str) -> LenientObject:
        """The object at ``key``; an empty one when absent or something else."""
        value = self._values.get(key)
        if value is not None and not isinstance(value, dict):
            self.wrong(key, "an object", value)
            value = None
        return LenientObject(value or {}, self._file, self.place(key), self._issues)

    def items(self, key: str) -> Iterator[tuple[str, Any]]:
        """Each element of the list at ``key`` with its place, like ``assets[3]``; none when it is no list."""
        value = self._values.get(key)
        if value is None:
            return
        if not isinstance(value, list):
            self.wrong(key, "a list", value)
            return
        for number, element in enumerate(value):
            yield f"{key}[{number}]", element

    def children(self, key: str) -> Iterator[LenientObject]:
        """The objects of the list at ``key``; what is no object is an issue."""
        for place, element in self.items(key):
            if isinstance(element, dict):
                yield LenientObject(element, self._file, self.place(place), self._issues)
            else:
                self.wrong(place, "an object", element)

    def texts(self, key: str) -> tuple[str, ...]:
        found = []
        for place, element in self.items(key):
            if isinstance(element, str):
                found.append(element)
            else:
                self.wrong(place, "a text", element)
        return tuple(found)
