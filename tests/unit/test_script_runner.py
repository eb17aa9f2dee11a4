"""Which scripts of a table run, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from client.errors import Blocked
from client.peer import Peer
from client.script_runner import LOOK_AGAIN, ScriptRunner
from tests.contract.answer import REFUSED
from tests.fakes import sha256
from tests.unit.world import HOSTS, REGISTRY, Published, World, settle

MAIN = b"exports.setup = (api) => api.log('ready');"
SCENE = "api.log('the world');"
GAME = "alice/chess"


class FakeLine:
    """The port into one script, with the script's end in the test's hand."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.take: Callable[[object], None] | None = None
        self.closed = False

    def send(self, text: str) -> None:
        self.sent.append(json.loads(text))

    def listen(self, take: Callable[[object], None]) -> None:
        self.take = take

    def close(self) -> None:
        self.closed = True

    def say(self, *calls: list[Any]) -> None:
        assert self.take is not None
        self.take(json.dumps(calls))


class FakeStage:
    """The page, as it is asked to run and to show scripts."""

    def __init__(self) -> None:
        self.started: dict[str, tuple[str, dict[str, Any]]] = {}
        self.stopped: list[str] = []
        self.drawn: list[list[dict[str, Any]]] = []
        self.notes: list[dict[str, Any]] = []

    def start(self, script: str, source: str, config: dict[str, Any]) -> None:
        self.started[script] = source, config

    def stop(self, script: str) -> None:
        self.stopped.append(script)

    def draw(self, elements: list[dict[str, Any]]) -> None:
        self.drawn.append(elements)

    def note(self, note: dict[str, Any]) -> None:
        self.notes.append(note)

    def said(self) -> list[str]:
        return [note["text"] for note in self.notes if note["kind"] == "note"]


@pytest.fixture
def stage(world: World) -> FakeStage:
    found = FakeStage()
    world.stage = found
    return found


def publish(world: World, script: bytes = MAIN, *, allowed: list[str] | None = None, **more: Any) -> Published:
    """A game with a script that the registry has read, and what else a manifest or setup holds."""
    world.scripts |= {sha256(script), sha256(SCENE.encode())}
    return world.publish(
        GAME,
        {"main.js": script},
        entry={"setup": "setup.json", "script": "main.js"},
        capabilities={"version": "1", "allowed": ["log", "ui", "host-message"] if allowed is None else allowed},
        **more,
    )


async def opened(world: World, name: str = GAME) -> tuple[Peer, ScriptRunner]:
    peer, _ = await world.opened(name)
    await settle(peer)
    await world.clock.sleep(1)
    assert peer.runner is not None
    return peer, peer.runner


def states(peer: Peer) -> dict[str, tuple[str, str | None]]:
    return {one["script"]: (one["state"], one["reason"]) for one in peer.scripts()}


async def test_a_script_is_given_its_source_its_manifest_and_what_it_may_ask(world: World, stage: FakeStage) -> None:
    publish(world, summary="A game")
    peer, _ = await opened(world)
    source, config = stage.started[GAME]
    assert source == MAIN.decode()
    assert config["capabilities"] == ["host-message", "log", "ui"]
    assert config["manifest"]["summary"] == "A game"
    assert config["methods"]["callPlugin"] == "plugin-call"
    assert states(peer) == {GAME: ("starting", None)}


async def test_scripts_of_the_scene_run_beside_the_mod_s_own(world: World, stage: FakeStage) -> None:
    publish(world, setup={"scripts": [{"id": "world", "source": SCENE}]})
    await opened(world)
    assert {script: source for script, (source, _) in stage.started.items()} == {
        GAME: MAIN.decode(),
        f"{GAME}#world": SCENE,
    }


async def test_only_bytes_that_the_registry_has_read_run(world: World, stage: FakeStage) -> None:
    publish(world, setup={"scripts": [{"id": "world", "source": SCENE}]})
    world.scripts = {sha256(SCENE.encode())}
    peer, _ = await opened(world)
    assert list(stage.started) == [f"{GAME}#world"]
    assert states(peer)[GAME] == ("refused", "not-scanned")


async def test_without_the_registry_s_index_nothing_runs(world: World, stage: FakeStage) -> None:
    publish(world)
    world.indexed = False
    peer, _ = await opened(world)
    assert stage.started == {}
    assert states(peer) == {GAME: ("refused", "not-scanned")}


async def test_a_preview_runs_nothing(world: World, stage: FakeStage) -> None:
    publish(world, registered=False)
    peer, _ = await opened(world)
    assert stage.started == {}
    assert states(peer) == {GAME: ("refused", "preview")}


