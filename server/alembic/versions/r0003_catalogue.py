"""What the catalogue is searched by, and what players add to it: favourites, ratings, collections."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("mods", sa.Column("rating_sum", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("mods", sa.Column("rating_count", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "search_terms",
        sa.Column("mod_id", sa.String(32), nullable=False),
        sa.Column("term", sa.String(40), nullable=False),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("mod_id", "term", name="pk_search_terms"),
        sa.ForeignKeyConstraint(["mod_id"], ["mods.id"], name="fk_search_terms_mod_id", ondelete="CASCADE"),
    )
    op.create_index("ix_search_terms_term", "search_terms", ["term"])
    op.create_table(
        "search_grams",
        sa.Column("gram", sa.String(3), nullable=False),
        sa.Column("term", sa.String(40), nullable=False),
        sa.PrimaryKeyConstraint("gram", "term", name="pk_search_grams"),
    )
    op.create_index("ix_search_grams_term", "search_grams", ["term"])
    op.create_table(
        "favourites",
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("mod_id", sa.String(32), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "mod_id", name="pk_favourites"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_favourites_account_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["mod_id"], ["mods.id"], name="fk_favourites_mod_id", ondelete="CASCADE"),
    )
    op.create_table(
        "ratings",
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("mod_id", sa.String(32), nullable=False),
        sa.Column("stars", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "mod_id", name="pk_ratings"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_ratings_account_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["mod_id"], ["mods.id"], name="fk_ratings_mod_id", ondelete="CASCADE"),
    )
    op.create_table(
        "collections",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("account_id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_collections"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_collections_account_id", ondelete="CASCADE"),
    )
    op.create_index("ix_collections_account_id", "collections", ["account_id"])
    op.create_table(
        "collected_mods",
        sa.Column("collection_id", sa.String(32), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("mod_id", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("collection_id", "place", name="pk_collected_mods"),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collections.id"], name="fk_collected_mods_collection_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["mod_id"], ["mods.id"], name="fk_collected_mods_mod_id", ondelete="CASCADE"),
    )
