"""What players add to the catalogue for themselves and for each other: favourites and ratings."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, Engine, and_, delete, func, insert, or_, select, update

from server.account import Account
from server.catalogue import ModRow, Page, keyset, listed_for, read_keyset, read_moment
from server.database import favourites, mods, now, ratings, utc
from server.problem import ProblemError, unknown_mod


@dataclass(frozen=True, slots=True)
class Rating:
    """All stars a mod was given, and the asking account's own."""

    total: int
    count: int
    own: int | None


class Favourites:
    """An account's favourites; a mod that has become private to somebody else is left out."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of(self, account: Account, limit: int, cursor: str | None) -> Page:
        """Last added first.

        :raises BadCursorError: the cursor is not one of ours
        """
        conditions = [favourites.c.account_id == account.id, *listed_for(account)]
        if cursor is not None:
            at, last = read_keyset(cursor, str, str)
            moment = read_moment(at, cursor)
            earlier = and_(favourites.c.at == moment, favourites.c.mod_id < last)
            conditions.append(or_(favourites.c.at < moment, earlier))
        question = (
            select(mods, favourites.c.at.label("favoured_at"))
            .join(favourites, favourites.c.mod_id == mods.c.id)
            .where(*conditions)
            .order_by(favourites.c.at.desc(), favourites.c.mod_id.desc())
            .limit(limit + 1)
        )
        with self._engine.connect() as connection:
            rows = list(connection.execute(question))
        more = len(rows) > limit
        rows = rows[:limit]
        return Page(rows, keyset(utc(rows[-1].favoured_at).isoformat(), rows[-1].id) if more else None)

    def add(self, account: Account, mod_id: str) -> None:
        """:raises ProblemError: `unknown-mod`"""
        this = (favourites.c.account_id == account.id, favourites.c.mod_id == mod_id)
        with self._engine.execution_options(writes=True).begin() as connection:
            _lock_mod(connection, mod_id)
            if connection.execute(select(favourites.c.at).where(*this)).one_or_none() is None:
                row = {"account_id": account.id, "mod_id": mod_id, "at": now()}
                connection.execute(insert(favourites).values(row))

    def remove(self, account: Account, mod_id: str) -> None:
        this = (favourites.c.account_id == account.id, favourites.c.mod_id == mod_id)
        with self._engine.execution_options(writes=True).begin() as connection:
            connection.execute(delete(favourites).where(*this))


class Ratings:
    """One to five stars an account; the sums stand in the mod's row, so that a listing reads nothing else."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def give(self, account: Account, mod_id: str, stars: int | None) -> Rating:
        """Give ``stars``, or take them back (None).

        :raises ProblemError: `unknown-mod`, or `own-mod`: nobody rates what is theirs
        """
        this = (ratings.c.account_id == account.id, ratings.c.mod_id == mod_id)
        with self._engine.execution_options(writes=True).begin() as connection:
            row = _lock_mod(connection, mod_id)
            if row.account_id == account.id:
                raise ProblemError(403, "own-mod", "A mod's owner does not rate it.")
            connection.execute(delete(ratings).where(*this))
            if stars is not None:
                given = {"account_id": account.id, "mod_id": mod_id, "stars": stars, "at": now()}
                connection.execute(insert(ratings).values(given))
            sums = select(func.coalesce(func.sum(ratings.c.stars), 0), func.count()).where(ratings.c.mod_id == mod_id)
            total, count = connection.execute(sums).one()
            changed = {"rating_sum": int(total), "rating_count": count}
            connection.execute(update(mods).where(mods.c.id == mod_id).values(changed))
        return Rating(int(total), count, stars)


def _lock_mod(connection: Connection, mod_id: str) -> ModRow:
    question = select(mods).where(mods.c.id == mod_id, mods.c.deleted.is_(False)).with_for_update()
    row = connection.execute(question).one_or_none()
    if row is None:
        raise unknown_mod()
    return row
