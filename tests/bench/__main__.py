"""``python3 build.py bench``: the speed budget, everything side by side in one run.

Ratios, not times: the machine is shared, so each of our samples stands beside its rival's of the same moment.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tests.bench import growth, rows
from tests.bench.registry import registry
from tests.bench.round_trips import round_trips
from tests.bench.rows import BUDGET, Results
from tests.bench.site import BenchSite

ROW_LIMIT_S = 600


class RowTimeout(Exception):
    """A row did not end in time; the others go on."""


@contextmanager
def watchdog(seconds: int) -> Iterator[None]:
    """End the body with :class:`RowTimeout` after ``seconds``."""

    def bark(_signal: int, _frame: FrameType | None) -> None:
        raise RowTimeout(f"did not end within {seconds} s")

    before = signal.signal(signal.SIGALRM, bark)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def main() -> int:
    """Run the rows; 0 when every one of them was measured."""
    parser = argparse.ArgumentParser(prog="build.py bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the budget's rows, in fewer rounds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write ratios and samples there")
    parser.add_argument("--only", metavar="ROW", action="append", help="only these rows, such as pull or boot")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="write the growth chart there as SVG (full runs)")
    options = parser.parse_args()
    node = os.environ.get("PEER_NODE") or shutil.which("node")
    if node is None:
        print("The bench needs Node.js; run it with: python3 build.py bench", file=sys.stderr)
        return 2
    results, failures = Results(), []
    rounds = 5 if options.quick else 9
    with tempfile.TemporaryDirectory(prefix="peer-bench-") as folder, BenchSite(Path(folder), node) as site:
        work: dict[str, Callable[[], None]] = {
            "pull": lambda: rows.pull(site, results, rounds, all_rivals=not options.quick),
            "boot": lambda: rows.boot(site, results, rounds),
            "first_visit": lambda: rows.first_visit(site, results, 3 if options.quick else 5),
            "warm": lambda: rows.warm(site, results, rounds),
            "resume": lambda: rows.resume(site, results, 3 if options.quick else 7),
            "republish": lambda: rows.republish(site, results, 3),
            "longest_task": lambda: rows.longest_task(site, results, 3 if options.quick else 5),
            "round_trips": lambda: round_trips(site, results, rounds, firefox=not options.quick),
            "registry": lambda: registry(site, results, rounds),
            "memory": lambda: rows.memory(site, results, 3 if options.quick else 5),
        }
        if not options.quick:
            work |= {
                "scrolling": lambda: rows.scrolling(site, results),
                "engines": lambda: growth.engines(site, results),
                "growth": lambda: growth.growth(site, results, options.chart),
                "runtime_bytes": lambda: growth.runtime_bytes(site, results),
                "http1": lambda: growth.http1(Path(folder) / "http1", node, results),
            }
        for name, measure in work.items():
            if options.only and name not in options.only and name != "pull":
                continue
            began = time.monotonic()
            print(f"• {name}", flush=True)
            try:
                with watchdog(ROW_LIMIT_S):
                    measure()
            except Exception as error:
                failures.append(f"{name}: {type(error).__name__}: {error}")
                print(f"  failed: {failures[-1]}", flush=True)
            print(f"  {time.monotonic() - began:.0f} s", flush=True)
    print_table(results, failures)
    if options.json is not None:
        options.json.write_text(json.dumps(as_plain(results, failures), indent=1) + "\n")
    return 1 if failures else 0


def print_table(results: Results, failures: list[str]) -> None:
    """The budget with medians and how far the samples lie apart."""
    print(f"\n{'row':24} {'ratio':>8} {'limit':>8}  {'min to max':>15}   what")
    for row in BUDGET:
        ratio = results.ratios.get(row.key)
        if ratio is None:
            print(f"{row.key:24} {'—':>8} {row.bound:>8}")
            continue
        samples = results.samples[row.key]
        verdict = "" if row.holds(ratio) else "  MISSED"
        spread = f"{min(samples):.2f} - {max(samples):.2f}"
        print(f"{row.key:24} {ratio:>8.3f} {row.bound:>8}  {spread:>15}   {row.what}{verdict}")
    print(f"\n{'samples':34} {'median':>10} {'min':>10} {'max':>10}")
    for name, values in results.samples.items():
        if name not in results.ratios:
            print(f"{name:34} {statistics.median(values):>10.1f} {min(values):>10.1f} {max(values):>10.1f}")
    for note in results.notes:
        print(f"  {note}")
    for failure in failures:
        print(f"  FAILED {failure}")


def as_plain(results: Results, failures: list[str]) -> dict[str, object]:
    """The JSON of a run."""
    return {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "machine": {"cores": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()},
        "ratios": results.ratios,
        "samples": results.samples,
        "notes": results.notes,
        "failures": failures,
    }


if __name__ == "__main__":
    sys.exit(main())
