"""Scripts of mods run in a worker inside a confined frame, on a line straight to Python, and are seen only as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Route

from tests.browsers import Chromium
from tests.e2e.player import Player
from tests.e2e.site import SAMPLES, Site

SCRIPTS = Path(__file__).with_name("scripts")
MAIN = "scripts/main.js"
CAPABILITIES = [
    "log",
    "ui",
    "read-context",
    "read-world",
    "subscribe-events",
    "spawn-object",
    "object-action",
    "host-message",
    "read-cards",
    "read-decks",
]


def scripted(site: Site, script: str, capabilities: list[str] | None = None, **setup: Any) -> str:
    """A published mod with this script; answers ``owner/repo``."""
    owner = site.mod("scripted", {"a.webp": 100})
    manifest = site.manifest(owner, "scripted")
    manifest["entry"] = {"setup": "setup.json", "script": MAIN}
    allowed = CAPABILITIES if capabilities is None else capabilities
    manifest["capabilities"] = {"version": "1", "allowed": allowed}
    values = {"objects": [{"id": "die", "kind": "die", "label": "Die", "position": {"x": 0, "y": 0, "z": 0}}], **setup}
    files = {"diceytable.mod.json": json.dumps(manifest).encode(), "setup.json": json.dumps(values).encode()}
    site.commit(owner, "scripted", {**files, MAIN: script.encode()})
    site.publish(owner, "scripted")
    return f"{owner}/scripted"


_LINES = """
    const lines = [...document.querySelectorAll("[data-testid=script-notes] li")];
    const said = lines.map(line => line.textContent.replace(/\\s+/g, " ").trim());
