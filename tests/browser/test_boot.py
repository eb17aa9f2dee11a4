"""Starting Python in each engine: from the memory snapshot, and plainly where that fails."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from server.app import create_app
from server.settings import Settings
from tests.browsers import ENGINES, Browser, launched, wait_for
from tests.server.served import served

# Boots as web/worker.js does and then runs what it is sent, one text after the other.
PROBE = """
import { bootRuntime } from "./%s";
const texts = [];
let wake = () => {};
addEventListener("message", ({ data }) => { texts.push(data); wake(); });
try {
  const { pyodide, ...rest } = await bootRuntime(%s);
  postMessage({ booted: rest });
  for (;;) {
    while (texts.length === 0) await new Promise((resolve) => { wake = resolve; });
    try {
      postMessage({ value: await pyodide.runPythonAsync(texts.shift()) });
    } catch (error) {
      postMessage({ thrown: error.message });
    }
  }
} catch (error) {
  postMessage({ booted: { boot: "failed", reason: error.message } });
}
"""

PAGE = """<!doctype html><title>probe</title><script type="module" src="/assets/probe-page.js"></script>"""
PAGE_SCRIPT = """
const worker = new Worker("/assets/probe.js", { type: "module" });
globalThis.heard = [];
worker.addEventListener("message", ({ data }) => heard.push(data));
worker.addEventListener("error", ({ message }) => heard.push({ booted: { boot: "failed", reason: message } }));
globalThis.ask = (text) => worker.postMessage(text);
"""


# Where the engines can't differ, one is enough; a plain boot takes WebKitGTK many seconds.
in_one_engine = pytest.mark.parametrize("engine", ["chromium"], indirect=True, scope="module")


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """One browser for all tests of this file."""
    with launched(request.param) as browser:
        yield browser


class Site:
    """A copy of dist/ that a test may damage, served as always."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def asset(self, pattern: str) -> Path:
        (found,) = (self.root / "assets").glob(pattern)
        return found

    def replace(self, path: Path, content: bytes | bytearray) -> None:
        """Write a new file, since the old one is dist's own under a second name."""
        path.unlink()
        path.write_bytes(content)


@pytest.fixture
def site(dist: Path, tmp_path: Path) -> Site:
    root = tmp_path / "site"
    # Without the compressed variants, which would be sent in place of a file a test has changed.
    shutil.copytree(dist, root, copy_function=os.link, ignore=shutil.ignore_patterns("*.br", "*.gz"))
    site = Site(root)
    (root / "probe.html").write_text(PAGE)
    (root / "assets/probe-page.js").write_text(PAGE_SCRIPT)
    (root / "assets/probe.js").write_text(PROBE % (site.asset("runtime.????????????.js").name, ""))
    return site


