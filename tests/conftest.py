"""What all suites share: browsers, the built site, and the seconds each suite takes."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browsers import ENGINES, Browser, Chromium, Firefox, WebKit, launched, need

ROOT = Path(__file__).resolve().parent.parent
# Fast suites first, so that a slip is known early.
SUITES = ("unit", "server", "browser", "e2e")

seconds: defaultdict[str, float] = defaultdict(float)


def suite_of(path: Path) -> str:
    """The folder below tests/ that a test lies in."""
    return path.relative_to(ROOT / "tests").parts[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="full sizes: kills, fuzz, 1 GB")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: SUITES.index(suite) if (suite := suite_of(item.path)) in SUITES else len(SUITES))
    if config.getoption("--slow"):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="full size: runs with --slow"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    seconds[Path(report.nodeid).parts[1]] += report.duration


def pytest_sessionfinish() -> None:
    target = os.environ.get("PEER_SECONDS")
    if target:
        Path(target).write_text(json.dumps(seconds))


@pytest.fixture(scope="session")
def dist() -> Path:
    """The built site."""
    folder = ROOT / "dist"
    if not (folder / "index.html").is_file():
        pytest.exit("dist/ is not built: run python3 build.py test", returncode=2)
    return folder


@pytest.fixture(params=ENGINES)
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Each engine in turn, with a fresh profile."""
    with launched(request.param) as one:
        yield one


@pytest.fixture
def chromium() -> Iterator[Chromium]:
    """Chromium alone, with a fresh profile."""
    one = Chromium()
    yield one
    one.close()


@pytest.fixture
def firefox() -> Iterator[Firefox]:
    """Firefox alone, with a fresh profile."""
    need("firefox")
    one = Firefox()
    yield one
    one.close()


@pytest.fixture
def webkit() -> Iterator[WebKit]:
    """WebKitGTK alone, with a fresh profile."""
    need("webkit")
    one = WebKit()
    yield one
    one.close()
