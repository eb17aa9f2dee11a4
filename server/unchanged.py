"""What was read from the database, kept in memory for as long as nothing in it has changed.

Peers ask for the same few records over and over, and every table in the world asks for its mod's. A block, a deletion
or a publish has to hold for the very next request all the same, whichever process it came through: so nothing here goes
by time. SQLite tells in microseconds whether anybody else has written (``PRAGMA data_version``); where that is so, all
that was kept is let go. PostgreSQL has nothing like it, and there each request is a query.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from sqlalchemy import Engine

Value = TypeVar("Value")


class Generation:
    """Tells whether anything was written to a database. For the thread of the event loop alone."""

    def __init__(self, engine: Engine) -> None:
        file = engine.url.database if engine.dialect.name == "sqlite" else None
        # A connection that never writes: the number is of what all others have.
        self._connection = None if not file else sqlite3.connect(file, check_same_thread=False, isolation_level=None)

    def now(self) -> int | None:
        """A number that changes with every write; None where that can't be told."""
        if self._connection is None:
            return None
        try:
            number: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.OperationalError:
            # Somebody has the file to himself for a moment, to bring its log home.
            return None
        return number

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


class Unchanged(Generic[Value]):
    """At most ``most`` answers, each as it was read since the last write."""

    def __init__(self, generation: Generation, most: int) -> None:
        self._generation = generation
        self._most = most
        self._of: int | None = None
        self._kept: dict[Hashable, Value] = {}

    async def read(self, key: Hashable, read: Callable[[], Awaitable[Value]]) -> Value:
        """What ``read`` answers or answered for this key; what it raises is raised, and asked anew the next time."""
        now = self._generation.now()
        if now != self._of:
            self._kept.clear()
            self._of = now
        if now is not None and key in self._kept:
            return self._kept[key]
        value = await read()
        # Asked for before the reading began: what was written meanwhile is another generation.
        if now is not None and now == self._of:
            if len(self._kept) >= self._most:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = value
        return value
