"""A script that hangs, floods or breaks things ends or fails by itself; page, table and other scripts go on."""

from __future__ import annotations

import pytest

from tests.browsers import Browser, Chromium, PlainChromium, launched
from tests.e2e.player import Player
from tests.e2e.site import Site
from tests.e2e.test_scripts import scripted, wait_note

CALM = """
    api.on("onTableEvent", async ({ objectId }) => {
        const die = await api.getObject(objectId);
        api.log("calm saw " + die.label + " " + die.position.x);
    });
    api.log("calm is there");
"""
LONGEST_FRAME = """
    let longest = 0;
    let last = performance.now();
    const look = () => {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        document.documentElement.dataset.longest = String(longest);
        last = now;
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
"""


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def any_browser(request: pytest.FixtureRequest) -> object:
    with launched(request.param) as browser:
        yield browser


@pytest.fixture
def player(any_browser: Browser, site: Site) -> Player:
    return Player(any_browser, site.base)


HANGS = {
    "an endless loop": "for (;;) {}",
    "an endless chain of promises": "const go = () => Promise.resolve().then(go); go();",
    "an endless loop of calls": "for (;;) api.getObject('die');",
}


@pytest.mark.parametrize("script", HANGS.values(), ids=HANGS)
def test_a_script_that_hangs_is_ended_and_the_others_go_on(player: Player, site: Site, script: str) -> None:
    begun = f"api.log('about to hang');\nsetTimeout(() => {{\n  {script}\n}}, 50);"
    mod = scripted(site, begun, scripts=[{"id": "world", "source": CALM}])
    player.open(mod)
    player.do(LONGEST_FRAME)
    wait_note(player, "about to hang")
    wait_note(player, "calm is there")
    wait_note(player, "it did not answer any more")
    states = {one["script"].partition("#")[2]: one["state"] for one in player.call("scripts")}
    assert states == {"": "ended", "world": "running"}
    assert player.do("return document.querySelectorAll('iframe').length") == 1
    assert player.call("report")["files"]
    longest = float(player.do("return document.documentElement.dataset.longest"))
    print(f"\n{player.browser.engine}: the page's longest frame meanwhile {longest:.0f} ms")


def test_a_frame_that_has_no_turn_left_is_taken_away(chromium: Chromium, site: Site) -> None:
    """The second stage of the kill: the supervisor answers no beat, so nobody in the frame can end the worker."""
    player = Player(chromium, site.base)
    mod = scripted(site, "api.log('is there');")
    player.open(mod)
    wait_note(player, "is there")
    [frame] = [frame for frame in chromium.page.frames if "/sandbox.html" in frame.url]
    player.do(LONGEST_FRAME)
    frame.evaluate("() => void setTimeout(() => { for (;;); }, 50)")
    wait_note(player, "it did not answer any more")
    assert [one["state"] for one in player.call("scripts")] == ["ended"]
    assert player.do("return document.querySelectorAll('iframe').length") == 0
    longest = float(player.do("return document.documentElement.dataset.longest"))
    print(f"\nchromium: the page's longest frame meanwhile {longest:.0f} ms")
    player.open(mod)
    wait_note(player, "is there")


def eater(bite: str) -> str:
    """A script that takes more memory for ever, with a pause after each bite: it answers its beats while it can."""
    eating = f"const kept = []; (function go() {{ {bite} setTimeout(go, 0); }})();"
    return f"api.log('about to eat'); setTimeout(() => {{ {eating} }}, 50);"