@pytest.fixture
def serve(site: Site, tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Serve the site as it then is; answers its address."""
    running = []

    def start() -> str:
        server = served(create_app(Settings(data=tmp_path, dist=site.root)))
        running.append(server)
        return server.__enter__()

    yield start
    for server in running:
        server.__exit__(None, None, None)


def boot(browser: Browser, address: str) -> dict[str, object]:
    """How the probe started."""
    browser.open(f"{address}/probe.html")
    found: dict[str, object] = wait_for(browser, "return globalThis.heard?.find(({ booted }) => booted)?.booted")
    return found


def python(browser: Browser, text: str) -> object:
    """The value of the last expression of ``text``, run in the probe's Python."""
    heard = browser.evaluate("ask(given[0]); return heard.length", text)
    answer = wait_for(browser, "return heard.length > given[0] && heard.at(-1)", heard)
    assert "thrown" not in answer, answer
    return answer["value"]


def test_page_boots_from_the_snapshot_under_its_own_policy(engine: Browser, dist: Path, tmp_path: Path) -> None:
    with served(create_app(Settings(data=tmp_path, dist=dist))) as address:
        engine.open(address)
        ready = wait_for(
            engine, "return globalThis.peer?.boot ?? (globalThis.peer?.fatal && { fatal: peer.fatal.message })"
        )
    assert (ready.get("boot"), ready.get("reason"), ready.get("fatal")) == ("snapshot", None, None)


def test_snapshot_holds_our_packages_and_no_standard_library(engine: Browser, serve: Callable[[], str]) -> None:
    booted = boot(engine, serve())
    assert (booted["boot"], booted["reason"]) == ("snapshot", None)
    assert python(engine, "import sys; {'client.peer', 'worker.main'} <= sys.modules.keys()") is True
    assert python(engine, "from worker.stdlib import ARCHIVE; ARCHIVE.exists()") is False


def test_first_import_outside_the_snapshot_fetches_the_standard_library(
    engine: Browser, serve: Callable[[], str]
) -> None:
    boot(engine, serve())
    assert python(engine, "import sys; {'colorsys', 'xml.sax.saxutils'} & sys.modules.keys() == set()") is True
    assert python(engine, "import colorsys; colorsys.rgb_to_hsv(0, 0, 1)[1]") == 1
    assert python(engine, "from worker.stdlib import ARCHIVE; ARCHIVE.exists()") is True
    assert python(engine, "import xml.sax.saxutils; xml.sax.saxutils.escape('<')") == "&lt;"


def test_import_of_what_does_not_exist_fetches_nothing(engine: Browser, serve: Callable[[], str]) -> None:
    boot(engine, serve())
    missing = "try:\n import no_such_module\nexcept ModuleNotFoundError as error:\n found = error.name\nfound"
    assert python(engine, missing) == "no_such_module"
    assert python(engine, "from worker.stdlib import ARCHIVE; ARCHIVE.exists()") is False


@in_one_engine
def test_damaged_standard_library_is_an_import_error(engine: Browser, site: Site, serve: Callable[[], str]) -> None:
    archive = site.asset("pyodide.*/python_stdlib.zip")
    site.replace(archive, archive.read_bytes()[:-1] + b"\0\0")
    boot(engine, serve())
    failing = "try:\n import colorsys\nexcept ImportError as error:\n found = error.name\nfound"
    assert python(engine, failing) == "colorsys"


def test_error_is_formatted_without_the_standard_library(engine: Browser, serve: Callable[[], str]) -> None:
    boot(engine, serve())
    text = "import json, traceback\ntry:\n json.loads('{')\nexcept ValueError:\n found = traceback.format_exc()\nfound"
    assert "JSONDecodeError" in str(python(engine, text))


def test_fetch_that_nobody_answers_is_an_exception(engine: Browser, serve: Callable[[], str]) -> None:
    boot(engine, serve())
    imports = "import js\nfrom pyodide.ffi import JsException"
    failing = "try:\n await js.fetch('http://127.0.0.1:9/')\nexcept JsException as error:\n found = error.name\nfound"
    assert python(engine, f"{imports}\n{failing}") == "TypeError"


def test_random_numbers_differ_from_boot_to_boot(engine: Browser, serve: Callable[[], str]) -> None:
    address = serve()
    drawn = set()
    for _ in range(2):
        boot(engine, address)
        drawn.add(python(engine, "import random; random.random()"))
    assert len(drawn) == 2


def test_snapshot_with_one_flipped_bit_boots_plainly(engine: Browser, site: Site, serve: Callable[[], str]) -> None:
    snapshot = site.asset("snapshot.*.bin")
    content = bytearray(snapshot.read_bytes())
    content[len(content) // 2] ^= 1
    site.replace(snapshot, content)
    booted = boot(engine, serve())
    assert booted["boot"] == "plain"
    assert snapshot.name in str(booted["reason"])
    assert python(engine, "import client.peer, colorsys; colorsys.__name__") == "colorsys"


@in_one_engine
def test_missing_snapshot_boots_plainly(engine: Browser, site: Site, serve: Callable[[], str]) -> None:
    site.asset("snapshot.*.bin").unlink()
    booted = boot(engine, serve())
    assert booted["boot"] == "plain"
    assert python(engine, "import worker.main; worker.main.__name__") == "worker.main"


@in_one_engine
def test_snapshot_of_another_build_boots_plainly(engine: Browser, site: Site, serve: Callable[[], str]) -> None:
    """Its bytes are what was built, but they belong to another Pyodide."""
    snapshot, files = site.asset("snapshot.*.bin"), site.asset("runtime-files.*.js")
    content = bytearray(snapshot.read_bytes())
    # Words 4 to 11 of the image name the build; before the image is the table of its runs, two words each after two.
    image = 8 + 8 * int.from_bytes(content[4:8], "little")
    content[image + 16 : image + 48] = bytes(32)
    before, after = (
        base64.b64encode(hashlib.sha256(one).digest()).decode() for one in (snapshot.read_bytes(), content)
    )
    site.replace(snapshot, content)
    site.replace(files, files.read_text().replace(before, after).encode())
    booted = boot(engine, serve())
    assert booted["boot"] == "plain"
    assert "build id" in str(booted["reason"])


def test_start_that_hangs_is_given_up_for_a_plain_one(engine: Browser, site: Site, serve: Callable[[], str]) -> None:
    core = site.asset("pyodide.*/pyodide.js")
    core.rename(core.with_name("real.js"))
    core.write_text(
        'import { loadPyodide as load } from "./real.js";\n'
        "export const loadPyodide = (options) => options._loadSnapshot ? new Promise(() => {}) : load(options);\n"
    )
    limits = json.dumps({"download": 60_000, "start": 100})
    (site.root / "assets/probe.js").write_text(PROBE % (site.asset("runtime.????????????.js").name, limits))
    booted = boot(engine, serve())
    assert booted["boot"] == "plain"
    assert "did not end within" in str(booted["reason"])


def test_missing_runtime_is_said_at_once(engine: Browser, site: Site, serve: Callable[[], str]) -> None:
    """Left to itself, Pyodide would wait for ever."""
    site.asset("pyodide.*/pyodide.asm.wasm").unlink()
    booted = boot(engine, serve())
    assert booted["boot"] == "failed"
    assert "pyodide.asm.wasm answers 404" in str(booted["reason"])


def test_packages_load_from_the_own_site_on_demand(engine: Browser, serve: Callable[[], str]) -> None:
    boot(engine, serve())
    text = "import pyodide_js\nawait pyodide_js.loadPackage('micropip')\nimport micropip\n"
    assert python(engine, f"{text}await micropip.install('pyodide-http')\nimport pyodide_http\n'loaded'") == "loaded"
