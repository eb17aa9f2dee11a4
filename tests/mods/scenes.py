"""Write the sample mods' ``setup.json`` files and card catalogue: ``python -m tests.mods.scenes``.

They are one line of JSON each, as real ones are, so they are made here and not by hand. The output is committed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

MODS: Final = Path(__file__).parent
SAMPLES: Final = MODS / "tablewright-samples"

Json: TypeAlias = dict[str, Any]

SUITS: Final = ("tide", "anchor", "fish", "star")
SEAT_COLOURS: Final = {"red": "#d2452f", "blue": "#2f6fb5", "green": "#3f8f57", "yellow": "#e2b13c"}
TABLE_TOP: Final = 2.07


def _vector(x: float = 0, y: float = 0, z: float = 0) -> Json:
    return {"x": x, "y": y, "z": z}


def _thing(number: int, kind: str, label: str, at: Json, scale: Json, **more: Any) -> Json:
    return {
        "id": f"5a3e0000-0000-4000-8000-{number:012d}",
        "kind": kind,
        "label": label,
        "position": at,
        "rotation": _vector(),
        "scale": scale,
        "color": "#ffffff",
        "ownerSeat": None,
        "faceDown": False,
        "locked": False,
        "stackCount": 1,
        "tags": [],
        "metadata": {},
        "velocity": _vector(),
        "angularVelocity": _vector(),
    } | more


def _surface(texture: str | None = None, tiling: float = 1) -> Json:
    return {"color": None, "textureAssetId": texture, "textureTiling": tiling, "hidden": False}


def _scene(scene_id: str, name: str, objects: Sequence[Json], **more: Any) -> Json:
    return {
        "schemaVersion": 2,
        "sceneId": scene_id,
        "name": name,
        "environment": {
            "tableSurfaceColor": "#7b5a3a",
            "tableSurfaceTextureAssetId": None,
            "ambientColor": "#b0b6bb",
            "fogEnabled": False,
            "fogColor": "#000000",
            "fogDensity": 0,
            "skyboxAssetId": None,
            "skyboxRotation": _vector(),
            "skyboxSpin": _vector(),
        },
        "room": {
            "floor": _surface(),
            "ceiling": _surface(),
            "walls": [
                {"id": side, "label": f"{side.title()} Wall", "material": _surface(), "posters": []}
                for side in ("north", "east", "south", "west")
            ],
            "lights": [
                {
                    "id": "light-key",
                    "label": "Key",
                    "type": "directional",
                    "color": "#fff1dd",
                    "intensity": 1.6,
                    "position": _vector(0, 6, 0),
                    "range": 12,
                    "rotation": _vector(55, 30, 0),
                    "castShadows": True,
                }
            ],
            "openings": [],
            "exterior": {"ground": "plane", "color": "#5a6152", "extent": 240},
        },
        "materials": [],
        "objects": list(objects),
        "zones": [],
        "tableZones": [],
        "snapPoints": [],
    } | more


def _players(least: int, most: int) -> Json:
    return {
        "debugVisibility": {"rigidBodies": False, "triggers": False, "playerZones": True},
        "game": {"minPlayers": least, "maxPlayers": most, "supportedPlayerCounts": list(range(least, most + 1))},
    }


def _seat(seat: str, x: float, z: float, turn: float, height: float) -> Json:
    def zone(name: str, kind: str, arrange: str, interaction: str, *, shift: float, width: float) -> Json:
        across, along = (shift, 0.0) if x == 0 else (0.0, shift)
        return {
            "id": name.lower(),
            "name": name,
            "type": kind,
            "arrange": arrange,
            "interaction": interaction,
            "position": _vector(x + across, height, z + along),
            "rotation": _vector(0, turn, 0),
            "scale": _vector(width, 0.4, 0.4),
        }

    return {
        "seat": seat,
        "label": seat.title(),
        "zones": [
            zone("Hand", "hand", "row", "owner-seat-only", shift=0, width=1.6),
            zone("Deck", "area", "stack", "allow", shift=1.1, width=0.3),
        ],
    }


def _deck(number: int, label: str, at: Json, scale: Json, cards: Sequence[Json], **art: Any) -> Json:
    pile = [
        {"cardId": card["cardId"] if copy == 1 else f"{card['cardId']}#{copy}", "faceDown": True}
        for card in cards
        for copy in range(1, card["count"] + 1)
    ]
    custom = {
        "definitionId": f"deck-{number:04d}",
        "extraFaceSheets": [],
        "uniqueBacks": False,
        "sideways": False,
        "art": {"fit": "cover", "bleedPx": 1, "cornerRadius": 0.08, "backgroundColor": "#ffffff"},
        "backIsHidden": False,
        "cardFields": [],
        "deckFields": [],
        "data": {},
        "cards": list(cards),
    } | art
    metadata = {
        "standardPresetId": "deck-standard",
        "standardPresetFamily": "cards",
        "standardPresetVariant": "deck",
        "cardCornerRadius": 0.08,
        "customDeck": custom,
        "cards": pile,
    }
    return _thing(
        number, "deck", label, at, scale, color="#16324f", faceDown=True, stackCount=len(pile), tags=["deck"],
        metadata=metadata,
    )  # fmt: skip


def _sheet(path: str, columns: int, rows: int, count: int, size: tuple[int, int]) -> Json:
    return {
        "texturePath": path,
        "columns": columns,
        "rows": rows,
        "cardCount": count,
        "cardWidthPx": size[0],
        "cardHeightPx": size[1],
    }


def _piece(number: int, preset: str, label: str, at: Json, scale: Json, *, colour: str, kind: str = "token") -> Json:
    family = "dice" if kind == "die" else "pieces"
    metadata = {"standardPresetId": preset, "standardPresetFamily": family, "standardPresetVariant": preset}
    return _thing(number, kind, label, at, scale, color=colour, metadata=metadata)


def _die(number: int, sides: int, label: str, at: Json, *, colour: str = "#fdf8ec", side: float = 0.12) -> Json:
    return _piece(number, f"die-d{sides}", label, at, _vector(side, side, side), colour=colour, kind="die")


def _harbour_cards(ranks: int, copies: int) -> list[Json]:
    return [
        {
            "cardId": f"card-{index + 1}",
            "label": f"{suit.title()} {rank}",
            "faceIndex": index,
            "count": copies,
            "assetPath": f"assets/decks/harbour/cards/{index:03d}-{suit}-{rank}.webp",
        }
        for index, (suit, rank) in enumerate((suit, rank) for suit in SUITS for rank in range(1, ranks + 1))
    ]


def tidewater() -> Json:
    """A board, a deck, pieces and two models on the driftwood table in the harbour hall."""
    card_size = (256, 384)
    objects = [
        _thing(
            1, "board", "Sea chart", _vector(0, TABLE_TOP, 0), _vector(3.2, 0.04, 3.2), locked=True, color="#2f8296",
            metadata={"boardImageUrl": "assets/board/sea-chart.webp"},
        ),
        _deck(
            2, "Harbour deck", _vector(2.12, TABLE_TOP + 0.06, -0.5), _vector(0.42, 0.12, 0.63), _harbour_cards(5, 2),
            face=_sheet("assets/decks/harbour/sheet-1.webp", 4, 4, 16, card_size),
            extraFaceSheets=[_sheet("assets/decks/harbour/sheet-2.webp", 2, 2, 4, card_size)],
            back={"kind": "single", "texturePath": "assets/decks/harbour/back.webp"},
        ),
        _thing(
            3, "custom", "Lighthouse", _vector(-2.2, TABLE_TOP, -0.6), _vector(0.7, 0.7, 0.7),
            metadata={"customModelAssetId": "assets/models/lighthouse.glb"},
        ),
        _thing(
            4, "custom", "Harbour boat", _vector(-2.15, TABLE_TOP, 0.6), _vector(0.6, 0.6, 0.6),
            metadata={"customModelAssetId": "assets/models/boat.web.glb"},
        ),
        _die(5, 6, "Wind die", _vector(2.05, TABLE_TOP + 0.06, 0.55)),
        _die(6, 6, "Wind die", _vector(2.28, TABLE_TOP + 0.06, 0.7)),
        _die(7, 20, "Storm die", _vector(2.1, TABLE_TOP + 0.08, 0.85), colour="#2b4a70", side=0.16),
    ]  # fmt: skip
    places = [(0.0, 1.95), (0.0, -1.95), (1.5, 1.5), (-1.5, -1.5)]
    for row, (seat, colour) in enumerate(SEAT_COLOURS.items()):
        x, z = places[row]
        captain = _vector(x, TABLE_TOP, z)
        objects.append(
            _piece(10 + row, "pawn-tall", f"{seat.title()} captain", captain, _vector(0.2, 0.36, 0.2), colour=colour)
        )
        for step in range(4):
            stacked = _vector(x + 0.34, TABLE_TOP + 0.04 * step, z)
            cargo = f"{seat.title()} cargo"
            objects.append(
                _piece(20 + 10 * row + step, "chip-10", cargo, stacked, _vector(0.2, 0.04, 0.2), colour=colour)
            )
    materials = [
        {
            "id": "mat-floor",
            "name": "Floor",
            "props": {
                "diffuse": "#ffffff",
                "diffuseMap": "/textures/wood_floor_1k/wood_floor_diff_1k.webp?v=3",
                "normalMap": "/textures/wood_floor_1k/wood_floor_nor_gl_1k.webp",
                "aoMap": None,
                "tilingX": 4,
                "tilingY": 4,
            },
        },
        {"id": "mat-cloth", "name": "Cloth", "props": {"diffuse": "#2f8296", "diffuseMap": "builtin:felt"}},
    ]
    seats = [
        _seat("red", 0, 3.4, 0, TABLE_TOP + 0.03),
        _seat("blue", 0, -3.4, 180, TABLE_TOP + 0.03),
        _seat("green", 3.4, 0, 90, TABLE_TOP + 0.03),
        _seat("yellow", -3.4, 0, 270, TABLE_TOP + 0.03),
    ]
    return _scene(
        "tidewater", "Tidewater", objects, materials=materials, seatZones=seats, roomSettings=_players(2, 4),
        packRefs=[
            _pack("harbour-hall", "1.1.0", "pin:tablewright-samples/harbour-hall", "room"),
            _pack("driftwood-table", "0.3.0", "pin:tablewright-samples/driftwood-table", "table"),
        ],
    )  # fmt: skip


def tournament() -> Json:
    """The same game in its older form, with the room pinned at a commit that is no longer the newest."""
    deck = _deck(
        1, "Tournament deck", _vector(0, 0.06, 0), _vector(0.42, 0.12, 0.63), _harbour_cards(4, 3),
        face=_sheet("assets/decks/sheet-1.webp", 4, 4, 16, (256, 384)),
        back={"kind": "single", "texturePath": "assets/decks/back.webp"},
    )  # fmt: skip
    die = _die(2, 6, "Wind die", _vector(0.6, 0.06, 0.2))
    seats = [_seat("white", 0, 1.2, 0, 0.1), _seat("purple", 0, -1.2, 180, 0.1)]
    refs = [_pack("harbour-hall", "1.0.0", "pin:tablewright-samples/harbour-hall~1", "room")]
    older = {"schemaVersion": 1, "seatZones": seats, "packRefs": refs, "roomSettings": _players(2, 2)}
    return _scene("tournament", "Tidewater Tournament", [deck, die]) | older


def _pack(manifest_id: str, version: str, pin: str, role: str) -> Json:
    return {"packId": manifest_id, "version": version, "commitSha": pin, "role": role}


def harbour_hall() -> Json:
    """A room pack: a model, a sky, and textures for floor and walls."""
    scene = _scene("harbour-hall", "Harbour Hall", [])
    scene["environment"]["skyboxAssetId"] = "skies/evening.hdr"
    scene["room"]["floor"] = _surface("textures/hall-floor-basecolor.jpg", 6)
    for wall in scene["room"]["walls"]:
        wall["material"] = _surface("textures/hall-walls-basecolor.webp", 4)
    decor = {"id": "hall", "modelPath": "models/harbour-hall.web.glb", "position": _vector(), "scale": _vector(1, 1, 1)}
    return scene | {"roomPack": {"decor": [decor]}}


def driftwood_table() -> Json:
    """A table pack: top, collider, and a material with maps of its own."""
    material = {
        "id": "mat-driftwood",
        "name": "Driftwood",
        "props": {
            "diffuse": "#ffffff",
            "diffuseMap": "textures/driftwood-basecolor.webp",
            "normalMap": "textures/driftwood-normal.png",
            "specularMap": "textures/driftwood-tint.ktx2",
        },
    }
    table = {
        "surface": {"shape": "circle", "radius": 2.9, "y": TABLE_TOP},
        "collider": {"modelPath": "models/driftwood-table.collider.glb"},
        "model": {"modelPath": "models/driftwood-table.glb"},
        "seatCount": 6,
    }
    return _scene("driftwood-table", "Driftwood Table", [], materials=[material]) | {"tablePack": table}


LANTERNS: Final = ("ember", "tide", "moss", "dusk", "frost", "gold", "rose", "ash")
_KINDS: Final = {
    "Spark": ("Wisp", "Cinder", "Glimmer", "Flicker", "Gleam", "Firefly", "Moth", "Spark", "Candle"),
    "Guardian": ("Heron", "Carp", "Fox", "Crane", "Tortoise", "Hare", "Owl", "Stag"),
    "Charm": ("Ribbon", "Bell", "Riddle", "Breeze", "Mirror", "Ladder", "Thread", "Oath"),
}
_TEXTS: Final = {
    "Spark": "When this is lit, move one lantern of your choice a step towards the far shore.",
    "Guardian": "Opposing lanterns beside this one count as unlit while it glows.",
    "Charm": "Play at any time. Draw a card, then put a card from your hand under your deck.",
}


def lantern_cards() -> Json:
    """The catalogue: two hundred cards, 25 for each lantern. A charm has no glow, so the key is missing."""
    cards = []
    for row, lantern in enumerate(LANTERNS):
        number = 0
        for kind, names in _KINDS.items():
            for step, name in enumerate(names):
                number += 1
                data: Json = {
                    "key": f"{lantern}-{number:02d}",
                    "name": f"{lantern.title()} {name}",
                    "lantern": lantern,
                    "kind": kind,
                    "cost": 1 + (step + row) % 5,
                    "text": _TEXTS[kind],
                    "art": f"assets/cards/art/{lantern}.webp",
                }
                if kind != "Charm":
                    data["glow"] = 1 + (step * 2 + row) % 6
                cards.append({"data": data})
    return {"version": 1, "cards": cards}


def lantern_duel() -> Json:
    """One deck of eight lanterns and a die, on the platform's own table."""
    cards = [
        {
            "cardId": f"card-{index + 1}",
            "label": name.title(),
            "faceIndex": index,
            "count": 3,
            "assetPath": f"assets/cards/art/{name}.webp",
        }
        for index, name in enumerate(LANTERNS)
    ]
    deck = _deck(
        1, "Lanterns", _vector(0, 0.05, 0), _vector(0.2083, 0.0866, 0.3125), cards,
        face=_sheet("assets/cards/lanterns.webp", 4, 2, 8, (192, 288)),
        back={"kind": "single", "texturePath": "assets/cards/back.webp"},
    )  # fmt: skip
    die = _die(2, 8, "Night die", _vector(0.6, 0.1, 0.2), colour="#3a2366", side=0.08)
    seats = [_seat("purple", 0, 0.9, 0, 0.1), _seat("orange", 0, -0.9, 180, 0.1)]
    return _scene("lantern-duel", "Lantern Duel", [deck, die], seatZones=seats, roomSettings=_players(2, 2))


