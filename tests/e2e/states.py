"""Every state of the page and how to get there: one list for what is looked at and for what axe-core is asked of."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import FilePayload

from server.fault import Fault
from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import SAMPLES, Person, Site
from tests.e2e.static_host import hosted

AXE: Final = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
State = Callable[[Chromium, Player, Site], contextlib.AbstractContextManager[None]]

# Pictures come as they near the screen: goes down the page until it has them all.
SCROLL: Final = """
    scrollBy(0, 400);
    const pictures = [...document.querySelectorAll("asset-image")];
    const bottom = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    return pictures.length > 0 && bottom && pictures.every(({dataset}) => dataset.look !== "waiting");
"""
CARDS: Final = "return document.querySelectorAll('.card img').length > 0 && peer.boot !== null"


@contextlib.contextmanager
def arrived(state: State, chromium: Chromium, player: Player, site: Site) -> Iterator[None]:
    """The page in this state; afterwards it is left, and what the state needed is undone."""
    with state(chromium, player, site):
        yield
    chromium.page.goto("about:blank")


def violations(chromium: Chromium) -> list[tuple[str, Any]]:
    """What axe-core finds, in light and dark: rule and elements."""
    found = []
    chromium.page.evaluate(AXE.read_text())
    for scheme in SCHEMES:
        chromium.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        results = chromium.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        found += [
            (f"{scheme}: {violation['id']}", [node["target"] for node in violation["nodes"]])
            for violation in results["violations"]
        ]
    chromium.page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    return found


@contextlib.contextmanager
def catalogue(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.visit()
    player.until(CARDS)
    yield


@contextlib.contextmanager
def catalogue_empty(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.visit()
    player.until(CARDS)
    player.do(
        "const field = document.querySelector('#search'); field.value = 'qqqqqqqq';"
        "field.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    player.until("return document.querySelector('[data-testid=catalogue-empty]') !== null")
    yield


@contextlib.contextmanager
def catalogue_failed(chromium: Chromium, player: Player, site: Site) -> Iterator[None]:
    chromium.page.route("**/api/mods?*", lambda route: route.fulfill(status=500, body="{}"))
    try:
        player.visit()
        player.until("return document.querySelector('[data-testid=catalogue-failed]') !== null && peer.boot !== null")
        yield
    finally:
        chromium.page.unroute("**/api/mods?*")


@contextlib.contextmanager
def catalogue_offline(chromium: Chromium, player: Player, site: Site) -> Iterator[None]:
    chromium.page.route("**/api/mods?*", lambda route: route.abort())
    try:
        player.visit()
        player.until("return document.querySelector('[data-testid=catalogue-offline]') !== null && peer.boot !== null")
        yield
    finally:
        chromium.page.unroute("**/api/mods?*")


@contextlib.contextmanager
def favourites_empty(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.visit()
    player.until(CARDS)
    player.do("localStorage.removeItem('favourites')")
    player.visit()
    player.until(CARDS)
    player.do("[...document.querySelectorAll('.tab')].at(-1).click()")
    player.until("return document.querySelector('[data-testid=favourites-empty]') !== null")
    yield


@contextlib.contextmanager
def mod_page(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.browser.open(f"{player.base}/?about={SAMPLES}/tidewater")
    player.until("return document.querySelector('[data-testid=mod-page]') !== null")
    player.until(SCROLL)
    yield


@contextlib.contextmanager
def storage(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.open(f"{SAMPLES}/tidewater")
    player.browser.open(f"{player.base}/?storage")
    player.until("return document.querySelectorAll('[data-testid=stored-mod] asset-image[data-look=shown]').length > 2")
    yield


@contextlib.contextmanager
def storage_empty(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.visit()
    player.until("return peer.boot !== null")
    player.do("for (const {owner, repo} of await peer.cached()) await peer.forget(owner, repo)")
    player.browser.open(f"{player.base}/?storage")
    player.until("return document.querySelector('[data-testid=storage-empty]') !== null")
    yield


UNSAFE: Final = (
    b"// A mod that asks for more than it may.\nconst score = 1;\n  eval('score');\nnew Function('return 1');\n"
)


@contextlib.contextmanager
def sign_in(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.browser.open(f"{player.base}/?sign-in")
    player.press("[data-testid=token-form] button")
    player.until("return document.querySelector('#token[aria-invalid=true]') !== null")
    player.write("#invite", "0000-0000-0000-0000")
    player.write("#name", "Nobody")
    player.press("[data-testid=invite-form] button")
    player.until("return document.querySelector('[data-code=unknown-invite]') !== null")
    yield


@contextlib.contextmanager
def sign_in_github(chromium: Chromium, player: Player, site: Site) -> Iterator[None]:
    step = {"userCode": "WDJB-MJHT", "verificationUri": "https://github.com/login/device", "device": "sealed"}
    page = chromium.page
    page.route("**/api/session", lambda route: route.fulfill(json={"account": None, "github": True}))
    page.route("**/api/session/github", lambda route: route.fulfill(json={**step, "interval": 600, "expiresIn": 900}))
    try:
        player.browser.open(f"{player.base}/?sign-in")
        player.press("[data-testid=github-start]")
        player.until("return document.querySelector('[data-testid=user-code]') !== null")
        yield
    finally:
        page.unroute("**/api/session")
        page.unroute("**/api/session/github")


@contextlib.contextmanager
def account_made(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    code = site.invites.issue()
    player.browser.open(f"{player.base}/?sign-in")
    player.write("#invite", code)
    player.write("#name", f"Ada {code[:4]}")
    player.press("[data-testid=invite-form] button")
    player.until("return document.querySelector('[data-testid=welcome]') !== null")
    try:
        yield
    finally:
        player.sign_out()


@contextlib.contextmanager
def no_accounts(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    with hosted(site) as base:
        player.browser.open(f"{base}/?sign-in")
        player.until("return document.querySelector('[data-testid=sign-in-nowhere]') !== null")
        yield


@contextlib.contextmanager
def signed_in(player: Player, site: Site, *, member: bool = False) -> Iterator[Person]:
    """Somebody whose session the browser has, until the end."""
    with site.person(member=member) as person:
        player.sign_in(person.token)
        try:
            yield person
        finally:
            player.sign_out()


@contextlib.contextmanager
def account_menu(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    with signed_in(player, site):
        player.visit()
        player.until(CARDS)
        player.press("[data-testid=account-menu] summary")
        yield


@contextlib.contextmanager
def new_token(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    with account_menu(_, player, site):
        player.press("[data-testid=new-token]")
        player.press("[data-testid=make-token]")
        player.until("return document.querySelector('dialog[open] [data-testid=token]') !== null")
        yield


@contextlib.contextmanager
def projects_signed_out(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.browser.open(f"{player.base}/?projects")
    player.until("return document.querySelector('[data-testid=projects-signed-out]') !== null")
    yield


@contextlib.contextmanager
def projects_empty(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    with signed_in(player, site):
        player.browser.open(f"{player.base}/?projects")
        player.until("return document.querySelector('[data-testid=projects-empty]') !== null")
        yield


@contextlib.contextmanager
def projects(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    """A published mod, one with problems, a private one, one whose new commit is refused, and one not published yet."""
    published, crate, hidden = site.copy("tidewater"), site.copy("broken-crate"), site.copy("lantern-duel")
    refused, fresh = site.mod("night-ferry", {"a.webp": 100}, name="Night Ferry"), site.mod("sketches", {"a.webp": 100})
    with signed_in(player, site, member=True) as person:
        person.publish(published, "tidewater")
        person.publish(crate, "broken-crate")
        private = person.publish(hidden, "lantern-duel")
        person.client.patch(f"/api/mods/{private['id']}", json={"private": True})
        person.publish(refused, "night-ferry")
        manifest = site.manifest(refused, "night-ferry")
        manifest["entry"] = {**manifest["entry"], "script": "main.js"}
        changes = {"diceytable.mod.json": json.dumps(manifest).encode(), "main.js": UNSAFE}
        site.commit(refused, "night-ferry", changes)
        person.client.post("/api/projects", json={"owner": fresh, "repo": "sketches"})
        player.browser.open(f"{player.base}/?projects")
        player.press(f"[data-repo='{refused}/night-ferry'] [data-testid=publish]")
        player.until("return document.querySelector('[data-code=unsafe-script]') !== null")
        player.press(f"[data-repo='{hidden}/lantern-duel'] [data-testid=settings] summary")
        player.until("return [...document.querySelectorAll('.project img')].every(({complete}) => complete)")
        yield


@contextlib.contextmanager
def project_to_delete(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    owner = site.copy("tidewater")
    with signed_in(player, site) as person:
        person.publish(owner, "tidewater")
        player.browser.open(f"{player.base}/?projects")
        player.press("[data-testid=delete]")
        player.until("return document.querySelector('#delete-dialog').open")
        yield


@contextlib.contextmanager
def script_check(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.browser.open(f"{player.base}/?check")
    player.until("return document.querySelector('[data-testid=script-check]') !== null")
    yield


@contextlib.contextmanager
def script_check_findings(chromium: Chromium, player: Player, site: Site) -> Iterator[None]:
    script = (
        "exports.setup = (api) => {\n  const ask = async (id) => api.callPlugin(id, 'search', { q: 'rose' });\n"
        "  fetch('https://example.org/hello').then((answer) => api.log('a line that is wider than a phone', answer));\n"
        "  api.log('hid\u200bden');\n};\n"
    )
    setup = {"scripts": [{"id": "world", "source": "api.log('calm');"}, {"id": "turns", "source": "let a = ;"}]}
    manifest = {"id": "a", "name": "A", "entry": {}, "capabilities": {"allowed": ["log", "ui", "plugin-call", "fly"]}}
    given = {
        "scripts/main.js": script,
        "setup.json": json.dumps(setup),
        "diceytable.mod.json": json.dumps(manifest),
        "calm.js": "exports.setup = (api) => api.log('hello');\n",
    }
    files: list[FilePayload] = [
        {"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in given.items()
    ]
    player.browser.open(f"{player.base}/?check")
    chromium.page.set_input_files("[data-testid=check-files]", files)
    player.until("return document.querySelectorAll('[data-testid=checked-file]').length === 4")
    yield


@contextlib.contextmanager
def script_check_busy(chromium: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.browser.open(f"{player.base}/?check")
    chromium.page.route("**/snapshot.*.bin", lambda _: None)
    try:
        player.do("document.querySelector('#check-text').value = 'let a;'")
        player.press("[data-testid=check-pasted]")
        player.until("return document.querySelector('[data-testid=check-busy]') !== null")
        yield
    finally:
        chromium.page.unroute("**/snapshot.*.bin")


@contextlib.contextmanager
def script_check_trouble(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.browser.open(f"{player.base}/?check")
    player.until("return document.querySelector('[data-testid=script-check]') !== null")
    player.do("document.querySelector('#check-repository').value = 'nobody/nothing'")
    player.do("document.querySelector('.repository').requestSubmit()")
    player.until("return document.querySelector('[data-testid=check-trouble]') !== null")
    yield


@contextlib.contextmanager
def loading(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    owner = site.copy("tidewater")
    site.publish(owner, "tidewater")
    site.origin.faults.on(f"/{owner}/*/assets/*.webp", then=Fault(bytes_per_second=2000))
    site.origin.faults.on(f"/{owner}/*.wav", then=Fault(status=404, body=b"404: Not Found"))
    player.visit(f"{owner}/tidewater")
    player.until("return document.querySelector('[data-testid=failures]') !== null")
    yield


@contextlib.contextmanager
def table(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.open(f"{SAMPLES}/tidewater")
    player.until(SCROLL)
    yield


@contextlib.contextmanager
def table_arriving(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    owner = site.mod("arriving", {"a.webp": 100, "b.webp": 20_000, "c.webp": 300})
    site.publish(owner, "arriving")
    site.origin.faults.on(f"/{owner}/*/b.webp", then=Fault(ending="stall"))
    player.visit(f"{owner}/arriving")
    player.press("[data-testid=open-now]")
    player.wait_open()
    player.until("return document.querySelectorAll('[data-testid=asset]').length > 0")
    yield


@contextlib.contextmanager
def problems(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.open(f"{SAMPLES}/broken-crate")
    player.until(SCROLL)
    yield


@contextlib.contextmanager
def odd_names(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.open(f"{SAMPLES}/odd-names")
    player.until(SCROLL)
    yield


@contextlib.contextmanager
def preview(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.open(f"{site.copy('lantern-duel')}/lantern-duel")
    player.until(SCROLL)
    yield


@contextlib.contextmanager
def storage_full(chromium: Chromium, player: Player, site: Site) -> Iterator[None]:
    owner = site.mod("heavy", {f"{letter}.webp": 400_000 for letter in "abcdef"}, name="Heavy Game")
    site.publish(owner, "heavy")
    player.visit()
    player.until("return peer.boot !== null")
    session = chromium.context.new_cdp_session(chromium.page)
    used = player.do("return (await navigator.storage.estimate()).usage")
    session.send("Storage.overrideQuotaForOrigin", {"origin": site.base, "quotaSize": used + 500_000})
    try:
        player.visit(f"{owner}/heavy")
        player.wait_open()
        player.until("return document.querySelector('[data-testid=storage-notice]') !== null")
        yield
    finally:
        session.send("Storage.overrideQuotaForOrigin", {"origin": site.base})
        session.detach()


@contextlib.contextmanager
def unsupported(chromium: Chromium, player: Player, site: Site) -> Iterator[None]:
    session = chromium.context.new_cdp_session(chromium.page)
    session.send("Page.enable")
    source = {"source": "delete Navigator.prototype.locks; delete Crypto.prototype.subtle"}
    script = session.send("Page.addScriptToEvaluateOnNewDocument", source)
    try:
        chromium.page.goto(player.base)
        chromium.page.wait_for_selector("[data-code=unsupported]")
        yield
    finally:
        session.send("Page.removeScriptToEvaluateOnNewDocument", script)
        session.detach()


@contextlib.contextmanager
def not_found(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.visit("nobody/nothing")
    assert player.wait("failed", "open") == "failed"
    yield


@contextlib.contextmanager
def unknown_version(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    player.visit(f"{SAMPLES}/driftwood-table", "0" * 40)
    assert player.wait("failed", "open") == "failed"
    yield


@contextlib.contextmanager
def rate_limited(_: Chromium, player: Player, site: Site) -> Iterator[None]:
    owner = site.copy("lantern-duel")
    site.origin.faults.on(f"/{owner}/*", then=Fault(status=503, body=b""))
    site.origin.budget.used = site.origin.budget.limit
    player.visit(f"{owner}/lantern-duel")
    assert player.wait("failed", "open") == "failed"
    yield


STATES: Final[dict[str, State]] = {
    state.__name__: state
    for state in (
        catalogue,
        catalogue_empty,
        catalogue_failed,
        catalogue_offline,
        favourites_empty,
        mod_page,
        storage,
        storage_empty,
        sign_in,
        sign_in_github,
        account_made,
        no_accounts,
        account_menu,
        new_token,
        projects_signed_out,
        projects_empty,
        projects,
        project_to_delete,
        script_check,
        script_check_findings,
        script_check_busy,
        script_check_trouble,
        loading,
        table,
        table_arriving,
        problems,
        odd_names,
        preview,
        storage_full,
        unsupported,
        not_found,
        unknown_version,
        rate_limited,
    )
}
