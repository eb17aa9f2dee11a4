"""The schema: its history leads to the tables the code names, on both databases."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, MetaData, create_engine, inspect, select

from server.database import accounts, history, metadata, now, open_database, utc

_names = itertools.count(1)


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Makes empty databases."""

    def url() -> str:
        name = f"schema_{next(_names)}"
        if request.param == "sqlite":
            return f"sqlite:///{tmp_path / name}"
        found: str = request.getfixturevalue("postgres").url(name)
        return found

    return url


def plain_engine(url: str) -> Engine:
    """An engine that upgrades nothing."""
    return create_engine(url.replace("postgresql:", "postgresql+psycopg:"))


def test_the_history_leads_to_the_tables_the_code_names(new_url: Callable[[], str]) -> None:
    engine = open_database(new_url())
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_a_database_from_before_the_history_is_taken_over_with_its_rows(new_url: Callable[[], str]) -> None:
    url = new_url()
    engine = plain_engine(url)
    with engine.begin() as connection:
        command.upgrade(history(connection), "0001")
        connection.exec_driver_sql("DROP TABLE alembic_version")
        row = {"id": "a", "name": "mara", "member": True, "admin": False, "created_at": now()}
        tables = MetaData()
        tables.reflect(connection, only=["accounts"])
        connection.execute(tables.tables["accounts"].insert().values(row))
    engine.dispose()
    engine = open_database(url)
    with engine.connect() as connection:
        found = connection.execute(select(accounts)).one()
        assert (found.name, found.member) == ("mara", True)
        assert utc(found.created_at).tzinfo is not None
        assert inspect(connection).has_table("alembic_version")
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def test_processes_that_start_at_one_moment_upgrade_once(new_url: Callable[[], str]) -> None:
    url = new_url()
    with ThreadPoolExecutor(6) as pool:
        engines = list(pool.map(open_database, [url] * 6))
    for engine in engines:
        assert inspect(engine).has_table("mods")
        engine.dispose()


def test_opening_again_changes_nothing(new_url: Callable[[], str]) -> None:
    url = new_url()
    open_database(url).dispose()
    engine = plain_engine(url)
    before = inspect(engine).get_table_names()
    open_database(url).dispose()
    assert inspect(engine).get_table_names() == before
    engine.dispose()
