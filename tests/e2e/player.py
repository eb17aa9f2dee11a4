"""What a player does and sees, in any engine."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote

from playwright.sync_api import Error as PlaywrightError
from selenium.common import WebDriverException

from tests.browsers import PATIENCE, Browser, wait_for

STORE: Final = {"chromium": "opfs", "firefox": "opfs", "webkit": "indexeddb"}
"""Where each engine keeps files (CONTRACT.md, ``store``)."""

_SIGN_IN: Final = """
    const headers = {"content-type": "application/json"};
    const answer = await fetch("api/session", {method: "POST", headers, body: JSON.stringify({token: given[0]})});
    return answer.status;
"""
_CALL: Final = """
    try {
        return {value: await peer[given[0]](...given[1])};
    } catch (error) {
        return {code: error.code ?? "none", message: String(error.message)};
    }
"""
_DIGESTS: Final = """
    const digests = {};
    for (const path of given[0]) {
        const {url} = await peer.assetUrl(path, given[1] === null ? {} : {mod: given[1]});
        const bytes = await (await fetch(url)).arrayBuffer();
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
        digests[path] = Array.from(digest, byte => byte.toString(16).padStart(2, "0")).join("");
    }
    return digests;
"""


class Refusal(Exception):
    """A call of ``window.peer`` was rejected, with this code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class Player:
    """One browser window on the page at ``base``."""

    def __init__(self, browser: Browser, base: str) -> None:
        self.browser = browser
        self.base = base

    def visit(self, mod: str | None = None, version: str | None = None) -> None:
        """Load the page afresh: a table's address, or the catalogue."""
        address = f"{self.base}/"
        if mod is not None:
            address += f"?mod={quote(mod)}"
        if version is not None:
            address += f"&version={quote(version)}"
        self.browser.open(address)
        self.until("return globalThis.peer !== undefined")

    def open(self, mod: str, version: str | None = None) -> dict[str, Any]:
        """Load a table's address and wait until it is open; answers its report."""
        self.visit(mod, version)
        self.wait_open()
        return self.report()

    def sign_in(self, token: str) -> None:
        """Have a session, as the page's own form gives one; the page that is open does not know of it yet."""
        self.visit()
        assert self.do(_SIGN_IN, token) == 200

    def sign_out(self) -> None:
        self.do("await fetch('api/session', {method: 'DELETE'})")

    def wait_open(self) -> None:
        state = self.wait("open", "failed")
        assert state == "open", self.words()

    def wait(self, *states: str) -> str:
        """Wait until the page is in one of these states; answers which."""
        asked = "const {state} = document.documentElement.dataset; return given.includes(state) && state"
        return str(self.until(asked, *states))

    def until(self, body: str, *arguments: object, seconds: float = PATIENCE) -> Any:
        """Ask the page until ``body`` returns something true, and answer that."""
        return wait_for(self.browser, body, *arguments, seconds=seconds)

    def do(self, body: str, *arguments: object) -> Any:
        """What the body of an async function returns in the page."""
        return self.browser.evaluate(body, *arguments)

    def call(self, method: str, *arguments: object) -> Any:
        """A call of ``window.peer``.

        :raises Refusal: it was rejected
        """
        answer = self.browser.evaluate(_CALL, method, list(arguments))
        if "code" in answer:
            raise Refusal(answer["code"], answer["message"])
        return answer.get("value")

    def report(self) -> dict[str, Any]:
        """The open table's pull report."""
        report: dict[str, Any] = self.call("report")
        return report

    def digests(self, paths: Iterable[str], mod: str | None = None) -> dict[str, str]:
        """SHA-256, counted in the page, of the bytes each path's URL yields; ``mod`` names a pack."""
        digests: dict[str, str] = self.browser.evaluate(_DIGESTS, sorted(paths), mod)
        return digests

    def words(self, selector: str = "main") -> str:
        """What an element reads as; empty when it is not there."""
        return str(self.do("return document.querySelector(given[0])?.innerText ?? ''", selector))

    def back(self) -> None:
        """Press the browser's own back button; answers when the page before has loaded anew."""
        before = self.do("return performance.timeOrigin")
        self.browser.back()
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            # The page may go away, or load once more, under the question.
            with contextlib.suppress(WebDriverException, PlaywrightError):
                if self.do("return performance.timeOrigin !== given[0] && globalThis.peer?.boot", before):
                    return

    def write(self, selector: str, text: str) -> None:
        """Wait for a field and fill it in."""
        self.until(
            "const found = document.querySelector(given[0]); if (found) found.value = given[1]; return Boolean(found)",
            selector,
            text,
        )

    def press(self, selector: str) -> None:
        """Wait for a button or link and click it."""
        self.until("const found = document.querySelector(given[0]); found?.click(); return Boolean(found)", selector)


def by_path(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """A report's files by their paths; no path twice."""
    files = {file["path"]: file for file in report["files"]}
    assert len(files) == len(report["files"])
    return files


def statuses(report: dict[str, Any]) -> dict[str, str]:
    """Each file's status by its path."""
    return {path: file["status"] for path, file in by_path(report).items()}
