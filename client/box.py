"""What is in the box: every file of the table by kind, in portions, because a mod may have ten thousand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from client.media_type import AssetGroup, asset_group, media_type
from client.open_mod import OpenMod
from client.opening import Opening
from client.pull import FileState

PORTION = 120
"""Files of a kind that are told at first; one screen holds fewer."""


def contents(opening: Opening, search: str = "", told: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The files whose path contains ``search``, whatever its case, the game's first and then each pack's.

    :param told: how many files of a kind to tell, where :data:`PORTION` is not enough
    :returns: the ``Box`` of ``web/messages.js``
    """
    wanted = search.strip().lower()
    found: dict[AssetGroup, list[tuple[OpenMod, str, FileState]]] = {group: [] for group in get_args(AssetGroup)}
    all_of = dict.fromkeys(found, 0)
    total = 0
    for mod in opening.mods:
        for path, state in mod.files.items():
            group = asset_group(path)
            all_of[group] += 1
            total += _bytes(state) or 0
            if not wanted or wanted in path.lower():
                found[group].append((mod, path, state))
    return {
        "files": sum(all_of.values()),
        "bytes": total,
        "groups": [
            {
                "group": group,
                "matching": len(files),
                "files": [_line(opening, *one) for one in files[: (told or {}).get(group, PORTION)]],
            }
            for group, files in found.items()
            if all_of[group]
        ],
    }


def _line(opening: Opening, mod: OpenMod, path: str, state: FileState) -> dict[str, Any]:
    pack = mod is not opening.game
    name = str(mod.publish.repository)
    return {
        "path": path,
        "mod": name if pack else None,
        "from": ((mod.manifest.name if mod.manifest is not None else "") or name) if pack else None,
        "group": asset_group(path),
        "mime": media_type(path),
        "bytes": _bytes(state),
        "status": state.status,
        "reason": state.reason,
    }


def _bytes(state: FileState) -> int | None:
    return state.size if state.status in {"failed", "pending"} else state.length
