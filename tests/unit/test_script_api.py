"""Every call of the script API: what it gives, what it needs, and exactly how it fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from client.capability import MOD_CAPABILITIES
from client.card_catalogue import CardCatalogue
from client.message_wall import MOST_CALLS
from client.room import Arrival, Departure, HostMessage, LocalRoom, Person, Reseating, Room, RoomEvent
from client.script_api import (
    CAPABILITY_OF,
    MOST_CALLS_A_SECOND,
    MOST_HOST_MESSAGES,
    MOST_SUBSCRIPTIONS,
    UI_BUDGET,
    ScriptApi,
    ScriptSetting,
)
from client.table import Table
from client.ui_board import TICK, UiBoard
from tests.fakes import FakeClock
from tests.unit.test_table import table

MOD = "alice/chess"
CARDS = CardCatalogue({"ace-1": {"key": "ace-1"}}, {"the ace": {"key": "ace-1"}})


class SharedRoom:
    """Two peers in one process: what a guest sends, the host gets, stamped with who it came from."""

    def __init__(self) -> None:
        self.host = _Side(self, Person("p-host", "Ann", "host", "red"))
        self.guest = _Side(self, Person("p-guest", "Bo", "player", "blue"))

    def tell_all(self, event: RoomEvent) -> None:
        for side in (self.host, self.guest):
            for listener in list(side.listeners):
                listener(event)


class _Side:
    def __init__(self, room: SharedRoom, me: Person) -> None:
        self.listeners: list[Callable[[RoomEvent], None]] = []
        self.room = room
        self.me = me

    def send_to_host(self, mod: str, name: str, data: Any) -> None:
        for listener in list(self.room.host.listeners):
            listener(HostMessage(mod, name, data, self.me))


class Script:
    """The other end of the port: numbers calls, keeps answers and events."""

    def __init__(
        self,
        clock: FakeClock,
        room: Room,
        capabilities: frozenset[str] = MOD_CAPABILITIES,
        at: Table | None = None,
        board: UiBoard | None = None,
        mod: str = MOD,
        **more: Any,
    ) -> None:
        self.sent: list[dict[str, Any]] = []
        self.logged: list[str] = []
        self.faults: list[str] = []
        self.table = at if at is not None else table()
        self.board = board if board is not None else UiBoard(clock, lambda: None)
        self.setting = ScriptSetting(
            mod, mod, capabilities, self.table, room, self.board, clock, cards=self._cards, **more
        )
        self.api = ScriptApi(
            self.setting,
            lambda text: self.sent.append(json.loads(text)),
            lambda note: self.logged.append(note.text),
            self.faults.append,
        )
        self._number = 0

    async def _cards(self) -> CardCatalogue:
        return CARDS

    def ask(self, method: str, *arguments: Any) -> int:
        self._number += 1
        self.api.receive(json.dumps([[self._number, method, *arguments]]))
        return self._number

    def outcome(self, number: int) -> tuple[bool, Any] | None:
        answers = [answer for message in self.sent for answer in message.get("answers", [])]
        return next(((answer[1], answer[2]) for answer in answers if answer[0] == number), None)

    async def call(self, method: str, *arguments: Any) -> Any:
        """What the promise resolves to.

        :raises AssertionError: it rejects
        """
        number = self.ask(method, *arguments)
        while self.outcome(number) is None:
            await asyncio.sleep(0)
        outcome = self.outcome(number)
        assert outcome is not None
        assert outcome[0], outcome[1]
        return outcome[1]

    def rejection(self, method: str, *arguments: Any) -> str:
        outcome = self.outcome(self.ask(method, *arguments))
        assert outcome is not None
        assert outcome[0] is False, outcome
        code: str = outcome[1]["code"]
        return code

    @property
    def events(self) -> list[list[Any]]:
        return [event for message in self.sent for event in message.get("events", [])]


@pytest.fixture
def script(clock: FakeClock) -> Script:
    """On the host, with every capability but that to see what is hidden."""
    return Script(clock, LocalRoom("red"), MOD_CAPABILITIES - {"read-hidden-information"})


def element(element_id: str = "a", **props: Any) -> dict[str, Any]:
    return {"id": element_id, "type": "panel", "props": props}


async def test_every_capability_opens_its_calls_and_no_others(clock: FakeClock) -> None:
    assert set(CAPABILITY_OF.values()) == MOD_CAPABILITIES - {"read-hidden-information"}
    for capability in sorted(MOD_CAPABILITIES):
        script = Script(clock, LocalRoom(), frozenset({capability}))
        for method, needed in CAPABILITY_OF.items():
            outcome = script.outcome(script.ask(method)) if method not in {"getMySeat", "getVariant"} else None
            if outcome is not None and not outcome[0]:
                assert (outcome[1]["code"] == "no-capability") == (needed != capability), (method, capability)


@pytest.mark.parametrize("method", ["fetch", "isHost", "__proto__", "constructor", "_do_log", "", "getMySeat"])
async def test_there_is_nothing_else_to_call(script: Script, method: str) -> None:
    assert script.rejection(method) == "unknown-call"


async def test_the_seat_is_known_without_asking(clock: FakeClock) -> None:
    room = LocalRoom("red")
    script = Script(clock, room, frozenset({"read-context"}), variant="quick")
    room.sit("blue")
    contexts = [message["context"] for message in script.sent if "context" in message]
    assert contexts == [{"seat": "red", "variant": "quick"}, {"seat": "blue", "variant": "quick"}]
    assert Script(clock, LocalRoom("red"), frozenset({"log"})).sent == []


async def test_log_reaches_the_author_as_text(script: Script) -> None:
    for value in ("ready", 5, {"a": [1]}, None):
        await script.call("log", value)
    assert script.logged == ["ready", "5", '{"a": [1]}', "null"]


# User interface


async def test_elements_are_put_listed_and_taken_away(script: Script) -> None:
    assert await script.call("setUiElement", element("a", title="A", onPress="go")) == {"id": "a"}
    await script.call("setUiElement", element("b"))
    await script.call("setUiElement", element("a", title="Z"))
    listed = await script.call("listUiElements")
    assert [(one["id"], one["props"]) for one in listed] == [("a", {"title": "Z"}), ("b", {})]
    assert await script.call("deleteUiElement", "a") is True
    assert await script.call("deleteUiElement", "a") is False
    assert [one["element"]["id"] for one in script.board.shown("red", "local")] == ["b"]


async def test_writes_reject_on_a_guest(clock: FakeClock) -> None:
    guest = Script(clock, SharedRoom().guest)
    for method, arguments in (
        ("setUiElement", [element()]),
        ("deleteUiElement", ["a"]),
        ("createObject", [{}]),
        ("objectAction", ["die", "flip"]),
    ):
        assert guest.rejection(method, *arguments) == "host-only"
    assert await guest.call("listUiElements") == []
    assert guest.table.seq == 0


async def test_over_the_budget_of_a_tick_a_change_answers_null(script: Script, clock: FakeClock) -> None:
    answers = [await script.call("setUiElement", element(str(number % 9))) for number in range(UI_BUDGET)]
    assert None not in answers
    assert await script.call("setUiElement", element("late")) is None
    assert await script.call("deleteUiElement", "0") is None
    assert "late" not in [one.element_id for one in script.board.elements(MOD)]
    clock.advance(TICK)
    assert await script.call("setUiElement", element("late")) == {"id": "late"}


async def test_a_guest_is_refused_even_over_the_budget(clock: FakeClock) -> None:
    """Scripts tell host from guest by the difference between a rejection and null."""
    guest = Script(clock, SharedRoom().guest)
    assert {guest.rejection("setUiElement", element()) for _ in range(UI_BUDGET + 5)} == {"host-only"}


async def test_the_page_is_drawn_once_a_tick(clock: FakeClock) -> None:
    drawn: list[float] = []
    board = UiBoard(clock, lambda: drawn.append(clock.monotonic()))
    script = Script(clock, LocalRoom(), board=board)
    for number in range(50):
        await script.call("setUiElement", element(str(number)))
    await clock.sleep(TICK * 3)
    for number in range(50):
        await script.call("deleteUiElement", str(number))
    await clock.sleep(TICK * 3)
    assert len(drawn) == 2
    board.close()


async def test_a_press_reaches_the_script_under_the_name_it_gave(script: Script) -> None:
    script.ask("setUiElement", {**element("a", onPress="go"), "children": [{"id": "b", "type": "input"}]})
    script.ask("on", "go")
    script.api.press("a", "onPress", None)
    script.api.press("a", "onChange", "x")
    script.api.press("b", "onPress", None)
    script.api.press("gone", "onPress", None)
    assert script.events == [["go", {"elementId": "a", "actorPeerId": "local", "seat": "red"}]]


async def test_what_is_drawn_for_others_can_t_be_pressed(script: Script) -> None:
    script.ask("setUiElement", {**element("a", onPress="go"), "visibility": {"seats": ["blue"]}})
    script.ask("on", "go")
    script.api.press("a", "onPress", None)
    assert script.events == []


# The world


async def test_the_host_makes_and_moves_things(script: Script) -> None:
    made = await script.call("createObject", {"kind": "card", "label": "Note"})
    assert await script.call("getObject", made["id"]) == made
    moved = await script.call("objectAction", made["id"], {"type": "move", "position": {"x": 2}})
    assert moved["position"]["x"] == 2
    assert len(await script.call("objectAction", "deck", {"type": "draw", "count": 2})) == 2
    assert await script.call("objectAction", made["id"], "remove") is None
    assert await script.call("getObject", made["id"]) is None
    assert script.rejection("objectAction", made["id"], "flip") == "unknown-object"
    assert script.rejection("createObject", 5) == "wrong-argument"


async def test_what_is_hidden_needs_a_capability_of_its_own(script: Script, clock: FakeClock) -> None:
    script.table.act("deck", {"type": "draw", "seat": "blue"})
    (card,) = await script.call("getZoneObjects", "blue", "hand")
    assert (card["hidden"], card["metadata"]) == (True, {})
    assert await script.call("getContainerContents", "deck") == [
        {"index": 0, "kind": "card", "faceDown": True, "hidden": True},
        {"index": 1, "kind": "card", "faceDown": True, "hidden": True},
    ]
    seer = Script(clock, LocalRoom("red"), frozenset({"read-world", "read-hidden-information"}), at=script.table)
    (card,) = await seer.call("getZoneObjects", "blue", "hand")
    assert card["metadata"]["cardId"] == "card-2"
    assert [one["cardId"] for one in await seer.call("getContainerContents", "deck")] == ["card-1", "card-1#2"]


async def test_objects_are_found_by_what_can_be_seen_of_them(script: Script) -> None:
    assert [one["id"] for one in await script.call("listObjects")] == ["deck", "die", "box"]
    assert [one["id"] for one in await script.call("listObjects", {"kind": "die"})] == ["die"]
    assert [one["id"] for one in await script.call("listObjects", {"ids": ["box", "x"]})] == ["box"]
    assert await script.call("listObjects", {"label": "Harbour"}) == []
    assert script.rejection("listObjects", "deck") == "wrong-argument"


async def test_zones_are_listed_by_seat(script: Script) -> None:
    zones = await script.call("listSeatZones")
    assert [(zone["seat"], zone["id"], zone["type"]) for zone in zones] == [
        ("red", "hand", "hand"),
        ("blue", "hand", "hand"),
    ]
    assert [zone["seat"] for zone in await script.call("listSeatZones", "blue")] == ["blue"]
    assert await script.call("getZoneObjects", "blue", "gone") == []


# Events


async def test_only_what_was_asked_for_is_told(script: Script) -> None:
    script.ask("on", "onZoneEnter")
    script.table.act("die", {"type": "move", "position": {"x": 0, "z": 10}})
    script.ask("on", "onTableEvent")
    script.ask("on", "onZoneLeave")
    script.table.act("die", {"type": "move", "position": {"x": 0, "z": 0}})
    assert script.events == [
        ["onZoneEnter", {"zoneId": "hand", "seat": "red", "objectId": "die"}],
        ["onTableEvent", {"type": "move", "objectId": "die"}],
        ["onZoneLeave", {"zoneId": "hand", "seat": "red", "objectId": "die"}],
    ]


async def test_people_come_sit_and_go(clock: FakeClock) -> None:
    room = SharedRoom()
    script = Script(clock, room.host)
    for event in ("onPeerJoined", "onPeerLeft", "onSeatChanged"):
        script.ask("on", event)
    person = Person("p3", "Cy", "player", None)
    for happened in (Arrival(person), Reseating(Person("p3", "Cy", "player", "green"), None), Departure(person)):
        room.tell_all(happened)
    assert [(name, detail["peerId"], detail["seat"]) for name, detail in script.events] == [
        ("onPeerJoined", "p3", None),
        ("onSeatChanged", "p3", "green"),
        ("onPeerLeft", "p3", None),
    ]


async def test_the_host_is_told_what_guests_send_and_who_they_are(clock: FakeClock) -> None:
    room = SharedRoom()
    host, guest = Script(clock, room.host), Script(clock, room.guest)
    other = Script(clock, room.host, mod="bob/other")
    for script in (host, guest, other):
        script.ask("on", "onHostMessage")
    guest.ask("sendToHost", "bid", {"amount": 5, "actorPeerId": "p-host", "actorRole": "host"})
    assert host.events == [
        [
            "onHostMessage",
            {
                "name": "bid",
                "data": {"amount": 5, "actorPeerId": "p-host", "actorRole": "host"},
                "actorPeerId": "p-guest",
                "actorRole": "player",
            },
        ]
    ]
    assert guest.events == other.events == []


async def test_messages_to_the_host_have_a_size_and_a_number(script: Script) -> None:
    assert script.rejection("sendToHost", "x", "y" * 20_000) == "too-large"
    assert script.rejection("sendToHost", 5) == "wrong-argument"
    for _ in range(MOST_HOST_MESSAGES):
        script.ask("sendToHost", "x")
    assert script.rejection("sendToHost", "x") == "too-many"


async def test_a_script_listens_to_so_many_events(script: Script) -> None:
    for number in range(MOST_SUBSCRIPTIONS):
        script.ask("on", f"hook-{number}")
    assert script.rejection("on", "one-more") == "too-many"
    assert script.rejection("on", 5) == "wrong-argument"


# Cards, decks, plugins


async def test_cards_are_found_by_key_or_name_and_misses_left_out(script: Script) -> None:
    found = await script.call("resolveCards", ["ace-1", "The Ace", "joker"])
    assert found == [
        {"cardId": "ace-1", "data": {"key": "ace-1"}},
        {"cardId": "The Ace", "data": {"key": "ace-1"}},
    ]
    assert await script.call("resolveCards", []) == []


async def test_somebody_without_decks_has_none(script: Script) -> None:
    assert await script.call("listDecks", {"scope": "mine", "search": "", "limit": 1}) == []
    assert await script.call("getDeck", "d1") is None


async def test_plugins_are_those_declared_and_selected(clock: FakeClock) -> None:
    plugins = {"cards": frozenset({"search"}), "more": frozenset({"get"})}
    script = Script(clock, LocalRoom(), plugins=plugins, selected=frozenset({"cards", "strange"}))
    assert await script.call("listPlugins") == [{"id": "cards", "functions": ["search"]}]
    assert await script.call("callPlugin", "cards", "search", {}) == {"ok": False, "reason": "unavailable"}
    for plugin, function in (("cards", "other"), ("more", "get"), ("strange", "search"), ("none", "x")):
        assert await script.call("callPlugin", plugin, function, {}) == {"ok": False, "reason": "not-found"}
    assert script.rejection("callPlugin", ["cards"], "search") == "wrong-argument"


# Walls and ends


@pytest.mark.parametrize("message", [None, b"x", "x", "[]", {"a": 1}, "[" * 100_000, '[[1,"log",NaN]]'])
async def test_a_message_that_the_api_never_sends_ends_the_script(script: Script, message: Any) -> None:
    script.ask("setUiElement", element())
    script.api.receive(message)
    assert len(script.faults) == 1
    assert script.board.shown("red", "local") == []


async def test_a_flood_of_calls_ends_the_script_that_makes_it_and_no_other(clock: FakeClock) -> None:
    at, board = table(), UiBoard(clock, lambda: None)
    calm = Script(clock, LocalRoom(), at=at, board=board, mod="bob/calm")
    flooding = Script(clock, LocalRoom(), at=at, board=board)
    message = json.dumps([[1, "getObject", "die"]] * MOST_CALLS)
    for _ in range(MOST_CALLS_A_SECOND // MOST_CALLS):
        flooding.api.receive(message)
    assert flooding.faults == []
    flooding.api.receive(message)
    assert len(flooding.faults) == 1
    outcome = calm.outcome(calm.ask("getObject", "die"))
    assert outcome is not None
    assert outcome[0]


async def test_nothing_is_left_of_an_ended_script(script: Script) -> None:
    await script.call("setUiElement", element())
    script.ask("on", "onTableEvent")
    script.ask("resolveCards", ["ace-1"])
    script.api.close()
    told = len(script.sent)
    script.ask("createObject", {})
    script.table.act("die", "flip")
    script.api.press("a", "onPress", None)
    await asyncio.sleep(0)
    assert len(script.sent) == told
    assert script.board.shown("red", "local") == []
    assert script.table.listeners == []
    assert script.faults == []
