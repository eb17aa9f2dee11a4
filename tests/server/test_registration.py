"""What a registration records, keeps and refuses. The rules are the seed page's; see server/registration.py."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from client.repository import Repository
from server.fault import Fault
from server.github import GitHub
from server.origin import LocalOrigin
from server.scan import scan
from server.settings import Limits
from tests.repositories import digests, publish, read, synthetic_mod
from tests.server.command import git
from tests.server.conftest import Registry, endpoints

Publish = Callable[[str, str], dict[str, Any]]
MANIFEST = "diceytable.mod.json"


def manifest(repository: Path, **changes: object) -> bytes:
    """The published manifest with some keys changed."""
    return json.dumps({**json.loads(read(repository, MANIFEST)), **changes}).encode()


def problem(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    return answer.status_code, answer.json()["code"]


def test_a_registered_mod_is_pinned_to_its_commit(publish_mod: Publish, mods: Path, owner: str) -> None:
    built = synthetic_mod(
        mods, owner, "alpha", {"media/cover.webp": 500, "a.glb": 1500}, coverImage="media/cover.webp", summary="Short."
    )
    record = publish_mod(owner.lower(), "Alpha")
    wanted = {"owner": owner, "repo": "alpha", "ref": "main", "commitSha": built.sha, "version": built.sha}
    assert {key: record[key] for key in wanted} == wanted
    assert (record["kind"], record["manifestId"], record["slug"], record["release"]) == (
        "game",
        "alpha",
        "alpha",
        "1.0.0",
    )
    assert (record["compatible"], record["issues"], record["private"], record["available"]) == (True, [], False, True)
    assert record["files"] == 4
    assert record["bytes"] == sum(digest.size for digest in digests(built.path).values())
    assert record["summary"] == "Short."
    assert str(record["cover"]).endswith(f"/{owner}/alpha/{built.sha}/media/cover.webp")


def test_the_file_index_is_that_of_git(publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "index", {"a b.webp": 500, "x/#.json": 100})
    publish(built.path, {"not declared.txt": b"still pulled when a setup names it"})
    record = publish_mod(owner, "index")
    answer = visitor.get(f"/api/mods/{record['id']}/versions/{record['version']}/files")
    found = {file["path"]: (file["size"], file["sha256"]) for file in answer.json()["files"]}
    assert found == {path: (digest.size, digest.sha256) for path, digest in digests(built.path).items()}
    assert "immutable" in answer.headers["cache-control"]
    current = visitor.get(f"/api/mods/{record['id']}/files")
    assert current.json() == answer.json()
    assert current.headers["cache-control"] == "no-cache"
    again = visitor.get(answer.url.path, headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


def test_bytes_are_git_s_own_even_where_its_archive_differs(
    publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "attributes", {"a.json": 200})
    publish(
        built.path,
        {
            ".gitattributes": b"hidden.txt export-ignore\nsubst.txt export-subst\ncrlf.txt text eol=crlf\n",
            "hidden.txt": b"not in the archive",
            "subst.txt": b"$Format:%H$\n",
            "crlf.txt": b"one\ntwo\n",
        },
    )
    record = publish_mod(owner, "attributes")
    answer = visitor.get(f"/api/mods/{record['id']}/files").json()
    found = {file["path"]: file["sha256"] for file in answer["files"]}
    assert found == {path: digest.sha256 for path, digest in digests(built.path).items()}


def test_a_pointer_is_indexed_with_what_it_points_at(
    publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "pointer", {"a.glb": 200})
    oid = hashlib.sha256(b"real").hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 4\n".encode()
    publish(built.path, {"a.glb": pointer})
    record = publish_mod(owner, "pointer")
    files = {file["path"]: file for file in visitor.get(f"/api/mods/{record['id']}/files").json()["files"]}
    assert files["a.glb"] == {
        "path": "a.glb",
        "size": len(pointer),
        "sha256": hashlib.sha256(pointer).hexdigest(),
        "lfs": {"oid": oid, "size": 4},
    }
    assert record["compatible"] is False
    assert [(issue["code"], issue["path"]) for issue in record["issues"]] == [("lfs", "a.glb")]


def test_what_is_wrong_is_recorded_by_path(publish_mod: Publish, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "wrong", {"a.webp": 10, "b.webp": 10})
    target = git(built.path, "hash-object", "-w", "--stdin", stdin=b"a.webp")
    publish(
        built.path,
        {
            MANIFEST: manifest(
                built.path,
                assets=[
                    "a.webp",
                    "../up.webp",
                    "gone.webp",
                    "link.webp",
                    {"path": "b.webp", "sha256": "0" * 64, "size": 11},
                ],
                compatibility={"engine": ">=7"},
            )
        },
    )
    listing = git(built.path, "ls-tree", "main") + f"\n120000 blob {target}\tlink.webp\n"
    tree = git(built.path, "mktree", stdin=listing.encode())
    git(built.path, "update-ref", "refs/heads/main", git(built.path, "commit-tree", tree, "-p", "main", "-m", "link"))
    record = publish_mod(owner, "wrong")
    assert record["compatible"] is False
    assert sorted((issue["code"], issue["path"]) for issue in record["issues"]) == [
        ("engine-range", MANIFEST),
        ("hash-mismatch", "b.webp"),
        ("missing-file", "gone.webp"),
        ("refused-path", MANIFEST),
        ("size-mismatch", "b.webp"),
        ("symlink", "link.webp"),
    ]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "manifest-unreadable"),
        (b"", "manifest-unreadable"),
        (b"[]", "manifest-unreadable"),
        (b"{" * 100_000, "manifest-unreadable"),
        (b'{"a": ' * 100_000, "manifest-unreadable"),
        (b'{"id": "x", "capabilities": {"allowed": ["fly"]}}', "unknown-capability"),
    ],
    ids=["missing", "empty", "a list", "cut", "too deep", "unknown capability"],
)
def test_a_mod_nobody_could_open_is_refused_and_the_old_version_stays(
    publish_mod: Publish, client: httpx.Client, mods: Path, owner: str, content: bytes | None, code: str
) -> None:
    built = synthetic_mod(mods, owner, "refused", {"a.webp": 10})
    record = publish_mod(owner, "refused")
    publish(built.path, {MANIFEST: content})
    assert problem(client.post("/api/mods", json={"owner": owner, "repo": "refused"})) == (422, code)
    assert client.get(f"/api/mods/{record['id']}").json() == record


def test_a_publish_moves_the_version_and_keeps_the_older_one(
    publish_mod: Publish, visitor: httpx.Client, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "moves", {"a.webp": 10})
    first = publish_mod(owner, "moves")
    head = publish(built.path, {"a.webp": b"new"})
    second = publish_mod(owner, "moves")
    assert (second["id"], second["version"]) == (first["id"], head)
    assert second["artifactHash"] != first["artifactHash"]
    answer = visitor.get(f"/api/mods/{first['id']}/versions").json()
    assert [one["version"] for one in answer["items"]] == [head, built.sha]
    assert visitor.get(f"/api/mods/{first['id']}/versions/{built.sha}/files").status_code == 200


def test_the_artifact_hash_moves_with_pulled_bytes_only(publish_mod: Publish, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "hash", {"a.webp": 10}, rules=[{"kind": "markdown", "path": "rules.md"}])
    first = publish_mod(owner, "hash")
    publish(built.path, {"README.md": b"about", "rules.md": b"first"})
    second = publish_mod(owner, "hash")
    publish(built.path, {"README.md": b"about more"})
    third = publish_mod(owner, "hash")
    publish(built.path, {"rules.md": b"second"})
    fourth = publish_mod(owner, "hash")
    hashes = [one["artifactHash"] for one in (first, second, third, fourth)]
    assert hashes[1] == hashes[2]
    assert len(set(hashes)) == 3
    assert len({one["version"] for one in (first, second, third, fourth)}) == 4


@pytest.mark.parametrize("supplied", ["cafe1234", "main", "", "A" * 40, "0" * 39, "0" * 41])
def test_an_abbreviated_sha_is_refused_without_a_look_up(
    client: httpx.Client, origin: LocalOrigin, mods: Path, owner: str, supplied: str
) -> None:
    synthetic_mod(mods, owner, "short", {"a.webp": 10})
    answer = client.post("/api/mods", json={"owner": owner, "repo": "short", "commitSha": supplied})
    assert problem(answer) == (422, "unpinned-scan")
    assert origin.requests.count() == 0


def test_a_supplied_sha_must_be_head_or_ancestor_of_the_branch(client: httpx.Client, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "proof", {"a.webp": 10})
    head = publish(built.path, {"a.webp": b"2"})
    tree = git(built.path, "rev-parse", "main^{tree}")
    fork = git(built.path, "commit-tree", tree, "-p", built.sha, "-m", "a commit of a fork")
    git(built.path, "tag", "-a", "-m", "x", "v1", head)
    tag = git(built.path, "rev-parse", "v1")
    # A branch may be named like a sha.
    git(built.path, "branch", "f" * 40, head)

    def register(sha: str) -> httpx.Response:
        return client.post("/api/mods", json={"owner": owner, "repo": "proof", "commitSha": sha})

    for sha in (fork, tag, tree, "f" * 40, "0" * 40):
        assert problem(register(sha)) == (422, "unpinned-scan"), sha
    assert client.get("/api/mods", params={"repo": f"{owner}/proof"}).json()["items"] == []
    assert register(built.sha).json()["version"] == built.sha
    assert register(head).json()["version"] == head
    assert problem(register(fork)) == (422, "unpinned-scan")
    assert client.get("/api/mods", params={"repo": f"{owner}/proof"}).json()["items"][0]["version"] == head


def test_a_supplied_sha_that_can_t_be_proven_now_is_refused(
    client: httpx.Client, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "spent", {"a.webp": 10})
    origin.budget.limit = 0
    answer = client.post("/api/mods", json={"owner": owner, "repo": "spent", "commitSha": built.sha})
    assert problem(answer) == (422, "unpinned-scan")


def test_the_head_is_found_without_any_api_budget(
    publish_mod: Publish, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "no-budget", {"a.webp": 10})
    origin.budget.limit = 0
    assert publish_mod(owner, "no-budget")["commitSha"] == built.sha


def test_unchanged_content_without_a_sha_keeps_the_old_one(
    publish_mod: Publish, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "kept", {"a.webp": 10})
    publish_mod(owner, "kept")
    publish(built.path, {"README.md": b"nothing a player pulls"})
    blind(origin)
    record = publish_mod(owner, "kept")
    assert (record["commitSha"], record["version"]) == (built.sha, built.sha)


def test_changed_content_without_a_sha_clears_the_old_one(
    publish_mod: Publish, visitor: httpx.Client, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "cleared", {"a.webp": 10})
    publish_mod(owner, "cleared")
    publish(built.path, {"a.webp": b"changed"})
    blind(origin)
    record = publish_mod(owner, "cleared")
    assert record["commitSha"] is None
    assert record["version"] == record["artifactHash"]
    assert len(str(record["version"])) == 64
    assert origin.requests.count("*legacy.tar.gz*", host="git") == 2
    assert origin.requests.count(host="raw") == 0
    files = visitor.get(f"/api/mods/{record['id']}/versions/{record['version']}/files").json()["files"]
    assert hashlib.sha256(b"changed").hexdigest() in {file["sha256"] for file in files}


def test_content_that_can_t_be_read_leaves_the_record_alone(
    publish_mod: Publish, client: httpx.Client, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "unread", {"a.webp": 1000})
    record = publish_mod(owner, "unread")
    publish(built.path, {"a.webp": b"changed"})
    for fault in (Fault(status=500), Fault(ending="cut", after=2000), Fault(damage=lambda content: content[:-600])):
        origin.faults.clear()
        origin.faults.on("*legacy.tar.gz*", then=fault, host="git")
        answer = client.post("/api/mods", json={"owner": owner, "repo": "unread"})
        assert problem(answer) == (503, "github-unreachable")
    assert client.get(f"/api/mods/{record['id']}").json() == record


def blind(origin: LocalOrigin) -> None:
    """Let neither git's protocol nor the API tell where the branch is."""
    origin.faults.on("*/git-upload-pack", then=Fault(status=500), host="git")
    origin.faults.on("*", then=Fault(status=429, headers={"retry-after": "60"}), host="api")