async def test_scripts_of_packs_run_too_each_with_its_own_capabilities(world: World, stage: FakeStage) -> None:
    world.publish(
        "bob/hall",
        {"hall.js": MAIN},
        id="hall",
        type="room-pack",
        entry={"script": "hall.js"},
        capabilities={"version": "1", "allowed": ["log"]},
    )
    publish(world, setup={"packRefs": [{"packId": "hall", "role": "room"}]})
    await opened(world)
    assert {script: config["capabilities"] for script, (_, config) in stage.started.items()} == {
        GAME: ["host-message", "log", "ui"],
        "bob/hall": ["log"],
    }


async def test_what_a_script_says_and_draws_reaches_the_page(world: World, stage: FakeStage) -> None:
    publish(world)
    peer, runner = await opened(world)
    line = FakeLine()
    runner.connected(GAME, line)
    assert states(peer) == {GAME: ("running", None)}
    line.say(
        [1, "log", "ready"],
        [2, "console", "warn", "careful"],
        [3, "scriptError", "it broke", 3, 7],
        [4, "setUiElement", {"id": "a", "type": "panel", "props": {"title": "A", "onPress": "go"}}],
    )
    await world.clock.sleep(1)
    notes = [(n["level"], n["text"], n["line"], n["column"]) for n in stage.notes if n["kind"] == "note"]
    assert notes == [
        ("log", "ready", None, None),
        ("warn", "careful", None, None),
        ("error", "it broke", 3, 7),
    ]
    assert [one["element"]["id"] for one in stage.drawn[-1]] == ["a"]
    assert stage.drawn[-1][0]["script"] == GAME


async def test_a_script_that_ends_takes_along_what_it_drew(world: World, stage: FakeStage) -> None:
    publish(world)
    peer, runner = await opened(world)
    line = FakeLine()
    runner.connected(GAME, line)
    line.say([1, "setUiElement", {"id": "a", "type": "panel"}])
    await world.clock.sleep(1)
    runner.ended(GAME, "hung")
    await world.clock.sleep(1)
    assert stage.drawn[-1] == []
    assert line.closed
    assert stage.stopped == [GAME]
    assert states(peer) == {GAME: ("ended", "hung")}
    told = len(stage.notes)
    runner.ended(GAME, "again")
    runner.press(GAME, "a", "onPress", None)
    assert len(stage.notes) == told


async def test_a_message_no_api_sends_ends_that_script_alone(world: World, stage: FakeStage) -> None:
    publish(world, setup={"scripts": [{"id": "world", "source": SCENE}]})
    peer, runner = await opened(world)
    first, second = FakeLine(), FakeLine()
    runner.connected(GAME, first)
    runner.connected(f"{GAME}#world", second)
    assert first.take is not None
    first.take({"length": 2**32})
    assert states(peer)[GAME][0] == "ended"
    assert states(peer)[f"{GAME}#world"] == ("running", None)
    second.say([1, "log", "still here"])
    assert stage.said() == ["still here"]


async def test_a_second_line_for_a_script_is_closed_unheard(world: World, stage: FakeStage) -> None:
    publish(world)
    _, runner = await opened(world)
    first, second = FakeLine(), FakeLine()
    runner.connected(GAME, first)
    runner.connected(GAME, second)
    runner.connected("bob/unknown", third := FakeLine())
    assert (first.closed, second.closed, third.closed) == (False, True, True)
    assert second.take is third.take is None


async def test_closing_the_table_ends_every_script_without_a_word(world: World, stage: FakeStage) -> None:
    publish(world, setup={"scripts": [{"id": "world", "source": SCENE}]})
    peer, runner = await opened(world)
    line = FakeLine()
    runner.connected(GAME, line)
    told = len(stage.notes)
    await peer.close()
    assert sorted(stage.stopped) == [GAME, f"{GAME}#world"]
    assert line.closed
    assert len(stage.notes) == told
    assert peer.scripts() == []


async def test_a_mod_that_the_registry_stops_stops_here(world: World, stage: FakeStage) -> None:
    publish(world, setup={"scripts": [{"id": "world", "source": SCENE}]})
    peer, runner = await opened(world)
    runner.connected(GAME, FakeLine())
    await world.clock.sleep(LOOK_AGAIN * 2)
    assert states(peer)[GAME] == ("running", None)
    world.blocked.add(world.record()["id"])
    await world.clock.sleep(LOOK_AGAIN * 2)
    assert set(states(peer).values()) == {("ended", "blocked")}
    assert sorted(stage.stopped) == [GAME, f"{GAME}#world"]


