"""``python -m server`` as a user starts it: in a process of its own, ended by a signal."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.repositories import publish, synthetic_mod

ROOT = Path(__file__).resolve().parent.parent.parent


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "server", *arguments]


def environment(**more: str) -> dict[str, str]:
    return {**{key: value for key, value in os.environ.items() if not key.startswith("PEER_")}, **more}


def finished(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, check=False, cwd=ROOT, env=environment(), text=True, capture_output=True, timeout=60)


@contextmanager
def running(*arguments: str) -> Iterator[tuple[str, str, subprocess.Popen[str]]]:
    """The page's address and the sign-in token of a run, and its process."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    words = command("run", "--port", "0", "--no-open", *arguments)
    with subprocess.Popen(words, cwd=ROOT, env=environment(), text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            ready = process.stdout.readline()
            sign_in = process.stdout.readline()
            if not ready:
                pytest.fail(process.stderr.read())
            base = re.fullmatch(r"ready (http://127\.0\.0\.1:\d+)/\n", ready)
            link = re.fullmatch(r"sign in: (http://127\.0\.0\.1:\d+)/#token=(\S+)\n", sign_in)
            assert base is not None, ready
            assert link is not None, sign_in
            assert link[1] == base[1]
            yield base[1], link[2], process
        finally:
            process.kill()


def listening(base: str) -> bool:
    port = int(base.rpartition(":")[2])
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_run_registers_what_it_finds_and_ends_with_all_it_started(tmp_path: Path, stop: signal.Signals) -> None:
    mods, data = tmp_path / "mods", str(tmp_path / "data")
    good = synthetic_mod(mods, "some-owner", "good", {"a.webp": 100}, slug="first")
    synthetic_mod(mods, "some-owner", "later", {"a.webp": 100}, slug="first")
    publish(synthetic_mod(mods, "some-owner", "bad", {"a.webp": 100}).path, {"diceytable.mod.json": b"["})
    with running("--mods", str(mods), "--data", data) as (base, token, process):
        found = {mod["repo"]: mod for mod in httpx.get(f"{base}/api/mods").json()["items"]}
        assert set(found) == {"good", "later"}
        assert (found["good"]["slug"], found["later"]["slug"]) == ("first", "first-some-owner")
        hosts = httpx.get(f"{base}/config.json").json()["github"]
        file = httpx.get(f"{hosts['raw']}/some-owner/good/{good.sha}/a.webp")
        assert (file.status_code, len(file.content)) == (200, 100)
        signed_in = {"authorization": f"Bearer {token}"}
        who = httpx.get(f"{base}/api/session", headers=signed_in).json()["account"]
        assert who == {"name": "local", "member": True, "admin": True}
        body = {"owner": "some-owner", "repo": "good"}
        assert httpx.post(f"{base}/api/mods", json=body, headers=signed_in).json()["id"] == found["good"]["id"]
        process.send_signal(stop)
        assert process.wait(15) == 0
        assert "bad is not registered (manifest-unreadable)" in process.stderr.read()  # type: ignore[union-attr]
        assert not listening(base)
        assert not listening(hosts["raw"])


def test_the_next_run_knows_the_same_mods_and_hides_those_that_are_gone(tmp_path: Path) -> None:
    mods, data = tmp_path / "mods", str(tmp_path / "data")
    kept = synthetic_mod(mods, "some-owner", "kept", {"a.webp": 100})
    gone = synthetic_mod(mods, "some-owner", "gone", {"a.webp": 100})
    with running("--mods", str(mods), "--data", data) as (base, token, _):
        before = {mod["repo"]: mod for mod in httpx.get(f"{base}/api/mods").json()["items"]}
        first_token = token
    head = publish(kept.path, {"a.webp": b"changed"})
    gone.path.rename(tmp_path / "elsewhere")
    with running("--mods", str(mods), "--data", data) as (base, token, _):
        after = {mod["repo"]: mod for mod in httpx.get(f"{base}/api/mods").json()["items"]}
        assert set(after) == {"kept"}
        assert (after["kept"]["id"], after["kept"]["version"]) == (before["kept"]["id"], head)
        assert httpx.get(f"{base}/api/mods/{before['gone']['id']}").json()["available"] is False
        for secret, status in ((first_token, 401), (token, 200)):
            answer = httpx.get(f"{base}/api/session", headers={"authorization": f"Bearer {secret}"})
            assert answer.status_code == status


def test_with_github_as_the_origin_local_mods_are_not_listed(tmp_path: Path) -> None:
    mods, data = tmp_path / "mods", str(tmp_path / "data")
    synthetic_mod(mods, "some-owner", "local", {"a.webp": 100})
    with running("--mods", str(mods), "--data", data) as (base, _, _):
        assert len(httpx.get(f"{base}/api/mods").json()["items"]) == 1
    with running("--github", "--data", data) as (base, _, _):
        assert httpx.get(f"{base}/api/mods").json()["items"] == []
        assert httpx.get(f"{base}/config.json").json()["github"]["raw"] == "https://raw.githubusercontent.com"


def test_a_taken_port_is_one_clear_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        words = command("run", "--port", str(port), "--data", str(tmp_path))
        run = finished(words)
    assert run.returncode == 2
    assert run.stdout == ""
    assert re.fullmatch(rf"Port {port} on 127\.0\.0\.1 .*--port\.\n", run.stderr)


@pytest.mark.parametrize("option", ["--mods", "--site"])
def test_a_folder_that_is_not_there_is_one_clear_sentence(tmp_path: Path, option: str) -> None:
    words = command("run", "--port", "0", "--data", str(tmp_path), option, str(tmp_path / "nowhere"))
    run = finished(words)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.count("\n") == 1
    assert "nowhere" in run.stderr


def test_an_account_s_token_is_the_last_word_and_works_in_a_run_on_the_same_data(tmp_path: Path) -> None:
    data = str(tmp_path / "data")

    def add(name: str, *options: str) -> subprocess.CompletedProcess[str]:
        words = command("account", "add", name, "--data", data, *options)
        return finished(words)

    token = add("mara", "--member").stdout.split()[-1]
    again = add("mara")
    assert (again.returncode, again.stdout) == (1, "")
    assert "mara" in again.stderr
    with running("--data", data) as (base, _, _):
        answer = httpx.get(f"{base}/api/session", headers={"authorization": f"Bearer {token}"})
        assert answer.json()["account"] == {"name": "mara", "member": True, "admin": False}


def test_an_account_can_be_changed_get_another_token_and_be_invited(tmp_path: Path) -> None:
    data = str(tmp_path / "data")

    def ask(*words: str) -> subprocess.CompletedProcess[str]:
        return finished(command(*words, "--data", data))

    first = ask("account", "add", "mara").stdout.split()[-1]
    assert ask("account", "set", "mara", "--member", "--admin").stdout == "mara is a member and an admin.\n"
    assert ask("account", "set", "mara", "--no-member").stdout == "mara is an admin.\n"
    second = ask("account", "token", "mara").stdout.split()[-1]
    code = ask("invite", "--member").stdout.split()[-1]
    unknown = ask("account", "set", "nobody", "--member")
    assert (unknown.returncode, unknown.stderr) == (1, "There is no account named nobody.\n")
    assert ask("invite", "--uses", "0").returncode == 2
    with running("--data", data) as (base, _, _):
        answers = [
            httpx.get(f"{base}/api/session", headers={"authorization": f"Bearer {token}"}) for token in (first, second)
        ]
        assert [answer.status_code for answer in answers] == [401, 200]
        assert answers[1].json()["account"] == {"name": "mara", "member": False, "admin": True}
        invited = httpx.post(f"{base}/api/accounts", json={"invite": code, "name": "Ylva"})
        assert invited.json()["account"] == {"name": "Ylva", "member": True, "admin": False}


def test_the_database_can_be_named_by_the_environment(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'other.sqlite'}"
    words = command("account", "add", "mara", "--data", str(tmp_path / "data"))
    subprocess.run(words, cwd=ROOT, env=environment(PEER_DATABASE_URL=url), check=True, timeout=30)
    assert (tmp_path / "other.sqlite").is_file()
    assert not (tmp_path / "data" / "peer.sqlite").exists()
