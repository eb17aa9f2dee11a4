"""The fakes keep the contract the browser's adapters keep."""

import pytest

from tests.contract import transfer
from tests.contract.ports import Case, cases
from tests.fakes import Machine
from tests.unit.contracts import hold


@pytest.mark.parametrize("case", cases(transfer).values(), ids=cases(transfer))
async def test_fake_transfer(case: Case, machine: Machine) -> None:
    await hold(case, machine)