@pytest.mark.parametrize("ref", ["wip", "refs/heads/wip", "v1", "0" * 40])
def test_only_the_published_branch_can_be_registered(client: httpx.Client, mods: Path, owner: str, ref: str) -> None:
    built = synthetic_mod(mods, owner, "draft", {"a.webp": 10})
    git(built.path, "branch", "wip", built.sha)
    answer = client.post("/api/mods", json={"owner": owner, "repo": "draft", "ref": ref})
    assert problem(answer) == (422, "draft-not-publishable")
    for published in ("main", "refs/heads/main"):
        assert client.post("/api/mods", json={"owner": owner, "repo": "draft", "ref": published}).status_code == 200


def test_without_a_main_the_default_branch_is_published(publish_mod: Publish, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "trunk", {"a.webp": 10})
    git(built.path, "branch", "-m", "main", "trunk")
    git(built.path, "symbolic-ref", "HEAD", "refs/heads/trunk")
    record = publish_mod(owner, "trunk")
    assert (record["ref"], record["commitSha"]) == ("trunk", built.sha)


def test_an_empty_or_unknown_repository_is_refused(client: httpx.Client, mods: Path, owner: str) -> None:
    (mods / owner).mkdir()
    git(mods, "init", "-q", "-b", "main", "--bare", str(mods / owner / "empty"))
    assert problem(client.post("/api/mods", json={"owner": owner, "repo": "empty"})) == (422, "manifest-unreadable")
    assert problem(client.post("/api/mods", json={"owner": owner, "repo": "none"})) == (404, "repository-not-found")


