"""On which line of a JSON file a place such as ``assets[3].path`` stands: what a parsed value no longer knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from client.issue import Issue
from client.json_document import read_json

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
_LAST_STEP = re.compile(r"(?:\.[^.\[\]]*|\[\d+\])$")


def with_lines(issues: Sequence[Issue], data: bytes, file: str) -> tuple[Issue, ...]:
    """The issues, those at a key of ``file`` with the line where that key stands; where it is absent, its parent's."""
    places = {issue.key for issue in issues if issue.file == file and issue.key is not None}
    if not places:
        return tuple(issues)
    lines = lines_of(data.decode("utf-8-sig", "replace"), places)
    return tuple(
        replace(issue, line=lines[issue.key]) if issue.file == file and issue.key in lines else issue
        for issue in issues
    )


def lines_of(text: str, places: Iterable[str]) -> dict[str, int]:
    """The line, from 1, of each of these places, or of the nearest parent that is there. Well-formed JSON only."""
    chains = {place: _with_parents(place) for place in places}
    wanted = {step for chain in chains.values() for step in chain}
    found: dict[str, int] = {}
    # Of each list or object that is open: its place, and the next element's number or None for an object.
    open_places: list[tuple[str, int | None]] = []
    here, is_key = "", False
    line, counted_to = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", counted_to, token.start())
        counted_to = token.start()
        first = token[0][0]
        if first in "]}":
            if open_places:
                open_places.pop()
            is_key = False
        elif first == ",":
            is_key = bool(open_places) and open_places[-1][1] is None
        elif first == ":":
            is_key = False
        elif is_key:
            parent = open_places[-1][0]
            name = str(read_json(token[0]))
            here = f"{parent}.{name}" if parent else name
            if here in wanted:
                found[here] = line
        else:
            parent, number = open_places[-1] if open_places else ("", None)
            if number is not None:
                open_places[-1] = parent, number + 1
                here = f"{parent}[{number}]"
                if here in wanted:
                    found[here] = line
            if first in "[{":
                open_places.append((here, 0 if first == "[" else None))
                is_key = first == "{"
    return {
        place: found[at]
        for place, chain in chains.items()
        if (at := next((one for one in chain if one in found), None))
    }


def _with_parents(place: str) -> list[str]:
    chain = [place]
    while match := _LAST_STEP.search(chain[-1]):
        chain.append(chain[-1][: match.start()])
    return chain
