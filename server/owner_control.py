"""What the owner of a published mod may switch: private, and delete. Both are the registry's state, never the
manifest's, and neither needs a publish (seed page "Private and deleted mods")."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, or_, select, update

from server.account import Account
from server.catalogue import ModRow
from server.database import dependencies, mods, versions
from server.problem import ProblemError, unknown_mod
from server.project import forget_project


class OwnerControls:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def set_private(self, mod_id: str, account: Account, *, private: bool) -> ModRow:
        """Hide a mod from every listing but its owner's, or show it again.

        Hiding takes a paid membership or an admin account; showing takes neither, so that a lapsed membership never
        traps a mod.

        :raises ProblemError: `unknown-mod`, `not-owner`, `membership-required`
        """
        with self._engine.execution_options(writes=True).begin() as connection:
            row = _controlled(connection, mod_id, account)
            if private and not row.private and not (account.member or account.admin):
                detail = "Private mods are for paying members."
                raise ProblemError(403, "membership-required", detail)
            connection.execute(update(mods).where(mods.c.id == mod_id).values(private=private))
            return connection.execute(select(mods).where(mods.c.id == mod_id)).one()

    def delete(self, mod_id: str, account: Account) -> None:
        """Take a mod off every listing, its page and its owner's projects; the record stays for its return.

        :raises ProblemError: `unknown-mod`, `not-owner`, `in-use` while another published mod names it as a pack
        """
        with self._engine.execution_options(writes=True).begin() as connection:
            row = _controlled(connection, mod_id, account)
            dependants = _dependants(connection, row)
            if dependants:
                raise ProblemError(
                    409, "in-use", f"{', '.join(dependants[:3])} would no longer find it.", dependants=dependants
                )
            connection.execute(update(mods).where(mods.c.id == mod_id).values(deleted=True))
            forget_project(connection, row)


def _controlled(connection: Connection, mod_id: str, account: Account) -> ModRow:
    question = select(mods).where(mods.c.id == mod_id, mods.c.deleted.is_(False)).with_for_update()
    row = connection.execute(question).one_or_none()
    if row is None:
        raise unknown_mod()
    if row.account_id != account.id and not account.admin:
        raise ProblemError(403, "not-owner", "Another account owns this mod.")
    return row


def _dependants(connection: Connection, row: ModRow) -> list[str]:
    """``owner/repo`` of the published mods whose setup names this one.

    A setup names a manifest id, which several mods may share: a pin tells which of them is meant; without one, or
    with a pin nobody has recorded, each of them may be.
    """
    pinned_here = select(versions.c.commit_sha).where(
        versions.c.mod_id == row.id, versions.c.commit_sha == dependencies.c.commit_sha
    )
    pinned_anywhere = select(versions.c.commit_sha).where(versions.c.commit_sha == dependencies.c.commit_sha)
    named = (
        select(mods.c.owner, mods.c.repo, mods.c.private)
        .join(dependencies, dependencies.c.mod_id == mods.c.id)
        .where(
            dependencies.c.pack_id == row.manifest_id,
            mods.c.id != row.id,
            mods.c.deleted.is_(False),
            or_(pinned_here.exists(), ~pinned_anywhere.exists()),
        )
        .distinct()
        .order_by(mods.c.owner, mods.c.repo)
    )
    # A private mod's name is nobody else's business.
    return ["a private mod" if found.private else f"{found.owner}/{found.repo}" for found in connection.execute(named)]
