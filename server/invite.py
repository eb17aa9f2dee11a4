"""Invite codes: an account for whoever holds one. Only digests are stored, and an operator makes them."""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import timedelta

from sqlalchemy import Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from server.account import Account, NameTakenError, add_account
from server.database import invites, now

# Crockford's alphabet without U: nothing in it is mistaken for something else when a code is read aloud.
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_GROUPS, _GROUP = 4, 4
_LOOKS_LIKE = str.maketrans("OIL", "011")
_NOT_OF_A_CODE = re.compile(r"[^0-9A-Z]")


class Invites:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def issue(self, *, uses: int = 1, days: int = 14, member: bool = False) -> str:
        """A new code of 80 random bits, for so many accounts within so many days; ``member`` ones are members."""
        groups = ["".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS)]
        code = "-".join(groups)
        row = {
            "digest": _digest(code),
            "member": member,
            "uses_left": uses,
            "created_at": now(),
            "expires_at": now() + timedelta(days=days),
        }
        with self._engine.execution_options(writes=True).begin() as connection:
            connection.execute(delete(invites).where((invites.c.expires_at < now()) | (invites.c.uses_left < 1)))
            connection.execute(insert(invites).values(row))
        return code

    def redeem(self, code: str, name: str) -> Account | None:
        """The account made with a code, which is one use poorer; None when the code is good for nothing (any more).

        :raises NameTakenError: names are unique; the code keeps its use
        """
        this = (invites.c.digest == _digest(code), invites.c.uses_left > 0, invites.c.expires_at > now())
        try:
            with self._engine.execution_options(writes=True).begin() as connection:
                used = connection.execute(update(invites).where(*this).values(uses_left=invites.c.uses_left - 1))
                if used.rowcount != 1:
                    return None
                member: bool = connection.execute(
                    select(invites.c.member).where(invites.c.digest == _digest(code))
                ).scalar_one()
                return add_account(connection, name, member=member)
        except IntegrityError:
            raise NameTakenError(name) from None


def _digest(code: str) -> str:
    """Of the code as it was made, however somebody wrote it down: case, dashes and look-alikes don't count."""
    plain = _NOT_OF_A_CODE.sub("", code.upper().translate(_LOOKS_LIKE))
    return hashlib.sha256(plain.encode()).hexdigest()
