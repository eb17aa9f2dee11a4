"""The contracts, asked of a browser: one worker for each engine, one case after the other."""

from __future__ import annotations

import json
import mimetypes
from pathlib import Path
from typing import Final

from tests.browser.host import Host
from tests.browsers import Browser, Engine, wait_for
from tests.contract import transfer
from tests.contract.answer import NOT_FOUND, Answer

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
SOURCES: Final = ("answer", "bytes", "in_worker", "locks", "ports", "store", "transfer")

PAGE: Final = """<!doctype html><title>contracts</title><script type="module">
const worker = new Worker("/contract_worker.js", { type: "module" });
const waiting = new Map();
globalThis.heard = {};
worker.addEventListener("message", ({ data }) => {
  if (data.id === undefined) globalThis.heard = data;
  else waiting.get(data.id)(data.failure ?? null);
});
worker.addEventListener("error", ({ message }) => { globalThis.heard = { boot: "failed", message }; });
globalThis.ask = (contract, name, kind, host) => new Promise((resolve) => {
  const id = waiting.size;
  waiting.set(id, resolve);
  worker.postMessage({ id, contract, name, kind, host });
});
</script>"""

# WebKitGTK has no origin-private file system.
STORES: Final[dict[Engine, tuple[str, ...]]] = {
    "chromium": ("opfs", "indexeddb"),
    "firefox": ("opfs", "indexeddb"),
    "webkit": ("indexeddb",),
}


def site(dist: Path) -> Host:
    """The built site, and the worker that asks it the contracts."""
    names = {
        name: next((dist / "assets").glob(f"{name}.????????????.js")).name
        for name in ("runtime", "pump", "opfs", "indexeddb", "digest")
    }
    sources = {f"tests/contract/{name}.py": (ROOT / f"tests/contract/{name}.py").read_text() for name in SOURCES}
    made = {
        "/": Answer(body=PAGE.encode(), media_type="text/html"),
        "/names.json": Answer(body=json.dumps(names).encode(), media_type="application/json"),
        "/sources.json": Answer(body=json.dumps(sources).encode(), media_type="application/json"),
        "/contract_worker.js": Answer(body=(HERE / "contract_worker.js").read_bytes(), media_type="text/javascript"),
    }

    def answer(path: str, attempt: int) -> Answer:
        file = dist / path.removeprefix("/")
        if path in made or not file.is_file():
            return made.get(path, NOT_FOUND)
        kinds = {".wasm": "application/wasm", ".js": "text/javascript"}
        kind = kinds.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return Answer(body=file.read_bytes(), media_type=kind)

    return Host(answer)


def answers() -> Host:
    """The host of the transfer contract, on an origin of its own as GitHub's are."""

    def answer(path: str, attempt: int) -> Answer:
        found = transfer.ANSWERS.get(path, (NOT_FOUND,))
        return found[min(attempt, len(found)) - 1]

    return Host(answer)


def boot(browser: Browser, address: str) -> None:
    """Bring the worker up."""
    browser.open(f"{address}/")
    heard = wait_for(browser, "return globalThis.heard?.boot && globalThis.heard")
    assert heard["boot"] != "failed", heard


def hold(browser: Browser, contract: str, name: str, kind: str, host: str) -> None:
    """Ask the browser for one case."""
    failure = browser.evaluate("return ask(...given)", contract, name, kind, host)
    assert failure is None, failure
