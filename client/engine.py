"""This engine's version, and whether a mod's range takes it in."""

from __future__ import annotations

import re

ENGINE = (0, 9, 0)

_COMPARATOR = re.compile(r"(>=|<=|>|<|=|\^|~)?\s*v?(\d{1,6})(?:\.(\d{1,6}|x|\*))?(?:\.(\d{1,6}|x|\*))?")


def accepts_engine(range_text: str, engine: tuple[int, int, int] = ENGINE) -> bool | None:
    """Whether a range like ``>=0.1 <1.0`` (all comparators must hold; ``||`` between alternatives) takes ``engine``.

    None when the range can't be read.
    """
    verdicts = [_accepts_all(alternative.strip(), engine) for alternative in range_text.split("||")]
    if None in verdicts:
        return None
    return any(verdicts)


def _accepts_all(text: str, engine: tuple[int, int, int]) -> bool | None:
    if text in {"", "*", "x"}:
        return True
    position, accepted = 0, True
    while position < len(text):
        match = _COMPARATOR.match(text, position)
        if match is None:
            return None
        accepted = accepted and _holds(match, engine)
        position = match.end()
        while position < len(text) and text[position] in " ,":
            position += 1
    return accepted


def _holds(match: re.Match[str], engine: tuple[int, int, int]) -> bool:
    operator = match[1] or "="
    parts = [int(part) for part in match.groups()[1:] if part is not None and part not in "x*"]
    low = tuple(parts + [0] * (3 - len(parts)))
    match operator:
        case ">=":
            return engine >= low
        case ">":
            return engine[: len(parts)] > tuple(parts)
        case "<":
            return engine < low
        case "<=":
            return engine[: len(parts)] <= tuple(parts)
        case "=":
            return engine[: len(parts)] == tuple(parts)
        case "~":
            return engine >= low and engine[: min(2, len(parts))] == tuple(parts[:2])
    leading = next((index for index, part in enumerate(parts) if part), len(parts) - 1)
    return engine >= low and engine[: leading + 1] == tuple(parts[: leading + 1])