def test_a_repository_can_t_become_another_mod(
    publish_mod: Publish, client: httpx.Client, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "identity", {"a.webp": 10})
    publish_mod(owner, "identity")
    publish(built.path, {MANIFEST: manifest(built.path, id="someone-else")})
    answer = client.post("/api/mods", json={"owner": owner, "repo": "identity"})
    assert problem(answer) == (409, "repo-already-registered")


def test_only_the_owner_registers_again(publish_mod: Publish, registry: Registry, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "owned", {"a.webp": 10})
    publish_mod(owner, "owned")
    with registry.client() as other, registry.client(admin=True) as admin:
        body = {"owner": owner, "repo": "owned"}
        assert problem(other.post("/api/mods", json=body)) == (403, "not-owner")
        assert admin.post("/api/mods", json=body).status_code == 200
    assert publish_mod(owner, "owned")["repo"] == "owned"


def test_registering_needs_an_account(visitor: httpx.Client, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "anonymous", {"a.webp": 10})
    answer = visitor.post("/api/mods", json={"owner": owner, "repo": "anonymous"})
    assert problem(answer) == (401, "sign-in-required")


def test_a_slug_stays_with_its_first_mod(publish_mod: Publish, mods: Path, owner: str) -> None:
    slug = f"slug-of-{owner.lower()}"
    records = []
    for name in ("one", "two"):
        synthetic_mod(mods, owner, name, {"a.webp": 10}, slug=slug)
        records.append(publish_mod(owner, name))
    synthetic_mod(mods, f"{owner}-b", "three", {"a.webp": 10}, slug=slug)
    records.append(publish_mod(f"{owner}-b", "three"))
    slugs = [record["slug"] for record in records]
    assert slugs == [slug, f"{slug}-{owner.lower()}", f"{slug}-{owner.lower()}-b"]
    assert publish_mod(owner, "one")["slug"] == slug


