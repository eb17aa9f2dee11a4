"""Answers of GitHub's API with their ETags, for asking whether they still hold."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "answers",
        sa.Column("url_digest", sa.String(64), nullable=False),
        sa.Column("etag", sa.String(200), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("url_digest", name="pk_answers"),
    )
    op.create_index("ix_answers_at", "answers", ["at"])
