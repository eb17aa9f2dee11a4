"""What a contract is asked of: the fakes on CPython, or the adapters in a browser's worker."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Protocol

from client.ports import Blob, Clock, Lane, Locks, Store, Transfer


class Ports(Protocol):
    """One machine's ports. ``host`` is the address of a host that gives the answers of ``transfer.ANSWERS``, without a
    trailing slash; ``key`` names a mod that no other case uses."""

    @property
    def store(self) -> Store: ...

    @property
    def transfer(self) -> Transfer: ...

    @property
    def locks(self) -> Locks: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def host(self) -> str: ...

    @property
    def key(self) -> str: ...

    async def another_tab(self) -> Store:
        """The same storage, as a tab sees it that has just been opened."""

    async def content(self, blob: Blob) -> tuple[bytes, str]:
        """A blob's bytes and its media type."""

    def lane(self, most_jobs: int) -> Lane:
        """A lane that is closed when the case is over."""


Case = Callable[[Ports], Awaitable[None]]


def cases(module: ModuleType) -> dict[str, Case]:
    """The cases of a contract by name: its public coroutine functions."""
    return {
        name: function
        for name, function in vars(module).items()
        if inspect.iscoroutinefunction(function) and not name.startswith("_") and function.__module__ == module.__name__
    }