@pytest.mark.slow
def test_a_script_that_eats_memory_is_ended_and_the_others_go_on(chromium: Chromium, site: Site) -> None:
    player = Player(chromium, site.base)
    acting = "setTimeout(function go() { api.objectAction('die', {type: 'flip'}); setTimeout(go, 500); }, 500);"
    scene = [{"id": "world", "source": CALM}, {"id": "mover", "source": acting}]
    player.open(scripted(site, eater("for (let n = 0; n < 2e6; n++) kept.push({ n });"), scripts=scene))
    wait_note(player, "calm is there")
    wait_note(player, "has ended: it did not answer any more")
    states = {one["script"].partition("#")[2]: one["state"] for one in player.call("scripts")}
    assert states == {"": "ended", "world": "running", "mover": "running"}
    before = player.call("table")["seq"]
    player.until("return (await peer.table()).seq > given[0]", before)


@pytest.mark.slow
def test_the_page_outlives_a_process_of_scripts_that_has_no_memory_left(site: Site) -> None:
    """Chromium has one process for the frames of all scripts, and it dies of this one; the page's is another."""
    browser = PlainChromium()
    try:
        player = Player(browser, site.base)
        mod = scripted(
            site, eater("for (let n = 0; n < 200; n++) kept.push((n + 'x').repeat(2e5).split('').join('-'));")
        )
        player.open(mod)
        wait_note(player, "about to eat")
        player.do(LONGEST_FRAME)
        wait_note(player, "has ended: it did not answer any more")
        assert player.do("return document.querySelectorAll('iframe').length") == 0
        assert len(player.call("table")["objects"]) == 1
        longest = float(player.do("return document.documentElement.dataset.longest"))
        print(f"\nchromium: the page's longest frame meanwhile {longest:.0f} ms")
        player.open(mod)
        wait_note(player, "about to eat")
    finally:
        browser.close()


FLOODS = {
    "calls without end": "(function go() { for (let n = 0; n < 5000; n++) api.getObject('die').catch(() => 1);"
    " setTimeout(go, 0); })();",
    "large calls": "const big = 'x'.repeat(90000); (function go() {"
    " for (let n = 0; n < 50; n++) api.sendToHost('a', big).catch(() => 1); setTimeout(go, 0); })();",
    "deep and huge values": "let deep = []; for (let n = 0; n < 5000; n++) deep = [deep];"
    " api.sendToHost('a', deep); api.setUiElement({ id: 'a', type: 'panel', props: { a: Array(1e5).fill(1) } });",
    "pollution": "Array.prototype.push = () => { throw 1; }; Promise.prototype.then = () => 1;"
    " JSON.stringify = () => '[['; Object.prototype.type = 'ended'; Array.prototype.toJSON = () => 5;"
    " api.getObject('die');",
    "what is no value": "api.getObject(api.getObject); api.sendToHost('a', new Map()); api.log(new Proxy({}, {"
    " get() { throw new Error('proxy'); } }));",
}


@pytest.mark.parametrize("script", FLOODS.values(), ids=FLOODS)
def test_whatever_a_script_sends_the_others_go_on(player: Player, site: Site, script: str) -> None:
    begun = f"api.log('about to send');\nsetTimeout(() => {{\n  {script}\n}}, 50);"
    acting = "setTimeout(() => api.objectAction('die', {type: 'move', position: {x: 5}}), 600);"
    mod = scripted(site, begun, scripts=[{"id": "world", "source": CALM}, {"id": "mover", "source": acting}])
    player.open(mod)
    wait_note(player, "about to send")
    wait_note(player, "calm saw Die 5")
    assert player.call("table")["objects"][0]["position"]["x"] == 5
    states = {one["script"].partition("#")[2]: one["state"] for one in player.call("scripts")}
    assert (states["world"], states["mover"]) == ("running", "running")


def test_closing_the_table_leaves_no_frame_behind(player: Player, site: Site) -> None:
    mod = scripted(site, "for (;;) {}", scripts=[{"id": "world", "source": CALM}])
    player.open(mod)
    wait_note(player, "calm is there")
    player.call("close")
    player.until("return document.querySelectorAll('iframe').length === 0")
    player.until("return document.querySelector('[data-testid=script-notes]') === null")
    player.open(mod)
    wait_note(player, "calm is there")