def test_an_older_commit_is_proven_scanned_and_never_listed(
    publish_mod: Publish, visitor: httpx.Client, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "older", {"a.webp": 10})
    head = publish(built.path, {"a.webp": b"new"})
    record = publish_mod(owner, "older")
    files = f"/api/mods/{record['id']}/versions/{built.sha}/files"
    found = {file["path"]: file["sha256"] for file in visitor.get(files).json()["files"]}
    assert found == {path: digest.sha256 for path, digest in digests(built.path, built.sha).items()}
    origin.requests.reset()
    assert visitor.get(files).status_code == 200
    assert origin.requests.count() == 0
    listed = visitor.get(f"/api/mods/{record['id']}/versions").json()["items"]
    assert [one["version"] for one in listed] == [head]
    assert visitor.get(f"/api/mods/{record['id']}").json() == record


def test_a_commit_outside_the_published_branch_is_an_unknown_version(
    publish_mod: Publish, visitor: httpx.Client, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "outside", {"a.webp": 10})
    record = publish_mod(owner, "outside")
    draft = publish(built.path, {"a.webp": b"not published yet"})
    for version in (draft, "0" * 40):
        url = f"/api/mods/{record['id']}/versions/{version}/files"
        assert problem(visitor.get(url)) == (404, "unknown-version")
        origin.requests.reset()
        assert problem(visitor.get(url)) == (404, "unknown-version")
        assert origin.requests.count() == 0
    for version in ("main", built.sha[:10], "0" * 64, "%00", built.sha.upper()):
        url = f"/api/mods/{record['id']}/versions/{version}/files"
        assert problem(visitor.get(url)) == (404, "unknown-version")


def test_a_gone_repository_keeps_its_record(publish_mod: Publish, client: httpx.Client, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "gone", {"a.webp": 10})
    record = publish_mod(owner, "gone")
    hidden = mods / owner / ".gone"
    built.path.rename(hidden)
    assert problem(client.post("/api/mods", json={"owner": owner, "repo": "gone"})) == (404, "repository-not-found")
    assert client.get(f"/api/mods/{record['id']}").json()["available"] is False
    assert client.get("/api/mods", params={"repo": f"{owner}/gone"}).json()["items"] == []
    hidden.rename(built.path)
    assert publish_mod(owner, "gone") | {"updatedAt": None} == record | {"updatedAt": None}


