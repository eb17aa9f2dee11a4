"""What Alembic runs: the revisions, on the connection that was handed over and in its transaction."""

from __future__ import annotations

from alembic import context

from server.database import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite's own statements are transactional; it is only its Python driver that used to end transactions early.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
