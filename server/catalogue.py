"""The recorded mods: finding them, listing them, and their versions. Reads only."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Engine, Row, and_, func, or_, select

from server.account import Account
from server.database import mods, utc, versions

Shelf = Literal["games", "packs"]
_KINDS: dict[Shelf, tuple[str, ...]] = {"games": ("game",), "packs": ("room", "table")}

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
    """What a listing is narrowed to. ``repository`` is a lower-case ``owner/name``."""

    shelf: Shelf | None = None
    text: str = ""
    repository: str | None = None
    manifest_id: str | None = None


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
        """The mod with this id, unless it was deleted; private ones answer to whoever knows the id."""
        with self._engine.connect() as connection:
            return connection.execute(select(mods).where(mods.c.id == mod_id, mods.c.deleted.is_(False))).one_or_none()

    def listing(self, wanted: Wanted, viewer: Account | None, limit: int, cursor: str | None) -> Page:
        """Mods the viewer may see listed, last published first.

        :raises BadCursorError: the cursor is not one of ours
        """
        conditions = [mods.c.deleted.is_(False), mods.c.available.is_(True), _visible_to(viewer)]
        if wanted.shelf is not None:
            conditions.append(mods.c.kind.in_(_KINDS[wanted.shelf]))
        if wanted.repository is not None:
            conditions.append(mods.c.repo_key == wanted.repository)
        if wanted.manifest_id is not None:
            conditions.append(mods.c.manifest_id == wanted.manifest_id)
        conditions.extend(_mentions(word) for word in wanted.text.lower().split()[:_MOST_WORDS])
        if cursor is not None:
            at, last = _read_cursor(cursor)
            conditions.append(or_(mods.c.updated_at < at, and_(mods.c.updated_at == at, mods.c.id < last)))
        question = select(mods).where(*conditions).order_by(mods.c.updated_at.desc(), mods.c.id.desc())
        with self._engine.connect() as connection:
            rows = list(connection.execute(question.limit(limit + 1)))
        more = len(rows) > limit
        rows = rows[:limit]
        return Page(rows, _cursor(rows[-1]) if more else None)

    def versions(
        self, mod_id: str, limit: int, cursor: str | None
    ) -> tuple[Sequence[Row[*tuple[Any, ...]]], str | None]:
        """Published versions, newest first.

        :raises BadCursorError: the cursor is not one of ours
        """
        conditions = [versions.c.mod_id == mod_id, versions.c.published.is_(True)]
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


_MOST_WORDS = 8
_SEARCHED = (mods.c.name, mods.c.summary, mods.c.repo_key, mods.c.manifest_id, mods.c.category)


def _mentions(word: str) -> ColumnElement[bool]:
    return or_(*(func.lower(column).contains(word, autoescape=True) for column in _SEARCHED))


def _visible_to(viewer: Account | None) -> ColumnElement[bool]:
    if viewer is None:
        return mods.c.private.is_(False)
    return or_(mods.c.private.is_(False), mods.c.account_id == viewer.id)


def _cursor(row: ModRow) -> str:
    text = json.dumps([utc(row.updated_at).isoformat(), row.id])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[datetime, str]:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        at, last = json.loads(text)
        if not isinstance(last, str):
            raise BadCursorError(cursor)
        return datetime.fromisoformat(at), last
    except (binascii.Error, ValueError, TypeError, RecursionError):
        raise BadCursorError(cursor) from None
