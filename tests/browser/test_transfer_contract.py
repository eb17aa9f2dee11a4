"""The browser's own adapters keep the contract the fakes keep."""

import pytest

from tests.browser.conftest import Contractor
from tests.browser.contracts import STORES
from tests.contract import locks, transfer
from tests.contract.ports import cases

ASKED = [(engine, kinds[0]) for engine, kinds in STORES.items()]


@pytest.mark.parametrize(("contractor", "kind"), ASKED, indirect=["contractor"], scope="module")
@pytest.mark.parametrize("case", cases(transfer))
def test_transfer(contractor: Contractor, kind: str, case: str) -> None:
    contractor.hold("transfer", case, kind)


@pytest.mark.parametrize(("contractor", "kind"), ASKED, indirect=["contractor"], scope="module")
@pytest.mark.parametrize("case", cases(locks))
def test_locks(contractor: Contractor, kind: str, case: str) -> None:
    contractor.hold("locks", case, kind)


@pytest.mark.parametrize(("contractor", "kind"), ASKED, indirect=["contractor"], scope="module")
def test_no_request_needs_the_permission_a_raw_host_refuses(contractor: Contractor, kind: str) -> None:
    contractor.hold("transfer", "bytes_nobody_stores_come_to_python", kind)
    assert {request.partition(" ")[0] for request in contractor.host.requests} == {"GET"}