"""


def notes(player: Player) -> list[str]:
    """What the developer panel says, a line each."""
    return list(player.do(f"{_LINES} return said"))


def wait_note(player: Player, words: str) -> str:
    """The first line of the developer panel that holds these words, as soon as there is one."""
    return str(player.until(f"{_LINES} return said.find(line => line.includes(given[0]))", words))


def test_a_sample_s_script_runs_and_draws(player: Player, site: Site) -> None:
    site.publish(SAMPLES, "lantern-duel")
    player.open(f"{SAMPLES}/lantern-duel")
    wait_note(player, "is on the water")
    player.until("return document.querySelector('[data-testid=script-element] h2')?.textContent === 'Lantern Duel'")
    assert "your deck is checked" in player.words("[data-testid=script-element]")
    player.do("document.querySelector('[data-testid=script-element] button').click()")
    player.until(
        "return document.querySelector('[data-testid=script-element]')?.innerText.includes('no deck was brought')"
    )
    assert [(one["state"], one["path"]) for one in player.call("scripts")] == [("running", MAIN)]


# Errors and the console


def test_an_error_is_told_by_the_script_s_own_line_and_column(player: Player, site: Site) -> None:
    script = (
        "exports.setup = (api) => {\n"
        "  console.warn('first', {a: 1});\n"
        "  api.on('onTableEvent', () => {\n"
        "    throw new Error('in a listener');\n"
        "  });\n"
        "  api.objectAction('die', 'flip');\n"
        "  Promise.reject(new Error('nobody caught'));\n"
        "  api.log('ready');\n"
        "};\n"
    )
    player.open(scripted(site, script))
    assert ":4:" in wait_note(player, "in a listener")
    assert ":7:" in wait_note(player, "nobody caught")
    assert 'first {"a":1}' in wait_note(player, "first")
    wait_note(player, "ready")


def test_an_error_on_the_first_line_counts_its_own_columns(player: Player, site: Site) -> None:
    player.open(scripted(site, "api.log('a'); throw new Error('at once');"))
    assert f"{MAIN}:1:" in wait_note(player, "at once")
    column = int(wait_note(player, "at once").split(":1:")[1].split()[0])
    assert 15 <= column <= 35


# What may not run


def test_a_preview_s_script_does_not_run(player: Player, site: Site) -> None:
    owner = site.copy("lantern-duel")
    player.open(f"{owner}/lantern-duel")
    wait_note(player, "scripts of unregistered mods don't run")
    assert player.do("return document.querySelectorAll('iframe').length") == 0


def test_bytes_that_the_registry_has_not_read_do_not_run(player: Player, site: Site) -> None:
    """An older commit whose script could not have been published loads without it."""
    mod = scripted(site, "api.log('safe');")
    owner, repo = mod.split("/")
    unsafe = site.commit(owner, repo, {MAIN: b"api.log('unsafe'); fetch('/x');"})
    site.commit(owner, repo, {MAIN: b"api.log('safe again');"})
    site.publish(owner, repo)
    player.open(mod, unsafe)
    wait_note(player, "the registry has not read these bytes")
    assert not [line for line in notes(player) if "unsafe" in line]


# Scripts in the style of real mods (one that checks the decks of players' accounts is above)

_COUNTED = (
    "[...document.querySelectorAll('[data-testid=script-notes] li')]"
    ".filter((line) => line.textContent.includes('counted 5 of whole')).length"
)


def test_one_line_that_logs(player: Player, site: Site) -> None:
    player.open(scripted(site, (SCRIPTS / "logger.js").read_text(), ["log"]))
    wait_note(player, "is here")


def pile(name: str, *cards: str) -> dict[str, Any]:
    """A deck of these cards from the bottom up, face down."""
    faces = [{"cardId": card, "label": card} for card in dict.fromkeys(cards)]
    copies = [{"cardId": f"{card}#{number}", "faceDown": True} for number, card in enumerate(cards, 1)]
    return {
        "id": name,
        "kind": "deck",
        "label": f"The {name} pile",
        "position": {"x": 0, "y": 0, "z": 0},
        "metadata": {"customDeck": {"cards": faces}, "cards": copies},
    }


def test_a_deck_gate_that_opens_for_a_pile_that_passes(player: Player, site: Site) -> None:
    small, whole = pile("small", "rose", "rose", "rose"), pile("whole", "rose", "tide", "ember", "ash", "rose")
    allowed = [*CAPABILITIES, "read-hidden-information"]
    player.open(scripted(site, (SCRIPTS / "deck-gate.js").read_text(), allowed, objects=[small, whole]))
    wait_note(player, "the gate stands")
    says = "return document.querySelector('[data-testid=script-element]')?.innerText.includes(given[0])"
    press = "document.querySelector('[data-testid=script-element] button').click()"
    player.until(says, "have it counted")
    player.do(press)
    player.until(says, "The gate stays shut: only 3 cards; 3 copies of rose.")
    player.do(
        """
        const choice = document.querySelector("[data-testid=script-element] select");
        choice.value = "whole";
        choice.dispatchEvent(new Event("change", { bubbles: true }));
        """
    )
    player.do(press)
    player.until(says, "The gate is open.")
    wait_note(player, "counted 5 of whole")
    player.do(press)
    player.until(f"return {_COUNTED} === 2")
    tokens = "return (await peer.table()).objects.filter((one) => one.label === 'Gate token').length"
    assert player.do(tokens) == 1


def test_a_card_game_as_a_scene_script(player: Player, site: Site) -> None:
    """Its rules hold: a card of the wrong suit goes back to the hand."""
    mover = """
        api.on("onTableEvent", async ({ type, objectId }) => {
            if (type !== "draw") return;
            await api.objectAction(objectId, { type: "move", position: { x: 50, y: 0, z: 50 } });
        });
    """
    cards = [{"cardId": name, "label": name} for name in ("card-1", "card-2", "card-3")]
    pile = [{"cardId": name, "faceDown": True} for name in ("card-3", "card-2", "card-1")]
    deck = {
        "id": "pile",
        "kind": "deck",
        "position": {"x": 0, "y": 0, "z": 0},
        "metadata": {"customDeck": {"cards": cards}, "cards": pile},
    }
    hand = {"id": "hand", "type": "hand", "position": {"x": 0, "y": 0, "z": 10}, "scale": {"x": 4, "y": 1, "z": 4}}
    middle = {"id": "middle", "position": {"x": 50, "y": 0, "z": 50}, "scale": {"x": 4, "y": 1, "z": 4}}
    mod = scripted(
        site,
        mover,
        [*CAPABILITIES, "read-hidden-information"],
        objects=[deck],
        zones=[middle],
        seatZones=[{"seat": "red", "zones": [hand]}],
        scripts=[{"id": "world", "source": (SCRIPTS / "card-game.js").read_text()}],
    )
    player.open(mod)
    wait_note(player, "the game is set up")
    deal = "document.querySelector('[data-testid=script-element] button').click()"
    player.do(deal)
    player.until("return document.querySelector('[data-testid=script-element]')?.innerText.includes('sun lies open')")
    player.do(deal)
    wait_note(player, "refused moon on sun, back to hand")
    player.until(
        "return (await peer.table()).objects.some(one => one.metadata.cardId === 'card-2' && one.position.z === 10)"
    )
    player.do(deal)
    player.until("return document.querySelector('[data-testid=script-element]')?.innerText.includes('3 dealt')")


# The host's part


def test_no_script_runs_where_the_frame_is_not_confined(chromium: Chromium, site: Site) -> None:
    """A host that does not send the frame's headers can't be trusted with a stranger's code."""
    player = Player(chromium, site.base)

    def unconfined(route: Route) -> None:
        answer = route.fetch()
        headers = {**answer.headers, "content-security-policy": "default-src * 'unsafe-inline' blob:"}
        route.fulfill(response=answer, headers=headers)

    chromium.page.route("**/sandbox.html?*", unconfined)
    try:
        player.open(scripted(site, "api.log('ran');"))
        wait_note(player, "does not send the headers that confine scripts")
        assert not [line for line in notes(player) if line.endswith("ran")]
    finally:
        chromium.page.unroute("**/sandbox.html?*", unconfined)
