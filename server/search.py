"""Search by words, tolerant of typos: which terms a mod is found by, and how well a query meets them.

Trigrams find the terms that resemble a word and plain numbers rank them, so SQLite and PostgreSQL answer alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Subquery, case, delete, func, insert, select

from server.database import mods, search_grams, search_terms

_WORD = re.compile(r"\w+")
_LONGEST_TERM = 40
_MOST_TERMS = 200
_MOST_WORDS = 8
_MOST_ALIKE = 400
_NAME, _PLACE, _SHELF, _PROSE = 8, 4, 3, 1
_EXACT, _START, _WITHIN, _TYPO = 10, 6, 4, 3


def words(text: str) -> list[str]:
    """The words of a text without case and accents, each once, in their order."""
    plain = "".join(part for part in unicodedata.normalize("NFKD", text) if not unicodedata.combining(part))
    return list(dict.fromkeys(word[:_LONGEST_TERM] for word in _WORD.findall(plain.casefold())))


def index_mod(connection: Connection, mod_id: str, values: Mapping[str, Any]) -> None:
    """Make a mod found by what its record says now."""
    wanted = _terms(values)
    stored = select(search_terms.c.term, search_terms.c.weight).where(search_terms.c.mod_id == mod_id)
    known = {row.term: row.weight for row in connection.execute(stored)}
    if wanted == known:
        return
    connection.execute(delete(search_terms).where(search_terms.c.mod_id == mod_id))
    rows = [{"mod_id": mod_id, "term": term, "weight": weight} for term, weight in wanted.items()]
    if rows:
        connection.execute(insert(search_terms), rows)
    _add_grams(connection, wanted.keys() - known.keys())
    _drop_grams(connection, known.keys() - wanted.keys())


def index_missing(engine: Engine) -> None:
    """Index the mods that were registered before there was a search."""
    missing = ~select(search_terms.c.mod_id).where(search_terms.c.mod_id == mods.c.id).exists()
    with engine.connect() as connection:
        ids = list(connection.execute(select(mods.c.id).where(missing)).scalars())
    for mod_id in ids:
        with engine.execution_options(writes=True).begin() as connection:
            row = connection.execute(select(mods).where(mods.c.id == mod_id).with_for_update()).one()
            index_mod(connection, mod_id, row._asdict())


def matches(connection: Connection, text: str) -> list[Subquery] | None:
    """For each word of a query a table (mod_id, score) of the mods it meets; None when a word meets none at all."""
    found = []
    for word in words(text)[:_MOST_WORDS]:
        qualities = {term: quality for term in _alike(connection, word) if (quality := _quality(word, term))}
        if not qualities:
            return None
        score: ColumnElement[int] = case(qualities, value=search_terms.c.term, else_=0) * search_terms.c.weight
        found.append(
            select(search_terms.c.mod_id, func.max(score).label("score"))
            .where(search_terms.c.term.in_(qualities))
            .group_by(search_terms.c.mod_id)
            .subquery()
        )
    return found or None


def _terms(values: Mapping[str, Any]) -> dict[str, int]:
    fields: tuple[tuple[int, Iterable[str | None]], ...] = (
        (_NAME, (values["name"],)),
        (_PLACE, (values["owner"], values["repo"], values["manifest_id"])),
        (_SHELF, (values["category"], *values["tags"])),
        (_PROSE, (values["summary"],)),
    )
    terms: dict[str, int] = {}
    for weight, texts in fields:
        for text in texts:
            for word in words(text or ""):
                if len(terms) < _MOST_TERMS:
                    terms.setdefault(word, weight)
    return terms


def _grams(term: str) -> set[str]:
    padded = f"  {term} "
    return {padded[start : start + 3] for start in range(len(padded) - 2)}


def _add_grams(connection: Connection, terms: Iterable[str]) -> None:
    # In one order everywhere, so that two registrations at one moment wait for each other and never in a ring.
    wanted = sorted(terms)
    known = set(
        connection.execute(select(search_grams.c.term).where(search_grams.c.term.in_(wanted)).distinct()).scalars()
    )
    rows = [{"gram": gram, "term": term} for term in wanted if term not in known for gram in sorted(_grams(term))]
    if rows:
        connection.execute(insert(search_grams), rows)


def _drop_grams(connection: Connection, terms: Iterable[str]) -> None:
    used = select(search_terms.c.term).where(search_terms.c.term == search_grams.c.term)
    connection.execute(delete(search_grams).where(search_grams.c.term.in_(sorted(terms)), ~used.exists()))


def _alike(connection: Connection, word: str) -> list[str]:
    shared = func.count().label("shared")
    question = (
        select(search_grams.c.term)
        .where(search_grams.c.gram.in_(_grams(word)))
        .group_by(search_grams.c.term)
        .order_by(shared.desc(), func.abs(func.length(search_grams.c.term) - len(word)), search_grams.c.term)
        .limit(_MOST_ALIKE)
    )
    return list(connection.execute(question).scalars())


def _quality(word: str, term: str) -> int:
    if word == term:
        return _EXACT
    if word.isdecimal():
        return 0
    if term.startswith(word):
        return _START
    if len(word) >= 3 and word in term:
        return _WITHIN
    return _TYPO if _distance(word, term) <= _typos_forgiven(word) else 0


def _typos_forgiven(word: str) -> int:
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2


def _distance(first: str, second: str) -> int:
    """Typos between two words: a letter more, less, other, or two swapped (optimal string alignment distance)."""
    if abs(len(first) - len(second)) > 2:
        return 3
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        after = [i]
        for j, other in enumerate(second, 1):
            best = min(row[j] + 1, after[j - 1] + 1, row[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                best = min(best, before[j - 2] + 1)
            after.append(best)
        before, row = row, after
    return row[-1]
