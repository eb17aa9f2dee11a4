"""The rows of the bench: each measures ours and its rival side by side, in pairs, and answers with ratios."""

from __future__ import annotations

import contextlib
import os
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.site import OWNER, BenchPage, BenchSite
from tests.browsers import Chromium, wait_for
from tests.repositories import publish, spread_sizes

FILES, BYTES = 740, 62_000_000
MOD = "files-740"


@dataclass(frozen=True, slots=True)
class Budget:
    """A row of the speed budget (DESIGN.md): the most its ratio may be, or the least, and what is divided by what."""

    key: str
    limit: float
    what: str
    at_least: bool = False

    def holds(self, ratio: float) -> bool:
        return ratio >= self.limit if self.at_least else ratio <= self.limit

    @property
    def bound(self) -> str:
        """The limit as it is printed."""
        return f"{'≥' if self.at_least else '≤'} {self.limit}"


BUDGET = (
    Budget("pull_vs_floor", 1.2, "cold pull of 740 files / 62 MB ÷ fetch and throw away, both 64 at once"),
    Budget("pull_vs_js", 1.05, "the same ÷ the same pump driven from JavaScript alone"),
    Budget("pull_vs_cache_api", 0.95, "the same ÷ Cache API put without checks, at its best concurrency"),
    Budget("boot_vs_plain", 0.33, "page open → worker ready ÷ plain loadPyodide of the same Pyodide"),
    Budget("first_visit_vs_plain", 1.0, "first visit at 20 Mbit/s, empty HTTP cache ÷ plain boot likewise"),
    Budget("warm_vs_files", 0.15, "warm open, first blob URL ÷ opening 740 OPFS files in JavaScript"),
    Budget("republish_bytes", 1.05, "bytes fetched after 1 file of 740 changed ÷ that file's bytes"),
    Budget("resume_bytes", 0.10, "bytes fetched again after a kill at half of a pull ÷ total bytes"),
    Budget("memory_growth", 1.5, "growth of memory for a 1 GB mod ÷ for a 50 MB mod"),
    Budget("longest_task_ms", 50, "longest task on the page's own thread during a pull, ms"),
    Budget("script_call_ms", 1, "one call of a mod's script: mod → Python → mod, ms"),
    Budget("script_2000_calls_ms", 200, "2,000 calls of a mod's script at once, ms"),
    Budget(
        "registry_record_vs_bare", 0.3, "answers a second: a mod's record ÷ a bare handler's constant", at_least=True
    ),
    Budget(
        "registry_index_vs_bare", 0.3, "the same: a file index of 740 ÷ its bytes from a bare handler", at_least=True
    ),
)