async def test_a_mod_that_is_stopped_while_it_loads_never_begins(world: World, stage: FakeStage) -> None:
    published = publish(world)
    block = world.record()["id"]
    world.network.when(lambda url, _: world.blocked.add(block) if url == published.url("main.js") else None)
    peer, _ = await opened(world)
    assert states(peer) == {GAME: ("refused", "blocked")}
    assert stage.started == {}


async def test_a_registry_that_does_not_answer_stops_nothing(world: World, stage: FakeStage) -> None:
    publish(world)
    peer, runner = await opened(world)
    runner.connected(GAME, FakeLine())
    world.network.when(lambda url, _: REFUSED if url.startswith(REGISTRY) else None)
    await world.clock.sleep(LOOK_AGAIN * 2)
    assert states(peer)[GAME] == ("running", None)


# Where the registry can't be asked


def nobody_answers(world: World) -> None:
    """Everything that is not kept is out of reach from now on."""
    world.network.when(lambda url, _: REFUSED if url.startswith((REGISTRY, HOSTS.raw, HOSTS.api)) else None)


async def visited(world: World) -> None:
    peer, _ = await opened(world)
    await peer.close()


async def test_a_kept_mod_runs_offline_the_scripts_that_were_read(world: World, stage: FakeStage) -> None:
    publish(world, setup={"scripts": [{"id": "world", "source": SCENE}, {"id": "new", "source": "api.log('unread');"}]})
    await visited(world)
    stage.started.clear()
    nobody_answers(world)
    peer, _ = await opened(world)
    assert list(stage.started) == [GAME, f"{GAME}#world"]
    assert states(peer)[f"{GAME}#new"] == ("refused", "not-scanned")


async def test_a_pack_runs_its_scripts_offline_too(world: World, stage: FakeStage) -> None:
    pack: dict[str, Any] = {"id": "hall", "type": "room-pack", "entry": {"script": "hall.js"}}
    first = world.publish("bob/hall", {"hall.js": MAIN}, **pack)
    world.publish("bob/hall", {"hall.js": MAIN, "more.webp": b"more"}, **pack)
    publish(world, setup={"packRefs": [{"packId": "hall", "role": "room", "commitSha": first.sha}]})
    await visited(world)
    stage.started.clear()
    nobody_answers(world)
    await opened(world)
    assert list(stage.started) == [GAME, "bob/hall"]


async def test_a_mod_whose_scripts_were_never_judged_runs_none_offline(world: World, stage: FakeStage) -> None:
    publish(world)
    world.indexed = False
    await visited(world)
    nobody_answers(world)
    peer, _ = await opened(world)
    assert states(peer) == {GAME: ("refused", "not-scanned")}


async def test_a_block_that_came_to_an_open_table_is_remembered(world: World, stage: FakeStage) -> None:
    publish(world)
    peer, runner = await opened(world)
    runner.connected(GAME, FakeLine())
    world.blocked.add(world.record()["id"])
    await world.clock.sleep(LOOK_AGAIN * 2)
    await peer.close()
    nobody_answers(world)
    with pytest.raises(Blocked):
        await opened(world)


async def test_a_block_that_was_met_when_opening_is_remembered_until_it_is_lifted(
    world: World, stage: FakeStage
) -> None:
    publish(world)
    await visited(world)
    mod_id = world.record()["id"]
    world.blocked.add(mod_id)
    for name in (GAME, mod_id):
        with pytest.raises(Blocked):
            await opened(world, name)
    offline = True
    world.network.when(lambda url, _: REFUSED if offline and url.startswith((REGISTRY, HOSTS.raw)) else None)
    for name in (GAME, mod_id):
        with pytest.raises(Blocked):
            await opened(world, name)
    offline = False
    world.blocked.clear()
    await visited(world)
    offline = True
    stage.started.clear()
    await opened(world)
    assert list(stage.started) == [GAME]


async def test_a_block_that_becomes_known_when_the_registry_is_back_ends_what_runs(
    world: World, stage: FakeStage
) -> None:
    publish(world)
    await visited(world)
    offline = True
    world.network.when(lambda url, _: REFUSED if offline and url.startswith((REGISTRY, HOSTS.raw)) else None)
    peer, runner = await opened(world)
    runner.connected(GAME, FakeLine())
    world.blocked.add(world.record()["id"])
    await world.clock.sleep(LOOK_AGAIN * 2)
    assert states(peer)[GAME] == ("running", None)
    offline = False
    await world.clock.sleep(LOOK_AGAIN * 2)
    assert states(peer)[GAME] == ("ended", "blocked")
