"""Opening a table from end to end: click, pull, reload, republish, packs, failures."""

from tests.unit.world import World, statuses


async def test_a_first_visit_downloads_every_declared_file(world: World) -> None:
    world.publish(files={"a.webp": b"aaaa", "b.glb": b"b" * 5000})
    report = await world.visited()
    assert statuses(report) == {
        "diceytable.mod.json": "downloaded",
        "setup.json": "downloaded",
        "a.webp": "downloaded",
        "b.glb": "downloaded",
    }
