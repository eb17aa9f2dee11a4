"""The local origin keeps GitHub's shapes and quirks, over real git repositories."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import socket
import time
from pathlib import Path
from threading import Event, Thread
from urllib.parse import quote

import httpx
import pytest

from server.fault import CORS_HEADERS, Fault
from server.origin import LocalOrigin
from tests.repositories import digests, publish, read, synthetic_mod
from tests.server.command import git


def raw(origin: LocalOrigin, *segments: str) -> str:
    return "/".join([origin.raw, *(quote(part, safe="/") for part in segments)])


def test_every_file_of_a_commit_is_served_byte_for_byte(origin: LocalOrigin, mods: Path, owner: str) -> None:
    sizes = {"a b.webp": 900, "odd/#1?.json": 4000, "100%.bin": 10, "plus+sign.glb": 70_000, "deep/er/x.y.webp": 1}
    built = synthetic_mod(mods, owner, "paths", sizes)
    for path, digest in digests(built.path).items():
        answer = httpx.get(raw(origin, owner, "paths", built.sha, path))
        assert answer.status_code == 200
        assert hashlib.sha256(answer.content).hexdigest() == digest.sha256, path


@pytest.mark.parametrize("spelling", ["{sha}", "{short}", "main", "refs/heads/main", "v1", "refs/tags/v1", "HEAD"])
def test_a_ref_is_a_sha_a_branch_or_a_tag(origin: LocalOrigin, mods: Path, owner: str, spelling: str) -> None:
    built = synthetic_mod(mods, owner, "refs", {"a.bin": 10})
    git(built.path, "tag", "-f", "-a", "-m", "annotated", "v1", built.sha)
    ref = spelling.format(sha=built.sha, short=built.sha[:9])
    assert httpx.get(raw(origin, owner, "refs", ref, "a.bin")).content == read(built.path, "a.bin")


def test_a_branch_with_a_slash_ends_where_the_ref_does(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "slash", {"x/a.bin": 10})
    git(built.path, "branch", "feature/x", built.sha)
    assert httpx.get(raw(origin, owner, "slash", "feature/x/x/a.bin")).status_code == 200
    assert httpx.get(raw(origin, owner, "slash", "feature/x/a.bin")).status_code == 404


@pytest.mark.parametrize(
    "ref",
    ["main~0", "main^0", "main^{commit}", "@", "main@{0}", ":/Publish", "-h", "--help", "main:a.bin", "..", "nothing"],
)
def test_revision_syntax_in_a_ref_names_nothing(origin: LocalOrigin, mods: Path, owner: str, ref: str) -> None:
    synthetic_mod(mods, owner, "syntax", {"a.bin": 10})
    url = "/".join([origin.raw, owner, "syntax", quote(ref, safe=""), "a.bin"])
    assert httpx.get(url).status_code == 404


@pytest.mark.parametrize(
    "path",
    ["../HEAD", "./a.bin", "sub/../a.bin", "a.bin/", "sub", "a.bin\nmain:a.bin", "a.bin\0", "/a.bin", "A.bin", "%"],
)
def test_a_path_that_names_no_file_is_not_found(origin: LocalOrigin, mods: Path, owner: str, path: str) -> None:
    built = synthetic_mod(mods, owner, "hostile", {"a.bin": 10, "sub/b.bin": 10})
    url = "/".join([origin.raw, owner, "hostile", built.sha, quote(path, safe="")])
    answer = httpx.get(url)
    assert (answer.status_code, answer.text) == (404, "404: Not Found")
    assert answer.headers["access-control-allow-origin"] == "*"


def test_owner_and_repository_are_found_without_regard_to_case(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "Case-Mod", {"a.bin": 10})
    assert httpx.get(raw(origin, owner.upper(), "case-mod", built.sha, "a.bin")).status_code == 200
    assert httpx.get(f"{origin.api}/repos/{owner.lower()}/CASE-MOD").json()["full_name"] == f"{owner}/Case-Mod"


def test_a_new_commit_is_served_from_the_branch_at_once(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "moving", {"a.bin": 10})
    url = raw(origin, owner, "moving", "main", "a.bin")
    assert httpx.get(url).content == read(built.path, "a.bin")
    publish(built.path, {"a.bin": b"changed"})
    assert httpx.get(url).content == b"changed"
    assert httpx.get(raw(origin, owner, "moving", built.sha, "a.bin")).content != b"changed"


def test_a_repository_that_appears_is_found(origin: LocalOrigin, mods: Path, owner: str) -> None:
    assert httpx.get(raw(origin, owner, "late", "main", "a.bin")).status_code == 404
    synthetic_mod(mods, owner, "late", {"a.bin": 10})
    assert httpx.get(raw(origin, owner, "late", "main", "a.bin")).status_code == 200


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_user_is_served(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "foreign", {"a.bin": 10})
    for folder, _, files in os.walk(mods / owner):
        for name in [folder, *(os.path.join(folder, file) for file in files)]:  # noqa: PTH118
            os.chown(name, 65534, 65534)
    assert httpx.get(raw(origin, owner, "foreign", built.sha, "a.bin")).status_code == 200
    assert git(mods, "ls-remote", f"{origin.git}/{owner}/foreign.git", "main").startswith(built.sha)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.webp", "image/webp"),
        ("a.png", "image/png"),
        ("a.jpg", "image/jpeg"),
        ("a.svg", "text/plain; charset=utf-8"),
        ("a.js", "text/plain; charset=utf-8"),
        ("a.css", "text/plain; charset=utf-8"),
        ("a.html", "text/plain; charset=utf-8"),
        ("a.json", "text/plain; charset=utf-8"),
        ("a.md", "text/plain; charset=utf-8"),
        ("a.glb", "application/octet-stream"),
    ],
)
def test_types_are_those_of_raw(origin: LocalOrigin, mods: Path, owner: str, path: str, kind: str) -> None:
    built = synthetic_mod(mods, owner, "types", {"x.bin": 10})
    publish(built.path, {path: b"text" if "text" in kind else b"\0\xff\xfe binary"})
    answer = httpx.get(raw(origin, owner, "types", "main", path))
    assert answer.headers["content-type"] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["access-control-allow-origin"] == "*"


def test_text_is_compressed_for_those_who_accept_it(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "zipped", {"x.bin": 10})
    text = b'{"a": 1}' * 20_000
    publish(built.path, {"a.json": text})
    url = raw(origin, owner, "zipped", "main", "a.json")
    packed = httpx.get(url, headers={"accept-encoding": "gzip"})
    plain = httpx.get(url, headers={"accept-encoding": "identity"})
    assert packed.content == plain.content == text
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(text) == int(plain.headers["content-length"])


def test_a_known_etag_is_not_sent_again(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "etags", {"a.webp": 5000, "a.json": 5000})
    for path in ("a.webp", "a.json"):
        url = raw(origin, owner, "etags", built.sha, path)
        again = httpx.get(url, headers={"if-none-match": httpx.get(url).headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_raw_refuses_a_preflight_without_cors(origin: LocalOrigin) -> None:
    answer = httpx.options(
        f"{origin.raw}/a/b/main/c", headers={"origin": "https://x", "access-control-request-method": "GET"}
    )
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


def test_media_follows_pointers_and_misses_what_is_missing(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "lfs", {"x.bin": 10})
    content = b"\0real" * 1000
    oid = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n".encode()
    missing = pointer.replace(oid.encode(), b"0" * 64)
    publish(built.path, {"a.glb": pointer, "gone.glb": missing})
    stored = built.path / "lfs" / "objects" / oid[:2] / oid[2:4]
    stored.mkdir(parents=True)
    (stored / oid).write_bytes(content)
    assert httpx.get(raw(origin, owner, "lfs", "main", "a.glb")).content == pointer
    base = f"{origin.media}/media/{owner}/lfs/main"
    assert httpx.get(f"{base}/a.glb").content == content
    assert httpx.get(f"{base}/gone.glb").status_code == 404
    assert httpx.get(f"{base}/x.bin").content == read(built.path, "x.bin")


def test_a_large_file_is_streamed_whole(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "large", {"big.glb": 20_000_001})
    answer = httpx.get(raw(origin, owner, "large", built.sha, "big.glb"))
    assert hashlib.sha256(answer.content).hexdigest() == digests(built.path)["big.glb"].sha256
    assert int(answer.headers["content-length"]) == 20_000_001


def test_the_api_tells_a_repository_by_a_stable_number(origin: LocalOrigin, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "numbered", {"a.bin": 10})
    first = httpx.get(f"{origin.api}/repos/{owner}/numbered").json()
    second = httpx.get(f"{origin.api}/repos/{owner.lower()}/Numbered").json()
    assert (
        first["id"]
        == second["id"]
        == int.from_bytes(hashlib.sha256(f"{owner}/numbered".lower().encode()).digest()[:5], "big")
    )
    assert first["default_branch"] == "main"


def test_the_commits_api_answers_with_the_commit_or_its_sha(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "commits", {"a.bin": 10})
    head = publish(built.path, {"a.bin": b"2"})
    url = f"{origin.api}/repos/{owner}/commits/commits"
    answer = httpx.get(f"{url}/main").json()
    assert (answer["sha"], [parent["sha"] for parent in answer["parents"]]) == (head, [built.sha])
    assert httpx.get(f"{url}/main", headers={"accept": "application/vnd.github.sha"}).text == head
    assert httpx.get(f"{url}/{built.sha}").json()["sha"] == built.sha
    assert httpx.get(f"{url}/{'0' * 40}").status_code == 422
    assert httpx.get(f"{url}/main~1").status_code == 422


def test_an_empty_repository_has_no_commit(origin: LocalOrigin, mods: Path, owner: str) -> None:
    (mods / owner).mkdir()
    git(mods, "init", "-q", "-b", "main", "--bare", str(mods / owner / "empty"))
    assert httpx.get(f"{origin.api}/repos/{owner}/empty/commits/main").status_code == 409


def test_compare_tells_ancestors_from_others(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "compare", {"a.bin": 10})
    head = publish(built.path, {"a.bin": b"2"})
    tree = git(built.path, "rev-parse", f"{built.sha}^{{tree}}")
    side = git(built.path, "commit-tree", tree, "-p", built.sha, "-m", "side")
    orphan = git(built.path, "commit-tree", tree, "-m", "orphan")
    url = f"{origin.api}/repos/{owner}/compare/compare"
    found = {one: httpx.get(f"{url}/{one}...main").json().get("status") for one in (built.sha, head, side, orphan)}
    assert found == {built.sha: "ahead", head: "identical", side: "diverged", orphan: "404"}


def test_the_tree_lists_files_links_and_submodules(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "tree", {"d/a b.bin": 10})
    target = git(built.path, "hash-object", "-w", "--stdin", stdin=b"d")
    lines = f"120000 blob {target}\tlink\n160000 commit {built.sha}\tmodule\n"
    listing = git(built.path, "ls-tree", built.sha) + "\n" + lines
    tree = git(built.path, "mktree", stdin=listing.encode())
    commit = git(built.path, "commit-tree", tree, "-p", built.sha, "-m", "odd")
    git(built.path, "update-ref", "refs/heads/main", commit)
    answer = httpx.get(f"{origin.api}/repos/{owner}/tree/git/trees/{commit}?recursive=1").json()
    entries = {entry["path"]: (entry["mode"], entry["type"], entry.get("size")) for entry in answer["tree"]}
    assert entries["d"] == ("040000", "tree", None)
    assert entries["d/a b.bin"] == ("100644", "blob", 10)
    assert entries["link"] == ("120000", "blob", 1)
    assert entries["module"] == ("160000", "commit", None)
    assert (answer["sha"], answer["truncated"]) == (tree, False)
    origin.tree_limit = 2
    short = httpx.get(f"{origin.api}/repos/{owner}/tree/git/trees/{commit}?recursive=1").json()
    assert (len(short["tree"]), short["truncated"]) == (2, True)


def test_the_budget_runs_out_and_says_so(origin: LocalOrigin, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "budget", {"a.bin": 10})
    origin.budget.limit = 2
    url = f"{origin.api}/repos/{owner}/budget"
    left = [httpx.get(url).headers["x-ratelimit-remaining"] for _ in range(2)]
    refused = httpx.get(url)
    assert left == ["1", "0"]
    assert (refused.status_code, refused.headers["x-ratelimit-remaining"]) == (403, "0")
    assert refused.headers["access-control-allow-origin"] == "*"
    origin.budget.limit = 10
    etag = httpx.get(url).headers["etag"]
    used = origin.budget.used
    assert httpx.get(url, headers={"if-none-match": etag}).status_code == 304
    assert origin.budget.used == used + 1
    assert httpx.get(url, headers={"if-none-match": etag, "authorization": "Bearer x"}).status_code == 304
    assert origin.budget.used == used + 1


def test_git_itself_can_clone(origin: LocalOrigin, mods: Path, owner: str, tmp_path: Path) -> None:
    built = synthetic_mod(mods, owner, "clone", {"a.bin": 1000})
    for version in ("0", "2"):
        target = tmp_path / version
        git(
            tmp_path, "-c", f"protocol.version={version}", "clone", "-q", f"{origin.git}/{owner}/clone.git", str(target)
        )
        assert (target / "a.bin").read_bytes() == read(built.path, "a.bin")


def test_a_push_is_refused(origin: LocalOrigin, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "push", {"a.bin": 10})
    assert httpx.get(f"{origin.git}/{owner}/push.git/info/refs?service=git-receive-pack").status_code == 403
    assert httpx.post(f"{origin.git}/{owner}/push.git/git-receive-pack").status_code == 404


def test_requests_are_counted_by_path(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "counted", {"a b.webp": 100})
    for _ in range(3):
        httpx.get(raw(origin, owner, "counted", built.sha, "a b.webp") + "?v=1")
    httpx.get(f"{origin.api}/repos/{owner}/counted")
    assert origin.requests.count(f"/{owner}/counted/{built.sha}/a b.webp", host="raw", method="GET") == 3
    assert origin.requests.count("*/counted*") == 4
    assert origin.requests.bytes("*.webp") == 300
    one = origin.requests.all("*.webp")[0]
    assert (one.status, one.bytes, one.query, one.ended) == (200, 100, "v=1", "complete")
    origin.requests.reset()
    assert origin.requests.count() == 0


def test_faults_follow_their_script_by_attempt(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "faults", {"a.webp": 1000, "b.webp": 1000})
    url = raw(origin, owner, "faults", built.sha, "a.webp")
    true = read(built.path, "a.webp")
    origin.faults.on(
        f"/{owner}/faults/*/a.webp",
        Fault(status=503, body=b"down"),
        None,
        Fault(status=429, without=CORS_HEADERS, headers={"retry-after": "5"}),
        Fault(damage=lambda content: b"?" + content[1:]),
        Fault(body=b"<!doctype html>", headers={"content-type": "text/html"}),
        Fault(declared_length=10),
        Fault(status=302, headers={"location": "https://example.org/"}),
    )
    answers = [httpx.get(url) for _ in range(8)]
    assert [answer.status_code for answer in answers] == [503, 200, 429, 200, 200, 200, 302, 200]
    assert "access-control-allow-origin" not in answers[2].headers
    assert answers[3].content == b"?" + true[1:]
    assert answers[4].text == "<!doctype html>"
    assert answers[5].content == true[:10]
    assert answers[7].content == true
    assert httpx.get(raw(origin, owner, "faults", built.sha, "b.webp")).status_code == 200


@pytest.mark.parametrize(
    ("fault", "error", "ended", "sent"),
    [
        (Fault(ending="reset"), httpx.ReadError, "reset", 0),
        (Fault(ending="cut"), httpx.RemoteProtocolError, "cut", 0),
        (Fault(ending="cut", after=100), httpx.RemoteProtocolError, "cut", 100),
        (Fault(ending="reset", after=100), httpx.ReadError, "reset", 100),
        (Fault(declared_length=5000), httpx.RemoteProtocolError, "cut", 1000),
        (Fault(bytes_per_second=1000), httpx.ReadTimeout, None, None),
        (Fault(delay_s=30), httpx.ReadTimeout, None, None),
    ],
)
def test_answers_break_off_as_asked(
    origin: LocalOrigin,
    mods: Path,
    owner: str,
    fault: Fault,
    error: type[Exception],
    ended: str | None,
    sent: int | None,
) -> None:
    built = synthetic_mod(mods, owner, "broken", {"a.webp": 1000})
    url = raw(origin, owner, "broken", built.sha, "a.webp")
    origin.faults.on("*/broken/*", fault)
    patience = 0.04 if error is httpx.ReadTimeout else 5
    with pytest.raises(error):
        httpx.get(url, timeout=httpx.Timeout(5, read=patience))
    if ended is not None:
        assert [(one.ended, one.bytes) for one in origin.requests.all("*/broken/*")] == [(ended, sent)]
    assert httpx.get(url).content == read(built.path, "a.webp")


@pytest.mark.parametrize("after", [None, 100])
def test_a_stalled_answer_stays_open_and_says_no_more(
    origin: LocalOrigin, mods: Path, owner: str, after: int | None
) -> None:
    built = synthetic_mod(mods, owner, "stalled", {"a.webp": 1000})
    url = httpx.URL(raw(origin, owner, "stalled", built.sha, "a.webp"))
    origin.faults.on("*/stalled/*", Fault(ending="stall", after=after))
    with socket.create_connection((url.host, url.port), timeout=20) as connection:
        connection.sendall(b"GET %b HTTP/1.1\r\nhost: %b\r\n\r\n" % (url.raw_path, url.netloc))
        answer = b""
        while after is not None and len(answer.partition(b"\r\n\r\n")[2]) < after:
            answer += connection.recv(1000)
        assert outcome(origin, "*/stalled/*") == ("stalled", after or 0)
        connection.settimeout(0.02)
        with pytest.raises(TimeoutError):
            connection.recv(1000)
    assert httpx.get(url).content == read(built.path, "a.webp")


def outcome(origin: LocalOrigin, pattern: str) -> tuple[str, int]:
    """How the one request for ``pattern`` ended, once it has, and the bytes it was sent."""
    ends = time.monotonic() + 20
    while not (log := origin.requests.all(pattern)) or log[0].ended == "open":
        assert time.monotonic() < ends, log
        Event().wait(0.01)
    (one,) = log
    return one.ended, one.bytes


def test_latency_delays_every_answer(origin: LocalOrigin) -> None:
    origin.latency_ms = 60
    assert httpx.get(f"{origin.raw}/a/b/main/c").elapsed.total_seconds() >= 0.06


def test_it_can_go_offline_and_come_back_at_the_same_addresses(mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "offline", {"a.webp": 1000})
    with LocalOrigin([mods]) as origin:
        url = raw(origin, owner, "offline", built.sha, "a.webp")
        for _ in range(2):
            assert httpx.get(url).content == read(built.path, "a.webp")
            origin.stop()
            with pytest.raises(httpx.ConnectError):
                httpx.get(url)
            origin.start()
        assert httpx.get(url).status_code == 200


def test_a_taken_port_is_an_error_and_leaves_nothing_listening(mods: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(OSError, match="in use"):
        LocalOrigin([mods], ports={"git": other.getsockname()[1]}).start()


def test_stopping_ends_stalled_answers_and_git(mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "stopped", {"a.webp": 1000})
    with LocalOrigin([mods]) as origin:
        url = raw(origin, owner, "stopped", built.sha, "a.webp")
        assert httpx.get(url).status_code == 200
        origin.faults.on("*", then=Fault(ending="stall"))
        with socket.create_connection(("127.0.0.1", origin.ports["raw"])) as client:
            client.sendall(f"GET {url.removeprefix(origin.raw)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            client.settimeout(5)
            origin.stop()
            assert client.recv(10) == b""
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)


def test_it_goes_away_in_mid_question_and_leaves_nothing_unfinished(mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "busy", {"a.webp": 3_000})
    origin = LocalOrigin([mods])
    origin.start()
    port = origin.ports["raw"]
    question = f"GET /{owner}/busy/main/a.webp HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".encode()
    heard, ended = Event(), Event()

    def ask_without_pause() -> None:
        while not ended.is_set():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as line:
                while not ended.is_set():
                    line.sendall(question * 4)
                    if not line.recv(65_536):
                        break
                    heard.set()

    askers = [Thread(target=ask_without_pause) for _ in range(8)]
    for asker in askers:
        asker.start()
    for _ in range(25):
        assert heard.wait(timeout=30)
        origin.stop()
        origin.start()
        heard.clear()
    ended.set()
    origin.stop()
    for asker in askers:
        asker.join()
    # What was never finished is told of when it is collected, and warnings are errors.
    gc.collect()
