"""``setup.json``: which packs a table needs, and what stands on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from client.deck import Deck, read_decks
from client.issue import Issue
from client.json_document import DocumentUnreadable, LenientObject, read_object
from client.scene_script import SceneScript, scene_scripts
from client.version import CommitSha, commit_sha
from client.zone import Zone, zones_of

LONGEST_SETUP = 64 * 1024 * 1024
MOST_PACKS = 16
PackRole = Literal["room", "table"]

_ROLES: dict[str, PackRole] = {"room": "room", "table": "table"}
SEATS = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan", "white", "brown")


@dataclass(frozen=True, slots=True)
class PackReference:
    """A room or table another mod ships. ``pack_id`` is that mod's manifest id: only the registry knows whose."""

    pack_id: str
    release: str | None
    sha: CommitSha | None
    role: PackRole


@dataclass(frozen=True)
class Setup:
    """A setup as read; ``objects`` are the author's objects, untouched, each a JSON object."""

    packs: tuple[PackReference, ...]
    seats: tuple[str, ...]
    objects: tuple[dict[str, Any], ...]
    issues: tuple[Issue, ...]
    scripts: tuple[SceneScript, ...] = ()
    zones: tuple[Zone, ...] = ()

    @property
    def decks(self) -> int:
        return sum(1 for thing in self.objects if thing.get("kind") == "deck")

    @property
    def cards(self) -> int:
        return sum(_cards(thing) for thing in self.objects)

    @cached_property
    def card_decks(self) -> tuple[Deck, ...]:
        """The decks whose cards can be shown; read when first asked for."""
        return read_decks(self.objects)


EMPTY_SETUP = Setup((), (), (), ())


def read_setup(data: bytes, file: str) -> Setup:
    """Read a setup's bytes leniently: what can't be read is an issue, and the rest stands.

    :raises DocumentUnreadable: it is not a JSON object
    """
    values = read_object(data, file, longest=LONGEST_SETUP)
    issues: list[Issue] = []
    top = LenientObject(values, file, "", issues)
    objects = tuple(thing.values for thing in top.children("objects"))
    return Setup(tuple(_packs(top)), _seats(top), objects, tuple(issues), scene_scripts(values), zones_of(values))


def unreadable_setup(error: DocumentUnreadable, file: str) -> Setup:
    """The empty setup that stands in for one that could not be read."""
    return Setup((), (), (), (Issue("setup-unreadable", file, None, str(error)),))


def _packs(top: LenientObject) -> list[PackReference]:
    packs: list[PackReference] = []
    for entry in top.children("packRefs"):
        pack_id, role, sha = entry.text("packId"), entry.text("role"), entry.text("commitSha")
        if not pack_id:
            entry.complain("missing-key", "packId", "is missing; the pack is not loaded.")
        elif role is None or role not in _ROLES:
            entry.complain("unknown-role", "role", "should be room or table; the pack is not loaded.")
        elif len(packs) >= MOST_PACKS:
            top.complain("too-many-packs", "packRefs", f"has more than {MOST_PACKS} packs; the rest is left out.")
            break
        else:
            pinned = commit_sha(sha)
            if sha is not None and pinned is None:
                entry.complain(
                    "odd-pin", "commitSha", "should be 40 lower-case hex digits; the current version is loaded."
                )
            packs.append(PackReference(pack_id, entry.text("version"), pinned, _ROLES[role]))
    return packs


def _seats(top: LenientObject) -> tuple[str, ...]:
    named = [zone.text("seat") for zone in top.children("seatZones")]
    return tuple(dict.fromkeys(seat for seat in named if seat in SEATS))


def _cards(thing: dict[str, Any]) -> int:
    if thing.get("kind") == "card":
        return 1
    metadata = thing.get("metadata")
    pile = metadata.get("cards") if isinstance(metadata, dict) else None
    return len(pile) if isinstance(pile, list) else 0
