"""Web Locks as context managers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import js
from pyodide.ffi import create_proxy, to_js

from worker.absent import absent


class WebLocks:
    """``navigator.locks``: let go of by the browser itself within some 40 ms of its holder's death.

    A callback that throws would never be told apart from one that ended, so ours never throws: it waits until the
    block is left, however that happens.
    """

    @asynccontextmanager
    async def exclusive(self, name: str) -> AsyncIterator[None]:
        async with self._hold(name, {"mode": "exclusive"}):
            yield

    @asynccontextmanager
    async def shared(self, name: str) -> AsyncIterator[None]:
        async with self._hold(name, {"mode": "shared"}):
            yield

    @asynccontextmanager
    async def exclusive_if_free(self, name: str) -> AsyncIterator[bool]:
        async with self._hold(name, {"mode": "exclusive", "ifAvailable": True}) as held:
            yield held

    @asynccontextmanager
    async def steal(self, name: str) -> AsyncIterator[None]:
        async with self._hold(name, {"mode": "exclusive", "steal": True}):
            yield

    async def held(self) -> list[str]:
        known = await js.navigator.locks.query()
        return [str(lock.name) for lock in known.held]

    @asynccontextmanager
    async def _hold(self, name: str, options: dict[str, Any]) -> AsyncIterator[bool]:
        loop = asyncio.get_running_loop()
        granted: asyncio.Future[bool] = loop.create_future()
        over: asyncio.Future[None] = loop.create_future()

        async def hold(lock: Any) -> None:
            if not granted.done():
                granted.set_result(not absent(lock))
            await over

        callback = create_proxy(hold)
        abort = js.AbortController.new()
        if not options.keys() & {"ifAvailable", "steal"}:  # the standard allows a signal with neither
            options = {**options, "signal": abort.signal}
        request = asyncio.ensure_future(
            js.navigator.locks.request(name, to_js(options, dict_converter=js.Object.fromEntries), callback)
        )
        request.add_done_callback(lambda done: _refused(done, granted))
        try:
            yield await granted
        finally:
            if not over.done():
                over.set_result(None)
            if not granted.done() or granted.cancelled():
                abort.abort()
            await asyncio.wait([request])
            callback.destroy()


def _refused(request: asyncio.Future[Any], granted: asyncio.Future[bool]) -> None:
    """Where locks can't be had at all (an opaque origin, a page being closed), go on alone rather than not at all."""
    if not request.cancelled():
        request.exception()
    if not granted.done():
        granted.set_result(True)
