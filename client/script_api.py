"""What a script may ask for, and what it gets: every call is checked here against the mod's declared capabilities.

Calls come and answers go as JSON texts over one port for each script. The names, what each needs, and how it fails are
those that published mods rely on: a write by a guest rejects, a change of the user interface over the budget answers
null, and by that difference scripts tell a host from a guest. There is no call for that, and none for networking.

To the script go ``{answers?: [[number, ok, value]], events?: [[name, detail]], context?: {seat, variant}}``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from client.card_catalogue import MOST_ASKED, CardCatalogue
from client.message_wall import Call, read_calls
from client.ports import Clock
from client.refusal import Refusal
from client.room import Arrival, Departure, HostMessage, Reseating, Room, RoomEvent
from client.table import Table, TableChange, all_redacted, redacted, redacted_card
from client.ui_board import UiBoard
from client.ui_element import UiElement, read_element

UI_BUDGET = 120
"""Changes of the user interface in one tick."""
MOST_CALLS_A_SECOND = 20_000
MOST_WAITING = 500
"""Calls whose answer takes more than a look."""
MOST_SUBSCRIPTIONS = 200
LONGEST_LOG = 2000
MOST_LOGGED = 100
"""In one tick; what is more is not shown."""
LONGEST_NAME = 100
LARGEST_HOST_MESSAGE = 16 * 1024
"""Characters of JSON."""
MOST_HOST_MESSAGES = 60
"""In one tick."""
MOST_DECKS = 100

_OWN = frozenset({"console", "scriptError", "started"})
_LEVELS = frozenset({"log", "info", "debug", "warn", "error"})

EVENTS = (
    "onPeerJoined",
    "onPeerLeft",
    "onSeatChanged",
    "onHostMessage",
    "onZoneEnter",
    "onZoneLeave",
    "onTableEvent",
)

CAPABILITY_OF = {
    "log": "log",
    "on": "subscribe-events",
    "setUiElement": "ui",
    "deleteUiElement": "ui",
    "listUiElements": "ui",
    "createObject": "spawn-object",
    "objectAction": "object-action",
    "listObjects": "read-world",
    "getObject": "read-world",
    "getContainerContents": "read-world",
    "getZoneObjects": "read-world",
    "listSeatZones": "read-world",
    "getMySeat": "read-context",
    "getVariant": "read-context",
    "listPlugins": "plugin-call",
    "callPlugin": "plugin-call",
    "resolveCards": "read-cards",
    "listDecks": "read-decks",
    "getDeck": "read-decks",
    "sendToHost": "host-message",
}
"""Every call of the API. ``getMySeat`` and ``getVariant`` are answered inside the script, from the last context."""


class Decks(Protocol):
    """The decks of the person at this peer."""

    async def search(self, search: str, limit: int) -> list[dict[str, Any]]: ...

    async def deck(self, deck_id: str) -> dict[str, Any] | None: ...


class NoDecks:
    """Somebody who keeps no decks here."""

    async def search(self, search: str, limit: int) -> list[dict[str, Any]]:
        return []

    async def deck(self, deck_id: str) -> dict[str, Any] | None:
        return None


@dataclass(frozen=True)
class ScriptSetting:
    """What one script runs in. ``script`` tells it from all others at the table, ``mod`` is its ``owner/repo``.

    ``plugins`` are the functions the mod declares, by plugin; ``selected`` the plugins the room has chosen.
    """

    script: str
    mod: str
    capabilities: frozenset[str]
    table: Table
    room: Room
    board: UiBoard
    clock: Clock
    cards: Callable[[], Awaitable[CardCatalogue]]
    decks: Decks = field(default_factory=NoDecks)
    variant: str | None = None
    plugins: Mapping[str, frozenset[str]] = field(default_factory=dict)
    selected: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ScriptNote:
    """Something for the script's author. ``line`` and ``column`` are the script's own, from 1, where they are known."""

    level: str
    text: str
    line: int | None = None
    column: int | None = None


class ScriptApi:
    """The gate of one script.

    :param send: hands a text to the script
    :param log: takes what the script wants its author to read
    :param fault: called once when the script has to end, with the reason
    """

    def __init__(
        self,
        setting: ScriptSetting,
        send: Callable[[str], None],
        log: Callable[[ScriptNote], None],
        fault: Callable[[str], None],
    ) -> None:
        self._setting = setting
        self._send = send
        self._log = log
        self._fault = fault
        self._subscribed: set[str] = set()
        self._waiting: set[asyncio.Task[None]] = set()
        self._cards: asyncio.Future[CardCatalogue] | None = None
        self._second, self._calls = -1, 0
        self._budgets: dict[str, tuple[int, int]] = {}
        self._closed = False
        self._methods: dict[str, Callable[..., Any]] = {
            "log": self._do_log,
            "on": self._do_on,
            "setUiElement": self._do_set_ui_element,
            "deleteUiElement": self._do_delete_ui_element,
            "listUiElements": self._do_list_ui_elements,
            "createObject": self._do_create_object,
            "objectAction": self._do_object_action,
            "listObjects": self._do_list_objects,
            "getObject": self._do_get_object,
            "getContainerContents": self._do_get_container_contents,
            "getZoneObjects": self._do_get_zone_objects,
            "listSeatZones": self._do_list_seat_zones,
            "listPlugins": self._do_list_plugins,
            "callPlugin": self._do_call_plugin,
            "resolveCards": self._do_resolve_cards,
            "listDecks": self._do_list_decks,
            "getDeck": self._do_get_deck,
            "sendToHost": self._do_send_to_host,
        }
        setting.table.listeners.append(self._table_changed)
        setting.room.listeners.append(self._room_changed)
        self._push_context()

    def receive(self, message: object) -> None:
        """Take what came from the script; whatever it is, only this script can be hurt by it."""
        if self._closed:
            return
        try:
            calls = read_calls(message)
        except Refusal as refusal:
            # The API inside the script sends nothing like it: somebody else has got hold of the port.
            self._end(refusal.message)
            return
        second = int(self._setting.clock.monotonic())
        if second != self._second:
            self._second, self._calls = second, 0
        self._calls += len(calls)
        if self._calls > MOST_CALLS_A_SECOND:
            self._end(f"It makes more than {MOST_CALLS_A_SECOND} calls a second.")
            return
        answers = [answer for call in calls if (answer := self._answer(call)) is not None]
        if answers and not self._closed:
            self._send(json.dumps({"answers": answers}))

    def press(self, element_id: str, prop: str, value: object) -> None:
        """The player at this peer has used an element: whoever listens to the event it names is told."""
        setting = self._setting
        element = setting.board.find(setting.script, element_id)
        name = element.hooks.get(prop) if element is not None else None
        me = setting.room.me
        if name is None or element is None or not element.visibility.includes(me.seat, me.peer_id):
            return
        detail = {"elementId": element_id, "actorPeerId": me.peer_id, "seat": me.seat}
        if isinstance(value, str):
            detail["value"] = value[:LONGEST_LOG]
        self._event(name, detail)

    def close(self) -> None:
        """Leave nothing of the script behind; what it sends from now on is not even read."""
        if self._closed:
            return
        self._closed = True
        setting = self._setting
        setting.table.listeners.remove(self._table_changed)
        setting.room.listeners.remove(self._room_changed)
        setting.board.clear(setting.script)
        for task in list(self._waiting):
            task.cancel()

    def _end(self, reason: str) -> None:
        self.close()
        self._fault(reason)

    def _answer(self, call: Call) -> list[Any] | None:
        """The answer, None while it takes longer."""
        if call.method in _OWN:
            self._own(call)
            return [call.number, True, None]
        try:
            needed = CAPABILITY_OF.get(call.method)
            method = self._methods.get(call.method)
            if needed is None or method is None:
                raise Refusal("unknown-call", f"There is no api.{call.method}.")
            if needed not in self._setting.capabilities:
                raise Refusal("no-capability", f"api.{call.method} needs the capability {needed}.")
            found = method(*call.arguments)
        except Refusal as refusal:
            return [call.number, False, {"code": refusal.code, "message": refusal.message}]
        if not asyncio.iscoroutine(found):
            return [call.number, True, found]
        if len(self._waiting) >= MOST_WAITING:
            found.close()
            message = f"More than {MOST_WAITING} calls wait for their answers."
            return [call.number, False, {"code": "too-many", "message": message}]
        task = asyncio.ensure_future(self._answer_later(call.number, found))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)
        # A task that is cancelled before it has begun never gets to its work.
        task.add_done_callback(lambda _: found.close())
        return None

    def _own(self, call: Call) -> None:
        """What the API inside the script tells by itself: the console, and errors that nobody caught."""
        match call.method, call.arguments:
            case "console", [str(level), str(text)] if level in _LEVELS and self._within("log", MOST_LOGGED):
                self._log(ScriptNote(level, text[:LONGEST_LOG]))
            case "scriptError", [str(text), line, column] if self._within("log", MOST_LOGGED):
                self._log(ScriptNote("error", text[:LONGEST_LOG], _place(line), _place(column)))

    async def _answer_later(self, number: int, work: Awaitable[Any]) -> None:
        try:
            answer: list[Any] = [number, True, await work]
        except Refusal as refusal:
            answer = [number, False, {"code": refusal.code, "message": refusal.message}]
        if not self._closed:
            self._send(json.dumps({"answers": [answer]}))

    # Events

    def _event(self, name: str, detail: Mapping[str, Any]) -> None:
        if name in self._subscribed and not self._closed:
            self._send(json.dumps({"events": [[name, detail]]}))

    def _table_changed(self, change: TableChange) -> None:
        if change.zone is None:
            self._event("onTableEvent", {"type": change.kind, "objectId": change.object_id})
            return
        name = "onZoneEnter" if change.kind == "enter" else "onZoneLeave"
        self._event(name, {"zoneId": change.zone.zone_id, "seat": change.zone.seat, "objectId": change.object_id})

    def _room_changed(self, event: RoomEvent) -> None:
        match event:
            case Arrival(person):
                self._event("onPeerJoined", person.as_plain())
            case Departure(person):
                self._event("onPeerLeft", person.as_plain())
            case Reseating(person, before):
                if person.peer_id == self._setting.room.me.peer_id:
                    self._push_context()
                self._event("onSeatChanged", {**person.as_plain(), "previousSeat": before})
            case HostMessage(mod, name, data, sender):
                if mod == self._setting.mod and self._is_host:
                    detail = {"name": name, "data": data, "actorPeerId": sender.peer_id, "actorRole": sender.role}
                    self._event("onHostMessage", detail)

    def _push_context(self) -> None:
        if "read-context" in self._setting.capabilities:
            context = {"seat": self._setting.room.me.seat, "variant": self._setting.variant}
            self._send(json.dumps({"context": context}))

    # What everything needs

    @property
    def _is_host(self) -> bool:
        return self._setting.room.me.role == "host"

    @property
    def _sees_all(self) -> bool:
        return "read-hidden-information" in self._setting.capabilities

    def _host_only(self, method: str) -> None:
        if not self._is_host:
            raise Refusal("host-only", f"api.{method} works on the host only.")

    def _within(self, budget: str, most: int) -> bool:
        """Count one more of something in this tick; whether it is still allowed."""
        tick, spent = self._budgets.get(budget, (-1, 0))
        now = self._setting.board.tick
        spent = spent + 1 if tick == now else 1
        self._budgets[budget] = now, spent
        return spent <= most

    def _seen(self, thing: dict[str, Any]) -> dict[str, Any]:
        setting = self._setting
        return redacted(setting.table, thing, setting.room.me.seat, all_seen=self._sees_all)

    # The calls

    def _do_log(self, text: object = None, *_: object) -> None:
        if not self._within("log", MOST_LOGGED):
            return
        written = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
        self._log(ScriptNote("log", written[:LONGEST_LOG]))

    def _do_on(self, name: object = None, *_: object) -> None:
        if not isinstance(name, str) or not 1 <= len(name) <= LONGEST_NAME:
            raise Refusal("wrong-argument", "api.on takes the name of an event.")
        if name not in self._subscribed and len(self._subscribed) >= MOST_SUBSCRIPTIONS:
            raise Refusal("too-many", f"A script listens to at most {MOST_SUBSCRIPTIONS} events.")
        self._subscribed.add(name)

    def _do_set_ui_element(self, element: object = None, *_: object) -> dict[str, Any] | None:
        self._host_only("setUiElement")
        if not self._within("ui", UI_BUDGET):
            return None
        read = read_element(element)
        self._setting.board.put(self._setting.script, read)
        return {"id": read.element_id}

    def _do_delete_ui_element(self, element_id: object = None, *_: object) -> bool | None:
        self._host_only("deleteUiElement")
        if not self._within("ui", UI_BUDGET):
            return None
        if not isinstance(element_id, str):
            raise Refusal("wrong-argument", "api.deleteUiElement takes the id of an element.")
        return self._setting.board.remove(self._setting.script, element_id)

    def _do_list_ui_elements(self, *_: object) -> list[dict[str, Any]]:
        return [_declared(element) for element in self._setting.board.elements(self._setting.script)]

    def _do_create_object(self, spec: object = None, *_: object) -> dict[str, Any]:
        self._host_only("createObject")
        if not isinstance(spec, dict):
            raise Refusal("wrong-argument", "api.createObject takes an object.")
        return self._seen(self._setting.table.spawn(spec))

    def _do_object_action(self, thing_id: object = None, action: object = None, *_: object) -> Any:
        self._host_only("objectAction")
        changed = [self._seen(thing) for thing in self._setting.table.act(thing_id, action)]
        word = action.get("type") if isinstance(action, dict) else action
        return changed if word == "draw" else (changed[0] if changed else None)

    def _do_list_objects(self, wanted: object = None, *_: object) -> list[dict[str, Any]]:
        if wanted is not None and not isinstance(wanted, dict):
            raise Refusal("wrong-argument", "api.listObjects takes an object of what to look for.")
        setting = self._setting
        things = all_redacted(setting.table, setting.room.me.seat, all_seen=self._sees_all)
        return [thing for thing in things if _matches(thing, wanted or {})]

    def _do_get_object(self, thing_id: object = None, *_: object) -> dict[str, Any] | None:
        thing = self._setting.table.find(thing_id)
        return None if thing is None else self._seen(thing)

    def _do_get_container_contents(self, thing_id: object = None, *_: object) -> list[dict[str, Any]]:
        table = self._setting.table
        container = table.thing(thing_id)
        inside = table.contents(container)
        if self._sees_all:
            return inside
        unseen = self._seen(container).get("hidden") is True
        return [redacted_card(one) if unseen or one.get("faceDown") is True else one for one in inside]

    def _do_get_zone_objects(self, seat: object = None, zone_id: object = None, *_: object) -> list[dict[str, Any]]:
        table = self._setting.table
        if not isinstance(zone_id, str) or not (seat is None or isinstance(seat, str)):
            raise Refusal("wrong-argument", "api.getZoneObjects takes a seat and the id of a zone.")
        zone = table.zone(seat, zone_id)
        return [] if zone is None else [self._seen(thing) for thing in table.in_zone(zone)]

    def _do_list_seat_zones(self, seat: object = None, *_: object) -> list[dict[str, Any]]:
        zones = [zone for zone in self._setting.table.zones if zone.seat is not None]
        return [zone.as_plain() for zone in zones if seat is None or zone.seat == seat]

    def _do_list_plugins(self, *_: object) -> list[dict[str, Any]]:
        setting = self._setting
        chosen = sorted(setting.plugins.keys() & setting.selected)
        return [{"id": plugin, "functions": sorted(setting.plugins[plugin])} for plugin in chosen]

    def _do_call_plugin(self, plugin: object = None, function: object = None, *_: object) -> dict[str, Any]:
        if not isinstance(plugin, str) or not isinstance(function, str):
            raise Refusal("wrong-argument", "api.callPlugin takes the plugin's id and the function's name.")
        declared = function in self._setting.plugins.get(plugin, frozenset())
        # A plugin answers through the room that has selected it.
        return {"ok": False, "reason": "unavailable" if declared and plugin in self._setting.selected else "not-found"}

    async def _do_resolve_cards(self, asked: object = None, *_: object) -> list[dict[str, Any]]:
        given = asked if isinstance(asked, list) else [asked]
        names = [name for name in given if isinstance(name, str)]
        if len(names) > MOST_ASKED or len(names) != len(given):
            raise Refusal("wrong-argument", f"api.resolveCards takes a list of at most {MOST_ASKED} keys or names.")
        if self._cards is None:
            self._cards = asyncio.ensure_future(self._setting.cards())
        return (await self._cards).resolve(names)

    async def _do_list_decks(self, wanted: object = None, *_: object) -> list[dict[str, Any]]:
        details = wanted if isinstance(wanted, dict) else {}
        search, limit = details.get("search", ""), details.get("limit", MOST_DECKS)
        if not isinstance(search, str) or isinstance(limit, bool) or not isinstance(limit, int):
            raise Refusal("wrong-argument", "api.listDecks takes {scope, search, limit}.")
        return await self._setting.decks.search(search[:LONGEST_NAME], max(0, min(limit, MOST_DECKS)))

    async def _do_get_deck(self, deck_id: object = None, *_: object) -> dict[str, Any] | None:
        if not isinstance(deck_id, str):
            raise Refusal("wrong-argument", "api.getDeck takes the id of a deck.")
        return await self._setting.decks.deck(deck_id[:LONGEST_NAME])

    def _do_send_to_host(self, name: object = None, data: object = None, *_: object) -> None:
        if not isinstance(name, str) or not 1 <= len(name) <= LONGEST_NAME:
            raise Refusal("wrong-argument", "api.sendToHost takes a name and what to send.")
        if len(json.dumps(data)) > LARGEST_HOST_MESSAGE:
            raise Refusal("too-large", f"A message to the host has at most {LARGEST_HOST_MESSAGE} characters.")
        if not self._within("host-message", MOST_HOST_MESSAGES):
            raise Refusal("too-many", f"At most {MOST_HOST_MESSAGES} messages go to the host in one tick.")
        self._setting.room.send_to_host(self._setting.mod, name, data)


def _place(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10_000_000 else None


def _declared(element: UiElement) -> dict[str, Any]:
    """An element in the words the script used."""
    plain: dict[str, Any] = {
        "id": element.element_id,
        "type": element.type,
        "props": {**element.props, **element.hooks},
        "children": [_declared(child) for child in element.children],
    }
    seats, peers = element.visibility.seats, element.visibility.peers
    if seats is not None or peers is not None:
        named = {"seats": seats, "peers": peers}
        plain["visibility"] = {key: sorted(value) for key, value in named.items() if value is not None}
    return plain


def _matches(thing: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether an object, as the asker sees it, has all that is wanted: kind, ownerSeat, label, faceDown, tag, ids."""
    for key in ("kind", "ownerSeat", "label", "faceDown"):
        if key in wanted and thing.get(key) != wanted[key]:
            return False
    tags = thing.get("tags")
    if "tag" in wanted and wanted["tag"] not in (tags if isinstance(tags, list) else ()):
        return False
    ids = wanted.get("ids")
    return not isinstance(ids, list) or thing.get("id") in ids
