"""The fakes keep the contract the browser's adapters keep."""

import pytest

from tests.contract import store
from tests.contract.ports import Case, cases
from tests.fakes import Machine
from tests.unit.contracts import hold


@pytest.mark.parametrize("case", cases(store).values(), ids=cases(store))
async def test_fake_store(case: Case, machine: Machine) -> None:
    await hold(case, machine)
