"""WebKitGTK without a driver: it keeps its storage over a restart, which a driven one does not.

The page says by itself how it stands (``undriven.js``), in requests to the raw host.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

from tests.browsers import PATIENCE, _minibrowser, _screen
from tests.e2e.processes import kill, processes
from tests.e2e.site import Site

_PAGE: Final = "undriven.html"


class Undriven:
    """A MiniBrowser that is started at an address and ended by a kill; its profile lasts until :meth:`close`."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._profile = Path(tempfile.mkdtemp(prefix="undriven-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._screen, self._display = _screen()
        pages = site.mods.parent / "dist"
        script = Path(__file__).with_suffix(".js").name
        shutil.copy(Path(__file__).with_name(script), pages)
        page = (pages / "index.html").read_text()
        (pages / _PAGE).write_text(page.replace("</head>", f'<script type="module" src="/{script}"></script></head>'))

    def open(self, mod: str) -> None:
        """Start the browser at the table of ``mod``."""
        environment = {
            **os.environ,
            "DISPLAY": self._display,
            "GDK_BACKEND": "x11",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "NO_AT_BRIDGE": "1",
            "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
            **{f"XDG_{kind}_HOME": str(self._profile / kind) for kind in ("DATA", "CACHE", "CONFIG")},
        }
        command = [str(_minibrowser()), f"{self._site.base}/{_PAGE}?mod={quote(mod)}"]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)

    def said(self) -> dict[str, Any]:
        """Wait for what the page says once its table is open and nothing is pulled any more."""
        ends = time.monotonic() + PATIENCE
        while not (told := self._site.origin.requests.all("/said", host="raw")):
            assert time.monotonic() < ends, "the page said nothing"
            time.sleep(0.02)
        what: dict[str, Any] = json.loads(unquote(told[-1].query))
        assert "error" not in what, what
        return what

    def kill(self, mark: str = "") -> None:
        """Kill the processes whose command has ``mark`` in it; the others follow at once."""
        assert self._process is not None
        running = processes(self._process.pid)
        kill({process for process, command in running.items() if mark in command})
        kill(set(running))
        self._process.wait()
        self._process = None

    def close(self) -> None:
        if self._process is not None:
            self.kill()
        self._screen.terminate()
        self._screen.wait()
        shutil.rmtree(self._profile, ignore_errors=True)
