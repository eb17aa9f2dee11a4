"""The recorded mods: finding them, listing them, and their versions. Reads only."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Engine, Row, and_, bindparam, func, literal, or_, select

from server.account import Account
from server.database import blocks, mods, utc, versions
from server.search import matches

Shelf = Literal["games", "packs", "rooms", "tables"]
Order = Literal["best", "newest", "name", "rating", "smallest"]
_KINDS: dict[Shelf, tuple[str, ...]] = {
    "games": ("game",),
    "packs": ("room", "table"),
    "rooms": ("room",),
    "tables": ("table",),
}

ModRow = Row[Any]


class BadCursorError(Exception):
    """A cursor that this registry did not give out."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows, and the cursor that goes on behind them; None at the end."""

    rows: list[ModRow]
    next: str | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a listing is narrowed to, and its order. ``repository`` is a lower-case ``owner/name``; ``players`` is how
    many want to play. ``best`` is the best match where words are searched for, else the last published."""

    shelf: Shelf | None = None
    text: str = ""
    repository: str | None = None
    manifest_id: str | None = None
    players: int | None = None
    order: Order = "best"


@dataclass(frozen=True, slots=True)
class FileIndex:
    """A version's files as ready bytes, compressed with zlib's gzip framing."""

    version: str
    gzipped: bytes

    def plain(self) -> bytes:
        return zlib.decompress(self.gzipped, wbits=zlib.MAX_WBITS | 16)


class Catalogue:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def mod(self, mod_id: str) -> ModRow | None:
        """The mod with this id, unless it was deleted; private ones answer to whoever knows the id.

        Beside the record's columns, ``block`` is why nobody may load it, None while anybody may.
        """
        with self._engine.connect() as connection:
            return connection.execute(_ONE_MOD, {"wanted": mod_id}).one_or_none()

    def block_of(self, repo_key: str) -> str | None:
        """Why nobody may load what is, or was, registered from a repository; None when they may."""
        with self._engine.connect() as connection:
            question = select(blocks.c.reason).join(mods, _blocks_of_mod()).where(mods.c.repo_key == repo_key)
            found: str | None = connection.scalar(question.limit(1))
            return found

    def by_slug(self, slug: str) -> ModRow | None:
        """The mod whose page has this slug, unless it was deleted or blocked."""
        with self._engine.connect() as connection:
            unblocked = ~select(blocks.c.number).where(_blocks_of_mod()).exists()
            this = (mods.c.slug == slug, mods.c.deleted.is_(False), unblocked)
            return connection.execute(select(mods).where(*this)).one_or_none()

    def listing(self, wanted: Wanted, viewer: Account | None, limit: int, cursor: str | None) -> Page:
        """Mods the viewer may see listed, in the order wanted, and among equals the last published first.

        :raises BadCursorError: the cursor is not one of ours
        """
        conditions = [*listed_for(viewer), *_narrowed(wanted)]
        with self._engine.connect() as connection:
            found = matches(connection, wanted.text) if wanted.text.strip() else []
            if found is None:
                return Page([], None)
            match: ColumnElement[int] = literal(0)
            question = select(mods)
            for one in found:
                match = match + one.c.score
                question = question.join(one, one.c.mod_id == mods.c.id)
            rank = _rank(wanted.order, match)
            if cursor is not None:
                kind, value, moment, last = read_keyset(cursor, str, None, str, str)
                if kind != wanted.order or isinstance(value, str) is not (wanted.order == "name"):
                    raise BadCursorError(cursor)
                at = read_moment(moment, cursor)
                behind = or_(mods.c.updated_at < at, and_(mods.c.updated_at == at, mods.c.id < last))
                further = rank > value if wanted.order in _ASCENDING else rank < value
                conditions.append(or_(further, and_(rank == value, behind)))
            question = question.add_columns(rank.label("rank")).where(*conditions)
            first = rank.asc() if wanted.order in _ASCENDING else rank.desc()
            ordered = question.order_by(first, mods.c.updated_at.desc(), mods.c.id.desc())
            rows = list(connection.execute(ordered.limit(limit + 1)))
        if len(rows) <= limit:
            return Page(rows, None)
        last_row = rows[limit - 1]
        place = keyset(wanted.order, last_row.rank, utc(last_row.updated_at).isoformat(), last_row.id)
        return Page(rows[:limit], place)

    def spotlight(self, limit: int) -> list[ModRow]:
        """The games to show first: whole, with a picture, best rated and newest."""
        conditions = [*listed_for(None), mods.c.kind == "game", mods.c.compatible.is_(True), mods.c.cover.is_not(None)]
        question = select(mods).where(*conditions).order_by(_STARS.desc(), mods.c.updated_at.desc(), mods.c.id.desc())
        with self._engine.connect() as connection:
            return list(connection.execute(question.limit(limit)))

    def pages(self) -> list[tuple[str, datetime]]:
        """Slug and last publish of every mod with a public page, newest first; at most what one sitemap may hold."""
        question = select(mods.c.slug, mods.c.updated_at).where(*listed_for(None))
        ordered = question.order_by(mods.c.updated_at.desc(), mods.c.id.desc()).limit(_MOST_IN_A_SITEMAP)
        with self._engine.connect() as connection:
            return [(row.slug, utc(row.updated_at)) for row in connection.execute(ordered)]

    def versions(
        self, mod_id: str, limit: int, cursor: str | None
    ) -> tuple[Sequence[Row[*tuple[Any, ...]]], str | None]:
        """Published versions, newest first.

        :raises BadCursorError: the cursor is not one of ours
        """
        unblocked = ~select(blocks.c.number).where(_blocked_version(versions.c.version)).exists()
        conditions = [versions.c.mod_id == mod_id, versions.c.published.is_(True), unblocked]
        if cursor is not None:
            if not cursor.isascii() or not cursor.isdecimal() or len(cursor) > 15:
                raise BadCursorError(cursor)
            conditions.append(versions.c.number < int(cursor))
        columns = (versions.c.number, versions.c.version, versions.c.commit_sha, versions.c.release, versions.c.at)
        question = select(*columns).where(*conditions).order_by(versions.c.number.desc())
        with self._engine.connect() as connection:
            rows = list(connection.execute(question.limit(limit + 1)))
        more = len(rows) > limit
        return rows[:limit], str(rows[limit - 1].number) if more else None

    def file_index(self, mod_id: str, version: str) -> FileIndex | None:
        """The files of a version that is recorded."""
        question = select(versions.c.file_index).where(versions.c.mod_id == mod_id, versions.c.version == version)
        with self._engine.connect() as connection:
            gzipped = connection.execute(question).scalar_one_or_none()
        return None if gzipped is None else FileIndex(version, gzipped)


_STARS: ColumnElement[int] = (mods.c.rating_sum * 2 + 35) * 5000 // (mods.c.rating_count + 5)
"""How well a mod is rated. A few stars weigh little until there are more of them: each mod starts with five votes of
three and a half. Whole numbers, so that a cursor holds one exactly."""

_ASCENDING = frozenset({"name", "smallest"})


def _rank(order: Order, match: ColumnElement[int]) -> ColumnElement[Any]:
    ranks: dict[Order, ColumnElement[Any]] = {
        "best": match,
        "newest": literal(0),
        "name": func.lower(mods.c.name),
        "rating": _STARS,
        "smallest": mods.c.bytes,
    }
    return ranks[order]


_MOST_IN_A_SITEMAP = 49_999
"""The protocol's limit of sitemaps.org less the front page."""


