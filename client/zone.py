"""The areas of a table: what lies in a seat's hand, on its mat, in the middle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MOST_ZONES = 500


@dataclass(frozen=True, slots=True)
class Zone:
    """A rectangle seen from above, in the setup's units. ``seat`` is None for one that belongs to the whole table.

    ``turn`` is its rotation round the upright axis in degrees.
    """

    zone_id: str
    seat: str | None
    name: str
    kind: str
    x: float
    z: float
    width: float
    depth: float
    turn: float

    @property
    def key(self) -> tuple[str | None, str]:
        return self.seat, self.zone_id

    def holds(self, position: object) -> bool:
        """Whether a place on the table is in it; its height does not matter."""
        if not isinstance(position, Mapping):
            return False
        across, along = _number(position.get("x")) - self.x, _number(position.get("z")) - self.z
        angle = math.radians(self.turn)
        x = across * math.cos(angle) - along * math.sin(angle)
        z = across * math.sin(angle) + along * math.cos(angle)
        return abs(x) <= self.width / 2 and abs(z) <= self.depth / 2

    def as_plain(self) -> dict[str, Any]:
        return {"id": self.zone_id, "seat": self.seat, "name": self.name, "type": self.kind}


def zones_of(setup: Mapping[str, Any]) -> tuple[Zone, ...]:
    """All zones of a setup, its seats' first; an entry that makes no sense is none."""
    found: dict[tuple[str | None, str], Zone] = {}
    for seat in _objects(setup.get("seatZones")):
        name = seat.get("seat")
        for entry in _objects(seat.get("zones")):
            _add(found, entry, name if isinstance(name, str) else None)
    for key in ("zones", "tableZones"):
        for entry in _objects(setup.get(key)):
            _add(found, entry, None)
    return tuple(found.values())[:MOST_ZONES]


def _add(found: dict[tuple[str | None, str], Zone], entry: Mapping[str, Any], seat: str | None) -> None:
    zone_id = entry.get("id")
    if not isinstance(zone_id, str) or (seat, zone_id) in found:
        return
    place, turn, size = (entry.get(key) for key in ("position", "rotation", "scale"))
    place, turn, size = (one if isinstance(one, Mapping) else {} for one in (place, turn, size))
    found[seat, zone_id] = Zone(
        zone_id,
        seat,
        _text(entry.get("name"), zone_id),
        _text(entry.get("type"), "area"),
        _number(place.get("x")),
        _number(place.get("z")),
        abs(_number(size.get("x"))),
        abs(_number(size.get("z"))),
        _number(turn.get("y")),
    )


def _objects(value: object) -> Iterable[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else ()


def _text(value: object, otherwise: str) -> str:
    return value if isinstance(value, str) else otherwise


def _number(value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return float(value) if is_number else 0.0  # type: ignore[arg-type] # the line above has looked
