"""Answers kept in memory never outlive a write, whoever made it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, insert, select

from server.database import blocks, now, open_database
from server.unchanged import Generation, Unchanged
from tests.server.postgres import Postgres

pytestmark = pytest.mark.asyncio


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'kept.sqlite'}"


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    opened = open_database(url)
    yield opened
    opened.dispose()


@pytest.fixture
def kept(engine: Engine) -> Iterator[Unchanged[int]]:
    generation = Generation(engine)
    yield Unchanged(generation, 2)
    generation.close()


def write(engine: Engine) -> None:
    with engine.execution_options(writes=True).begin() as connection:
        values = {"kind": "version", "value": str(now().timestamp()), "reason": "", "at": now()}
        connection.execute(insert(blocks).values(values))


class Counted:
    """Counts the rows, and how often it was asked to."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.asked = 0

    async def __call__(self) -> int:
        self.asked += 1
        with self._engine.connect() as connection:
            return len(connection.execute(select(blocks.c.number)).all())


async def test_what_was_read_is_kept_until_anybody_writes(engine: Engine, kept: Unchanged[int], url: str) -> None:
    counted = Counted(engine)
    assert [await kept.read("rows", counted), await kept.read("rows", counted)] == [0, 0]
    assert counted.asked == 1
    write(engine)
    assert [await kept.read("rows", counted), await kept.read("rows", counted)] == [1, 1]
    assert counted.asked == 2
    other = open_database(url)
    write(other)
    other.dispose()
    assert await kept.read("rows", counted) == 2


async def test_what_was_read_while_somebody_wrote_is_not_kept(engine: Engine, kept: Unchanged[int]) -> None:
    counted = Counted(engine)
    goes_on = asyncio.Event()

    async def slow() -> int:
        rows = await counted()
        await goes_on.wait()
        return rows

    late = asyncio.create_task(kept.read("rows", slow))
    await asyncio.sleep(0)
    write(engine)
    assert await kept.read("other", counted) == 1
    goes_on.set()
    assert await late == 0
    assert await kept.read("rows", counted) == 1


async def test_a_reading_that_failed_is_made_again(kept: Unchanged[int], engine: Engine) -> None:
    async def failing() -> int:
        raise LookupError

    with pytest.raises(LookupError):
        await kept.read("rows", failing)
    assert await kept.read("rows", Counted(engine)) == 0


async def test_the_first_of_too_many_is_let_go(kept: Unchanged[int], engine: Engine) -> None:
    counted = Counted(engine)
    for key in ("a", "b", "c", "c", "b", "a"):
        await kept.read(key, counted)
    assert counted.asked == 4


async def test_a_database_that_tells_no_generations_is_asked_each_time(postgres: Postgres) -> None:
    engine = open_database(postgres.url("generations"))
    generation = Generation(engine)
    counted = Counted(engine)
    kept: Unchanged[int] = Unchanged(generation, 2)
    for _ in range(2):
        await kept.read("rows", counted)
    assert counted.asked == 2
    generation.close()
    engine.dispose()