@dataclass(slots=True)
class Results:
    """What a run found: ``ratios`` are medians, ``samples`` everything measured, in the units their names say."""

    ratios: dict[str, float] = field(default_factory=dict)
    samples: dict[str, list[float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, value: float) -> None:
        self.samples.setdefault(name, []).append(round(value, 3))

    def compare(self, key: str, ours: str, rival: str) -> None:
        """The ratio of two rows of samples, pair by pair."""
        pairs = zip(self.samples[ours], self.samples[rival], strict=True)
        self.settle(key, [one / other for one, other in pairs])

    def settle(self, key: str, values: list[float]) -> None:
        self.samples[key] = [round(value, 3) for value in values]
        self.ratios[key] = round(statistics.median(values), 3)


def pull(site: BenchSite, results: Results, rounds: int, *, all_rivals: bool) -> None:
    """Cold pulls against the floor, the bare pump and what other loaders do."""
    site.add_mod(MOD, spread_sizes(FILES, BYTES))
    assets = site.assets(MOD)
    urls = [asset.url for asset in assets]
    known = {"hashes": [asset.sha256 for asset in assets], "sizes": [asset.size for asset in assets]}
    with BenchPage(site) as page, BenchPage(site) as rival:
        page.peer()
        rival.rivals()
        page.pull(MOD)
        rival.contend("floor", urls)
        rival.contend("pump", urls, **known)
        at_best = min((24, 64, 128), key=lambda at_once: rival.contend("cacheApi", urls, atOnce=at_once))
        results.notes.append(f"Cache API at its best concurrency here: {at_best}")
        for _ in range(rounds):
            results.add("pull_ms", page.pull(MOD))
            results.add("floor_ms", rival.contend("floor", urls))
            results.add("pump_ms", rival.contend("pump", urls, **known))
            results.add("cache_api_ms", rival.contend("cacheApi", urls, atOnce=at_best))
        results.compare("pull_vs_floor", "pull_ms", "floor_ms")
        results.compare("pull_vs_js", "pull_ms", "pump_ms")
        results.compare("pull_vs_cache_api", "pull_ms", "cache_api_ms")
        for _ in range(rounds if all_rivals else 1):
            results.add("opfs_files_ms", rival.contend("opfsFiles", urls))
            results.add("indexeddb_blobs_ms", rival.contend("indexedDbBlobs", urls))
        rival.browser.open(f"{site.url}bench/workbox.html")
        results.add("workbox_ms", float(rival.evaluate("return await precache(given[0])", urls)))


def boot(site: BenchSite, results: Results, rounds: int) -> None:
    """Repeat visits: from opening the page until Python answers."""
    with BenchPage(site) as page:
        for counted in range(-1, rounds):
            page.peer()
            ours = page.evaluate("return performance.getEntriesByName('peer-ready')[0].startTime")
            page.browser.open(f"{site.url}bench/plain.html")
            plain = float(wait_for(page.browser, "return globalThis.readyAfter ?? null"))
            if counted >= 0:
                results.add("boot_ms", ours)
                results.add("plain_boot_ms", plain)
    results.compare("boot_vs_plain", "boot_ms", "plain_boot_ms")


def first_visit(site: BenchSite, results: Results, rounds: int) -> None:
    """First visits over 20 Mbit/s, each with a profile of its own; bytes are what crossed the line."""
    for _ in range(rounds):
        with BenchPage(site) as page:
            page.browser.open(site.slow_url)
            page.evaluate("await window.peer.cached()")
            ready = page.evaluate("return performance.getEntriesByName('peer-ready')[0].startTime")
            results.add("first_visit_ms", ready)
        with BenchPage(site) as page:
            page.browser.open(f"{site.slow_url}bench/plain.html")
            results.add("plain_first_visit_ms", float(wait_for(page.browser, "return globalThis.readyAfter ?? null")))
    results.compare("first_visit_vs_plain", "first_visit_ms", "plain_first_visit_ms")


def warm(site: BenchSite, results: Results, rounds: int) -> None:
    """Opening the mod again, until the first blob URL, against opening one OPFS file for each asset."""
    assets = site.assets(MOD)
    urls = [asset.url for asset in assets]
    with BenchPage(site) as page, BenchPage(site) as rival:
        page.peer()
        page.pull(MOD, forget=False)
        rival.rivals()
        rival.contend("opfsFiles", urls, keep=True)
        for counted in range(-1, rounds):
            ours = page.evaluate(
                """
                const began = performance.now();
                await window.peer.open(given[0]);
                const asset = await window.peer.assetUrl(given[1]);
                const ms = performance.now() - began;
                if (asset.source !== "cache") throw new Error("not from the cache");
                await window.peer.close();
                return ms;
                """,
                f"{OWNER}/{MOD}",
                assets[-1].path,
            )
            files = rival.contend("openFiles", urls)
            if counted >= 0:
                results.add("warm_ms", ours)
                results.add("open_files_ms", files)
    results.compare("warm_vs_files", "warm_ms", "open_files_ms")


def republish(site: BenchSite, results: Results, rounds: int) -> None:
    """One file of 740 changes; bytes are counted at the origin."""
    changed = next(path for path in spread_sizes(FILES, BYTES) if path.endswith(".webp"))
    values = []
    with BenchPage(site) as page:
        page.peer()
        page.pull(MOD, forget=False)
        for number in range(rounds):
            content = os.urandom(60_000)
            publish(site.repositories[MOD].path, {changed: content}, f"Change one file, {number}")
            site.register(MOD)
            site.served()
            page.pull(MOD, forget=False)
            values.append(site.served()["bytes"] / len(content))
    results.settle("republish_bytes", values)


def resume(site: BenchSite, results: Results, rounds: int) -> None:
    """The tab is killed when half of the bytes have been sent; what is sent again is counted at the origin."""
    total = sum(asset.size for asset in site.assets(MOD))
    values = []
    for _ in range(rounds):
        browser = Chromium("--ignore-certificate-errors")
        with BenchPage(site, browser) as page:
            page.peer()
            site.served()
            page.evaluate("void window.peer.open(given[0]).catch(() => {}); return null", f"{OWNER}/{MOD}")
            half = "return (await window.peer.report().catch(() => null))?.bytesFetched > given[0]"
            wait_for(browser, half, total / 2)
            _crash(browser)
            page.peer()
            page.pull(MOD)
            values.append(max(0.0, site.served()["bytes"] - total) / total)
    results.settle("resume_bytes", values)


def _crash(browser: Chromium) -> None:
    """End the tab's process as a crash does: no event handler runs, no handle is closed."""
    page = browser.context.new_page()
    with contextlib.suppress(Exception):
        browser.page.goto("chrome://crash", timeout=2000)
    with contextlib.suppress(Exception):
        browser.page.close(run_before_unload=False)
    browser.page = page


def memory(site: BenchSite, results: Results, rounds: int) -> None:
    """Summed PSS of the browser's processes: the most during a page's first pull above what it took at rest."""
    mods = {
        "mod-50mb": spread_sizes(300, 50_000_000),
        "mod-1gb": spread_sizes(3000, 1_000_000_000, large=[200_000_000]),
    }
    for name, sizes in mods.items():
        site.add_mod(name, sizes)
    for _ in range(rounds):
        for name in mods:
            with BenchPage(site) as page:
                page.peer()
                process = browser_process()
                before = pss_at_rest(process)
                with _peak(process) as peak:
                    ms = page.open(name)
                page.check()
                results.add(f"{name}_growth_mb", max(1.0, (peak.bytes - before) / 1e6))
                results.add(f"{name}_pull_ms", ms)
    results.compare("memory_growth", "mod-1gb_growth_mb", "mod-50mb_growth_mb")


def pss_at_rest(process: int) -> int:
    """:func:`pss` once it has stopped to change: a page that has just loaded still has things to do when idle."""
    before, now = 0, pss(process)
    while abs(now - before) > 1_000_000:
        time.sleep(1)
        before, now = now, pss(process)
    return now


@dataclass(slots=True)
class _Peak:
    bytes: int = 0


@contextlib.contextmanager
def _peak(process: int) -> Iterator[_Peak]:
    peak, over = _Peak(pss(process)), threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            peak.bytes = max(peak.bytes, pss(process))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()
        peak.bytes = max(peak.bytes, pss(process))


def browser_process() -> int:
    """The process id of the browser this process started last."""
    parents = _parents()
    browsers = [pid for pid in parents if _is_below(pid, os.getpid(), parents) and _is_browser(pid)]
    return max(browsers, key=lambda pid: Path(f"/proc/{pid}").stat().st_ctime)


def pss(process: int) -> int:
    """Proportional set size in bytes of a process and all below it."""
    parents = _parents()
    total = 0
    for pid in parents:
        if pid == process or _is_below(pid, process, parents):
            with contextlib.suppress(OSError):
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
                total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) * 1024
    return total


