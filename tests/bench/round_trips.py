"""What a call of a mod's script costs: from the script's worker to Python and back, by itself and in a crowd."""

from __future__ import annotations

import json
from typing import Any

from tests.bench.rows import Results
from tests.bench.site import OWNER, BenchPage, BenchSite
from tests.browsers import Firefox, wait_for
from tests.repositories import publish, read

GAME = "round-trips"
AT_ONCE = 2000
_MAIN = "scripts/main.js"
# The script measures by its own clock, which is too coarse for one call (0.1 ms in Chromium, 1 ms in Firefox): a sample
# is the mean of 20 that wait for each other. What it finds it logs, and the page's panel shows the line.
_SCRIPT = """
    exports.setup = async (api) => {
        const singles = [];
        for (let n = 0; n < 50; n++) {
            const began = performance.now();
            for (let call = 0; call < 20; call++) await api.getObject("die");
            singles.push(+((performance.now() - began) / 20).toFixed(3));
        }
        singles.splice(0, 10);
        const crowds = [];
        for (let n = 0; n < given.rounds; n++) {
            const began = performance.now();
            await Promise.all(Array.from({ length: given.atOnce }, () => api.getObject("die")));
            crowds.push(+(performance.now() - began).toFixed(3));
        }
        api.log("measured " + JSON.stringify({ singles, crowds }));
    };
"""
_MEASURED = """
    const lines = [...document.querySelectorAll("[data-testid=script-notes] li")].map(({textContent}) => textContent);
    return lines.join("\\n").match(/measured (\\{.*\\})/)?.[1] ?? null;
"""


def round_trips(site: BenchSite, results: Results, rounds: int, *, firefox: bool) -> None:
    """A call that reads one object of the table: one after the other, and 2,000 at once."""
    _add_mod(site, rounds)
    with BenchPage(site) as page:
        page.peer()
        singles, crowds = _measure(page)
    results.settle("script_call_ms", singles)
    results.settle("script_2000_calls_ms", crowds)
    if firefox:
        with BenchPage(site, Firefox(insecure=True)) as page:
            page.peer()
            for name, values in zip(("call", "2000_calls"), _measure(page), strict=True):
                for value in values:
                    results.add(f"script_{name}_firefox_ms", value)


def _add_mod(site: BenchSite, rounds: int) -> None:
    site.add_mod(GAME, {"a.webp": 100})
    path = site.repositories[GAME].path
    manifest = json.loads(read(path, "diceytable.mod.json"))
    manifest["entry"] = {"setup": "setup.json", "script": _MAIN}
    manifest["capabilities"] = {"version": "1", "allowed": ["log", "read-world"]}
    die = {"id": "die", "kind": "die", "label": "Die", "position": {"x": 0, "y": 0, "z": 0}}
    script = f"const given = {json.dumps({'rounds': rounds, 'atOnce': AT_ONCE})};\n{_SCRIPT}"
    files = {
        "diceytable.mod.json": json.dumps(manifest).encode(),
        "setup.json": json.dumps({"objects": [die]}).encode(),
        _MAIN: script.encode(),
    }
    publish(path, files, "Measure calls")
    site.register(GAME)


def _measure(page: BenchPage) -> tuple[list[float], list[float]]:
    page.evaluate("await window.peer.open(given[0])", f"{OWNER}/{GAME}")
    found: dict[str, Any] = json.loads(wait_for(page.browser, _MEASURED))
    return found["singles"], found["crowds"]
