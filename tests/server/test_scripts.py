"""A publish is read for what its scripts may not do, and peers are told which scripts may run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from client.index import read_index
from client.scene_script import MOST_SCENE_SCRIPTS
from client.script_source import LONGEST_SCRIPT
from server.origin import LocalOrigin
from server.script_scan import Script, scan_scripts
from server.settings import Limits
from tests.repositories import publish, read, synthetic_mod
from tests.server.test_registration import manifest, problem

Publish = Callable[[str, str], dict[str, Any]]
MANIFEST = "diceytable.mod.json"
MAIN = "scripts/main.js"
GOOD = b"exports.setup = (api) => {\n  api.log('ready');\n};\n"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def setup_with(*scripts: object) -> bytes:
    return json.dumps({"schemaVersion": 2, "objects": [], "scripts": scripts}).encode()


@pytest.fixture
def repository(mods: Path, owner: str) -> Path:
    """A mod that has no script yet."""
    return synthetic_mod(mods, owner, "scripted", {"a.webp": 20}).path


def with_script(repository: Path, script: bytes, path: str = MAIN, setup: bytes | None = None) -> str:
    files = {} if setup is None else {"setup.json": setup}
    named = manifest(repository, entry={"setup": "setup.json", "script": path})
    return publish(repository, {MANIFEST: named, path: script, **files})


def register(client: httpx.Client, owner: str) -> httpx.Response:
    return client.post("/api/mods", json={"owner": owner, "repo": "scripted"})


def test_scripts_that_were_read_are_listed_with_their_digests(
    client: httpx.Client, visitor: httpx.Client, repository: Path, owner: str
) -> None:
    scene = "api.log('the world');"
    with_script(repository, GOOD, setup=setup_with({"id": "world", "source": scene}))
    record = register(client, owner).json()
    assert (record["compatible"], record["issues"]) == (True, [])
    answer = visitor.get(f"/api/mods/{record['id']}/versions/{record['version']}/files")
    assert answer.json()["scripts"] == [
        {"path": MAIN, "sha256": sha256(GOOD)},
        {"path": "setup.json", "sha256": sha256(scene.encode()), "key": 'scripts["world"]'},
    ]
    assert read_index(answer.content, "index").scripts == {sha256(GOOD), sha256(scene.encode())}


def test_a_mod_without_scripts_lists_none(client: httpx.Client, repository: Path, owner: str) -> None:
    record = register(client, owner).json()
    assert client.get(f"/api/mods/{record['id']}/files").json()["scripts"] == []


@pytest.mark.parametrize(
    ("script", "code", "places"),
    [
        (b"fetch('/x');\n", "unsafe-script", [(1, 1)]),
        (b"api.log(1);\n  eval('1'); new Worker('x');", "unsafe-script", [(2, 3), (2, 18)]),
        (b"exports.setup = (api) => {\n", "unsafe-script", [(2, 1)]),
        (b"api.log('\xff');", "unsafe-script", [(1, 10)]),
        (b"api.callPlugin(name, 'search');", "dynamic-plugin-call", [(1, 16)]),
        (b"const call = api.callPlugin;\nfetch('x');", "unsafe-script", [(1, 18), (2, 1)]),
        (b"// scanner-disable\nimport('x');", "unsafe-script", [(2, 1)]),
    ],
    ids=["fetch", "two faults", "cut", "not UTF-8", "plugin call", "both", "excused"],
)
def test_a_publish_with_such_a_script_is_refused_and_the_old_version_stays(
    client: httpx.Client, repository: Path, owner: str, script: bytes, code: str, places: list[tuple[int, int]]
) -> None:
    with_script(repository, GOOD)
    before = register(client, owner).json()
    head = with_script(repository, script)
    refused = register(client, owner)
    assert problem(refused) == (422, code)
    assert (refused.json()["ref"], refused.json()["commitSha"]) == ("main", head)
    issues = refused.json()["issues"]
    assert [(issue["line"], issue["column"]) for issue in issues] == places
    assert {issue["path"] for issue in issues} == {MAIN}
    assert all(MAIN in issue["message"] for issue in issues)
    assert client.get(f"/api/mods/{before['id']}").json() == before


def test_a_script_inside_the_setup_is_found_by_its_id(client: httpx.Client, repository: Path, owner: str) -> None:
    scripts = {"id": "quiet", "code": "api.log(1);"}, {"id": "globalEvents", "code": "api.log(1);\nfetch('/x');"}
    publish(repository, {"setup.json": setup_with(*scripts)})
    refused = register(client, owner)
    assert problem(refused) == (422, "unsafe-script")
    (issue,) = refused.json()["issues"]
    assert (issue["path"], issue["key"], issue["line"], issue["column"]) == (
        "setup.json",
        'scripts["globalEvents"]',
        2,
        1,
    )


def test_more_scripts_in_a_setup_than_anybody_writes_are_refused(
    client: httpx.Client, repository: Path, owner: str
) -> None:
    publish(repository, {"setup.json": setup_with(*["api.log(1);"] * (MOST_SCENE_SCRIPTS + 1))})
    assert problem(register(client, owner)) == (422, "unsafe-script")


@pytest.mark.parametrize(
    ("path", "script"), [(MAIN, b"//" + b"x" * LONGEST_SCRIPT), ("main.txt", GOOD)], ids=["too long", "another name"]
)
def test_a_script_that_can_t_be_read_is_refused(
    client: httpx.Client, repository: Path, owner: str, path: str, script: bytes
) -> None:
    with_script(repository, script, path)
    refused = register(client, owner)
    assert problem(refused) == (422, "unsafe-script")
    assert [issue["path"] for issue in refused.json()["issues"]] == [path]


def test_a_script_nobody_can_read_is_published_with_a_warning(
    client: httpx.Client, repository: Path, owner: str
) -> None:
    script = b"function a(b){return b?c(b):d(b)}" * 60
    with_script(repository, script)
    record = register(client, owner).json()
    assert record["compatible"] is True
    assert [(issue["code"], issue["path"], issue["line"]) for issue in record["issues"]] == [
        ("minified-script", MAIN, 1)
    ]
    assert client.get(f"/api/mods/{record['id']}/files").json()["scripts"] == [{"path": MAIN, "sha256": sha256(script)}]


def test_an_older_commit_is_read_too_and_loads_without_the_script_it_could_not_publish(
    client: httpx.Client, visitor: httpx.Client, repository: Path, owner: str
) -> None:
    with_script(repository, b"fetch('/x');")
    unsafe = read_head(repository)
    with_script(repository, GOOD)
    record = register(client, owner).json()
    old = visitor.get(f"/api/mods/{record['id']}/versions/{unsafe}/files").json()
    assert MAIN in {file["path"] for file in old["files"]}
    assert old["scripts"] == []


def read_head(repository: Path) -> str:
    return (repository / "refs/heads/main").read_text().strip()


def test_a_missing_script_is_an_issue_and_no_refusal(client: httpx.Client, repository: Path, owner: str) -> None:
    publish(repository, {MANIFEST: manifest(repository, entry={"setup": "setup.json", "script": MAIN})})
    record = register(client, owner).json()
    assert [(issue["code"], issue["path"]) for issue in record["issues"]] == [("missing-file", MAIN)]


def test_reading_has_limits_and_costs_nobody_else_anything() -> None:
    """A process that dies over a script says so for that one; those read before it have their findings."""
    heavy = b"a(b);" * 200_000
    scripts = [Script("a.js", None, GOOD), Script("b.js", None, heavy), Script("c.js", None, GOOD)]
    read = scan_scripts(scripts, Limits(script_seconds=1))
    assert [one.refused for one in read] == [None, "unsafe-script", "unsafe-script"]
    assert "time or memory" in read[1].findings[0].message
    read = scan_scripts(scripts[1:2], Limits(script_memory=100 << 20))
    assert [one.refused for one in read] == ["unsafe-script"]


def test_the_samples_scripts_pass(origin: LocalOrigin) -> None:
    samples = Path(__file__).parents[1] / "mods"
    scripts = [Script(path.name, None, path.read_bytes()) for path in sorted(samples.rglob("*.js"))]
    assert scripts
    assert [one.findings for one in scan_scripts(scripts, Limits())] == [()] * len(scripts)


def test_the_manifest_is_named_by_its_unknown_capability(client: httpx.Client, repository: Path, owner: str) -> None:
    publish(repository, {MANIFEST: manifest(repository, capabilities={"version": "1", "allowed": ["fly"]})})
    refused = register(client, owner)
    assert problem(refused) == (422, "unknown-capability")
    assert refused.json()["issues"][0]["path"] == MANIFEST
    assert json.loads(read(repository, MANIFEST))["capabilities"]["allowed"] == ["fly"]
