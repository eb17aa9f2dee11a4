"""The scripts that a setup holds itself, run on the host beside the mod's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST_SCENE_SCRIPTS = 100

# Where authors' tools have kept the text of a script.
_TEXTS = ("source", "code", "script", "content", "text")


@dataclass(frozen=True, slots=True)
class SceneScript:
    """``script_id`` is the setup's name for it, else its number; ``source`` is what would run."""

    script_id: str
    source: str

    @property
    def key(self) -> str:
        """The place in the setup as an author would look for it."""
        return f'scripts["{self.script_id}"]'


def scene_scripts(setup: dict[str, Any]) -> tuple[SceneScript, ...]:
    """The scripts among a setup's ``scripts``; entries without a text name none."""
    entries = setup.get("scripts")
    found = []
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        source = entry if isinstance(entry, str) else _text(entry)
        if source is not None:
            found.append(SceneScript(_id(entry, number), source))
    return tuple(found)


def _text(entry: object) -> str | None:
    if not isinstance(entry, dict):
        return None
    return next((entry[key] for key in _TEXTS if isinstance(entry.get(key), str)), None)


def _id(entry: object, number: int) -> str:
    given = entry.get("id") if isinstance(entry, dict) else None
    return given.replace("\0", "").encode("utf-8", "replace").decode()[:100] if isinstance(given, str) else str(number)
