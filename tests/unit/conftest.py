"""Async tests run on the fake clock's event loop, so that no test waits for anything."""

from __future__ import annotations

import inspect
import random

import pytest

from tests.fakes import FakeClock, Machine
from tests.unit.world import World


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    machine = pyfuncitem.funcargs["machine"]
    assert isinstance(machine, Machine)
    machine.clock.run(pyfuncitem.obj(**arguments))
    return True


@pytest.fixture(autouse=True)
def _seeded() -> None:
    """Jitter is the same in every run."""
    random.seed(7)


@pytest.fixture(autouse=True)
def machine() -> Machine:
    return Machine()


@pytest.fixture
def clock(machine: Machine) -> FakeClock:
    return machine.clock


@pytest.fixture
def world(machine: Machine) -> World:
    return World(machine)
