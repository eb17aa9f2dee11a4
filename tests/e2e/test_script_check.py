"""Authors check scripts on a page of its own: by file, by pasting, by repository."""

from __future__ import annotations

import json
from pathlib import Path

from client.script_source import LONGEST_SCRIPT
from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import Site
from tests.e2e.test_scripts import MAIN

HOSTILE = "exports.setup = (api) => {\n  api.log('\U0001f3b2'); fetch('https://example.org/');\n};\n"
DONE = "return document.querySelector('.results')?.getAttribute('aria-busy') === 'false'"
FOUND = """
    return [...document.querySelectorAll("[data-testid=finding]")].map((each) => [
        each.dataset.rule,
        each.querySelector(".finding-head .quiet").textContent.trim(),
        each.querySelector("mark").textContent,
    ]);
"""
VERDICTS = """
    const files = [...document.querySelectorAll("[data-testid=checked-file]")];
    return files.map((each) => [each.querySelector("h3").textContent, each.dataset.verdict]);
"""


def arrive(player: Player) -> None:
    player.browser.open(f"{player.base}/?check")
    player.until("return document.querySelector('[data-testid=script-check]') !== null")


def paste(player: Player, script: str) -> None:
    player.do("document.querySelector('#check-text').value = given[0]", script)
    player.press("[data-testid=check-pasted]")


def verdicts(player: Player) -> dict[str, str]:
    player.until(
        "return document.querySelector('[data-testid=checked-file], [data-testid=check-trouble]') !== null", seconds=30
    )
    return dict(player.do(VERDICTS))


def test_a_pasted_script_is_told_by_line_column_and_rule(player: Player) -> None:
    arrive(player)
    paste(player, HOSTILE)
    assert verdicts(player) == {"pasted script": "refused"}
    assert player.do(FOUND) == [["network", "Line 2, column 18", "fetch"]]
    assert "Instead: scripts have no network" in player.words("[data-testid=finding]")
    assert player.do("return document.activeElement.id") == "results-heading"
    paste(player, "exports.setup = (api) => api.log('fetch');")
    player.until("return document.querySelector('[data-verdict=clean]') !== null")
    assert "publish this as it is" in player.words(".results")


def test_files_are_checked_together(chromium: Chromium, chromium_player: Player, tmp_path: Path) -> None:
    setup = {
        "scripts": [{"id": "world", "source": "let a;\nimportScripts('x.js');"}, {"id": "calm", "source": "let b;"}]
    }
    manifest = {"id": "a", "name": "A", "entry": {"script": "main.js"}, "capabilities": {"allowed": ["log", "ui"]}}
    files = {
        "main.js": b"api.log('a');\nlet b = ;",
        "large.js": b"1;\n" * LONGEST_SCRIPT,
        "setup.json": json.dumps(setup).encode(),
        "diceytable.mod.json": json.dumps(manifest).encode(),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    arrive(chromium_player)
    chromium.page.set_input_files("[data-testid=check-files]", [tmp_path / name for name in files])
    assert verdicts(chromium_player) == {
        "main.js": "refused",
        "large.js": "refused",
        "setup.json": "refused",
        "diceytable.mod.json": "clean",
    }
    words = chromium_player.words(".results")
    assert "Line 2, column 9" in words
    assert f"at most {LONGEST_SCRIPT} are taken" in words
    assert 'scripts["world"]' in words
    assert chromium_player.do(
        "return [...document.querySelectorAll('.capabilities li')].map((one) => one.innerText)"
    ) == [
        "log",
        "ui",
    ]


def test_a_repository_is_checked_as_it_stands(chromium_player: Player, site: Site) -> None:
    owner = site.copy("lantern-duel")
    site.commit(owner, "lantern-duel", {MAIN: b"exports.setup = (api) => {\n  eval('1');\n};\n"})
    arrive(chromium_player)
    ask = """
        document.querySelector("#check-repository").value = given[0];
        document.querySelector(".repository").requestSubmit();
    """
    chromium_player.do(ask, f"{owner}/lantern-duel")
    assert verdicts(chromium_player) == {"diceytable.mod.json": "clean", MAIN: "refused", "setup.json": "clean"}
    assert chromium_player.do(FOUND) == [["code-from-text", "Line 2, column 3", "eval"]]
    chromium_player.do(ask, f"{owner}/lantern-duel/{MAIN}")
    chromium_player.until("return document.querySelectorAll('[data-testid=checked-file]').length === 1")
    chromium_player.do(ask, "nobody/nothing")
    chromium_player.until("return document.querySelector('[data-testid=check-trouble]') !== null")
    assert "no such public repository" in chromium_player.words(".results")


def test_a_long_check_can_be_stopped_and_the_page_goes_on(chromium_player: Player) -> None:
    arrive(chromium_player)
    long = "".join(f"function f{n}(a, b) {{ return a[{n}] + b; }}\n" for n in range(20_000))
    paste(chromium_player, long)
    chromium_player.until("return document.querySelector('[data-testid=check-busy]') !== null")
    assert chromium_player.call("cached") is not None
    chromium_player.press("[data-testid=check-cancel]")
    chromium_player.until(DONE)
    assert chromium_player.do("return document.activeElement.localName") == "h1"
    paste(chromium_player, HOSTILE)
    assert verdicts(chromium_player) == {"pasted script": "refused"}


def test_what_is_nested_deep_ends_in_words_and_not_in_silence(player: Player) -> None:
    arrive(player)
    paste(player, "const a = " + "[" * 900 + "]" * 900 + ";")
    assert verdicts(player) == {"pasted script": "clean"}
    paste(player, "const a = " + "[" * 20_000 + "]" * 20_000 + ";")
    player.until("return document.querySelector('[data-verdict=refused]') !== null")
    assert "nested too deep" in player.words(".results")
    paste(player, "const a = " + "!" * 100_000 + "1;")
    player.until("return document.querySelector('[data-testid=check-trouble], [data-testid=finding]') !== null")
    assert "nested" in player.words(".results")
    paste(player, HOSTILE)
    player.until("return document.querySelector('[data-rule=network]') !== null")


def test_the_parser_comes_with_the_first_check_and_not_before(chromium: Chromium, chromium_player: Player) -> None:
    asked: list[str] = []
    note = lambda request: asked.append(request.url)  # noqa: E731
    chromium.context.on("request", note)
    try:
        arrive(chromium_player)
        assert not [url for url in asked if "esprima" in url]
        paste(chromium_player, HOSTILE)
        verdicts(chromium_player)
        assert len([url for url in asked if "esprima" in url]) == 1
    finally:
        chromium.context.remove_listener("request", note)


def test_the_page_is_used_by_keyboard_alone(chromium: Chromium, chromium_player: Player) -> None:
    chromium_player.visit()
    chromium_player.wait("lobby")
    chromium.page.get_by_role("link", name="Check a script").press("Enter")
    chromium.page.get_by_label("Or paste a script").press_sequentially("eval(1)")
    chromium.page.keyboard.press("Tab")
    chromium.page.keyboard.press("Enter")
    assert verdicts(chromium_player) == {"pasted script": "refused"}
    chromium.page.go_back()
    chromium_player.wait("lobby")
    chromium_player.until("return document.querySelector('[data-testid=script-check]') === null")
