"""Tabs take turns, follow the one that pulls, and pass one by that hangs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from client.turn import BEAT, SILENCE, Turns
from tests.fakes import FakeChannel, FakeClock, Machine

NAME = "peer:pull:a/b"


class Tab:
    """One tab that wants the turn."""

    def __init__(self, machine: Machine, beside: Tab | None = None) -> None:
        """``beside``: another wish of that very tab."""
        self.channel: FakeChannel = beside.channel if beside is not None else machine.channel()
        self.turns: Turns = beside.turns if beside is not None else Turns(machine.locks, self.channel, machine.clock)
        self.heard: list[Mapping[str, Any]] = []
        self.has_turn = asyncio.Event()
        self.done = asyncio.Event()
        self.percent = 0
        self.task = asyncio.ensure_future(self._hold())

    async def _hold(self) -> None:
        async with self.turns.take(NAME, follow=self.heard.append, progress=lambda: {"percent": self.percent}):
            self.has_turn.set()
            await self.done.wait()


async def test_one_tab_has_the_turn_and_the_next_gets_it_when_it_ends(machine: Machine) -> None:
    first, second = Tab(machine), Tab(machine)
    await first.has_turn.wait()
    await machine.clock.sleep(5)
    assert not second.has_turn.is_set()
    first.done.set()
    await second.has_turn.wait()
    second.done.set()
    await asyncio.gather(first.task, second.task)
    assert await machine.locks.held() == []


async def test_who_waits_follows_the_progress_of_who_pulls(machine: Machine) -> None:
    first = Tab(machine)
    await first.has_turn.wait()
    second = Tab(machine)
    first.percent = 40
    await machine.clock.sleep(BEAT * 1.5)
    first.percent = 70
    await machine.clock.sleep(BEAT)
    assert [values["percent"] for values in second.heard] == [40, 70]
    for tab in (first, second):
        tab.done.set()
    await asyncio.gather(first.task, second.task)


async def test_a_tab_that_falls_silent_is_passed_by(machine: Machine, clock: FakeClock) -> None:
    hung, second = Tab(machine), Tab(machine)
    await hung.has_turn.wait()
    hung.channel.silent = True
    began = clock.monotonic()
    await second.has_turn.wait()
    assert SILENCE <= clock.monotonic() - began <= SILENCE + BEAT
    hung.done.set()
    await hung.task
    second.done.set()
    await second.task
    assert await machine.locks.held() == []


async def test_a_slow_tab_that_gives_signs_of_life_keeps_its_turn(machine: Machine) -> None:
    first, second = Tab(machine), Tab(machine)
    await first.has_turn.wait()
    await machine.clock.sleep(SILENCE * 10)
    assert not second.has_turn.is_set()
    for tab in (first, second):
        tab.done.set()
    await asyncio.gather(first.task, second.task)


async def test_a_tab_never_takes_itself_for_hung(machine: Machine) -> None:
    pulling = Tab(machine)
    mending = Tab(machine, beside=pulling)
    await pulling.has_turn.wait()
    await machine.clock.sleep(SILENCE * 3)
    assert not mending.has_turn.is_set()
    pulling.done.set()
    await mending.has_turn.wait()
    mending.done.set()
    await asyncio.gather(pulling.task, mending.task)
    assert await machine.locks.held() == []


async def test_who_stops_waiting_holds_nothing_up(machine: Machine) -> None:
    first, second, third = Tab(machine), Tab(machine), Tab(machine)
    await first.has_turn.wait()
    await machine.clock.sleep(1)
    second.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second.task
    first.done.set()
    await third.has_turn.wait()
    third.done.set()
    await asyncio.gather(first.task, third.task)
    assert await machine.locks.held() == []