def odd_names() -> Json:
    """Objects whose files have the names that break careless loaders."""
    pictures = ("art/number #1.webp", "art/100% wool.webp", "art/a+b.webp", "art/what?.webp", "art/%41 is not A.webp")
    objects = [
        _thing(
            index + 1, "board", path.rpartition("/")[2], _vector(index * 0.5 - 1, 0.01, 0), _vector(0.4, 0.02, 0.4),
            metadata={"boardImageUrl": path},
        )
        for index, path in enumerate(pictures)
    ]  # fmt: skip
    objects.append(
        _thing(
            9, "custom", "Pawn", _vector(0, 0, 0.6), _vector(0.4, 0.4, 0.4),
            metadata={"customModelAssetId": "models/pawn v1.0.web.glb"},
        )
    )  # fmt: skip
    seats = [_seat("pink", 0, 0.9, 0, 0.1), _seat("cyan", 0, -0.9, 180, 0.1)]
    return _scene("odd-names", "Odd Names", objects, seatZones=seats)


def broken_crate() -> Json:
    """A scene that can be read although much of it is nonsense."""
    good = _thing(
        1, "board", "Good", _vector(), _vector(1, 0.02, 1), metadata={"boardImageUrl": "art/good.webp"}
    )  # fmt: skip
    climbing = _thing(
        2, "board", "Climber", _vector(), _vector(1, 0.02, 1), metadata={"boardImageUrl": "../../etc/passwd"}
    )
    scene = _scene("broken-crate", "Broken Crate", [good, climbing])
    scene["objects"] += [None, 5, {"kind": "deck"}, {"id": "x", "kind": 7, "metadata": []}]
    refs = [_pack("no-such-room", "1.0.0", "0" * 40, "room"), "driftwood-table", {"packId": 4}]
    return scene | {"packRefs": refs, "seatZones": [{"seat": "ultraviolet", "zones": "none"}], "materials": {}}


def _write(path: Path, value: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def write_scenes() -> None:
    """Write every file this module makes."""
    _write(SAMPLES / "tidewater/setup.json", tidewater())
    _write(SAMPLES / "harbour-hall/setup.json", harbour_hall())
    _write(SAMPLES / "driftwood-table/setup.json", driftwood_table())
    _write(SAMPLES / "lantern-duel/setup.json", lantern_duel())
    _write(SAMPLES / "lantern-duel/data/cards.json", lantern_cards())
    _write(SAMPLES / "odd-names/setup.json", odd_names())
    _write(SAMPLES / "broken-crate/setup.json", broken_crate())
    _write(MODS / "Lantern-Guild/tidewater-tournament/setup.json", tournament())


if __name__ == "__main__":
    write_scenes()
