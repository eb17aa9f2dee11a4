"""Rows without limits: other engines, how cost grows with files and bytes, the runtime's weight, an HTTP/1.1 origin."""

from __future__ import annotations

import gzip
import statistics
from math import log
from pathlib import Path
from typing import Any

from tests.bench.rows import BYTES, FILES, MOD, Results
from tests.bench.site import OWNER, PROJECT, BenchPage, BenchSite
from tests.browsers import Browser, Firefox, WebKit, wait_for
from tests.repositories import spread_sizes

BY_FILES = (100, 1_000, 10_000)
BY_MEGABYTES = (10, 62, 250, 1_000)


def engines(site: BenchSite, results: Results) -> None:
    """One cold pull in Firefox, and one in WebKitGTK over IndexedDB."""
    for name, engine in (("firefox", Firefox), ("webkit", WebKit)):
        browser: Browser = engine(insecure=True)
        try:
            browser.open(site.url)
            browser.evaluate("await window.peer.cached()")
            browser.evaluate(
                """
                window.pulled = null;
                const began = performance.now();
                window.peer.open(given[0]).then(async () => {
                  const ms = performance.now() - began;
                  const { store, files } = await window.peer.report();
                  window.pulled = { ms, store, bad: files.filter(({ status }) => status !== "downloaded").length };
                }).catch((error) => { window.pulled = { error: String(error) }; });
                """,
                f"{OWNER}/{MOD}",
            )
            pulled: dict[str, Any] = wait_for(browser, "return window.pulled")
            if pulled.get("error") or pulled["bad"]:
                raise RuntimeError(f"{name}: {pulled}")
            results.add(f"pull_{name}_{pulled['store']}_ms", pulled["ms"])
        finally:
            browser.close()


def growth(site: BenchSite, results: Results, chart: Path | None) -> None:
    """Cost against the number of files (of 20 KB) and against size (files of 100 KB), floor beside it."""
    lines: dict[str, list[tuple[float, float, float]]] = {"files": [], "MB": []}
    cases = [("files", count, spread_sizes(count, count * 20_000)) for count in BY_FILES]
    cases += [("MB", size, spread_sizes(size * 10, size * 1_000_000)) for size in BY_MEGABYTES]
    for axis, amount, sizes in cases:
        name = f"growth-{amount}-{axis.lower()}"
        site.add_mod(name, sizes)
        urls = [asset.url for asset in site.assets(name)]
        with BenchPage(site) as page, BenchPage(site) as rival:
            page.peer()
            rival.rivals()
            ours = page.pull(name)
            floor = rival.contend("floor", urls)
        results.add(f"growth_{amount}_{axis.lower()}_ms", ours)
        results.add(f"growth_{amount}_{axis.lower()}_floor_ms", floor)
        lines[axis].append((amount, ours, floor))
    for axis, points in lines.items():
        (few, ms_few, _), (many, ms_many, _) = points[0], points[-1]
        results.notes.append(
            f"from {few} to {many} {axis} ({many / few:.0f} times) a pull takes {ms_many / ms_few:.1f} times as long; "
            f"÷ floor {', '.join(f'{ours / floor:.2f} at {amount}' for amount, ours, floor in points)}"
        )
    if chart is not None:
        chart.write_text(growth_chart(lines))


