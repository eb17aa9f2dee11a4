"""The scripts of an open table: which of them run, in what, and what becomes of them.

A script runs when its mod is registered, and the registry has read exactly these bytes and found nothing against them.
What it said last counts where it can't be asked.
Each has a frame and a gate (:class:`client.script_api.ScriptApi`) of its own; one that hangs, floods or breaks ends by
itself and takes along what it has put on the screen.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from client.asset_path import AssetPath
from client.card_catalogue import CardCatalogue, read_catalogue
from client.errors import PeerError
from client.json_document import DocumentUnreadable, read_object
from client.manifest import LONGEST_MANIFEST, MANIFEST_PATH
from client.open_mod import OpenMod
from client.opening import Opening
from client.ports import Clock
from client.resolver import read_text
from client.room import Room
from client.script_api import CAPABILITY_OF, ScriptApi, ScriptNote, ScriptSetting
from client.stage import Line, Stage
from client.ui_board import UiBoard

LOOK_AGAIN = 60.0
"""Seconds between two looks whether the registry has stopped a mod whose scripts run here."""

State = Literal["starting", "running", "ended", "refused"]


@dataclass(slots=True)
class RunningScript:
    """``script`` names it at this table; ``reason`` says why it has ended or never began."""

    script: str
    mod: str
    path: str
    state: State
    reason: str | None = None

    def as_plain(self) -> dict[str, Any]:
        return asdict(self)


class ScriptRunner:
    """Runs the scripts of one opening, from :meth:`start` to :meth:`close`."""

    def __init__(self, opening: Opening, room: Room, stage: Stage, clock: Clock) -> None:
        self.scripts: dict[str, RunningScript] = {}
        self._opening = opening
        self._room = room
        self._stage = stage
        self._clock = clock
        self._board = UiBoard(clock, self._draw)
        self._settings: dict[str, ScriptSetting] = {}
        self._gates: dict[str, tuple[ScriptApi, Line]] = {}
        self._starting: asyncio.Task[None] | None = None
        self._closed = False

    def start(self) -> None:
        """Begin all scripts of the game and its packs; those of the scene on the host only."""
        self._starting = asyncio.ensure_future(self._start_all())

    def close(self) -> None:
        """End them all."""
        self._closed = True
        if self._starting is not None:
            self._starting.cancel()
        for script in list(self.scripts):
            self._end(script, "closed", told=False)
        self._board.close()

    def connected(self, script: str, line: Line) -> None:
        """The script's frame is there, and this is the line to it."""
        running, setting = self.scripts.get(script), self._settings.get(script)
        if running is None or setting is None or running.state != "starting" or script in self._gates:
            line.close()
            return
        gate = ScriptApi(
            setting,
            line.send,
            lambda note: self._note(script, note),
            lambda reason: self._end(script, reason),
        )
        self._gates[script] = gate, line
        line.listen(gate.receive)
        running.state = "running"
        self._tell(running)

    def failed(self, script: str, message: str, line: int | None, column: int | None) -> None:
        """The browser has reported an error of a script from outside of it."""
        if script in self.scripts:
            self._note(script, ScriptNote("error", message, line, column))

    def ended(self, script: str, reason: str) -> None:
        """The script's frame is gone."""
        self._end(script, reason)

    def press(self, script: str, element_id: str, prop: str, value: object) -> None:
        """The player has used an element of a script."""
        found = self._gates.get(script)
        if found is not None:
            found[0].press(element_id, prop, value)

    async def _start_all(self) -> None:
        for mod in self._opening.mods:
            try:
                await self._start_mod(mod)
            except PeerError as error:
                self._refuse(mod.key, str(mod.publish.repository), MANIFEST_PATH, error.code)
        while any(one.state in {"starting", "running"} for one in self.scripts.values()):
            await self._clock.sleep(LOOK_AGAIN)
            for mod in self._opening.mods:
                await self._end_if_blocked(mod)

    async def _end_if_blocked(self, mod: OpenMod) -> None:
        own = [one for one in self.scripts.values() if one.mod == str(mod.publish.repository)]
        if any(one.state in {"starting", "running"} for one in own) and await mod.is_stopped():
            for one in own:
                self._end(one.script, "blocked")

    async def _start_mod(self, mod: OpenMod) -> None:
        manifest = mod.manifest
        if manifest is None or (manifest.script is None and not mod.setup.scripts):
            return
        name = str(mod.publish.repository)
        texts: list[tuple[str, str, str]] = []
        if manifest.script is not None:
            texts.append((mod.key, manifest.script, await read_text(mod, manifest.script)))
        if self._room.me.role == "host":
            texts += [(f"{mod.key}#{scene.script_id}", manifest.setup, scene.source) for scene in mod.setup.scripts]
        if mod.publish.preview:
            for script, path, _ in texts:
                self._refuse(script, name, path, "preview")
            return
        # The index of a version may be an old copy of it: it never changes, and whether it may run does.
        if await mod.is_stopped():
            for script, path, _ in texts:
                self._refuse(script, name, path, "blocked")
            return
        may_run = await mod.scanned_scripts()
        raw = await self._raw_manifest(mod)
        for script, path, source in texts:
            if hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest() not in may_run:
                self._refuse(script, name, path, "not-scanned")
                continue
            self._begin(script, mod, path, source, raw)

    def _begin(self, script: str, mod: OpenMod, path: str, source: str, manifest: dict[str, Any]) -> None:
        if self._closed or mod.manifest is None or script in self.scripts:
            return
        capabilities = frozenset(mod.manifest.capabilities)
        cards: asyncio.Future[CardCatalogue] | None = None

        async def catalogue() -> CardCatalogue:
            nonlocal cards
            if cards is None:
                cards = asyncio.ensure_future(read_catalogue(lambda wanted: _bytes(mod, wanted)))
            return await cards

        self._settings[script] = ScriptSetting(
            script=script,
            mod=mod.key,
            capabilities=capabilities,
            table=self._opening.table,
            room=self._room,
            board=self._board,
            clock=self._clock,
            cards=catalogue,
            plugins=_plugins(manifest),
        )
        self.scripts[script] = RunningScript(script, str(mod.publish.repository), path, "starting")
        self._tell(self.scripts[script])
        config = {"methods": CAPABILITY_OF, "capabilities": sorted(capabilities), "manifest": manifest}
        self._stage.start(script, source, config)

    async def _raw_manifest(self, mod: OpenMod) -> dict[str, Any]:
        try:
            text = await read_text(mod, MANIFEST_PATH)
            return read_object(text.encode(), MANIFEST_PATH, longest=LONGEST_MANIFEST)
        except DocumentUnreadable:
            return {}

    def _refuse(self, script: str, mod: str, path: str, reason: str) -> None:
        if self._closed:
            return
        self.scripts[script] = RunningScript(script, mod, path, "refused", reason)
        self._tell(self.scripts[script])

    def _end(self, script: str, reason: str, *, told: bool = True) -> None:
        running = self.scripts.get(script)
        if running is None or running.state in {"ended", "refused"}:
            return
        running.state, running.reason = "ended", reason
        self._settings.pop(script, None)
        gate, line = self._gates.pop(script, (None, None))
        if gate is not None and line is not None:
            line.close()
            gate.close()
        self._stage.stop(script)
        if told:
            self._tell(running)

    def _draw(self) -> None:
        me = self._room.me
        self._stage.draw(self._board.shown(me.seat, me.peer_id))

    def _tell(self, running: RunningScript) -> None:
        self._stage.note({"kind": "state", **running.as_plain()})

    def _note(self, script: str, note: ScriptNote) -> None:
        self._stage.note({"kind": "note", "script": script, "path": self.scripts[script].path, **asdict(note)})


async def _bytes(mod: OpenMod, path: AssetPath) -> bytes | None:
    try:
        return (await read_text(mod, path)).encode()
    except PeerError:
        return None


def _plugins(manifest: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """The functions a manifest declares, by plugin."""
    declared = manifest.get("plugins")
    found: dict[str, frozenset[str]] = {}
    for entry in declared if isinstance(declared, list) else ():
        match entry:
            case {"id": str(plugin), "functions": list(functions)}:
                found[plugin] = frozenset(name for name in functions if isinstance(name, str))
    return found
