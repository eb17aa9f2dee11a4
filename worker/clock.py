"""The browser's clock."""

from __future__ import annotations

import asyncio
import time


class BrowserClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
