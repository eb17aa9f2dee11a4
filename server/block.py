"""The kill switch: a mod, or single versions of any mod, that nobody may load, list or register any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Engine, Row, and_, delete, insert, or_, select

from server.account import Account
from server.catalogue import BadCursorError
from server.database import blocks, mods, now, utc
from server.problem import ProblemError, unknown_mod


@dataclass(frozen=True, slots=True)
class Block:
    """``value`` is a mod's id, or a version: a commit sha or an artifact hash."""

    number: int
    kind: Literal["mod", "version"]
    value: str
    reason: str
    at: datetime


class Blocks:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, account: Account, mod_id: str | None, found: Sequence[str], reason: str) -> list[Block]:
        """Block a mod, versions, or both; what is blocked already keeps its first reason.

        :raises ProblemError: `unknown-mod`
        """
        wanted = [("mod", mod_id)] if mod_id is not None else []
        wanted += [("version", version) for version in dict.fromkeys(found)]
        with self._engine.execution_options(writes=True).begin() as connection:
            if mod_id is not None and connection.execute(select(mods.c.id).where(mods.c.id == mod_id)).first() is None:
                raise unknown_mod()
            known = {(row.kind, row.value) for row in self._rows(connection, _any_of(wanted))}
            rows = [
                {"kind": kind, "value": value, "reason": reason, "account_id": account.id, "at": now()}
                for kind, value in wanted
                if (kind, value) not in known
            ]
            if rows:
                connection.execute(insert(blocks), rows)
            return [_block(row) for row in self._rows(connection, _any_of(wanted))]

    def listing(self, limit: int, cursor: str | None) -> tuple[list[Block], str | None]:
        """Newest first.

        :raises BadCursorError: the cursor is not one of ours
        """
        question = select(blocks).order_by(blocks.c.number.desc()).limit(limit + 1)
        if cursor is not None:
            if not cursor.isascii() or not cursor.isdecimal() or len(cursor) > 9:
                raise BadCursorError(cursor)
            question = question.where(blocks.c.number < int(cursor))
        with self._engine.connect() as connection:
            rows = list(connection.execute(question))
        more = len(rows) > limit
        rows = rows[:limit]
        return [_block(row) for row in rows], str(rows[-1].number) if more else None

    def lift(self, number: int) -> None:
        """:raises ProblemError: `unknown-block`"""
        with self._engine.execution_options(writes=True).begin() as connection:
            if not connection.execute(delete(blocks).where(blocks.c.number == number)).rowcount:
                raise ProblemError(404, "unknown-block", "There is no such block.")

    def check(self, mod_id: str | None, version: str) -> None:
        """:raises ProblemError: `blocked`"""
        with self._engine.connect() as connection:
            check_blocks(connection, mod_id, version)

    def _rows(self, connection: Connection, condition: ColumnElement[bool]) -> list[Row[Any]]:
        return list(connection.execute(select(blocks).where(condition).order_by(blocks.c.number)))


def check_blocks(connection: Connection, mod_id: str | None, version: str) -> None:
    """:raises ProblemError: `blocked`, when the mod is, or this version"""
    wanted = [("version", version), *([("mod", mod_id)] if mod_id is not None else [])]
    row = connection.execute(select(blocks.c.reason).where(_any_of(wanted)).limit(1)).one_or_none()
    if row is not None:
        raise blocked(row.reason)


def blocked(reason: str | None = None) -> ProblemError:
    return ProblemError(403, "blocked", reason or "This registry has blocked it.")


def _any_of(wanted: Sequence[tuple[str, str]]) -> ColumnElement[bool]:
    return or_(*(and_(blocks.c.kind == kind, blocks.c.value == value) for kind, value in wanted))


def _block(row: Row[Any]) -> Block:
    return Block(row.number, row.kind, row.value, row.reason, utc(row.at))