def growth_chart(lines: dict[str, list[tuple[float, float, float]]]) -> str:
    """Both curves over a logarithmic scale, ours and the floor's, as SVG that follows the reader's colour scheme."""
    width, height, pad = 720, 300, 48
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        ' font-size="12">',
        "<style>text{fill:#333}.axis{stroke:#999}.ours{stroke:#1f6f50;fill:#1f6f50}.floor{stroke:#b08020;fill:#b08020}"
        "polyline{fill:none!important;stroke-width:2}"
        "@media(prefers-color-scheme:dark){text{fill:#ddd}.ours{stroke:#6fc7a2;fill:#6fc7a2}}</style>",
    ]
    for number, (axis, points) in enumerate(lines.items()):
        left = pad + number * (width // 2)
        span = width // 2 - 2 * pad
        top_ms = max(max(ours, floor) for _, ours, floor in points)
        low, high = points[0][0], points[-1][0]

        def x(amount: float, left: int = left, span: int = span, low: float = low, high: float = high) -> float:
            return left + span * _log_share(amount, low, high)

        def y(ms: float, top_ms: float = top_ms) -> float:
            return height - pad - (height - 2 * pad) * _log_share(ms, 10, top_ms)

        parts.append(f'<text x="{left}" y="20">seconds by {axis}, cold pull, log scales</text>')
        base = height - pad
        parts.append(f'<line class="axis" x1="{left}" y1="{base}" x2="{left + span}" y2="{base}"/>')
        for kind, column in (("ours", 1), ("floor", 2)):
            dots = [(x(point[0]), y(point[column]), point[column]) for point in points]
            parts.append(f'<polyline class="{kind}" points="{" ".join(f"{a:.0f},{b:.0f}" for a, b, _ in dots)}"/>')
            for index, (across, down, ms) in enumerate(dots):
                parts.append(f'<circle class="{kind}" cx="{across:.0f}" cy="{down:.0f}" r="3"/>')
                if kind == "ours":
                    parts.append(
                        f'<text x="{across:.0f}" y="{down - 8:.0f}" text-anchor="middle">{ms / 1000:.1f}</text>'
                    )
                    amount = f"{points[index][0]:,.0f}"
                    parts.append(f'<text x="{across:.0f}" y="{base + 16}" text-anchor="middle">{amount}</text>')
    parts.append(
        f'<text x="{pad}" y="{height - 8}">green: ours, checked and stored; ochre: fetched and thrown away</text>'
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _log_share(value: float, low: float, high: float) -> float:
    return log(max(value, low) / low) / log(high / low)


def runtime_bytes(site: BenchSite, results: Results) -> None:
    """What a first visit takes over the line, ours and plain Pyodide's, each as its server compresses it."""
    with BenchPage(site) as page:
        page.peer()
        weigh = """
            const entries = ["resource", "navigation"].flatMap((type) => performance.getEntriesByType(type));
            return entries.reduce((sum, entry) => sum + entry.encodedBodySize, 0);
        """
        results.add("first_visit_page_kb", page.evaluate(weigh) / 1000)
    files = [file for file in (PROJECT / "dist" / "assets").rglob("*.br") if "packages" not in str(file)]
    results.add("runtime_brotli_kb", sum(file.stat().st_size for file in files) / 1000)
    core = PROJECT / "web" / "node_modules" / "pyodide"
    names = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
    results.add("plain_pyodide_gzip_kb", sum(len(gzip.compress((core / name).read_bytes())) for name in names) / 1000)


def http1(folder: Path, node: str, results: Results) -> None:
    """An HTTP/1.1 origin: our pull must be no worse than the browser's own six connections."""
    folder.mkdir()
    with BenchSite(folder, node, protocol="http1") as site:
        site.add_mod(MOD, spread_sizes(FILES, BYTES))
        urls = [asset.url for asset in site.assets(MOD)]
        with BenchPage(site) as page, BenchPage(site) as rival:
            page.peer()
            rival.rivals()
            for _ in range(3):
                results.add("http1_pull_ms", page.pull(MOD))
                results.add("http1_floor_at_six_ms", rival.contend("floor", urls, atOnce=6))
    pairs = zip(results.samples["http1_pull_ms"], results.samples["http1_floor_at_six_ms"], strict=True)
    results.samples["http1_pull_vs_floor"] = [round(ours / floor, 3) for ours, floor in pairs]
    results.notes.append(f"HTTP/1.1: pull ÷ floor {statistics.median(results.samples['http1_pull_vs_floor']):.2f}")
