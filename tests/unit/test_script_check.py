"""An author is told of a script what the registry would say of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from client.errors import Blocked, ManifestUnreadable, PeerError, RefusedPath, UnknownMod
from client.manifest import MANIFEST_PATH
from client.registry import Registry
from client.scanner import scan_script
from client.script_check import LONGEST_EXCERPT, CheckedFile, check_file, check_repository, wanted
from client.script_source import LONGEST_SCRIPT
from tests.contract.answer import Answer
from tests.unit.scanner_corpus import INNOCENT, REFUSED, WARNED
from tests.unit.test_scanner import signed
from tests.unit.world import HOSTS, REGISTRY, World


def shown(data: str) -> list[tuple[str, str, str]]:
    (script,) = check_file("main.js", data.encode()).as_plain()["scripts"]
    return [(one["before"], one["marked"], one["after"]) for one in script["findings"]]


def test_a_script_has_the_verdict_of_the_scanner() -> None:
    for text, verdict in (*((t, "refused") for t in REFUSED.values()), *((t, "warned") for t in WARNED.values())):
        data = signed(text)[0].encode()
        checked = check_file("scripts/main.js", data)
        assert checked.verdict == verdict, text
        assert checked.scripts[0].findings == scan_script(data)
    assert {check_file("main.js", text.encode()).verdict for text in INNOCENT.values()} == {"clean"}


def test_each_finding_shows_its_line_with_a_mark() -> None:
    assert shown("let a = 1;\n  return_(fetch('/x'));\r\nlet b;") == [("  return_(", "fetch", "('/x'));")]
    assert shown("const d = '\U0001f3b2'; eval(d)") == [("const d = '\U0001f3b2'; ", "eval", "(d)")]
    assert shown("let a = ;") == [("let a = ", ";", "")]
    assert shown("if (a) {") == [("if (a) {", "", "")]


def test_what_can_t_be_seen_is_named_in_the_line() -> None:
    assert shown("const a = 'x\u202ey';") == [("const a = 'x", "⟨U+202E⟩", "y';")]


def test_a_long_line_is_cut_around_what_was_found() -> None:
    ((before, marked, after),) = shown("/*" + "a" * 1000 + "*/ eval(1); /*" + "b" * 1000 + "*/")
    assert (len(before), marked, len(after)) == (LONGEST_EXCERPT + 1, "eval", LONGEST_EXCERPT + 1)


def test_a_script_over_a_megabyte_is_refused_by_its_size() -> None:
    (script,) = check_file("main.js", b"1;\n" * LONGEST_SCRIPT).as_plain()["scripts"]
    assert script["verdict"] == "refused"
    assert str(3 * LONGEST_SCRIPT) in script["findings"][0]["message"]


def test_each_finding_says_which_rule_it_broke() -> None:
    (script,) = check_file("main.js", b"fetch(1); api.callPlugin(a, b); with (c) {}").as_plain()["scripts"]
    assert [one["rule"] for one in script["findings"]] == ["network", "plugin-call", "with"]
    assert [one["refuses"] for one in script["findings"]] == [True, True, True]


def test_scripts_of_a_setup_are_checked_each_in_its_place() -> None:
    scripts = [{"id": "world", "source": "api.log('x');"}, {"source": "let a;\neval('1');"}]
    found = check_file("setup.json", json.dumps({"scripts": scripts}).encode())
    assert (found.kind, found.verdict) == ("setup", "refused")
    assert [(one.key, one.verdict) for one in found.scripts] == [
        ('scripts["world"]', "clean"),
        ('scripts["1"]', "refused"),
    ]
    assert found.scripts[1].findings[0].line == 2


def test_a_manifest_lists_what_its_scripts_may_ask() -> None:
    values = {"id": "a", "name": "A", "entry": {}, "capabilities": {"version": "1", "allowed": ["log", "ui"]}}
    found = check_file("diceytable.mod.json", json.dumps(values).encode())
    assert (found.kind, found.capabilities, found.verdict) == ("manifest", ("log", "ui"), "clean")
    values["capabilities"] = {"version": "1", "allowed": ["log", "fly"]}
    found = check_file("copy of manifest.json", json.dumps(values).encode())
    assert (found.capabilities, found.verdict) == (("log",), "refused")
    assert "'fly'" in " ".join(found.issues)


@pytest.mark.parametrize("data", [b"{", b"[]", b"\xff", b'{"entry": NaN}'])
def test_what_is_no_json_is_told(data: bytes) -> None:
    found = check_file("setup.json", data)
    assert found.verdict == "refused"
    assert found.trouble is not None
    assert "setup.json" in found.trouble


@pytest.mark.parametrize(
    ("text", "repository", "path", "ref"),
    [
        ("alice/chess", "alice/chess", None, None),
        (" alice/chess/ ", "alice/chess", None, None),
        ("alice/chess/scripts/main.js", "alice/chess", "scripts/main.js", None),
        ("https://github.com/alice/chess", "alice/chess", None, None),
        ("github.com/alice/chess.git", "alice/chess", None, None),
        ("https://github.com/alice/chess/blob/dev/scripts/main.js", "alice/chess", "scripts/main.js", "dev"),
        ("https://github.com/alice/chess/tree/dev", "alice/chess", None, "dev"),
        ("alice/chess/blob/main.js", "alice/chess", "blob/main.js", None),
    ],
)
def test_a_repository_and_a_path_in_it_are_read(text: str, repository: str, path: str | None, ref: str | None) -> None:
    found = wanted(text)
    assert (str(found.repository), found.path, found.ref) == (repository, path, ref)


@pytest.mark.parametrize("text", ["", "alice", "https://evil.com/alice/chess", "evilgithub.com/a/b/..", "a b/c"])
def test_what_is_no_repository_is_refused(text: str) -> None:
    with pytest.raises((UnknownMod, RefusedPath)):
        wanted(text)


def test_a_path_that_leaves_the_repository_is_refused() -> None:
    with pytest.raises(RefusedPath):
        wanted("alice/chess/../other/main.js")


async def checked(world: World, text: str = "alice/chess") -> list[CheckedFile]:
    return await check_repository(world.machine.http, HOSTS, Registry(world.machine.http, REGISTRY), text)


def publish(world: World, script: bytes, **more: Any) -> str:
    published = world.publish(files={"main.js": script}, entry={"setup": "setup.json", "script": "main.js"}, **more)
    world.heads["alice/chess"] = published.sha
    return published.sha


async def test_a_repository_is_checked_as_it_stands_now(world: World) -> None:
    publish(world, b"eval(1);", registered=False, capabilities={"version": "1", "allowed": ["log"]})
    setup = {"scripts": ["fetch(1);"]}
    publish(world, b"api.log(1);", registered=False, setup=setup, capabilities={"version": "1", "allowed": ["ui"]})
    found = await checked(world)
    assert [(one.name, one.kind, one.verdict) for one in found] == [
        (MANIFEST_PATH, "manifest", "clean"),
        ("main.js", "script", "clean"),
        ("setup.json", "setup", "refused"),
    ]
    assert found[0].capabilities == ("ui",)
    assert not [url for url in world.network.requests if url.startswith(HOSTS.api)]
    (one,) = await checked(world, "alice/chess/main.js")
    assert (one.name, one.verdict) == ("main.js", "clean")


async def test_a_script_that_is_not_there_is_told_beside_the_others(world: World) -> None:
    published = world.publish(entry={"script": "gone.js"}, registered=False)
    world.heads["alice/chess"] = published.sha
    found = await checked(world)
    assert [(one.name, one.trouble is not None) for one in found] == [
        (MANIFEST_PATH, False),
        ("gone.js", True),
        ("setup.json", False),
    ]


async def test_what_can_t_be_checked_at_all_is_said(world: World) -> None:
    publish(world, b"api.log(1);")
    for text, kind in (("bob/nothing", PeerError), ("alice/chess/none.js", UnknownMod)):
        with pytest.raises(kind):
            await checked(world, text)
    world.blocked.add(world.record()["id"])
    with pytest.raises(Blocked):
        await checked(world)


async def test_a_repository_without_a_readable_manifest_is_told(world: World) -> None:
    published = world.publish(registered=False)
    world.heads["alice/chess"] = published.sha
    world.network.on(published.url(MANIFEST_PATH), Answer(body=b"{"))
    with pytest.raises(ManifestUnreadable):
        await checked(world)
