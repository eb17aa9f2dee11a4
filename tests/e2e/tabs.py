"""Several tabs of one browser, each for a player of its own."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.browsers import Browser, Chromium, Engine, _Selenium
from tests.e2e.player import Player


class Tab:
    """A tab of Firefox or WebKitGTK. The driver talks to one window at a time, and is turned to ours each time."""

    def __init__(self, browser: _Selenium, handle: str) -> None:
        self._browser = browser
        self._handle = handle
        self.engine: Engine = browser.engine
        self.console = browser.console

    def _turned(self) -> _Selenium:
        self._browser.driver.switch_to.window(self._handle)
        return self._browser

    def open(self, url: str) -> None:
        self._turned().open(url)

    def back(self) -> None:
        self._turned().back()

    def evaluate(self, body: str, *arguments: object) -> Any:
        return self._turned().evaluate(body, *arguments)

    def screenshot(self, path: Path) -> None:
        self._turned().screenshot(path)

    def resize(self, width: int, height: int) -> None:
        self._turned().resize(width, height)

    def restart(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Close the tab; the browser goes on."""
        self._turned().driver.close()


class _Page(Chromium):
    """A tab of Chromium; closing it leaves the browser alone."""

    def close(self) -> None:
        self.page.close()


@contextlib.contextmanager
def two_tabs(browser: Browser, base: str) -> Iterator[tuple[Player, Player]]:
    """Two players in tabs of their own; both are closed at the end, and the browser's first tab is as it was."""
    tabs: list[Browser] = [_another(browser), _another(browser)]
    try:
        yield Player(tabs[0], base), Player(tabs[1], base)
    finally:
        for tab in tabs:
            with contextlib.suppress(Exception):  # the test may have closed it, or killed its process
                tab.close()
        if isinstance(browser, _Selenium):
            browser.driver.switch_to.window(browser.driver.window_handles[0])


def _another(browser: Browser) -> Browser:
    if isinstance(browser, Chromium):
        page = copy.copy(browser)
        page.__class__ = _Page
        page.page = browser.context.new_page()
        return page
    assert isinstance(browser, _Selenium)
    browser.driver.switch_to.new_window("tab")
    return Tab(browser, browser.driver.current_window_handle)
