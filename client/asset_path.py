"""Paths as mods write them: which name a file of the repository, which the platform's, which nothing at all."""

from __future__ import annotations

import re
from typing import Literal, NewType

AssetPath = NewType("AssetPath", str)
"""A path inside a repository, exactly as git spells it; safe to build a URL or a cache key from."""

LONGEST_PATH = 1024
_PLAIN = re.compile(r"[A-Za-z0-9_@-][A-Za-z0-9_@. -]*(?:/[A-Za-z0-9_@-][A-Za-z0-9_@. -]*)*")
_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DOTS = re.compile(r"(?:^|/)\.\.(?:/|$)")
_HOLLOW = re.compile(r"(?:^|/)\.?(?:/|$)")
_PLATFORM_ID = re.compile(r"builtin:|mat-[0-9a-fA-F]{8}-")


def path_fault(text: str) -> str | None:
    """Why ``text`` can't name a file of a repository, as a phrase; None when it can.

    A percent sign is an ordinary character here: paths are encoded when a URL is made, so ``%2e%2e`` stays a name.
    """
    if len(text) <= LONGEST_PATH and _PLAIN.fullmatch(text):
        return None  # nearly all paths: one look instead of six
    if not text:
        return "is empty"
    if len(text) > LONGEST_PATH:
        return f"is longer than {LONGEST_PATH} characters"
    if _CONTROL.search(text):
        return "has a control character"
    if not text.isascii() and _SURROGATE.search(text):
        return "is not valid Unicode"
    if "\\" in text:
        return "has a backslash"
    if text.startswith("/"):
        return "is absolute"
    if _DRIVE.match(text):
        return "names a drive or a scheme"
    if _DOTS.search(text):
        return "leaves the repository"
    if _HOLLOW.search(text):
        return "has an empty or a dot segment"
    if text.partition("/")[0].lower() == ".git":
        return "names git's own data"
    return None


def asset_path(text: str) -> AssetPath:
    """``text`` as a checked path.

    :raises ValueError: with the phrase of :func:`path_fault`
    """
    fault = path_fault(text)
    if fault is not None:
        raise ValueError(fault)
    return AssetPath(text)


def reference_kind(text: str) -> Literal["repository", "platform", "refused"]:
    """What a reference found in a setup names.

    A leading slash is the platform's (``/assets/…`` is not ``assets/…``), so are ``builtin:`` and ``mat-<uuid>`` ids.
    """
    if _PLATFORM_ID.match(text):
        return "platform"
    if text.startswith("/") and not text.startswith("//"):
        return "platform" if path_fault(text[1:].partition("?")[0]) is None else "refused"
    return "repository" if path_fault(text) is None else "refused"
