"""The contracts, asked of the browser's adapters inside a worker (``tests/browser/contract_worker.js``)."""

from __future__ import annotations

import importlib
import traceback
from typing import Any

from client.ports import Blob, Lane, Store
from tests.contract.ports import cases
from worker.clock import BrowserClock
from worker.locks import WebLocks
from worker.store import BrowserStore
from worker.transfer import PumpTransfer

_modules: Any = None


def prepare(modules: Any) -> None:
    """Take the JavaScript modules the adapters stand on."""
    global _modules  # noqa: PLW0603
    _modules = modules


class WorkerPorts:
    """This browser's ports as a contract wants them."""

    def __init__(self, store: Store, kind: str, host: str, key: str) -> None:
        self.store = store
        self.transfer = PumpTransfer(_modules.pump)
        self.locks = WebLocks()
        self.clock = BrowserClock()
        self.host = host
        self.key = key
        self.lanes: list[Lane] = []
        self._kind = kind

    async def another_tab(self) -> Store:
        return await _store(self._kind)

    async def content(self, blob: Blob) -> tuple[bytes, str]:
        return (await blob.arrayBuffer()).to_bytes(), str(blob.type)

    def lane(self, most_jobs: int) -> Lane:
        self.lanes.append(self.transfer.lane(most_jobs))
        return self.lanes[-1]


async def _store(kind: str) -> Store:
    module = getattr(_modules, kind)
    return BrowserStore("opfs" if kind == "opfs" else "indexeddb", module, await module.openRoot(), _modules.digest)


async def hold(contract: str, name: str, kind: str, host: str) -> str | None:
    """Ask this browser for one case; None when it is kept, else what went wrong, with the values at that line."""
    case = cases(importlib.import_module(f"tests.contract.{contract}"))[name]
    try:
        store = await _store(kind)
        ports = WorkerPorts(store, kind, host, f"contract/{name.replace('_', '-')[:60]}")
        await store.forget(ports.key)
        try:
            await case(ports)
        finally:
            for lane in ports.lanes:
                lane.close()
        await store.forget(ports.key)
    except BaseException as error:
        return f"{traceback.format_exc()}\n{_values(error)}"
    return None


def _values(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    found = trace.tb_frame.f_locals if trace is not None else {}
    return "\n".join(f"{name} = {repr(value)[:300]}" for name, value in found.items())
