"""Signing in: how often one may try, and GitHub's device flow against the local origin."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.account import Accounts
from server.app import create_app
from server.database import invites, now, open_database, spendings
from server.fault import Fault
from server.invite import Invites
from server.origin import LocalOrigin
from server.quota import network
from server.seal import BrokenSealError, Seal
from server.settings import Limits
from tests.repositories import synthetic_mod
from tests.server.conftest import Registry
from tests.server.served import served
from tests.server.test_registration import problem


@pytest.fixture
def start(registry: Registry, tmp_path: Path) -> Iterator[Callable[..., Registry]]:
    """Starts another registry over the same database, with other settings and a data folder of its own."""
    running = []

    def begin(**changes: Any) -> Registry:
        database = registry.settings.database
        settings = replace(registry.settings, database_url=database, data=tmp_path, **changes)
        app = create_app(settings)
        server = served(app)
        engine = open_database(database)
        running.append((server, engine))
        return Registry(server.__enter__(), settings, Accounts(engine), app.state.github, Invites(engine))

    yield begin
    for server, engine in running:
        server.__exit__(None, None, None)
        engine.dispose()


# Limits


def test_sign_ins_that_fail_are_limited_by_address(start: Callable[..., Registry]) -> None:
    limited = start(limits=Limits(failed_sign_ins=3), public_url="http://registry.example")
    token = limited.accounts.issue_token(limited.account(), "test")
    with limited.anybody() as visitor:

        def sign_in(secret: str, address: str) -> httpx.Response:
            return visitor.post("/api/session", json={"token": secret}, headers={"x-forwarded-for": address})

        for _ in range(5):
            assert sign_in(token, "192.0.2.1").status_code == 200
        for _ in range(3):
            assert problem(sign_in("wrong", "198.51.100.9, 192.0.2.1")) == (401, "unknown-token")
        refused = sign_in(token, "192.0.2.1")
        assert problem(refused) == (429, "rate-limited")
        assert 800 < int(refused.headers["retry-after"]) <= 900
        assert sign_in(token, "192.0.2.2").status_code == 200
        # Time passes.
        engine = open_database(limited.settings.database)
        with engine.begin() as connection:
            connection.execute(spendings.update().values(at=now() - timedelta(minutes=16)))
        engine.dispose()
        assert sign_in(token, "192.0.2.1").status_code == 200


@pytest.mark.parametrize(
    ("address", "whose"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("", "unknown"),
        ("x" * 1000, "unknown"),
    ],
)
def test_an_address_stands_for_the_network_one_person_has(address: str, whose: str) -> None:
    assert network(address) == whose


def test_an_account_scans_so_many_times_an_hour(start: Callable[..., Registry], mods: Path, owner: str) -> None:
    limited = start(limits=Limits(scans_an_hour=2))
    synthetic_mod(mods, owner, "quota", {"a.webp": 10})
    body = {"owner": owner, "repo": "quota"}
    with limited.client() as client, limited.client(admin=True) as admin:
        for _ in range(2):
            assert client.post("/api/mods", json=body).status_code == 200
        refused = client.post("/api/mods", json=body)
        assert problem(refused) == (429, "rate-limited")
        assert 3500 < int(refused.headers["retry-after"]) <= 3600
        for _ in range(3):
            assert admin.post("/api/mods", json=body).status_code == 200


def test_an_account_has_one_scan_at_a_time_and_few_waiting(
    start: Callable[..., Registry], origin: LocalOrigin, mods: Path, owner: str
) -> None:
    limited = start(limits=Limits(waiting_scans=1))
    for number in range(4):
        synthetic_mod(mods, owner, f"m{number}", {"a.webp": 10})
    token = limited.accounts.issue_token(limited.account(), "test")
    origin.faults.on("*legacy.tar.gz*", then=Fault(delay_s=0.7), host="git")

    def register(number: int) -> int:
        with limited.client(token=token) as client:
            return client.post("/api/mods", json={"owner": owner, "repo": f"m{number}"}).status_code

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(register, range(4))) == [200, 200, 429, 429]


def test_what_an_account_s_scans_unpack_within_an_hour_is_limited(
    start: Callable[..., Registry], mods: Path, owner: str
) -> None:
    limited = start(limits=Limits(scanned_bytes_an_hour=150_000, repository_bytes=200_000))
    synthetic_mod(mods, owner, "large", {"a.webp": 100_000})
    synthetic_mod(mods, owner, "small", {"a.webp": 10})
    large, small = ({"owner": owner, "repo": name} for name in ("large", "small"))
    with limited.client() as client, limited.client(admin=True) as admin:
        first = client.post("/api/mods", json=large)
        assert first.status_code == 200
        refused = client.post("/api/mods", json=large)
        assert problem(refused) == (429, "rate-limited")
        assert 3500 < int(refused.headers["retry-after"]) <= 3600
        # What the refused one has unpacked counts too.
        assert problem(client.post("/api/mods", json=small)) == (429, "rate-limited")
        assert client.get(f"/api/mods/{first.json()['id']}").json() == first.json()
        for _ in range(2):
            assert admin.post("/api/mods", json=large).status_code == 200


def test_a_repository_larger_than_a_scan_may_be_is_refused_whoever_asks(
    start: Callable[..., Registry], mods: Path, owner: str
) -> None:
    limited = start(limits=Limits(repository_bytes=50_000))
    synthetic_mod(mods, owner, "huge", {"a.webp": 100_000})
    for admin in (False, True):
        with limited.client(admin=admin) as client:
            answer = client.post("/api/mods", json={"owner": owner, "repo": "huge"})
            assert problem(answer) == (422, "too-large")


# Invite codes


def test_an_invite_code_makes_an_account_with_a_session_and_a_token(registry: Registry, owner: str) -> None:
    code = registry.invites.issue(member=True)
    written = f" {code.lower().replace('-', ' ').replace('0', 'o').replace('1', 'l')} "
    with registry.anybody() as visitor:
        body = {"invite": written, "name": owner}
        answer = visitor.post("/api/accounts", json=body, headers={"origin": registry.base})
        who = {"name": owner, "member": True, "admin": False}
        assert (answer.status_code, answer.json()["account"]) == (201, who)
        assert "httponly" in answer.headers["set-cookie"].lower()
        assert visitor.get("/api/session").json()["account"] == who
        with registry.client(token=answer.json()["token"]) as elsewhere:
            assert elsewhere.get("/api/session").json()["account"] == who
            renewed = elsewhere.post("/api/tokens").json()["token"]
            # The token made before has ended.
            assert problem(elsewhere.get("/api/session")) == (401, "unknown-token")
        with registry.client(token=renewed) as elsewhere:
            assert elsewhere.get("/api/session").json()["account"] == who


def test_an_invite_code_is_good_so_many_times_and_so_long(
    registry: Registry, visitor: httpx.Client, owner: str
) -> None:
    engine = open_database(registry.settings.database)
    code = registry.invites.issue(uses=2)

    def accept(name: str, invite: str = code) -> httpx.Response:
        return visitor.post("/api/accounts", json={"invite": invite, "name": name})

    assert accept(f"{owner}-1").status_code == 201
    # A name that is taken costs the code nothing.
    assert problem(accept(f"{owner}-1")) == (409, "name-taken")
    assert accept(f"{owner}-2").status_code == 201
    assert problem(accept(f"{owner}-3")) == (403, "unknown-invite")
    late = registry.invites.issue()
    with engine.begin() as connection:
        connection.execute(invites.update().values(expires_at=now() - timedelta(seconds=1)))
    assert problem(accept(f"{owner}-4", late)) == (403, "unknown-invite")
    engine.dispose()


def test_of_many_who_use_a_code_at_one_moment_no_more_than_it_is_good_for_get_in(
    registry: Registry, owner: str
) -> None:
    code = registry.invites.issue(uses=3)

    def accept(number: int) -> int:
        with registry.anybody() as visitor:
            body = {"invite": code, "name": f"{owner}-{number}"}
            return visitor.post("/api/accounts", json=body).status_code

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(accept, range(6))) == [201, 201, 201, 403, 403, 403]


def test_guesses_at_invite_codes_are_limited_together_with_sign_ins(start: Callable[..., Registry], owner: str) -> None:
    limited = start(limits=Limits(failed_sign_ins=3), public_url="http://registry.example")
    code = limited.invites.issue()
    at_one = {"x-forwarded-for": "203.0.113.1"}
    with limited.anybody() as visitor:
        for invite in ("AAAA-AAAA-AAAA-AAAA", "x"):
            body = {"invite": invite, "name": owner}
            assert problem(visitor.post("/api/accounts", json=body, headers=at_one)) == (403, "unknown-invite")
        wrong = visitor.post("/api/session", json={"token": "wrong"}, headers=at_one)
        assert problem(wrong) == (401, "unknown-token")
        body = {"invite": code, "name": owner}
        assert problem(visitor.post("/api/accounts", json=body, headers=at_one)) == (429, "rate-limited")
        elsewhere = {"x-forwarded-for": "203.0.113.2"}
        evil = {**elsewhere, "origin": "https://evil.example"}
        assert problem(visitor.post("/api/accounts", json=body, headers=evil)) == (403, "wrong-origin")
        assert visitor.post("/api/accounts", json=body, headers=elsewhere).status_code == 201


@pytest.mark.parametrize("name", ["", " x", "x ", "a\u200bb", "a\u202eb", "a\nb", "a  b", "x" * 81, "\0"])
def test_a_name_that_reads_like_another_or_like_nothing_is_refused(
    visitor: httpx.Client, registry: Registry, name: str
) -> None:
    code = registry.invites.issue()
    answer = visitor.post("/api/accounts", json={"invite": code, "name": name})
    assert problem(answer) == (422, "invalid-request")


def test_invite_codes_are_not_stored(registry: Registry) -> None:
    engine = open_database(registry.settings.database)
    code = registry.invites.issue()
    with engine.connect() as connection:
        stored = repr(list(connection.execute(invites.select())))
    assert code not in stored
    assert code.replace("-", "") not in stored
    engine.dispose()


# GitHub


@pytest.fixture
def github(start: Callable[..., Registry]) -> Registry:
    return start(github_client_id="client")


@contextmanager
def signed_in(registry: Registry, origin: LocalOrigin, login: str) -> Iterator[httpx.Client]:
    """Somebody who has signed in with GitHub."""
    with httpx.Client(base_url=registry.base, headers={"origin": registry.base}, timeout=60) as client:
        started = client.post("/api/session/github").json()
        origin.logins.approve(started["userCode"], login)
        answer = client.put("/api/session/github", json={"device": started["device"]})
        assert answer.json()["account"] is not None, answer.text
        yield client


def test_a_person_signs_in_with_a_code_entered_on_github(github: Registry, origin: LocalOrigin, owner: str) -> None:
    with github.anybody() as visitor:
        page = {"origin": github.base}
        started = visitor.post("/api/session/github", headers=page).json()
        assert started["verificationUri"] == f"{origin.git}/login/device"
        device = {"device": started["device"]}
        waiting = visitor.put("/api/session/github", json=device, headers=page).json()
        assert waiting == {"account": None, "interval": started["interval"]}
        origin.logins.approve(started["userCode"], owner)
        answer = visitor.put("/api/session/github", json=device, headers=page)
        who = {"name": owner, "member": False, "admin": False}
        assert answer.json() == {"account": who, "interval": None}
        assert "httponly" in answer.headers["set-cookie"].lower()
        assert visitor.get("/api/session").json() == {"account": who, "github": True}
        # A device code is good for one sign-in.
        assert problem(visitor.put("/api/session/github", json=device, headers=page)) == (410, "sign-in-expired")
    with signed_in(github, origin, owner) as again:
        assert again.get("/api/session").json()["account"] == who


def test_a_taken_name_belongs_to_whoever_has_it(github: Registry, origin: LocalOrigin, owner: str) -> None:
    github.accounts.add(owner)
    with signed_in(github, origin, owner) as client:
        assert client.get("/api/session").json()["account"]["name"] == f"{owner} on GitHub"


def test_a_sign_in_that_is_refused_forged_or_from_elsewhere_opens_nothing(
    github: Registry, origin: LocalOrigin, visitor: httpx.Client
) -> None:
    with github.anybody() as client:
        started = client.post("/api/session/github").json()
        origin.logins.deny(started["userCode"])
        refused = client.put("/api/session/github", json={"device": started["device"]})
        assert problem(refused) == (403, "sign-in-refused")
        for device in ("x", started["device"][:-2] + "AA"):
            assert problem(client.put("/api/session/github", json={"device": device})) == (410, "sign-in-expired")
        evil = {"origin": "https://evil.example"}
        assert problem(client.post("/api/session/github", headers=evil)) == (403, "wrong-origin")
        body = {"device": started["device"]}
        assert problem(client.put("/api/session/github", json=body, headers=evil)) == (403, "wrong-origin")
        origin.faults.on("/login/*", then=Fault(status=500), host="git")
        assert problem(client.post("/api/session/github")) == (503, "github-unreachable")
    assert problem(visitor.post("/api/session/github")) == (404, "sign-in-off")


def test_owning_a_mod_takes_push_permission_on_its_repository(
    github: Registry, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "pushed", {"a.webp": 10})
    body = {"owner": owner, "repo": "pushed"}
    with (
        signed_in(github, origin, f"{owner}-other") as other,
        github.client() as unproven,
        signed_in(github, origin, owner) as author,
    ):
        for client in (other, unproven):
            assert problem(client.post("/api/mods", json=body)) == (403, "push-permission-required")
        record = author.post("/api/mods", json=body).json()
        origin.logins.revoke(owner)
        assert problem(author.post("/api/mods", json=body)) == (403, "push-permission-required")
        with signed_in(github, origin, owner) as again:
            assert again.post("/api/mods", json=body).json()["id"] == record["id"]
    synthetic_mod(mods, owner, "shared", {"a.webp": 10})
    origin.logins.writers[f"{owner}/shared".lower()] = {f"{owner}-writer"}
    with signed_in(github, origin, f"{owner}-writer") as writer:
        assert writer.post("/api/mods", json={"owner": owner, "repo": "shared"}).status_code == 200


def test_a_person_s_token_is_stored_sealed(github: Registry, origin: LocalOrigin, owner: str) -> None:
    with signed_in(github, origin, owner):
        account = github.accounts.named(owner)
    assert account is not None
    sealed = github.accounts.github_token(account)
    assert sealed is not None
    assert "gho_" not in sealed
    key = github.settings.data / "seal.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert Seal(github.settings.data).open(sealed).startswith("gho_")


def test_what_was_sealed_opens_unchanged_only_and_in_time(tmp_path: Path) -> None:
    seal = Seal(tmp_path / "new")
    sealed = seal.close("secret")
    assert Seal(tmp_path / "new").open(sealed, 60) == "secret"
    for broken, lasts in ((sealed[:-3] + "AAA", None), ("ä", None), (sealed, -1)):
        with pytest.raises(BrokenSealError):
            seal.open(broken, lasts)
    with pytest.raises(BrokenSealError):
        Seal(tmp_path / "another").open(sealed)
