"""``python -m server publish``, as CI runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repositories import publish, synthetic_mod
from tests.server.conftest import Registry
from tests.server.test_registration import MANIFEST, manifest
from tests.server.test_run import command, finished

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True, scope="session")


def run(registry: Registry, *arguments: str, token: str | None = None) -> tuple[int, list[str]]:
    token = token or registry.accounts.issue_token(registry.account(), "ci")
    ended = finished(command("publish", *arguments, "--registry", registry.base, "--token", token))
    assert token not in ended.stdout + ended.stderr
    return ended.returncode, ended.stdout.splitlines()


def test_a_commit_is_registered_from_ci(registry: Registry, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "ci", {"a.webp": 10})
    status, lines = run(registry, f"{owner}/ci", "--sha", built.sha)
    assert status == 0
    assert len(lines) == 1
    assert built.sha in lines[0]


def test_a_refusal_fails_the_build_with_its_place(registry: Registry, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "refused", {"a.webp": 10})
    written = json.loads(manifest(built.path, capabilities={"allowed": ["fly,\nhigh"]}))
    text = json.dumps(written, indent=2)
    line = 1 + text[: text.index('"allowed"')].count("\n")
    assert line > 10
    bad = publish(built.path, {MANIFEST: text.encode()})
    status, lines = run(registry, f"https://github.com/{owner}/refused", "--sha", bad)
    assert status == 1
    place = f"file={MANIFEST},line={line},title=unknown-capability"
    assert lines[0].startswith(f"::error {place}::capabilities.allowed: ")
    assert lines[1].startswith("::error title=unknown-capability::")
    assert len(lines) == 2
    assert run(registry, f"{owner}/refused", "--sha", bad[:8])[0] == 1
    broken = publish(built.path, {MANIFEST: b'{\n  "id": "refused",\n  "name"\n}'})
    status, lines = run(registry, f"{owner}/refused", "--sha", broken)
    assert status == 1
    assert lines[0].startswith(f"::error file={MANIFEST},line=4,title=manifest-unreadable::")


def test_files_that_can_t_be_loaded_fail_the_build_although_it_is_registered(
    registry: Registry, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "partial", {"a.webp": 10})
    publish(built.path, {MANIFEST: manifest(built.path, assets=["a.webp", "gone, 100%.webp"])})
    status, lines = run(registry, f"{owner}/partial")
    assert status == 3
    assert lines[0].startswith("::error file=gone%2C 100%25.webp,title=missing-file::gone, 100%25.webp ")
    assert "is registered" in lines[-1]


def test_without_a_registry_or_a_token_nothing_is_asked(registry: Registry, owner: str) -> None:
    assert run(registry, f"{owner}/x", token="wrong")[0] == 1
    nowhere = finished(command("publish", f"{owner}/x", "--registry", "http://127.0.0.1:1", "--token", "x"))
    assert nowhere.returncode == 2
    assert nowhere.stdout.startswith("::error title=registry::")
    without = finished(command("publish", f"{owner}/x", "--registry", registry.base))
    assert (without.returncode, without.stderr) == (2, "Give a token with --token or in PEER_TOKEN.\n")
    odd = finished(command("publish", "https://evil.com/a/b", "--registry", registry.base, "--token", "x"))
    assert odd.returncode == 2
    assert "evil.com" in odd.stderr
