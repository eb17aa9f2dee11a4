"""A script's text as a browser would read it, and the places in it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import NamedTuple

LONGEST_SCRIPT = 1024 * 1024
"""Bytes; a parser in Python takes a dozen seconds for the longest (SECURITY.md, section 2)."""

_LINE_END = re.compile("\r\n|[\n\r\u2028\u2029]")
_WIDE = re.compile("[\U00010000-\U0010ffff]")


class Place(NamedTuple):
    """``line`` and ``column`` count from 1; columns are UTF-16 units."""

    line: int
    column: int


START = Place(1, 1)


class ScriptUnreadable(Exception):
    """Not a script a browser would run; ``place`` is the first point at which that shows."""

    def __init__(self, message: str, place: Place = START) -> None:
        super().__init__(message)
        self.message = message
        self.place = place


class ScriptSource:
    """``text`` is without the byte order mark that some editors put in front."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = [0, *(end.end() for end in _LINE_END.finditer(text))]
        # Characters that are two UTF-16 units.
        self._wide = [wide.start() for wide in _WIDE.finditer(text)]

    def place(self, index: int) -> Place:
        """Where the character ``text[index]`` stands."""
        line = self.line(index)
        start = self._lines[line - 1]
        wide = bisect_left(self._wide, index) - bisect_left(self._wide, start)
        return Place(line, index - start + wide + 1)

    def text_of(self, line: int) -> str:
        """A line by its number, without its end."""
        start, after = self._lines[line - 1], self._lines[line : line + 1]
        return _LINE_END.sub("", self.text[start : after[0]] if after else self.text[start:])

    def line(self, index: int) -> int:
        return bisect_right(self._lines, index)


def read_source(data: bytes) -> ScriptSource:
    """A script file's bytes as text.

    :raises ScriptUnreadable: too long, not UTF-8, or with a NUL in it
    """
    if len(data) > LONGEST_SCRIPT:
        raise ScriptUnreadable(f"is {len(data)} bytes long; at most {LONGEST_SCRIPT} are taken")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = ScriptSource(_unmarked(data[: error.start].decode()))
        raise ScriptUnreadable("is not UTF-8 from here on", before.place(len(before.text))) from None
    source = ScriptSource(_unmarked(text))
    nul = source.text.find("\0")
    if nul >= 0:
        raise ScriptUnreadable("has a NUL character here", source.place(nul))
    return source


def _unmarked(text: str) -> str:
    return text.removeprefix("\ufeff")
