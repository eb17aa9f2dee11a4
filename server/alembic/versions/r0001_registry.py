"""The registry's first tables: accounts and their credentials, mods and their versions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("member", sa.Boolean(), nullable=False),
        sa.Column("admin", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("name", name="uq_accounts_name"),
    )
    op.create_table(
        "credentials",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("label", sa.String(80), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("digest", name="pk_credentials"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_credentials_account_id", ondelete="CASCADE"),
    )
    op.create_index("ix_credentials_account_id", "credentials", ["account_id"])
    op.create_table(
        "mods",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("repo_key", sa.String(160), nullable=False),
        sa.Column("repo_number", sa.String(64)),
        sa.Column("owner", sa.String(40), nullable=False),
        sa.Column("repo", sa.String(110), nullable=False),
        sa.Column("manifest_id", sa.String(200), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("slug", sa.String(260), nullable=False),
        sa.Column("release", sa.Text()),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("commit_sha", sa.String(40)),
        sa.Column("artifact_hash", sa.String(64), nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("compatible", sa.Boolean(), nullable=False),
        sa.Column("issues", sa.JSON(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("available", sa.Boolean(), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("account_id", sa.String(32)),
        sa.Column("files", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("cover", sa.Text()),
        sa.Column("cover_lfs", sa.Boolean(), nullable=False),
        sa.Column("summary", sa.Text()),
        sa.Column("players", sa.JSON()),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("category", sa.Text()),
        sa.Column("license", sa.Text()),
        sa.Column("scanner", sa.Integer(), nullable=False),
        sa.Column("registered_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_mods"),
        sa.UniqueConstraint("repo_key", name="uq_mods_repo_key"),
        sa.UniqueConstraint("repo_number", name="uq_mods_repo_number"),
        sa.UniqueConstraint("slug", name="uq_mods_slug"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_mods_account_id"),
    )
    op.create_index("ix_mods_manifest_id", "mods", ["manifest_id"])
    op.create_index("ix_mods_kind", "mods", ["kind"])
    op.create_index("ix_mods_account_id", "mods", ["account_id"])
    op.create_index("ix_mods_listing", "mods", ["updated_at", "id"])
    op.create_table(
        "versions",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("mod_id", sa.String(32), nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("commit_sha", sa.String(40)),
        sa.Column("artifact_hash", sa.String(64), nullable=False),
        sa.Column("release", sa.Text()),
        sa.Column("published", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("file_index", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_versions"),
        sa.ForeignKeyConstraint(["mod_id"], ["mods.id"], name="fk_versions_mod_id", ondelete="CASCADE"),
        sa.UniqueConstraint("mod_id", "version", name="uq_versions_mod_id"),
    )