def listed_for(viewer: Account | None) -> tuple[ColumnElement[bool], ...]:
    """What holds of every mod in any listing this viewer gets: private ones are in their owner's only."""
    shown: ColumnElement[bool] = mods.c.private.is_(False)
    if viewer is not None:
        shown = or_(shown, mods.c.account_id == viewer.id)
    unblocked = ~select(blocks.c.number).where(_blocks_of_mod()).exists()
    return mods.c.deleted.is_(False), mods.c.available.is_(True), unblocked, shown


def _blocked_version(version: ColumnElement[str]) -> ColumnElement[bool]:
    return and_(blocks.c.kind == "version", blocks.c.value == version)


def _blocks_of_mod() -> ColumnElement[bool]:
    return or_(and_(blocks.c.kind == "mod", blocks.c.value == mods.c.id), _blocked_version(mods.c.version))


_ONE_MOD = select(
    mods, select(blocks.c.reason).where(_blocks_of_mod()).correlate(mods).limit(1).scalar_subquery().label("block")
).where(mods.c.id == bindparam("wanted"), mods.c.deleted.is_(False))


def keyset(*values: str | int) -> str:
    """Where a list goes on, as an opaque text."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def read_keyset(cursor: str, *kinds: type | None) -> list[Any]:
    """What :func:`keyset` was made from; a kind of None is either of the two.

    :raises BadCursorError: it was not made by it
    """
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, TypeError, RecursionError):
        raise BadCursorError(cursor) from None
    if not isinstance(values, list) or len(values) != len(kinds):
        raise BadCursorError(cursor)
    for value, kind in zip(values, kinds, strict=True):
        right = type(value) is kind if kind is not None else type(value) in {int, str}
        too_large = isinstance(value, int) and abs(value) >= _LARGEST_NUMBER
        if not right or too_large or (isinstance(value, str) and not _is_storable(value)):
            raise BadCursorError(cursor)
    return values


_LARGEST_NUMBER = 1 << 53


def _is_storable(text: str) -> bool:
    """Whether a database takes the text: PostgreSQL has no NUL, and neither has half a character."""
    try:
        return "\0" not in text and text.encode() is not None
    except UnicodeEncodeError:
        return False


def read_moment(text: str, cursor: str) -> datetime:
    """A moment out of a cursor.

    :raises BadCursorError: it is none
    """
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise BadCursorError(cursor)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadCursorError(cursor) from None


def _narrowed(wanted: Wanted) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.shelf is not None:
        conditions.append(mods.c.kind.in_(_KINDS[wanted.shelf]))
    if wanted.repository is not None:
        conditions.append(mods.c.repo_key == wanted.repository)
    if wanted.manifest_id is not None:
        conditions.append(mods.c.manifest_id == wanted.manifest_id)
    if wanted.players is not None:
        conditions.append(mods.c.players["min"].as_integer() <= wanted.players)
        conditions.append(mods.c.players["max"].as_integer() >= wanted.players)
    return conditions
