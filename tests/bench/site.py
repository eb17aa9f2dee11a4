"""Everything the bench measures against: mods of known sizes, the HTTP/2 origin, the page's server, and Chromium."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import trustme

from tests.browsers import Browser, PlainChromium, wait_for
from tests.repositories import Repository, digests, head, synthetic_mod

PROJECT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
OWNER = "bench"
LATENCY_MS = 20


@dataclass(frozen=True, slots=True)
class Asset:
    """One declared file: its path, its address at the origin, and what its bytes are."""

    path: str
    url: str
    size: int
    sha256: str


class Line:
    """A child process that answers a line with a line."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, line: str) -> str:
        """Write a line and read the answer."""
        self._stdin.write(f"{line}\n")
        self._stdin.flush()
        return self.read()

    def read(self) -> str:
        """Read the next line.

        :raises RuntimeError: the process ended
        """
        stdout = self._process.stdout
        line = stdout.readline() if stdout is not None else ""
        if not line:
            raise RuntimeError(f"{self._process.args!r} ended with {self._process.wait()}")
        return line.strip()

    @property
    def _stdin(self) -> IO[str]:
        assert self._process.stdin is not None
        return self._process.stdin

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


class BenchSite:
    """The servers of one bench run; a context manager."""

    def __init__(self, folder: Path, node: str, *, protocol: str = "http2") -> None:
        self._folder = folder
        self._node = node
        self._protocol = protocol
        self._mods = folder / "mods"
        self._files = folder / "files"
        self._lines = contextlib.ExitStack()
        self.repositories: dict[str, Repository] = {}
        self.versions: dict[str, str] = {}

    def __enter__(self) -> Self:
        self._mods.mkdir(parents=True)
        self._files.mkdir()
        rivals = self._folder / "rivals"
        _copy_rivals(rivals)
        authority = trustme.CA()
        authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(self._folder / "both.pem"))
        both = str(self._folder / "both.pem")
        command = [self._node, str(HERE / "origin.mjs"), str(self._files), both, both, str(LATENCY_MS), self._protocol]
        self.origin = self._start(command)
        self.raw = f"https://127.0.0.1:{self.origin.read()}"
        places = [PROJECT / "dist", self._mods, self.data, rivals]
        self.server = self._start([sys.executable, "-m", "tests.bench.serve", *map(str, places), self.raw])
        _, self.url, self.slow_url = self.server.read().split()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lines.close()

    @property
    def data(self) -> Path:
        """The registry's folder."""
        return self._folder / "data"

    def _start(self, command: list[str]) -> Line:
        line = Line(command)
        self._lines.callback(line.close)
        return line

    def add_mod(self, name: str, sizes: Mapping[str, int]) -> None:
        """Make a mod of these files, serve it and register it."""
        self.repositories[name] = synthetic_mod(self._mods, OWNER, name, sizes)
        self.register(name)

    def register(self, name: str) -> None:
        """Serve and register the mod's head."""
        repository = self.repositories[name]
        sha = head(repository.path)
        target = self._files / OWNER / name / sha
        target.mkdir(parents=True)
        archive = subprocess.Popen(["git", "-C", repository.path, "archive", sha], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", target], stdin=archive.stdout, check=True)
        archive.wait()
        if archive.stdout is not None:
            archive.stdout.close()
        self.versions[name] = self.server.ask(f"{OWNER}/{name}")

    def assets(self, name: str) -> list[Asset]:
        """Every file a peer pulls of the mod."""
        base = f"{self.raw}/{OWNER}/{name}/{self.versions[name]}"
        found = digests(self.repositories[name].path)
        return [Asset(path, f"{base}/{path}", file.size, file.sha256) for path, file in found.items()]

    def served(self) -> dict[str, int]:
        """Requests and bytes at the origin since this was last asked."""
        counts: dict[str, int] = json.loads(self.origin.ask(""))
        return counts


def _copy_rivals(into: Path) -> None:
    """The rivals' page with the pump and the store as they are in ``web/``, unhashed, and the packages they use."""
    packages = PROJECT / "web" / "node_modules"
    into.mkdir()
    for name in ("rivals.html", "rivals.js", "plain.html", "plain.js", "workbox.html", "workbox-worker.js"):
        shutil.copy(HERE / name, into / name)
    for name in ("bytes.js", "pump.js", "opfs.js", "digest.js", "early.js"):
        shutil.copy(PROJECT / "web" / name, into / name)
    shutil.copy(packages / "idb" / "build" / "index.js", into / "idb.js")
    for package in ("workbox-core", "workbox-precaching", "workbox-routing", "workbox-strategies"):
        shutil.copy(packages / package / "build" / f"{package}.prod.js", into / f"{package}.js")
    shutil.copytree(packages / "pyodide", into / "pyodide")


def patient() -> PlainChromium:
    """A Chromium that a row waits for as long as it takes: the row has a watchdog."""
    browser = PlainChromium(insecure=True)
    browser.driver.set_script_timeout(3600)
    return browser


class BenchPage:
    """One tab of Chromium with a persistent profile: an incognito one keeps its files in memory and is slower."""

    def __init__(self, site: BenchSite, browser: Browser | None = None) -> None:
        """``browser`` is another than :class:`PlainChromium`, for what only that one can do."""
        self.browser = browser or patient()
        self._site = site

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.browser.close()

    def evaluate(self, body: str, *arguments: object) -> Any:
        """What the body of an async function in the current page returns."""
        return self.browser.evaluate(body, *arguments)

    def peer(self) -> None:
        """Show the product's catalogue with Python up."""
        self.browser.open(self._site.url)
        # WebKitGTK's load event may come before the page's modules have run.
        wait_for(self.browser, "return window.peer !== undefined")
        self.evaluate("await window.peer.cached()")

    def rivals(self) -> None:
        """Show the rivals' page."""
        self.browser.open(f"{self._site.url}bench/rivals.html")

    def contend(self, name: str, urls: list[str], **options: object) -> float:
        """Milliseconds a contender of ``rivals.js`` takes; ``keep=True`` leaves what it stored."""
        task = {"name": name, "urls": urls, "keep": options.pop("keep", False), "options": options}
        return float(self.evaluate("return await contend(given[0])", task))

    def open(self, mod: str) -> float:
        """Open a mod in the product; milliseconds from the call to the open table, everything checked and stored."""
        body = """
            const began = performance.now();
            await window.peer.open(`${given[0]}/${given[1]}`);
            return performance.now() - began;
        """
        return float(self.evaluate(body, OWNER, mod))

    def check(self) -> None:
        """See that every file of the open table is there.

        :raises tests.browsers.ScriptError: one failed, or was not checked
        """
        self.evaluate(
            """
            const { files } = await window.peer.report();
            const bad = files.filter((file) => file.status === "failed" || !file.verified);
            if (bad.length) throw new Error(`${bad.length} files failed, first ${JSON.stringify(bad[0])}`);
            """
        )

    def pull(self, mod: str, *, forget: bool = True) -> float:
        """:meth:`open`, check that all is there, and close; ``forget`` drops what was stored."""
        ms = self.open(mod)
        self.check()
        leave = "await window.peer.close(); if (given[0]) await window.peer.forget(given[1], given[2])"
        self.evaluate(leave, forget, OWNER, mod)
        return ms
