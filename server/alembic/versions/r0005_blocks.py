"""The kill switch: mods and versions that nobody may load."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "blocks",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("value", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("account_id", sa.String(32)),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_blocks"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_blocks_account_id"),
        sa.UniqueConstraint("kind", "value", name="uq_blocks_kind"),
    )
