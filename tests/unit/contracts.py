"""The contracts, asked of the fakes."""

from __future__ import annotations

from dataclasses import dataclass, field

from client.ports import Blob, Lane, Store
from tests.contract import transfer
from tests.contract.ports import Case
from tests.fakes import FakeBlob, FakeClock, FakeLocks, FakeTransfer, Machine

HOST = "https://host.test"


@dataclass
class FakePorts:
    """A machine of fakes as a contract wants it."""

    store: Store
    transfer: FakeTransfer
    locks: FakeLocks
    clock: FakeClock
    host: str
    key: str
    lanes: list[Lane] = field(default_factory=list)

    async def another_tab(self) -> Store:
        return self.store

    async def content(self, blob: Blob) -> tuple[bytes, str]:
        assert isinstance(blob, FakeBlob)
        return blob.data, blob.media_type

    def lane(self, most_jobs: int) -> Lane:
        self.lanes.append(self.transfer.lane(most_jobs))
        return self.lanes[-1]


async def hold(case: Case, machine: Machine) -> None:
    """Ask the fakes for one case."""
    for path, answers in transfer.ANSWERS.items():
        machine.network.on(HOST + path, *answers)
    ports = FakePorts(machine.store, machine.transfer, machine.locks, machine.clock, HOST, "contract/case")
    await case(ports)
    for lane in ports.lanes:
        lane.close()
