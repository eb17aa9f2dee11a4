"""An account's projects, and which packs a mod's setup names."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "dependencies",
        sa.Column("mod_id", sa.String(32), nullable=False),
        sa.Column("pack_id", sa.String(200), nullable=False),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("commit_sha", sa.String(40)),
        sa.PrimaryKeyConstraint("mod_id", "pack_id", "role", name="pk_dependencies"),
        sa.ForeignKeyConstraint(["mod_id"], ["mods.id"], name="fk_dependencies_mod_id", ondelete="CASCADE"),
    )
    op.create_index("ix_dependencies_pack_id", "dependencies", ["pack_id"])
    op.create_table(
        "projects",
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("repo_key", sa.String(160), nullable=False),
        sa.Column("owner", sa.String(40), nullable=False),
        sa.Column("repo", sa.String(110), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "repo_key", name="pk_projects"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_projects_account_id", ondelete="CASCADE"),
    )
    op.execute(
        "INSERT INTO projects (account_id, repo_key, owner, repo, at)"
        " SELECT account_id, repo_key, owner, repo, registered_at FROM mods"
        " WHERE account_id IS NOT NULL AND NOT deleted"
    )
