"""Taking turns: of all tabs that want a mod one pulls it, the others follow its progress.

A holder that dies lets go of its lock by dying. One that hangs, as a stopped process does, keeps it: after
:data:`SILENCE` seconds without a word the next in line takes the lock from it. The robbed one can do no harm should it
wake, since it writes to a journal and segments of its own (DESIGN.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from client.ports import Channel, Clock, Locks

BEAT = 1.0
"""Seconds between two signs of life of the tab that pulls."""
SILENCE = 15.0
"""Seconds without one after which it counts as hung."""

Progress = Mapping[str, Any]


class Turns:
    """The turns of one tab."""

    def __init__(self, locks: Locks, channel: Channel, clock: Clock) -> None:
        self._locks = locks
        self._channel = channel
        self._clock = clock
        self._own: dict[str, asyncio.Lock] = {}
        """Who of this very tab has a turn: nobody hears its own voice, so a tab could take itself for hung."""

    @asynccontextmanager
    async def take(
        self, name: str, *, follow: Callable[[Progress], None], progress: Callable[[], Progress]
    ) -> AsyncIterator[None]:
        """Hold the lock ``name`` alone.

        :param follow: called with the progress of the tab that has the turn, while we wait for ours
        :param progress: what those who wait for us are told
        """
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._own.setdefault(name, asyncio.Lock()))
            if not await stack.enter_async_context(self._locks.exclusive_if_free(name)):
                await self._wait(stack, name, follow)
            beating = asyncio.ensure_future(self._beat(name, progress))
            try:
                yield
            finally:
                beating.cancel()
                await asyncio.wait([beating])

    async def _wait(self, stack: AsyncExitStack, name: str, follow: Callable[[Progress], None]) -> None:
        heard_at = self._clock.monotonic()

        def heard(values: dict[str, Any]) -> None:
            nonlocal heard_at
            heard_at = self._clock.monotonic()
            follow(values)

        unsubscribe = self._channel.subscribe(name, heard)
        queued = self._locks.exclusive(name)
        granted = asyncio.ensure_future(queued.__aenter__())
        try:
            while not granted.done():
                silence = self._clock.monotonic() - heard_at
                if silence >= SILENCE:
                    break
                pause = asyncio.ensure_future(self._clock.sleep(SILENCE - silence))
                try:
                    await asyncio.wait([granted, pause], return_when=asyncio.FIRST_COMPLETED)
                finally:
                    pause.cancel()
        except BaseException:
            await _withdraw(granted, queued)
            raise
        finally:
            unsubscribe()
        if granted.done():
            granted.result()
            stack.push_async_exit(queued)
        else:
            await _withdraw(granted, queued)
            await stack.enter_async_context(self._locks.steal(name))

    async def _beat(self, name: str, progress: Callable[[], Progress]) -> None:
        while True:
            self._channel.publish(name, progress())
            await self._clock.sleep(BEAT)


async def _withdraw(granted: asyncio.Future[None], queued: Any) -> None:
    """Leave the queue, and let go of the lock if it was granted in this very moment."""
    granted.cancel()
    await asyncio.wait([granted])
    if not granted.cancelled() and granted.exception() is None:
        await queued.__aexit__(None, None, None)
