"""Files as viewers meet them, with colours that are known: models and textures packed in the ways of real mods.

Numbers make them, save for those in ``e2e/models/``, which were packed once by the encoders that Draco, meshoptimizer
and Basis Universal publish: two red cubes two units wide, and a picture of 16 by 16 pixels, a quarter each red, green,
blue and white, with its mip levels.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from PIL import Image

from tests.mods.models import Mesh, glb

MODELS: Final = Path(__file__).parent / "e2e/models"
RED: Final = (255, 0, 0)
GREEN: Final = (0, 255, 0)
BLUE: Final = (0, 0, 255)
WHITE: Final = (255, 255, 255)
Rgb = tuple[int, int, int]


def cube(colour: Rgb = RED) -> bytes:
    """A cube two units wide, as a GLB without packing."""
    red, green, blue = colour
    return glb([Mesh((red / 255, green / 255, blue / 255)).box((0, 0, 0), (2, 2, 2))])


def metal(colour: Rgb = RED) -> bytes:
    """The cube of a metal, which shows what is around it."""
    return cube(colour).replace(b'"metallicFactor":0', b'"metallicFactor":1')


def png(width: int, height: int, colour: Rgb) -> bytes:
    """A picture of one colour."""
    out = BytesIO()
    Image.new("RGB", (width, height), colour).save(out, "PNG")
    return out.getvalue()


def quad(**image: Any) -> dict[str, Any]:
    """A glTF document of one square that shows an image and no light; the buffer is :func:`quad_buffer`.

    ``image`` is the image's entry; one of type ``image/ktx2`` is named as KHR_texture_basisu wants it.
    """
    basis = image.get("mimeType") == "image/ktx2"
    texture = {"extensions": {"KHR_texture_basisu": {"source": 0}}} if basis else {"source": 0}
    used = ["KHR_materials_unlit", *(["KHR_texture_basisu"] if basis else [])]
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 32}]
    return {
        "asset": {"version": "2.0"},
        "extensionsUsed": used,
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
        "materials": [
            {
                "doubleSided": True,
                "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
                "extensions": {"KHR_materials_unlit": {}},
            }
        ],
        "textures": [texture],
        "images": [image],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [-1, -1, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2"},
            {"bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR"},
        ],
        "bufferViews": [*views, {"buffer": 0, "byteOffset": 80, "byteLength": 12}],
    }


def quad_buffer() -> bytes:
    corners = struct.pack("<12f", -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0)
    return corners + struct.pack("<8f", 0, 1, 1, 1, 1, 0, 0, 0) + struct.pack("<6H", 0, 1, 2, 0, 2, 3)


def textured(picture: bytes, mime: str) -> bytes:
    """A GLB of one square with a picture in it."""
    buffer = quad_buffer()
    document = quad(mimeType=mime, bufferView=3)
    document["bufferViews"].append({"buffer": 0, "byteOffset": len(buffer), "byteLength": len(picture)})
    binary = (buffer + picture).ljust(-(-len(buffer + picture) // 4) * 4, b"\0")
    document["buffers"] = [{"byteLength": len(binary)}]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    header = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(binary))
    return header + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary


def gltf(image: str, buffer: str | None = None) -> bytes:
    """The square as JSON that names its files: ``image``, and ``buffer`` where it is not inside as a data: address."""
    data = quad_buffer()
    inside = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    document = quad(uri=image)
    document["buffers"] = [{"byteLength": len(data), "uri": buffer or inside}]
    return json.dumps(document).encode()


def basis(columns: int, colours: Sequence[Rgb], *, zstandard: bool = False) -> bytes:
    """A KTX 2.0 texture in Basis UASTC: blocks four pixels wide and high, each of one colour, ``columns`` a row."""
    data = b"".join(_uastc_block(colour) for colour in colours)
    width, height = 4 * columns, 4 * (len(colours) // columns)
    samples = struct.pack("<HBBIII", 0, 127, 0, 0, 0, 0xFFFFFFFF)
    return _ktx2(0, 166, (width, height), data, samples, block=(3, 3), zstandard=zstandard)


def plain_ktx2(width: int, pixels: Sequence[tuple[float, float, float, float]], *, zstandard: bool = False) -> bytes:
    """A KTX 2.0 texture of half floats (RGBA16F)."""
    data = b"".join(struct.pack("<4e", *pixel) for pixel in pixels)
    samples = b"".join(
        struct.pack("<HBBIII", 16 * index, 15, 0xC0 | channel, 0, 0xBF800000, 0x3F800000)
        for index, channel in enumerate((0, 1, 2, 15))
    )
    return _ktx2(97, 1, (width, len(pixels) // width), data, samples, block=(0, 0), zstandard=zstandard)


def hdr(width: int, pixels: Sequence[tuple[float, float, float]], *, packed: bool = False) -> bytes:
    """A Radiance HDR picture; ``packed`` in runs, channel by channel."""
    rows = [pixels[start : start + width] for start in range(0, len(pixels), width)]
    out = bytearray(f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {len(rows)} +X {width}\n".encode())
    for row in rows:
        quads = [_rgbe(pixel) for pixel in row]
        if not packed:
            out += b"".join(quads)
            continue
        out += bytes([2, 2, width >> 8, width & 255])
        for channel in range(4):
            values = bytes(one[channel] for one in quads)
            out += bytes([128 + width, values[0]]) if len(set(values)) == 1 else bytes([width]) + values
    return bytes(out)


def _ktx2(
    vulkan: int,
    model: int,
    size: tuple[int, int],
    data: bytes,
    samples: bytes,
    *,
    block: tuple[int, int],
    zstandard: bool,
) -> bytes:
    head = struct.pack("<IHHBBBB", 0, 2, 24 + len(samples), model, 1, 1, 0)
    head += struct.pack("<4B8B", *block, 0, 0, 0 if zstandard else 16 if model == 166 else 8, 0, 0, 0, 0, 0, 0, 0)
    descriptor = struct.pack("<I", 4 + len(head) + len(samples)) + head + samples
    offset = 80 + 24
    start = -(-(offset + len(descriptor)) // 16) * 16
    stored = _zstandard(data) if zstandard else data
    header = b"\xabKTX 20\xbb\r\n\x1a\n" + struct.pack(
        "<9I", vulkan, 2 if vulkan else 1, *size, 0, 0, 1, 1, 2 if zstandard else 0
    )
    index = struct.pack("<IIIIQQ", offset, len(descriptor), 0, 0, 0, 0)
    level = struct.pack("<QQQ", start, len(stored), len(data))
    return (header + index + level + descriptor).ljust(start, b"\0") + stored


def _uastc_block(colour: Rgb) -> bytes:
    """Sixteen pixels of one colour: UASTC's mode 8, the colour, and hints for those who make ETC1 of it."""
    bits, at = 0x17, 5
    for value, length in [*((channel, 8) for channel in (*colour, 255)), (1, 1), (0, 3), (1, 2)]:
        bits |= value << at
        at += length
    for channel in colour:
        bits |= channel >> 3 << at
        at += 5
    return bits.to_bytes(16, "little")


def _zstandard(data: bytes) -> bytes:
    """A frame (RFC 8878) of one block that is not compressed."""
    return struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data)) + (len(data) << 3 | 1).to_bytes(3, "little") + data


def _rgbe(pixel: tuple[float, float, float]) -> bytes:
    brightest = max(pixel)
    if brightest < 1e-32:
        return bytes(4)
    exponent = 0
    while brightest >= 1:
        brightest, exponent = brightest / 2, exponent + 1
    while brightest < 0.5:
        brightest, exponent = brightest * 2, exponent - 1
    return bytes([*(int(channel * 256 / 2**exponent) for channel in pixel), exponent + 128])
