"""Who sits at a table, as the scripts of one peer see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Role = Literal["host", "player", "spectator"]


@dataclass(frozen=True, slots=True)
class Person:
    """``seat`` is a colour, None for somebody who stands."""

    peer_id: str
    name: str
    role: Role
    seat: str | None

    def as_plain(self) -> dict[str, Any]:
        return {"peerId": self.peer_id, "name": self.name, "role": self.role, "seat": self.seat}


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody has come."""

    person: Person


@dataclass(frozen=True, slots=True)
class Departure:
    """Somebody has gone."""

    person: Person


@dataclass(frozen=True, slots=True)
class Reseating:
    """Somebody sits elsewhere now; ``before`` is the seat that was left."""

    person: Person
    before: str | None


@dataclass(frozen=True, slots=True)
class HostMessage:
    """What a script sent to the host's. ``sender`` is who the room knows it came from, not who it says it is."""

    mod: str
    name: str
    data: Any
    sender: Person


RoomEvent = Arrival | Departure | Reseating | HostMessage


class Room(Protocol):
    """A room as one peer takes part in it. Messages reach the host only, in the order they were sent."""

    listeners: list[Callable[[RoomEvent], None]]

    @property
    def me(self) -> Person:
        """This peer, as it stands now."""

    def send_to_host(self, mod: str, name: str, data: Any) -> None:
        """Hand a message of the mod ``owner/repo`` to the host's script of that mod."""


class LocalRoom:
    """One player at a table of their own, who is its host."""

    def __init__(self, seat: str | None = None) -> None:
        self.listeners: list[Callable[[RoomEvent], None]] = []
        self._me = Person("local", "You", "host", seat)

    @property
    def me(self) -> Person:
        return self._me

    def sit(self, seat: str | None) -> None:
        """Take another seat, or stand up."""
        before = self._me
        if seat == before.seat:
            return
        self._me = Person(before.peer_id, before.name, before.role, seat)
        self._tell(Reseating(self._me, before.seat))

    def send_to_host(self, mod: str, name: str, data: Any) -> None:
        self._tell(HostMessage(mod, name, data, self._me))

    def _tell(self, event: RoomEvent) -> None:
        for listener in list(self.listeners):
            listener(event)
