"""The registry's tables and its engine. SQLAlchemy Core, synchronous, called from threads.

A change of a table here needs a revision in ``server/alembic/versions``; a test holds the two together.
"""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Engine,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    inspect,
    text,
)
from sqlalchemy.engine import Connection, make_url

_HISTORY = Path(__file__).resolve().parent / "alembic"
_BEFORE_ALEMBIC = "0001"
# Any number nobody else locks in this database; it spells "peer".
_UPGRADE_LOCK = 0x70656572

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(80), nullable=False, unique=True),
    Column("member", Boolean, nullable=False, default=False),
    Column("admin", Boolean, nullable=False, default=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    # GitHub's number of a person who signs in there, and the sealed token that proves what they may push to.
    Column("github_number", String(64)),
    Column("github_token", Text),
    Index("ix_accounts_github_number", "github_number", unique=True),
)

# A credential is an account's long-lived token or a browser's session; only its SHA-256 is kept.
credentials = Table(
    "credentials",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("kind", String(16), nullable=False),
    Column("label", String(80), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("expires_at", DateTime(timezone=True)),
)

mods = Table(
    "mods",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("repo_key", String(160), nullable=False, unique=True),
    Column("repo_number", String(64), unique=True),
    Column("owner", String(40), nullable=False),
    Column("repo", String(110), nullable=False),
    Column("manifest_id", String(200), nullable=False, index=True),
    Column("kind", String(8), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("slug", String(260), nullable=False, unique=True),
    Column("release", Text),
    Column("ref", Text, nullable=False),
    Column("commit_sha", String(40)),
    Column("artifact_hash", String(64), nullable=False),
    Column("version", String(64), nullable=False),
    Column("compatible", Boolean, nullable=False),
    Column("issues", JSON, nullable=False),
    Column("private", Boolean, nullable=False, default=False),
    Column("available", Boolean, nullable=False, default=True),
    Column("deleted", Boolean, nullable=False, default=False),
    Column("account_id", ForeignKey("accounts.id"), index=True),
    Column("files", Integer, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("cover", Text),
    Column("cover_lfs", Boolean, nullable=False),
    Column("summary", Text),
    Column("players", JSON),
    Column("tags", JSON, nullable=False),
    Column("category", Text),
    Column("license", Text),
    Column("scanner", Integer, nullable=False),
    Column("rating_sum", Integer, nullable=False, default=0, server_default="0"),
    Column("rating_count", Integer, nullable=False, default=0, server_default="0"),
    Column("registered_at", DateTime(timezone=True), nullable=False),
    Column("updated_at", DateTime(timezone=True), nullable=False),
    Index("ix_mods_listing", "updated_at", "id"),
)

# A published version, or an older commit that was asked for and proved to belong to the published branch.
versions = Table(
    "versions",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("mod_id", ForeignKey("mods.id", ondelete="CASCADE"), nullable=False),
    Column("version", String(64), nullable=False),
    Column("commit_sha", String(40)),
    Column("artifact_hash", String(64), nullable=False),
    Column("release", Text),
    Column("published", Boolean, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("file_index", LargeBinary, nullable=False),
    UniqueConstraint("mod_id", "version"),
)

# The packs that a mod's setup names by manifest id, as of its current version.
dependencies = Table(
    "dependencies",
    metadata,
    Column("mod_id", ForeignKey("mods.id", ondelete="CASCADE"), primary_key=True),
    Column("pack_id", String(200), primary_key=True, index=True),
    Column("role", String(8), primary_key=True),
    Column("commit_sha", String(40)),
)

# A repository on an account's list of projects, registered or not yet.
projects = Table(
    "projects",
    metadata,
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("repo_key", String(160), primary_key=True),
    Column("owner", String(40), nullable=False),
    Column("repo", String(110), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
)

# A word a mod is found by; a word of its name weighs more than one of its summary.
search_terms = Table(
    "search_terms",
    metadata,
    Column("mod_id", ForeignKey("mods.id", ondelete="CASCADE"), primary_key=True),
    Column("term", String(40), primary_key=True, index=True),
    Column("weight", Integer, nullable=False),
)

# Three letters in a row of a term, by which terms that resemble a mistyped word are found.
search_grams = Table(
    "search_grams",
    metadata,
    Column("gram", String(3), primary_key=True),
    Column("term", String(40), primary_key=True, index=True),
)

favourites = Table(
    "favourites",
    metadata,
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("mod_id", ForeignKey("mods.id", ondelete="CASCADE"), primary_key=True),
    Column("at", DateTime(timezone=True), nullable=False),
)

ratings = Table(
    "ratings",
    metadata,
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("mod_id", ForeignKey("mods.id", ondelete="CASCADE"), primary_key=True),
    Column("stars", Integer, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
)

collections = Table(
    "collections",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", String(100), nullable=False),
    Column("updated_at", DateTime(timezone=True), nullable=False),
)

collected_mods = Table(
    "collected_mods",
    metadata,
    Column("collection_id", ForeignKey("collections.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("mod_id", ForeignKey("mods.id", ondelete="CASCADE"), nullable=False),
)

# A code that makes an account, so many times and until some day; only its SHA-256 is kept.
invites = Table(
    "invites",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("member", Boolean, nullable=False, default=False),
    Column("uses_left", Integer, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
)

# One use of something that is limited, by whoever ``purpose`` names, and how much of it that was.
spendings = Table(
    "spendings",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("purpose", String(160), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("amount", BigInteger, nullable=False, default=1, server_default="1"),
    Index("ix_spendings_purpose", "purpose", "at"),
)

# What the kill switch stops: ``kind`` mod or version, ``value`` a mod's id, a commit sha or an artifact hash.
blocks = Table(
    "blocks",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("kind", String(8), nullable=False),
    Column("value", String(64), nullable=False),
    Column("reason", Text, nullable=False),
    Column("account_id", ForeignKey("accounts.id")),
    Column("at", DateTime(timezone=True), nullable=False),
    UniqueConstraint("kind", "value"),
)

# An answer of GitHub's API and the ETag it came with.
answers = Table(
    "answers",
    metadata,
    Column("url_digest", String(64), primary_key=True),
    Column("etag", String(200), nullable=False),
    Column("packed", LargeBinary, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False, index=True),
)


def now() -> datetime:
    """This moment, in UTC, to the microsecond."""
    return datetime.now(UTC)


def utc(moment: datetime) -> datetime:
    """A moment as read back: SQLite forgets the zone, which is always UTC here."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def open_database(url: str) -> Engine:
    """An engine whose tables are those of this release: an older database is brought up to it first.

    SQLite gets a write-ahead log, so readers never wait for a registration.
    """
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        engine = create_engine(address, connect_args={"timeout": 30}, pool_size=16, max_overflow=32)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    else:
        if address.drivername in {"postgres", "postgresql"}:
            address = address.set(drivername="postgresql+psycopg")
        engine = create_engine(address, pool_pre_ping=True, pool_size=16, max_overflow=16)
    _upgrade(engine)
    return engine


def history(connection: Connection | None = None) -> Config:
    """Alembic's configuration over the revisions in ``server/alembic``."""
    config = Config()
    config.set_main_option("script_location", str(_HISTORY).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _upgrade(engine: Engine) -> None:
    newest = ScriptDirectory.from_config(history()).get_current_head()
    with engine.connect() as connection:
        if MigrationContext.configure(connection).get_current_revision() == newest:
            return
    # Several processes may start at once: SQLite's write lock, or PostgreSQL's advisory one, lets one of them through.
    with engine.execution_options(writes=True).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _UPGRADE_LOCK})
        config = history(connection)
        known = MigrationContext.configure(connection).get_current_revision()
        if known is None and inspect(connection).has_table("mods"):
            command.stamp(config, _BEFORE_ALEMBIC)
        command.upgrade(config, "head")


def _prepare_sqlite(connection: sqlite3.Connection, _: object) -> None:
    # The driver's own transaction handling begins too late for a read followed by a write to be one (pysqlite docs).
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=30000"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Any) -> None:
    immediate = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
