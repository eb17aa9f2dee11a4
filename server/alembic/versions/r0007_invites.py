"""Invite codes, and how much of something limited one use of it took."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "invites",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("member", sa.Boolean(), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_invites"),
    )
    op.add_column("spendings", sa.Column("amount", sa.BigInteger(), nullable=False, server_default="1"))
