"""Models, textures and sounds of the sample mods that need no drawing: GLB, HDR, KTX2 and WAV files made of numbers."""

from __future__ import annotations

import itertools
import json
import math
import struct
import wave
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TypeAlias

Vector: TypeAlias = tuple[float, float, float]
Colour: TypeAlias = tuple[float, float, float]
"""Red, green and blue from 0 to 1, as a display shows them (sRGB)."""


@dataclass(slots=True)
class Mesh:
    """Triangles of one colour. Lengths are the table's units, y is up."""

    colour: Colour
    roughness: float = 0.8
    positions: list[Vector] = field(default_factory=list)
    normals: list[Vector] = field(default_factory=list)
    uvs: list[tuple[float, float]] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)

    def quad(self, corners: Sequence[Vector]) -> None:
        """Add a flat face; its corners run counter-clockwise as seen from outside."""
        a, b, c, _ = corners
        u = tuple(b[i] - a[i] for i in range(3))
        v = tuple(c[i] - a[i] for i in range(3))
        cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        length = math.hypot(*cross) or 1.0
        normal = (cross[0] / length, cross[1] / length, cross[2] / length)
        first = len(self.positions)
        self.positions += corners
        self.normals += [normal] * 4
        self.uvs += [(0, 1), (1, 1), (1, 0), (0, 0)]
        self.indices += [first, first + 1, first + 2, first, first + 2, first + 3]

    def box(self, centre: Vector, size: Vector, *, inside: bool = False) -> Mesh:
        """Add a box; ``inside`` turns its faces inwards, as a room's are."""
        (x, y, z), (w, h, d) = centre, (size[0] / 2, size[1] / 2, size[2] / 2)
        corner = [(x + sx * w, y + sy * h, z + sz * d) for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)]
        for face in ((1, 5, 7, 3), (4, 0, 2, 6), (5, 4, 6, 7), (0, 1, 3, 2), (3, 7, 6, 2), (0, 4, 5, 1)):
            corners = [corner[index] for index in face]
            self.quad(corners[::-1] if inside else corners)
        return self

    def lathe(self, profile: Sequence[tuple[float, float]], sides: int = 24, centre: Vector = (0, 0, 0)) -> Mesh:
        """Turn a profile of (radius, height), bottom to top, around the y axis."""
        for (r0, y0), (r1, y1) in itertools.pairwise(profile):
            slope = math.atan2(r0 - r1, y1 - y0)
            first = len(self.positions)
            for side in range(sides + 1):
                turn = 2 * math.pi * side / sides
                sine, cosine = math.sin(turn), math.cos(turn)
                for radius, height in ((r0, y0), (r1, y1)):
                    self.positions.append((centre[0] + radius * sine, centre[1] + height, centre[2] + radius * cosine))
                    level = math.cos(slope)
                    self.normals.append((sine * level, math.sin(slope), cosine * level))
                    self.uvs.append((side / sides, 1 - height))
            for side in range(sides):
                a = first + 2 * side
                self.indices += [a, a + 2, a + 1, a + 1, a + 2, a + 3]
        return self


def glb(meshes: Sequence[Mesh]) -> bytes:
    """A binary glTF 2.0 file with one node per mesh."""
    binary = bytearray()
    views: list[dict[str, int]] = []
    accessors: list[dict[str, object]] = []

    def accessor(data: bytes, kind: str, component: int, count: int, target: int, **limits: object) -> int:
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data), "target": target})
        binary.extend(data + b"\0" * (-len(data) % 4))
        accessors.append(
            {"bufferView": len(views) - 1, "componentType": component, "count": count, "type": kind, **limits}
        )
        return len(accessors) - 1

    primitives: list[dict[str, object]] = []
    for mesh in meshes:
        count = len(mesh.positions)
        columns = list(zip(*mesh.positions, strict=True))
        limits = {"min": [min(c) for c in columns], "max": [max(c) for c in columns]}
        limits = {key: [_as_float32(value) for value in values] for key, values in limits.items()}
        attributes = {
            "POSITION": accessor(_floats(mesh.positions), "VEC3", 5126, count, 34962, **limits),
            "NORMAL": accessor(_floats(mesh.normals), "VEC3", 5126, count, 34962),
            "TEXCOORD_0": accessor(_floats(mesh.uvs), "VEC2", 5126, count, 34962),
        }
        indices = accessor(
            struct.pack(f"<{len(mesh.indices)}H", *mesh.indices), "SCALAR", 5123, len(mesh.indices), 34963
        )
        primitives.append({"attributes": attributes, "indices": indices, "material": len(primitives)})
    document = {
        "asset": {"version": "2.0", "generator": "diceytable-peer samples"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(meshes)))}],
        "nodes": [{"mesh": index} for index in range(len(meshes))],
        "meshes": [{"primitives": [primitive]} for primitive in primitives],
        "materials": [
            {
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*(round(channel**2.2, 4) for channel in mesh.colour), 1],
                    "metallicFactor": 0,
                    "roughnessFactor": mesh.roughness,
                }
            }
            for mesh in meshes
        ],
        "buffers": [{"byteLength": len(binary)}],
        "bufferViews": views,
        "accessors": accessors,
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    header = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(binary))
    return header + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary


