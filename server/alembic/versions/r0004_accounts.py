"""Sign-in with GitHub, and the record that attempts and scans are limited by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("github_number", sa.String(64)))
    op.add_column("accounts", sa.Column("github_token", sa.Text()))
    op.create_index("ix_accounts_github_number", "accounts", ["github_number"], unique=True)
    op.create_table(
        "spendings",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("purpose", sa.String(160), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_spendings"),
    )
    op.create_index("ix_spendings_purpose", "spendings", ["purpose", "at"])
