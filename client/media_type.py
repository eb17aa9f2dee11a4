"""A file's media type by its extension, since raw hosts send text/plain for most of what a table needs."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

AssetGroup = Literal["image", "model", "sound", "data", "text", "other"]

_TYPES: dict[str, tuple[str, AssetGroup]] = {
    "webp": ("image/webp", "image"),
    "png": ("image/png", "image"),
    "jpg": ("image/jpeg", "image"),
    "jpeg": ("image/jpeg", "image"),
    "gif": ("image/gif", "image"),
    "avif": ("image/avif", "image"),
    "bmp": ("image/bmp", "image"),
    "ico": ("image/x-icon", "image"),
    "svg": ("image/svg+xml", "image"),
    "ktx2": ("image/ktx2", "other"),
    "hdr": ("image/vnd.radiance", "other"),
    "exr": ("image/x-exr", "other"),
    "glb": ("model/gltf-binary", "model"),
    "gltf": ("model/gltf+json", "model"),
    "obj": ("model/obj", "model"),
    "stl": ("model/stl", "model"),
    "mp3": ("audio/mpeg", "sound"),
    "ogg": ("audio/ogg", "sound"),
    "oga": ("audio/ogg", "sound"),
    "opus": ("audio/ogg", "sound"),
    "wav": ("audio/wav", "sound"),
    "m4a": ("audio/mp4", "sound"),
    "flac": ("audio/flac", "sound"),
    "mp4": ("video/mp4", "other"),
    "webm": ("video/webm", "other"),
    "json": ("application/json", "data"),
    "csv": ("text/csv", "data"),
    "md": ("text/markdown", "text"),
    "txt": ("text/plain", "text"),
    "js": ("text/javascript", "text"),
    "mjs": ("text/javascript", "text"),
    "css": ("text/css", "text"),
    "html": ("text/html", "text"),
    "htm": ("text/html", "text"),
    "xml": ("application/xml", "data"),
    "wasm": ("application/wasm", "other"),
    "woff": ("font/woff", "other"),
    "woff2": ("font/woff2", "other"),
    "ttf": ("font/ttf", "other"),
    "otf": ("font/otf", "other"),
    "pdf": ("application/pdf", "other"),
}

# raw.githubusercontent.com sends these as text/plain with nosniff, so an element can't load them from there.
_NOT_SERVED_LIVE = frozenset({"svg", "js", "mjs", "css", "html", "htm"})
# What the table computes from or runs: bytes that fail a known hash are never used.
_CODE_OR_DATA = frozenset({"js", "mjs", "json", "csv", "xml", "wasm", "html", "htm", "css"})


@lru_cache(maxsize=4096)
def _extension(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def media_type(path: str) -> str:
    """The media type for the last extension of ``path``; ``application/octet-stream`` for an unknown one."""
    return _TYPES.get(_extension(path), ("application/octet-stream", "other"))[0]


def asset_group(path: str) -> AssetGroup:
    """Which shelf of the asset browser the file stands on."""
    return _TYPES.get(_extension(path), ("", "other"))[1]


def must_be_wrapped(path: str) -> bool:
    """Whether the live raw URL is useless to an element, so the bytes must be fetched and given their type."""
    return _extension(path) in _NOT_SERVED_LIVE


def is_code_or_data(path: str) -> bool:
    """Whether wrong bytes would be run or computed with, rather than merely look wrong."""
    return _extension(path) in _CODE_OR_DATA
