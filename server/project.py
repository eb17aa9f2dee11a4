"""An account's projects: the repositories it has linked or registered (the editor's Projects list)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Row, and_, delete, insert, select
from sqlalchemy.exc import IntegrityError

from client.repository import Repository
from server.account import Account
from server.catalogue import BadCursorError, ModRow
from server.database import mods, now, projects


@dataclass(frozen=True, slots=True)
class Project:
    """A repository on the list, and its mod once it is registered."""

    repository: Repository
    mod: ModRow | None


class Projects:
    """Reads and removals; linking is the registrar's, because it has to know whose the repository is."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of(self, account: Account, limit: int, after: str | None) -> tuple[list[Project], str | None]:
        """Projects in the order of their names from behind ``after`` on, and what to go on after; None at the end.

        :raises BadCursorError: no list ended there
        """
        conditions = [projects.c.account_id == account.id]
        if after is not None:
            if not after.isprintable() or not after.isascii():
                raise BadCursorError(after)
            conditions.append(projects.c.repo_key > after)
        question = select(projects).where(*conditions).order_by(projects.c.repo_key).limit(limit + 1)
        with self._engine.connect() as connection:
            rows = list(connection.execute(question))
            more = len(rows) > limit
            rows = rows[:limit]
            own = and_(mods.c.account_id == account.id, mods.c.deleted.is_(False))
            wanted = mods.c.repo_key.in_([row.repo_key for row in rows])
            found: dict[str, Row[Any]] = {
                row.repo_key: row for row in connection.execute(select(mods).where(own, wanted))
            }
        listed = [Project(Repository(row.owner, row.repo), found.get(row.repo_key)) for row in rows]
        return listed, rows[-1].repo_key if more else None

    def unlink(self, account: Account, repository: Repository) -> None:
        """Take a repository off the list; a registered mod stays on it until it is deleted."""
        registered = select(mods.c.repo_key).where(mods.c.account_id == account.id, mods.c.deleted.is_(False))
        this = (projects.c.account_id == account.id, projects.c.repo_key == repository.key)
        with self._engine.execution_options(writes=True).begin() as connection:
            connection.execute(delete(projects).where(*this, projects.c.repo_key.not_in(registered)))


def keep_project(connection: Connection, account_id: str, repository: Repository) -> None:
    """Put a repository on an account's list, if it is not there."""
    row = {
        "account_id": account_id,
        "repo_key": repository.key,
        "owner": repository.owner,
        "repo": repository.name,
        "at": now(),
    }
    this = (projects.c.account_id == account_id, projects.c.repo_key == repository.key)
    if connection.execute(select(projects.c.at).where(*this)).one_or_none() is None:
        try:
            with connection.begin_nested():
                connection.execute(insert(projects).values(row))
        except IntegrityError:
            return  # a moment ago, in another process


def forget_project(connection: Connection, mod: ModRow) -> None:
    """Take a mod's repository off its owner's list."""
    this = (projects.c.account_id == mod.account_id, projects.c.repo_key == mod.repo_key)
    connection.execute(delete(projects).where(*this))
