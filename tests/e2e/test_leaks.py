"""Nothing gets out of a script: not by name, not by web, not by UDP, however it is tried.

That an exception was thrown would prove nothing; collectors on this machine say what they heard. The same attempts from
a worker without a policy are heard, so they are attempts.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import server.scan
from server.script_scan import ReadScript, Script
from server.settings import Limits
from tests.browsers import PATIENCE, Browser, launched
from tests.e2e.collectors import DOMAIN, Collectors, can_collect, own_name_server
from tests.e2e.player import Player
from tests.e2e.site import Site
from tests.e2e.test_scripts import scripted, wait_note

VECTORS = Path(__file__).with_name("leak_vectors.js").read_text()
STUN = bytes.fromhex("2112a442")
"""What each of its messages bears (RFC 8489, section 5)."""
CALLING = """
    <!doctype html><title>A call without a policy</title><script>
    globalThis.call = (server) => {
        const peer = globalThis.peer = new RTCPeerConnection({ iceServers: [{ urls: server }] });
        peer.createDataChannel("x");
        return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    };
    </script>
"""
UNCONFINED = """
    <!doctype html><title>Without a policy</title><script>
    const worker = new Worker("/vectors.js");
    worker.onmessage = ({data}) => { document.title = "done"; globalThis.heard = data; };
    </script>
"""

pytestmark = pytest.mark.skipif(not can_collect(), reason="collecting names takes root and mounts of one's own")


def run_by(web: int, udp: int) -> str:
    return f"{VECTORS}\nattempt({web}, {udp})"


@pytest.fixture(scope="module")
def collectors() -> Iterator[Collectors]:
    pages = {"/unconfined": ("text/html", UNCONFINED), "/calling": ("text/html", CALLING)}
    found = Collectors(pages)
    pages["/vectors.js"] = ("text/javascript", f"{run_by(found.web, found.udp)}.then(heard => postMessage(heard));")
    found.start()
    yield found
    found.close()


@pytest.fixture(scope="module", params=["chromium", "firefox", "webkit"])
def watched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser whose every question for a name below DOMAIN comes here."""
    with own_name_server(tmp_path_factory.mktemp("names")), launched(request.param) as browser:
        yield browser


@pytest.fixture
def blind_scanner(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry that overlooks everything: the frame is a wall of its own."""

    def overlook(scripts: Sequence[Script], limits: Limits) -> list[ReadScript]:
        return [ReadScript(script, ()) for script in scripts]

    monkeypatch.setattr(server.scan, "scan_scripts", overlook)


def test_collectors_hear_the_same_attempts_without_a_policy(watched: Browser, collectors: Collectors) -> None:
    collectors.forget()
    player = Player(watched, "")
    # Without a policy the attempts can stop the worker itself: in a Firefox that has just started one of them now and
    # then never returns. What is to be shown is that attempts are heard, so another worker may show it.
    for seconds in (15, 15, PATIENCE):
        watched.open(f"http://127.0.0.1:{collectors.web}/unconfined")
        with contextlib.suppress(TimeoutError):
            player.until("return document.title === 'done'", seconds=seconds)
            break
    names = {name.removesuffix(f".{DOMAIN}") for name in collectors.names}
    heard = {line.rpartition("/")[2] for line in collectors.requests}
    print(f"\n{watched.engine} without a policy: names {len(names)}, requests {sorted(heard)}")
    assert {"fetch", "fetch-opaque", "xhr", "websocket", "eventsource"} <= names
    assert {"fetch", "fetch-opaque", "xhr", "xhr-sync", "code-eval", "code-function", "code-constructor"} <= heard


def test_the_udp_collector_hears_a_call_without_a_policy(watched: Browser, collectors: Collectors) -> None:
    """As far as each engine goes: Chromium's packet is one of STUN, Firefox asks for the server's name and sends
    nothing to this very machine, WebKitGTK knows no calls. That the collector hears at all, a plain packet shows."""
    collectors.forget()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plain:
        plain.sendto(b"plain", ("127.0.0.1", collectors.udp))
    assert collectors.next_packet() == b"plain"
    player = Player(watched, "")
    watched.open(f"http://127.0.0.1:{collectors.web}/calling")
    if watched.engine == "webkit":
        assert player.do("return typeof RTCPeerConnection") == "undefined"
        return
    player.do("await call(given[0])", f"stun:rtc.{DOMAIN}:{collectors.udp}")
    assert collectors.next_name() == f"rtc.{DOMAIN}"
    if watched.engine == "chromium":
        assert collectors.next_packet()[4:8] == STUN


@pytest.mark.usefixtures("blind_scanner")
def test_nothing_is_heard_of_a_script(watched: Browser, collectors: Collectors, site: Site) -> None:
    script = (
        f"exports.setup = (api) => {{ const {{ web, udp }} = {{ web: {collectors.web}, udp: {collectors.udp} }};\n"
        f"{VECTORS}\nattempt(web, udp).then((heard) => api.log('done: ' + heard.join(' '))); }};"
    )
    mod = scripted(site, script, ["log"])
    collectors.forget()
    player = Player(watched, site.base)
    player.open(mod)
    done = wait_note(player, "done:")
    print(f"\n{watched.engine}: not refused at once, and heard by nobody: {done}")
    assert collectors.names == []
    assert collectors.requests == []
    assert collectors.packets == []
    assert player.do("return location.href").startswith(site.base)
    assert player.do("return document.querySelectorAll('iframe').length") == 1


@pytest.mark.usefixtures("blind_scanner")
def test_a_script_finds_none_of_the_browser_s_names(watched: Browser, site: Site) -> None:
    script = (
        "const names = 'fetch XMLHttpRequest WebSocket Worker SharedWorker Blob BroadcastChannel MessageChannel"
        " importScripts postMessage close caches indexedDB navigator location WebAssembly addEventListener onmessage"
        " setInterval Request Response EventSource WebTransport RTCPeerConnection document window'.split(' ');\n"
        "api.log('left: ' + names.filter((name) => globalThis[name] !== undefined).join(' ') + '.');"
        "let refused = 0;\n"
        "for (const make of [() => (0, eval)('1'), () => Function('1'), () => (async () => 1).constructor('1')]) {\n"
        "  try { make(); } catch { refused++; }\n}\n"
        "api.log('refused: ' + refused);"
    )
    player = Player(watched, site.base)
    player.open(scripted(site, script, ["log"]))
    assert wait_note(player, "left:").endswith("left: .")
    assert wait_note(player, "refused:").endswith("refused: 3")


def test_the_frame_s_page_opened_by_itself_is_as_confined(watched: Browser, collectors: Collectors, site: Site) -> None:
    collectors.forget()
    watched.open(f"{site.base}/sandbox.html")
    player = Player(watched, site.base)
    refused = player.do(
        """
        const found = {origin: self.origin, refused: 0};
        const url = `http://direct.leak.test:${given[0]}/direct`;
        const ways = [() => fetch(url), () => document.cookie, () => localStorage.length,
            () => navigator.serviceWorker.register("/x.js"), () => navigator.storage.getDirectory()];
        for (const way of ways) try { await way(); } catch { found.refused++; }
        return found;
        """,
        collectors.web,
    )
    assert refused == {"origin": "null", "refused": 5}
    assert [line for line in collectors.requests if "direct" in line] == []
