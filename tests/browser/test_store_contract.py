"""The browser's own adapters keep the contract the fakes keep."""

import pytest

from tests.browser.conftest import Contractor
from tests.browser.contracts import STORES
from tests.contract import store
from tests.contract.ports import cases

ASKED = [(engine, kind) for engine, kinds in STORES.items() for kind in kinds]


@pytest.mark.parametrize(("contractor", "kind"), ASKED, indirect=["contractor"], scope="module")
@pytest.mark.parametrize("case", cases(store))
def test_store(contractor: Contractor, kind: str, case: str) -> None:
    contractor.hold("store", case, kind)
