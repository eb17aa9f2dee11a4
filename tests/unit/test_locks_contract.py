"""The fakes keep the contract the browser's adapters keep."""

import pytest

from tests.contract import locks
from tests.contract.ports import Case, cases
from tests.fakes import Machine
from tests.unit.contracts import hold


@pytest.mark.parametrize("case", cases(locks).values(), ids=cases(locks))
async def test_fake_locks(case: Case, machine: Machine) -> None:
    await hold(case, machine)
