"""JavaScript's two ways of saying nothing."""

from __future__ import annotations

from typing import Any

from pyodide.ffi import jsnull


def absent(value: Any) -> bool:
    """Whether a value from JavaScript is ``undefined``, which arrives as None, or ``null``, which doesn't
    (Pyodide since 0.29 keeps the two apart)."""
    return value is None or value is jsnull