def test_registrations_at_one_moment_end_in_one_record(registry: Registry, mods: Path, owner: str) -> None:
    synthetic_mod(mods, owner, "crowd", {"a.webp": 10})
    token = registry.accounts.issue_token(registry.account(), "crowd")

    def register(_: int) -> str:
        with registry.client(token=token) as client:
            return str(client.post("/api/mods", json={"owner": owner, "repo": "crowd"}).json()["id"])

    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(register, range(8)))
    assert len(ids) == 1


def test_registrations_from_several_processes_end_in_one_record(
    registry: Registry, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "processes", {"a.webp": 10})
    program = """
import sys
from client.repository import Repository
from server.database import open_database
from server.github import GitHub
from server.registration import Publish, Registrar
from server.settings import GitHubEndpoints, Limits
url, raw, media, api, git, owner = sys.argv[1:]
github = GitHub(GitHubEndpoints(raw, media, api, git, git, "local"))
registrar = Registrar(open_database(url), github, Limits())
found = registrar.read(Publish(Repository(owner, "processes")))
print("read", flush=True)
sys.stdin.readline()
print(registrar.record(found).id, flush=True)
"""
    hosts = (origin.raw, origin.media, origin.api, origin.git)
    command = [sys.executable, "-c", program, registry.settings.database, *hosts, owner]
    crowd = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for one in crowd:
        assert one.stdout is not None
        assert one.stdout.readline() == "read\n"
    for one in crowd:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    ids = {one.communicate()[0].strip() for one in crowd}
    assert len(ids) == 1
    assert [one.returncode for one in crowd] == [0, 0, 0]


def test_a_repository_over_the_limits_is_refused_while_it_is_read(origin: LocalOrigin, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "huge", {"a.bin": 3_000_000})
    repository = Repository(owner, "huge")
    with GitHub(endpoints(origin)) as github:
        for limits in (Limits(repository_bytes=1_000_000), Limits(files=2)):
            with pytest.raises(Exception, match="The repository") as raised:
                scan(github, repository, "main", built.shas[0], limits)  # type: ignore[arg-type]
            assert getattr(raised.value, "code", None) == "too-large"


def facts(owner: str, name: str, number: int) -> Fault:
    """The API's answer about a repository of that name and number."""
    answer = {"id": number, "full_name": f"{owner}/{name}", "default_branch": "main"}
    # Its ETag would be the true answer's.
    return Fault(status=200, body=json.dumps(answer).encode(), without=frozenset({"etag"}))


def test_a_renamed_repository_keeps_its_record(
    publish_mod: Publish, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    built = synthetic_mod(mods, owner, "before", {"a.webp": 10})
    origin.faults.on(f"/repos/{owner}/before", then=facts(owner, "before", 7_000_001), host="api")
    first = publish_mod(owner, "before")
    built.path.rename(built.path.with_name("after"))
    origin.faults.clear()
    # GitHub redirects the old name to the repository's number, and answers with the new name.
    origin.faults.on(f"/repos/{owner}/before", then=facts(owner, "after", 7_000_001), host="api")
    second = publish_mod(owner, "before")
    assert (second["id"], second["repo"], second["slug"]) == (first["id"], "after", first["slug"])


def test_another_repository_under_a_registered_name_is_refused(
    publish_mod: Publish, client: httpx.Client, origin: LocalOrigin, mods: Path, owner: str
) -> None:
    synthetic_mod(mods, owner, "again", {"a.webp": 10})
    origin.faults.on(f"/repos/{owner}/again", facts(owner, "again", 7_000_002), host="api")
    record = publish_mod(owner, "again")
    answer = client.post("/api/mods", json={"owner": owner, "repo": "again"})
    assert problem(answer) == (409, "repo-already-registered")
    assert client.get(f"/api/mods/{record['id']}").json() == record


def test_many_issues_are_recorded_up_to_a_bound(publish_mod: Publish, mods: Path, owner: str) -> None:
    built = synthetic_mod(mods, owner, "faulty", {"a.webp": 10})
    publish(built.path, {MANIFEST: manifest(built.path, assets=[f"gone-{number}.webp" for number in range(10_000)])})
    record = publish_mod(owner, "faulty")
    assert len(record["issues"]) == 501
    assert record["issues"][-1]["message"] == "And 9500 more."
    assert record["compatible"] is False
