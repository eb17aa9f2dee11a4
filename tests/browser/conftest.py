"""What the browser suites share: one browser with a worker under contract for each engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.browser import contracts
from tests.browser.host import Host
from tests.browsers import Browser, launched


@dataclass
class Contractor:
    """A browser whose worker answers for its adapters; ``host`` is where the transfer contract fetches."""

    browser: Browser
    host: Host

    def hold(self, contract: str, name: str, kind: str) -> None:
        """Ask for one case."""
        contracts.hold(self.browser, contract, name, kind, self.host.base)


@pytest.fixture(scope="module")
def contractor(request: pytest.FixtureRequest, dist: Path) -> Iterator[Contractor]:
    """One browser for all cases of an engine in a file."""
    with contracts.site(dist) as site, contracts.answers() as host, launched(request.param) as browser:
        contracts.boot(browser, site.base)
        yield Contractor(browser, host)
