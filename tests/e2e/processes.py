"""The operating system's processes of a browser, for tests that kill or stop them. Linux only: it reads /proc."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

from tests.browsers import Browser

_PROC = Path("/proc")


def processes(root: int | Path) -> dict[int, str]:
    """Command lines by process id of all descendants of ``root``, itself included: an id, or a browser's profile."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                status = (entry / "stat").read_text().rpartition(")")[2].split()
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if status[0] != "Z":
                    parents[int(entry.name)], commands[int(entry.name)] = int(status[1]), command
    if isinstance(root, int):
        found = {root} & commands.keys()
    else:
        found = {process for process, command in commands.items() if str(root) in command}
    while grown := {process for process, parent in parents.items() if parent in found} - found:
        found |= grown
    return {process: commands[process] for process in sorted(found)}


def profile(browser: Browser) -> Path:
    """The folder of a browser's profile; every browser of these tests has its own."""
    folder: Path = browser._profile  # type: ignore[attr-defined] # the tests' own class
    return folder


def renderers(browser: Browser) -> set[int]:
    """The processes in which pages and their workers run."""
    mark = {"chromium": "--type=renderer", "firefox": "-isForBrowser", "webkit": "WebKitWebProcess"}[browser.engine]
    return {process for process, command in processes(profile(browser)).items() if mark in command}


def writers(browser: Browser) -> set[int]:
    """The renderers of Chromium that hold a file of the origin-private file system open."""
    return {process for process in renderers(browser) if _holds(process, profile(browser))}


def _holds(process: int, folder: Path) -> bool:
    held = set()
    with contextlib.suppress(OSError):
        for descriptor in (_PROC / str(process) / "fd").iterdir():
            with contextlib.suppress(OSError):
                held.add(str(descriptor.readlink()))
    return any(name.startswith(str(folder)) and "/File System/" in name for name in held)


def send(which: signal.Signals, targets: set[int]) -> None:
    """Signal processes; one that is gone already is no mistake."""
    for process in targets:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, which)


def kill(targets: set[int]) -> None:
    """End processes at once, without a word to them."""
    send(signal.SIGKILL, targets)
