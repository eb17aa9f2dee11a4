"""Collections: named lists of mods that an account puts together for others."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, and_, delete, func, insert, or_, select, update

from server.account import Account
from server.catalogue import ModRow, keyset, listed_for, read_keyset, read_moment
from server.database import accounts, collected_mods, collections, mods, now, utc
from server.problem import ProblemError, unknown_mod


@dataclass(frozen=True, slots=True)
class Collection:
    """``mods`` are those its reader may see listed, in the author's order; None where only their number is told."""

    id: str
    name: str
    author: str
    updated_at: datetime
    size: int
    mods: tuple[ModRow, ...] | None


class Collections:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def listing(
        self, viewer: Account | None, limit: int, cursor: str | None, *, own: bool
    ) -> tuple[list[Collection], str | None]:
        """Collections, last changed first; only the viewer's with ``own``.

        :raises BadCursorError: the cursor is not one of ours
        """
        conditions = []
        if own:
            conditions.append(collections.c.account_id == (viewer.id if viewer is not None else None))
        if cursor is not None:
            at, last = read_keyset(cursor, str, str)
            moment = read_moment(at, cursor)
            earlier = and_(collections.c.updated_at == moment, collections.c.id < last)
            conditions.append(or_(collections.c.updated_at < moment, earlier))
        size = (
            select(func.count())
            .select_from(collected_mods.join(mods, mods.c.id == collected_mods.c.mod_id))
            .where(collected_mods.c.collection_id == collections.c.id, *listed_for(viewer))
            .scalar_subquery()
        )
        question = (
            select(collections, accounts.c.name.label("author"), size.label("size"))
            .join(accounts, accounts.c.id == collections.c.account_id)
            .where(*conditions)
            .order_by(collections.c.updated_at.desc(), collections.c.id.desc())
            .limit(limit + 1)
        )
        with self._engine.connect() as connection:
            rows = list(connection.execute(question))
        more = len(rows) > limit
        rows = rows[:limit]
        following = keyset(utc(rows[-1].updated_at).isoformat(), rows[-1].id) if more else None
        return [_collection(row, row.size, None) for row in rows], following

    def one(self, viewer: Account | None, collection_id: str) -> Collection:
        """:raises ProblemError: `unknown-collection`"""
        with self._engine.connect() as connection:
            return self._read(connection, viewer, collection_id)

    def create(self, account: Account, name: str, mod_ids: Sequence[str]) -> Collection:
        """:raises ProblemError: `unknown-mod`"""
        collection_id = secrets.token_hex(8)
        row = {"id": collection_id, "account_id": account.id, "name": name, "updated_at": now()}
        with self._engine.execution_options(writes=True).begin() as connection:
            connection.execute(insert(collections).values(row))
            _fill(connection, collection_id, mod_ids)
            return self._read(connection, account, collection_id)

    def replace(self, account: Account, collection_id: str, name: str, mod_ids: Sequence[str]) -> Collection:
        """:raises ProblemError: `unknown-collection`, `not-owner`, `unknown-mod`"""
        with self._engine.execution_options(writes=True).begin() as connection:
            _controlled(connection, account, collection_id)
            changed = update(collections).where(collections.c.id == collection_id)
            connection.execute(changed.values(name=name, updated_at=now()))
            connection.execute(delete(collected_mods).where(collected_mods.c.collection_id == collection_id))
            _fill(connection, collection_id, mod_ids)
            return self._read(connection, account, collection_id)

    def remove(self, account: Account, collection_id: str) -> None:
        """:raises ProblemError: `unknown-collection`, `not-owner`"""
        with self._engine.execution_options(writes=True).begin() as connection:
            _controlled(connection, account, collection_id)
            connection.execute(delete(collections).where(collections.c.id == collection_id))

    def _read(self, connection: Connection, viewer: Account | None, collection_id: str) -> Collection:
        question = (
            select(collections, accounts.c.name.label("author"))
            .join(accounts, accounts.c.id == collections.c.account_id)
            .where(collections.c.id == collection_id)
        )
        row = connection.execute(question).one_or_none()
        if row is None:
            raise unknown_collection()
        members = (
            select(mods)
            .join(collected_mods, collected_mods.c.mod_id == mods.c.id)
            .where(collected_mods.c.collection_id == collection_id, *listed_for(viewer))
            .order_by(collected_mods.c.place)
        )
        found = tuple(connection.execute(members))
        return _collection(row, len(found), found)


def _collection(row: Row[Any], size: int, found: tuple[ModRow, ...] | None) -> Collection:
    return Collection(row.id, row.name, row.author, utc(row.updated_at), size, found)


def _controlled(connection: Connection, account: Account, collection_id: str) -> None:
    question = select(collections.c.account_id).where(collections.c.id == collection_id).with_for_update()
    owner = connection.execute(question).scalar_one_or_none()
    if owner is None:
        raise unknown_collection()
    if owner != account.id and not account.admin:
        raise ProblemError(403, "not-owner", "Another account put this collection together.")


def _fill(connection: Connection, collection_id: str, mod_ids: Sequence[str]) -> None:
    wanted = list(dict.fromkeys(mod_ids))
    known = set(connection.execute(select(mods.c.id).where(mods.c.id.in_(wanted), mods.c.deleted.is_(False))).scalars())
    if known != set(wanted):
        raise unknown_mod()
    rows = [{"collection_id": collection_id, "place": place, "mod_id": mod_id} for place, mod_id in enumerate(wanted)]
    if rows:
        connection.execute(insert(collected_mods), rows)


def unknown_collection() -> ProblemError:
    return ProblemError(404, "unknown-collection", "There is no such collection.")
