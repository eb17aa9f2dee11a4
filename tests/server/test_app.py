"""The API's edges: errors, listings, accounts, and the page beside it."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select

import build
from server import problem
from server.database import metadata, open_database
from server.origin import LocalOrigin
from tests.repositories import synthetic_mod
from tests.server.conftest import GZIPPED, SUPERVISOR, Registry
from tests.server.served import served
from tests.server.test_registration import Publish
from tests.server.test_registration import problem as problem_of


def listed(answer: httpx.Response) -> list[str]:
    return [mod["repo"] for mod in answer.json()["items"]]


# Errors


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/nothing", 404, "not-found"),
        ("POST", "/api/", 404, "not-found"),
        ("PUT", "/api/mods", 405, "method-not-allowed"),
        ("GET", "/api/mods/0", 404, "unknown-mod"),
        ("GET", "/api/mods/..%2f", 404, "not-found"),
        ("GET", "/api/mods/%00", 404, "unknown-mod"),
        ("GET", "/api/mods/x/files", 404, "unknown-mod"),
        ("GET", "/api/mods/x/versions", 404, "unknown-mod"),
        ("GET", "/api/mods?kind=plugins", 422, "invalid-request"),
        ("GET", "/api/mods?limit=0", 422, "invalid-request"),
        ("GET", "/api/mods?limit=101", 422, "invalid-request"),
        ("GET", "/api/mods?cursor=nonsense", 404, "unknown-cursor"),
        ("GET", "/api/mods?cursor=W10", 404, "unknown-cursor"),
        ("GET", "/api/mods?q=%00", 422, "invalid-request"),
        ("GET", "/api/mods?repo=x", 422, "invalid-repository"),
        ("GET", "/api/mods?repo=https://github.com/a/b", 422, "invalid-repository"),
    ],
)
def test_every_error_is_a_problem_document(
    visitor: httpx.Client, method: str, path: str, status: int, code: str
) -> None:
    answer = visitor.request(method, path)
    assert problem_of(answer) == (status, code)
    assert answer.json()["status"] == status
    assert answer.json()["title"]
    assert answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b"[" * 100_000, 400),
        (b'{"owner": "a"}', 422),
        (b'{"owner": "a", "repo": 1}', 422),
        (b'{"owner": "a", "repo": "b", "more": 1}', 422),
        (b'{"owner": "a/b", "repo": "c"}', 422),
        (b'{"owner": "a", "repo": ".."}', 422),
        (b'{"owner": "a", "repo": "b\\n"}', 422),
        (b'{"owner": "a", "repo": "b\\u0000"}', 422),
        (b'{"owner": "\\ud800", "repo": "b"}', 422),
        (b'{"owner": "a", "repo": "' + b"b" * (1 << 20) + b'"}', 413),
        (b"\xff\xfe", 422),
    ],
    ids=range(13),
)
def test_a_bad_body_is_a_problem_document(client: httpx.Client, body: bytes, status: int) -> None:
    answer = client.post("/api/mods", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    assert problem_of(answer)[0] == status


def test_an_unhandled_error_tells_nothing_but_its_code() -> None:
    app = FastAPI()
    problem.install(app)

    @app.get("/")
    def fails() -> None:
        message = "a secret"
        raise RuntimeError(message)

    with served(app) as base:
        answer = httpx.get(base)
    assert problem_of(answer) == (500, "internal-error")
    assert "secret" not in answer.text


def test_the_schema_names_every_operation(visitor: httpx.Client) -> None:
    paths = visitor.get("/schema").json()["paths"]
    assert {
        "/api/mods",
        "/api/mods/{mod_id}",
        "/api/mods/{mod_id}/files",
        "/api/mods/{mod_id}/versions",
        "/api/mods/{mod_id}/versions/{version}/files",
        "/api/session",
    } <= set(paths)


# Listings


def test_mods_are_found_by_kind_words_repository_and_manifest_id(
    publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    kinds = {"chess": "game-pack", "hall": "room-pack", "oak": "table-pack"}
    for name, kind in kinds.items():
        manifest = {"type": kind, "id": f"{name}-of-{owner}", "summary": f"100% {name} for {owner}"}
        synthetic_mod(mods, owner, name, {"a.webp": 10}, **manifest)
        publish_mod(owner, name)

    def find(**wanted: str) -> list[str]:
        return sorted(listed(visitor.get("/api/mods", params=wanted)))

    assert find(q=owner) == ["chess", "hall", "oak"]
    assert find(q=owner.upper(), kind="games") == ["chess"]
    assert find(q=owner, kind="packs") == ["hall", "oak"]
    assert find(q=f"oak {owner}") == ["oak"]
    assert find(q=f"100% {owner}") == ["chess", "hall", "oak"]
    assert find(q=f"1_0% {owner}") == []
    assert find(repo=f"{owner.upper()}/CHESS") == ["chess"]
    assert find(manifestId=f"hall-of-{owner}") == ["hall"]
    assert find(manifestId="hall-of") == []


def test_two_mods_may_share_a_manifest_id(publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str) -> None:
    for name in ("one", "two"):
        synthetic_mod(mods, owner, name, {"a.webp": 10}, id=f"shared-{owner}")
        publish_mod(owner, name)
    assert listed(visitor.get("/api/mods", params={"manifestId": f"shared-{owner}"})) == ["two", "one"]


def test_pages_follow_each_other_without_gaps(
    publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    for number in range(5):
        synthetic_mod(mods, owner, f"mod-{number}", {"a.webp": 10})
        publish_mod(owner, f"mod-{number}")
    found: list[str] = []
    cursor = None
    while True:
        page = visitor.get("/api/mods", params={"q": owner, "limit": 2, **({"cursor": cursor} if cursor else {})})
        found += listed(page)
        cursor = page.json()["next"]
        if cursor is None:
            break
    assert found == [f"mod-{number}" for number in (4, 3, 2, 1, 0)]


# Accounts


def test_a_token_opens_a_session_for_the_page(registry: Registry, visitor: httpx.Client) -> None:
    account = registry.account(member=True)
    token = registry.accounts.issue_token(account, "test")
    page = {"origin": registry.base}
    assert visitor.get("/api/session").json() == {"account": None, "github": False}
    answer = visitor.post("/api/session", json={"token": token}, headers=page)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert token not in cookie
    who = {"account": {"name": account.name, "member": True, "admin": False}, "github": False}
    assert visitor.get("/api/session").json() == answer.json() == who
    assert visitor.delete("/api/session", headers=page).status_code == 204
    visitor.cookies.update(answer.cookies)
    assert visitor.get("/api/session").json() == {"account": None, "github": False}


def test_a_cookie_writes_only_from_the_registrys_own_page(
    registry: Registry, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "cookie", {"a.webp": 10})
    token = registry.accounts.issue_token(registry.account(), "test")
    evil = {"origin": "https://evil.example"}
    assert problem_of(visitor.post("/api/session", json={"token": token}, headers=evil)) == (403, "wrong-origin")
    visitor.post("/api/session", json={"token": token}, headers={"origin": registry.base})
    body = {"owner": owner, "repo": "cookie"}
    for headers in (evil, {"origin": "null"}, {}):
        assert problem_of(visitor.post("/api/mods", json=body, headers=headers)) == (403, "wrong-origin")
    assert visitor.post("/api/mods", json=body, headers={"origin": registry.base}).status_code == 200


@pytest.mark.parametrize("value", ["Bearer", "Bearer x", "Basic dTpw", "Bearer " + "x" * 300, "x"])
def test_a_wrong_token_is_refused_even_for_reading(visitor: httpx.Client, value: str) -> None:
    answer = visitor.get("/api/mods", headers={"authorization": value})
    assert problem_of(answer) == (401, "unknown-token")


def test_a_session_secret_is_no_bearer_token(registry: Registry, visitor: httpx.Client) -> None:
    started = registry.accounts.start_session(registry.accounts.issue_token(registry.account(), "test"))
    assert started is not None
    assert problem_of(visitor.get("/api/session", headers={"authorization": f"Bearer {started[1]}"}))[0] == 401


def test_tokens_are_not_stored(registry: Registry) -> None:
    token = registry.accounts.issue_token(registry.account(), "test")
    # Through the engine: to open and close SQLite's own file beside it would drop its locks (sqlite.org/howtocorrupt).
    engine = open_database(registry.settings.database)
    with engine.connect() as connection:
        stored = [repr(tuple(row)) for table in metadata.sorted_tables for row in connection.execute(select(table))]
    engine.dispose()
    assert stored
    assert token not in "".join(stored)


def test_another_site_may_read_and_use_a_bearer_token(visitor: httpx.Client) -> None:
    elsewhere = {"origin": "https://static.example"}
    assert visitor.get("/api/mods", headers=elsewhere).headers["access-control-allow-origin"] == "*"
    preflight = visitor.options(
        "/api/mods",
        headers={
            **elsewhere,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization",
        },
    )
    assert preflight.status_code == 200
    assert "access-control-allow-credentials" not in preflight.headers


def test_the_page_s_own_files_are_the_same_for_whoever_asks(visitor: httpx.Client) -> None:
    asked = {"origin": "https://static.example", "cookie": "session=any"}
    for path in ("/", "/assets/main.abcdef012345.js", "/config.json"):
        headers = visitor.get(path, headers=asked).headers
        assert "origin" not in headers.get("vary", "").lower(), path
        assert "access-control-allow-origin" not in headers, path


# The page


def policy(answer: httpx.Response) -> dict[str, list[str]]:
    directives = (directive.split() for directive in answer.headers["content-security-policy"].split(";"))
    return {words[0]: words[1:] for words in directives}


@pytest.mark.parametrize("path", ["/", "/assets/main.abcdef012345.js", "/service-worker.js", "/nowhere"])
def test_every_answer_of_the_page_confines_it(visitor: httpx.Client, origin: LocalOrigin, path: str) -> None:
    answer = visitor.get(path)
    allowed = policy(answer)
    assert allowed["default-src"] == ["'none'"]
    assert allowed["script-src"] == ["'self'", "'wasm-unsafe-eval'"]
    assert {"'self'", origin.raw, origin.media, origin.api} <= set(allowed["connect-src"])
    assert "*" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("path", "kind", "caching"),
    [
        ("/", "text/html; charset=utf-8", "no-cache"),
        ("/index.html", "text/html; charset=utf-8", "no-cache"),
        ("/service-worker.js", "text/javascript; charset=utf-8", "no-cache"),
        ("/assets/main.abcdef012345.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
        ("/assets/pyodide.0123456789ab/pyodide.asm.wasm", "application/wasm", "public, max-age=31536000, immutable"),
    ],
)
def test_files_have_their_types_and_lifetimes(visitor: httpx.Client, path: str, kind: str, caching: str) -> None:
    answer = visitor.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
    assert answer.headers["cache-control"] == caching
    again = visitor.get(path, headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("accepted", "coding", "content"),
    [
        ("gzip, deflate, br, zstd", "br", b"brotli"),
        ("gzip", "gzip", GZIPPED),
        ("br;q=0, gzip;q=0.5", "gzip", GZIPPED),
        ("*", "br", b"brotli"),
        ("identity", None, b"plain"),
        ("", None, b"plain"),
        ("gzip;q=0", None, b"plain"),
    ],
)
def test_the_variant_that_was_compressed_before_is_sent(
    visitor: httpx.Client, accepted: str, coding: str | None, content: bytes
) -> None:
    with visitor.stream("GET", "/assets/main.abcdef012345.js", headers={"accept-encoding": accepted}) as answer:
        assert b"".join(answer.iter_raw()) == content
    assert answer.headers.get("content-encoding") == coding
    assert answer.headers["vary"].lower().startswith("accept-encoding")
    assert answer.headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/_headers",
        "/.htaccess",
        "/assets",
        "/assets/",
        "/..%2fdist/index.html",
        "/assets/..%2f..%2findex.html",
        "/%2e%2e/secret",
        "//etc/passwd",
        "/index.html%00",
        "/assets\\main.abcdef012345.js",
    ],
)
def test_what_is_no_file_of_the_page_is_a_404_with_a_way_back(visitor: httpx.Client, path: str) -> None:
    answer = visitor.get(path)
    assert answer.status_code == 404
    assert 'href="/"' in answer.text


def test_the_frame_of_scripts_is_confined_by_its_own_headers(visitor: httpx.Client, registry: Registry) -> None:
    answer = visitor.get("/sandbox.html")
    digest = base64.b64encode(hashlib.sha256(SUPERVISOR.encode()).digest()).decode()
    assert answer.headers["content-security-policy"] == (
        f"sandbox allow-scripts; default-src 'none'; script-src 'sha256-{digest}'; worker-src blob:; "
        "connect-src 'none'; frame-src 'none'; form-action 'none'; base-uri 'none'"
    )
    assert answer.headers["connection-allowlist"] == "()"
    assert answer.headers["cache-control"] == "no-cache"
    by_digest = visitor.get("/sandbox.html?0123456789ab").headers
    assert by_digest["content-security-policy"] == answer.headers["content-security-policy"]
    assert by_digest["cache-control"] == "public, max-age=31536000, immutable"
    page = visitor.get("/").headers
    assert f"frame-src {registry.base}/sandbox.html;" in page["content-security-policy"]
    assert "connection-allowlist" not in page


def test_static_hosts_are_told_the_frame_s_headers_too(tmp_path: Path) -> None:
    (tmp_path / "sandbox.html").write_text(f"<script>{SUPERVISOR}</script>")
    frame = build.sandbox_headers(tmp_path)
    policy = frame["Content-Security-Policy"]
    build.write_host_files(tmp_path, build.headers(None), frame)
    written = {name: (tmp_path / name).read_text() for name in ("_headers", ".htaccess", "nginx.conf")}
    assert "/sandbox.html\n  ! Content-Security-Policy\n" in written["_headers"]
    for name, text in written.items():
        assert policy in text, name
        assert "Connection-Allowlist" in text, name
        assert "frame-src 'self'" in text, name
    last = json.loads((tmp_path / "vercel.json").read_text())["headers"][-1]
    assert last["source"] == "/sandbox.html"
    assert {"key": "Content-Security-Policy", "value": policy} in last["headers"]
    assert {"key": "Cache-Control", "value": "public, max-age=31536000, immutable"} in last["headers"]


def test_the_page_is_told_where_everything_is(visitor: httpx.Client, registry: Registry, origin: LocalOrigin) -> None:
    answer = visitor.get("/config.json")
    github = {"raw": origin.raw, "media": origin.media, "api": origin.api}
    assert answer.json() == {"registry": registry.base, "github": github}
    assert answer.headers["cache-control"] == "no-cache"
    forged = visitor.get("/config.json", headers={"host": "evil.example/x"})
    assert json.loads(forged.text)["registry"] == "http://127.0.0.1"