def lighthouse() -> bytes:
    """A lighthouse about a unit high: rock, tower, red bands, lantern."""
    return glb(
        [
            Mesh((0.35, 0.36, 0.38)).lathe([(0.34, 0), (0.3, 0.08), (0.22, 0.12), (0, 0.12)]),
            Mesh((0.95, 0.93, 0.88)).lathe([(0.16, 0.12), (0.14, 0.32)]).lathe([(0.125, 0.46), (0.11, 0.62)]),
            Mesh((0.78, 0.24, 0.2)).lathe([(0.14, 0.32), (0.125, 0.46)]).lathe([(0.14, 0.86), (0, 1.0)]),
            Mesh((0.2, 0.2, 0.23)).lathe([(0.11, 0.62), (0.15, 0.64), (0.15, 0.67), (0.09, 0.67)]),
            Mesh((1.0, 0.85, 0.45), 0.3).lathe([(0.09, 0.67), (0.09, 0.86)]),
        ]
    )


def boat() -> bytes:
    """A small sailing boat: hull, deck, mast and one sail."""
    hull = Mesh((0.42, 0.26, 0.16))
    bow, stern, keel = (0.0, 0.16, 0.42), (0.14, 0.14, -0.3), (0.0, 0.0, -0.22)
    other = (-0.14, 0.14, -0.3)
    hull.quad([keel, stern, bow, bow])
    hull.quad([keel, bow, bow, other])
    hull.quad([keel, other, stern, stern])
    hull.quad([bow, stern, other, other])
    sail = Mesh((0.97, 0.93, 0.83))
    sail.quad([(0.0, 0.2, 0.04), (0.0, 0.2, -0.32), (0.0, 0.78, 0.02), (0.0, 0.78, 0.02)])
    sail.quad([(0.0, 0.2, -0.32), (0.0, 0.2, 0.04), (0.0, 0.78, 0.02), (0.0, 0.78, 0.02)])
    mast = Mesh((0.3, 0.2, 0.13)).lathe([(0.015, 0.12), (0.012, 0.82), (0, 0.82)], 8, (0, 0, 0.05))
    return glb([hull, sail, mast])


def pawn(colour: Colour) -> bytes:
    """A turned wooden pawn, 0.9 high."""
    profile = [(0.28, 0), (0.28, 0.08), (0.18, 0.16), (0.1, 0.5), (0.16, 0.54), (0.1, 0.58)]
    profile += [
        (0.18 * math.sin(angle), 0.72 - 0.18 * math.cos(angle)) for angle in (0.8, 1.2, 1.6, 2.0, 2.4, 2.8, 3.14)
    ]
    return glb([Mesh(colour, 0.45).lathe(profile)])


def room() -> bytes:
    """A hall seen from inside, 24 by 18 and 9 high, with a skirting and four beams."""
    shell = Mesh((0.86, 0.82, 0.74)).box((0, 4.5, 0), (24, 9, 18), inside=True)
    floor = Mesh((0.45, 0.31, 0.2)).box((0, 0.02, 0), (23.9, 0.04, 17.9))
    beams = Mesh((0.32, 0.22, 0.15))
    for x in (-9, -3, 3, 9):
        beams.box((x, 8.7, 0), (0.5, 0.6, 18))
    skirting = Mesh((0.2, 0.32, 0.38))
    for z in (-8.9, 8.9):
        skirting.box((0, 0.5, z), (24, 1, 0.2))
    return glb([shell, floor, beams, skirting])


