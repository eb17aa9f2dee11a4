"""Accounts and what proves them: bearer tokens and browser sessions, of which only digests are stored."""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from server.database import accounts, credentials, now, utc

SESSION_DAYS = 30
_TOKEN_BYTES = 32
_LONGEST_TOKEN = 200


class NameTakenError(Exception):
    """There is an account of that name already."""


@dataclass(frozen=True, slots=True)
class Account:
    """Who asks. A member pays; an admin may do what any owner may."""

    id: str
    name: str
    member: bool
    admin: bool


class Accounts:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(
        self,
        name: str,
        *,
        member: bool = False,
        admin: bool = False,
        github_number: str | None = None,
        github_token: str | None = None,
    ) -> Account:
        """:raises NameTakenError: names are unique"""
        try:
            with self._engine.execution_options(writes=True).begin() as connection:
                return add_account(
                    connection,
                    name,
                    member=member,
                    admin=admin,
                    github_number=github_number,
                    github_token=github_token,
                )
        except IntegrityError:
            raise NameTakenError(name) from None

    def change(self, name: str, *, member: bool | None = None, admin: bool | None = None) -> Account | None:
        """The account of this name with another standing, where one is given; None when there is no such account."""
        changes = {key: value for key, value in (("member", member), ("admin", admin)) if value is not None}
        if changes:
            with self._engine.execution_options(writes=True).begin() as connection:
                connection.execute(update(accounts).where(accounts.c.name == name).values(changes))
        return self.named(name)

    def named(self, name: str) -> Account | None:
        with self._engine.connect() as connection:
            row = connection.execute(select(accounts).where(accounts.c.name == name)).one_or_none()
        return None if row is None else Account(row.id, row.name, row.member, row.admin)

    def issue_token(self, account: Account, label: str, *, replacing: bool = False) -> str:
        """A new bearer token. ``replacing`` ends the earlier ones of the same label."""
        return self._issue(account, "token", label, None, replacing=replacing)

    def start_session(self, token: str) -> tuple[Account, str] | None:
        """The account behind a bearer token and a new session's secret; None when the token proves nothing."""
        account = self.proven_by(token, "token")
        return None if account is None else (account, self.open_session(account))

    def open_session(self, account: Account) -> str:
        """A new session's secret for somebody who is proven already."""
        return self._issue(account, "session", "browser", timedelta(days=SESSION_DAYS), replacing=False)

    def of_github(self, number: str, login: str, sealed_token: str) -> Account:
        """The account of a person GitHub knows by this number, made at their first sign-in."""
        this = accounts.c.github_number == number
        for name in (login, f"{login} on GitHub", f"{login} {number}", f"{login} {secrets.token_hex(4)}"):
            with self._engine.execution_options(writes=True).begin() as connection:
                connection.execute(update(accounts).where(this).values(github_token=sealed_token))
                row = connection.execute(select(accounts).where(this)).one_or_none()
            if row is not None:
                return Account(row.id, row.name, row.member, row.admin)
            # A name may be taken, and the same person may be signing in twice at this moment.
            with contextlib.suppress(NameTakenError):
                return self.add(name, github_number=number, github_token=sealed_token)
        raise NameTakenError(login)

    def github_token(self, account: Account) -> str | None:
        """The sealed token of the account's last sign-in with GitHub."""
        with self._engine.connect() as connection:
            return connection.execute(
                select(accounts.c.github_token).where(accounts.c.id == account.id)
            ).scalar_one_or_none()

    def end_session(self, secret: str) -> None:
        with self._engine.execution_options(writes=True).begin() as connection:
            connection.execute(delete(credentials).where(credentials.c.digest == _digest(secret)))

    def proven_by(self, secret: str, kind: str) -> Account | None:
        """Whose secret this is, unless it has expired."""
        if not secret or len(secret) > _LONGEST_TOKEN:
            return None
        question = (
            select(accounts, credentials.c.expires_at)
            .join(credentials, credentials.c.account_id == accounts.c.id)
            .where(credentials.c.digest == _digest(secret), credentials.c.kind == kind)
        )
        with self._engine.connect() as connection:
            row = connection.execute(question).one_or_none()
        if row is None or (row.expires_at is not None and utc(row.expires_at) < now()):
            return None
        return Account(row.id, row.name, row.member, row.admin)

    def _issue(self, account: Account, kind: str, label: str, lasts: timedelta | None, *, replacing: bool) -> str:
        secret = secrets.token_urlsafe(_TOKEN_BYTES)
        row = {
            "digest": _digest(secret),
            "account_id": account.id,
            "kind": kind,
            "label": label,
            "created_at": now(),
            "expires_at": None if lasts is None else now() + lasts,
        }
        with self._engine.execution_options(writes=True).begin() as connection:
            if replacing:
                same = (credentials.c.account_id == account.id, credentials.c.kind == kind)
                connection.execute(delete(credentials).where(*same, credentials.c.label == label))
            connection.execute(insert(credentials).values(row))
        return secret


def add_account(
    connection: Connection,
    name: str,
    *,
    member: bool = False,
    admin: bool = False,
    github_number: str | None = None,
    github_token: str | None = None,
) -> Account:
    """:meth:`Accounts.add` within somebody else's transaction.

    :raises IntegrityError: the name is taken
    """
    account = Account(secrets.token_hex(12), name, member, admin)
    row = {
        "id": account.id,
        "name": name,
        "member": member,
        "admin": admin,
        "created_at": now(),
        "github_number": github_number,
        "github_token": github_token,
    }
    connection.execute(insert(accounts).values(row))
    return account


def _digest(secret: str) -> str:
    # The secrets are 256 random bits, so a plain digest is as good as a slow one.
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
