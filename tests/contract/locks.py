"""The contract of :class:`client.ports.Locks`."""

from __future__ import annotations

import asyncio

from tests.contract.ports import Ports


async def an_exclusive_lock_is_held_by_one_at_a_time(ports: Ports) -> None:
    inside, most = 0, 0

    async def work() -> None:
        nonlocal inside, most
        async with ports.locks.exclusive(ports.key):
            inside += 1
            most = max(most, inside)
            await ports.clock.sleep(0.005)
            inside -= 1

    await asyncio.gather(*(work() for _ in range(5)))
    assert most == 1


async def locks_of_other_names_are_not_waited_for(ports: Ports) -> None:
    async with ports.locks.exclusive(f"{ports.key}/1"), ports.locks.exclusive(f"{ports.key}/2"):
        pass


async def sharers_hold_a_lock_together(ports: Ports) -> None:
    async with ports.locks.shared(ports.key), ports.locks.shared(ports.key):
        pass


async def what_is_held_is_told_once_for_each_holder(ports: Ports) -> None:
    async with ports.locks.shared(ports.key), ports.locks.shared(ports.key), ports.locks.exclusive(f"{ports.key}/1"):
        held = [name for name in await ports.locks.held() if name.startswith(ports.key)]
        assert sorted(held) == [ports.key, ports.key, f"{ports.key}/1"]
    assert not [name for name in await ports.locks.held() if name.startswith(ports.key)]


async def an_exclusive_lock_waits_for_every_sharer(ports: Ports) -> None:
    events: list[str] = []

    async def alone() -> None:
        async with ports.locks.exclusive(ports.key):
            events.append("alone")

    async with ports.locks.shared(ports.key):
        waiting = asyncio.ensure_future(alone())
        await ports.clock.sleep(0.02)
        events.append("shared")
    await waiting
    assert events == ["shared", "alone"]


async def a_sharer_waits_behind_one_who_wants_to_be_alone(ports: Ports) -> None:
    events: list[str] = []

    async def alone() -> None:
        async with ports.locks.exclusive(ports.key):
            events.append("alone")

    async def together() -> None:
        async with ports.locks.shared(ports.key):
            events.append("together")

    async with ports.locks.shared(ports.key):
        first = asyncio.ensure_future(alone())
        await ports.clock.sleep(0.02)
        second = asyncio.ensure_future(together())
        await ports.clock.sleep(0.02)
    await asyncio.gather(first, second)
    assert events == ["alone", "together"]


async def a_lock_that_is_free_is_had_at_once(ports: Ports) -> None:
    async with ports.locks.exclusive_if_free(ports.key) as held:
        assert held
        async with ports.locks.exclusive_if_free(ports.key) as again:
            assert not again
    async with ports.locks.exclusive_if_free(ports.key) as held:
        assert held


async def a_lock_others_share_is_not_free(ports: Ports) -> None:
    async with ports.locks.shared(ports.key), ports.locks.exclusive_if_free(ports.key) as held:
        assert not held
    async with ports.locks.exclusive(ports.key):
        pass


async def a_block_that_fails_lets_go(ports: Ports) -> None:
    for hold in (ports.locks.exclusive, ports.locks.shared, ports.locks.exclusive_if_free):
        try:
            async with hold(ports.key):
                raise KeyError
        except KeyError:
            pass
    async with ports.locks.exclusive(ports.key):
        pass


async def who_is_cancelled_while_holding_lets_go(ports: Ports) -> None:
    holding = asyncio.Event()

    async def hold() -> None:
        async with ports.locks.exclusive(ports.key):
            holding.set()
            await asyncio.Event().wait()

    task = asyncio.ensure_future(hold())
    await holding.wait()
    task.cancel()
    await asyncio.wait([task])
    async with ports.locks.exclusive(ports.key):
        pass


async def who_is_cancelled_while_waiting_waits_no_more(ports: Ports) -> None:
    async def hold() -> None:
        async with ports.locks.exclusive(ports.key):
            raise AssertionError

    async with ports.locks.exclusive(ports.key):
        waiting = asyncio.ensure_future(hold())
        await ports.clock.sleep(0.02)
        waiting.cancel()
        await asyncio.wait([waiting])
    assert waiting.cancelled()
    async with ports.locks.exclusive(ports.key):
        pass