def table(*, collider: bool = False) -> bytes:
    """A round table whose top lies at 2.07; the collider is the same body in few faces."""
    sides = 12 if collider else 48
    top = Mesh((0.55, 0.39, 0.25), 0.6).lathe(
        [(0, 1.9), (2.9, 1.9), (3.0, 1.95), (3.0, 2.04), (2.94, 2.07), (0, 2.07)], sides
    )
    if collider:
        return glb([top])
    foot = Mesh((0.36, 0.25, 0.17)).lathe([(1.2, 0), (1.2, 0.12), (0.35, 0.3), (0.28, 1.5), (0.8, 1.9)])
    rim = Mesh((0.72, 0.58, 0.36), 0.5).lathe([(2.96, 2.05), (2.7, 2.075), (2.66, 2.072)], sides)
    return glb([top, foot, rim])


def sky(width: int, height: int) -> bytes:
    """A Radiance HDR panorama (flat RGBE): evening sky over a dark sea, with a sun far brighter than white."""
    rows = bytearray(f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n".encode())
    for y in range(height):
        up = 1 - 2 * (y + 0.5) / height
        for x in range(width):
            near_sun = math.hypot((x / width - 0.5) * 2 * width / height, up - 0.08)
            glow = math.exp(-near_sun * 3)
            base = (0.06, 0.09, 0.13) if up < 0 else (0.25 - 0.17 * up, 0.3 - 0.12 * up, 0.45 + 0.1 * up)
            sun = 40.0 if near_sun < 0.06 else 0.0
            rows += _rgbe(
                base[0] + glow * 1.8 + sun, base[1] + glow * 0.9 + sun * 0.8, base[2] + glow * 0.35 + sun * 0.5
            )
    return bytes(rows)


def ktx2(side: int, texel: Callable[[int, int], tuple[int, int, int]]) -> bytes:
    """An uncompressed KTX 2.0 texture (R8G8B8A8_SRGB, one level), ``side`` pixels square."""
    pixels = b"".join(bytes([*texel(x, y), 255]) for y in range(side) for x in range(side))
    samples = b"".join(
        struct.pack("<HBBIII", 8 * channel, 7, kind, 0, 0, 255) for channel, kind in enumerate((0, 1, 2, 0x1F))
    )
    block = struct.pack("<IHHBBBBIII", 0, 2, 24 + len(samples), 1, 1, 2, 0, 0, 4, 0) + samples
    descriptor = struct.pack("<I", 4 + len(block)) + block
    offset = 12 + 36 + 32 + 24
    start = -(-(offset + len(descriptor)) // 16) * 16
    header = b"\xabKTX 20\xbb\r\n\x1a\n" + struct.pack("<9I", 43, 1, side, side, 0, 0, 1, 1, 0)
    index = struct.pack("<IIIIQQ", offset, len(descriptor), 0, 0, 0, 0)
    level = struct.pack("<QQQ", start, len(pixels), len(pixels))
    return (header + index + level + descriptor).ljust(start, b"\0") + pixels


def bell(notes: Sequence[float], seconds: float, rate: int = 16_000) -> bytes:
    """A mono 16-bit WAV of bell strokes (frequencies in hertz) that follow each other and ring on."""
    frames = bytearray()
    gap = seconds / (len(notes) + 1)
    for frame in range(int(seconds * rate)):
        now = frame / rate
        level = 0.0
        for index, pitch in enumerate(notes):
            since = now - index * gap
            if since >= 0:
                for partial, share, decay in ((1, 0.6, 3.0), (2.76, 0.25, 5.5), (5.4, 0.12, 9.0)):
                    level += share * math.exp(-decay * since) * math.sin(2 * math.pi * pitch * partial * since)
        fade = min(1.0, (seconds - now) * 20)
        frames += struct.pack("<h", round(max(-1.0, min(1.0, level * 0.6 * fade)) * 32_000))
    out = BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(bytes(frames))
    return out.getvalue()


def _rgbe(red: float, green: float, blue: float) -> bytes:
    mantissa, exponent = math.frexp(max(red, green, blue))
    scale = mantissa * 256 / max(red, green, blue)
    return bytes([int(red * scale), int(green * scale), int(blue * scale), exponent + 128])


def _floats(rows: Sequence[tuple[float, ...]]) -> bytes:
    return b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)


def _as_float32(value: float) -> float:
    (exact,) = struct.unpack("<f", struct.pack("<f", value))
    return float(exact)