def _parents() -> dict[int, int]:
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                found[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    return found


def _is_below(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == ancestor:
            return True
    return False


def _is_browser(pid: int) -> bool:
    with contextlib.suppress(OSError):
        # A child's words may be one string: Chromium's zygote rewrites them.
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"chrom" in words.split(b"\0")[0] and b"--user-data-dir" in words and b"--type=" not in words
    return False


def longest_task(site: BenchSite, results: Results, rounds: int) -> None:
    """The longest task on the page's main thread while it pulls, from the browser's own trace."""
    site.add_mod("files-10000", spread_sizes(10_000, 100_000_000))
    values = []
    browser = Chromium("--ignore-certificate-errors")
    with BenchPage(site, browser) as page:
        page.peer()
        page.pull(MOD)
        for name in [MOD] * rounds + ["files-10000"]:
            ms = traced_longest_task(browser, partial(page.pull, name))
            results.add("longest_task_10000_files_ms" if name == "files-10000" else "longest_task_740_files_ms", ms)
            values.append(ms)
    results.settle("longest_task_ms", [max(statistics.median(values[:-1]), values[-1])])


_TO_THE_END = """
    const frame = () => new Promise(requestAnimationFrame);
    // A portion that is on its way leaves nothing to scroll to for a while.
    for (let idle = 0; idle < 60; idle++) {
        const more = document.querySelector("more-below");
        if (more) {
            more.scrollIntoView();
            idle = 0;
        }
        await frame();
    }
    for (let y = document.documentElement.scrollHeight; y > 0; y -= 3000) {
        scrollTo(0, y);
        await frame();
    }
    return document.querySelectorAll("near-portion").length;
"""


def scrolling(site: BenchSite, results: Results) -> None:
    """The longest task on the page's thread while somebody scrolls through 10,000 entries of the catalogue, and through
    10,000 assets of an open table, to the end and back."""
    if "files-10000" not in site.repositories:
        site.add_mod("files-10000", spread_sizes(10_000, 100_000_000))
    site.server.ask("10000")
    browser = Chromium("--ignore-certificate-errors")
    with BenchPage(site, browser) as page:
        page.peer()
        ms = traced_longest_task(browser, partial(page.evaluate, _TO_THE_END))
        results.add("longest_task_scrolling_10000_cards_ms", ms)
        page.open("files-10000")
        page.evaluate("while (!document.querySelector('[data-testid=asset]')) await new Promise(requestAnimationFrame)")
        ms = traced_longest_task(browser, partial(page.evaluate, _TO_THE_END))
        results.add("longest_task_scrolling_10000_assets_ms", ms)


def traced_longest_task(browser: Chromium, work: Callable[[], object]) -> float:
    """Milliseconds of the longest task of the page's renderer main thread during ``work``."""
    session = browser.context.new_cdp_session(browser.page)
    events: list[dict[str, Any]] = []
    done = threading.Event()
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda _: done.set())
    categories = ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel"]
    session.send("Tracing.start", {"traceConfig": {"includedCategories": categories}, "transferMode": "ReportEvents"})
    work()
    session.send("Tracing.end")
    deadline = time.monotonic() + 60
    while not done.is_set() and time.monotonic() < deadline:
        browser.page.wait_for_timeout(50)
    session.detach()
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"].get("name") == "CrRendererMain"
    }
    durations: list[float] = [
        event["dur"] / 1000
        for event in events
        if event["name"] == "RunTask" and (event["pid"], event["tid"]) in mains and "dur" in event
    ]
    if not durations:
        raise RuntimeError("the trace holds no task of the page's thread")
    return max(durations)
