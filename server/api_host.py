"""The local origin's REST host: what the registry asks GitHub's API, in its shapes and with its rate limit."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, field
from urllib.parse import quote

from server.device_login import DeviceLogins
from server.exchange import Reply, Request
from server.git import GitError, Repository
from server.shelf import Shelf, ShelfPlace

_COMPARED_COMMITS = 250
_EXPOSED = "ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"


@dataclass(slots=True)
class RateBudget:
    """Requests allowed in a window of ``window_s`` seconds; ``limit`` and ``used`` may be set while it runs."""

    limit: int
    window_s: int = 3600
    used: int = 0
    resets_at: float = field(default_factory=time.time)

    def spend(self) -> bool:
        """Take one request out of the budget; False when there is none left."""
        self._turn()
        if self.used >= self.limit:
            return False
        self.used += 1
        return True

    def refund(self) -> None:
        self.used = max(0, self.used - 1)

    def headers(self) -> dict[str, str]:
        self._turn()
        return {
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(max(0, self.limit - self.used)),
            "x-ratelimit-used": str(self.used),
            "x-ratelimit-reset": str(int(self.resets_at)),
            "x-ratelimit-resource": "core",
        }

    def _turn(self) -> None:
        now = time.time()
        if now >= self.resets_at:
            self.used = 0
            self.resets_at = now + self.window_s


class _RefusedError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class ApiHost:
    """``/repos/{owner}/{repo}`` and what lies below it. ``tree_limit`` is how many entries a tree answers at most."""

    def __init__(self, shelf: Shelf, budget: RateBudget, logins: DeviceLogins, *, tree_limit: int = 100_000) -> None:
        self.budget = budget
        self._logins = logins
        self.tree_limit = tree_limit
        self._shelf = shelf

    async def answer(self, request: Request, git_base: str) -> Reply:
        if request.method == "OPTIONS":
            allowed = "Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, X-GitHub-Api-Version"
            methods = "GET, POST, PATCH, PUT, DELETE"
            return Reply(
                204,
                {
                    "access-control-allow-origin": "*",
                    "access-control-allow-headers": allowed,
                    "access-control-allow-methods": methods,
                    "access-control-max-age": "86400",
                },
            )
        if request.method not in {"GET", "HEAD"}:
            return self._json(404, {"message": "Not Found"})
        if request.segments == ("rate_limit",):
            core = {"limit": self.budget.limit, "remaining": max(0, self.budget.limit - self.budget.used)}
            return self._json(200, {"resources": {"core": core}, "rate": core})
        if not self.budget.spend():
            text = (
                "API rate limit exceeded. (But here's the good news: Authenticated requests get a higher rate limit.)"
            )
            return self._json(403, {"message": text, "documentation_url": "https://docs.github.com/rest/rate-limit"})
        try:
            return await self._route(request, git_base)
        except _RefusedError as refused:
            return self._json(refused.status, {"message": refused.message, "status": str(refused.status)})
        except GitError:
            return self._json(500, {"message": "Server Error"})

    async def _route(self, request: Request, git_base: str) -> Reply:
        segments = request.segments
        authorization = request.headers.get("authorization", "")
        login = self._logins.login(authorization)
        if login is None and authorization.startswith("Bearer gho_"):
            raise _RefusedError(401, "Bad credentials")
        if segments == ("user",):
            if login is None:
                raise _RefusedError(401, "Requires authentication")
            return self._fresh(request, self._logins.user(login))
        if len(segments) < 3 or segments[0] != "repos":
            raise _RefusedError(404, "Not Found")
        found = await self._shelf.find(segments[1], segments[2])
        if found is None:
            raise _RefusedError(404, "Not Found")
        place, repository = found
        base = f"{request.base}/repos/{quote(place.owner)}/{quote(place.name)}"
        match segments[3:]:
            case ():
                described = await self._repository(place, repository, base)
                if login is not None:
                    described["permissions"] = self._logins.permissions(login, place.owner, place.name)
                return self._fresh(request, described)
            case ("commits", *ref) if ref:
                return await self._commit(request, repository, "/".join(ref), base)
            case ("compare", *names) if names:
                return self._fresh(request, await self._compare(repository, "/".join(names), base))
            case ("git", "trees", *name) if name:
                return self._fresh(request, await self._tree(request, repository, "/".join(name), base))
            case ("tarball", *ref):
                sha = await self._known(repository, "/".join(ref) or "HEAD", 404, "Not Found")
                # Like GitHub, which sends archives from another host that is not part of the API's budget.
                target = f"{git_base}/{quote(place.owner)}/{quote(place.name)}/legacy.tar.gz/{sha}"
                return Reply(302, {"location": target, **self._headers()})
            case _:
                raise _RefusedError(404, "Not Found")

    async def _repository(self, place: ShelfPlace, repository: Repository, base: str) -> dict[str, object]:
        return {
            "id": place.number,
            "name": place.name,
            "full_name": f"{place.owner}/{place.name}",
            "private": False,
            "owner": {"login": place.owner},
            "url": base,
            "fork": False,
            "archived": False,
            "disabled": False,
            "visibility": "public",
            "default_branch": await repository.default_branch(),
        }

    async def _commit(self, request: Request, repository: Repository, ref: str, base: str) -> Reply:
        if await repository.commit("HEAD") is None and ref in {"HEAD", await repository.default_branch()}:
            raise _RefusedError(409, "Git Repository is empty.")
        sha = await self._known(repository, ref, 422, f"No commit found for SHA: {ref}")
        if "application/vnd.github.sha" in request.headers.get("accept", ""):
            content = sha.encode()
            return self._validated(request, content, "application/vnd.github.sha; charset=utf-8")
        fields = await repository.run("show", "-s", "--format=%T%x00%P%x00%an%x00%aI%x00%cn%x00%cI%x00%B", sha, "--")
        tree, parents, author, authored, committer, committed, message = (
            fields.decode(errors="replace").rstrip("\n").split("\0", 6)
        )
        return self._fresh(
            request,
            {
                "sha": sha,
                "url": f"{base}/commits/{sha}",
                "commit": {
                    "author": {"name": author, "date": authored},
                    "committer": {"name": committer, "date": committed},
                    "message": message,
                    "tree": {"sha": tree, "url": f"{base}/git/trees/{tree}"},
                },
                "parents": [{"sha": parent, "url": f"{base}/commits/{parent}"} for parent in parents.split()],
            },
        )

    async def _compare(self, repository: Repository, names: str, base: str) -> dict[str, object]:
        first, dots, second = names.partition("...")
        if not dots:
            raise _RefusedError(404, "Not Found")
        start = await self._known(repository, first, 404, "Not Found")
        end = await self._known(repository, second, 404, "Not Found")
        try:
            common = (await repository.run("merge-base", start, end)).decode().split()[0]
        except (GitError, IndexError):
            raise _RefusedError(404, f"No common ancestor between {first} and {second}.") from None
        counts = (await repository.run("rev-list", "--left-right", "--count", f"{start}...{end}", "--")).split()
        behind, ahead = int(counts[0]), int(counts[1])
        listing = await repository.run(
            "rev-list", "--reverse", f"--max-count={_COMPARED_COMMITS}", f"{start}..{end}", "--"
        )
        status = "identical" if start == end else "diverged" if ahead and behind else "ahead" if ahead else "behind"
        return {
            "url": f"{base}/compare/{quote(first)}...{quote(second)}",
            "status": status,
            "ahead_by": ahead,
            "behind_by": behind,
            "total_commits": ahead,
            "base_commit": {"sha": start},
            "merge_base_commit": {"sha": common},
            "commits": [{"sha": sha} for sha in listing.decode().split()],
        }

    async def _tree(self, request: Request, repository: Repository, name: str, base: str) -> dict[str, object]:
        recursive = bool(request.query.get("recursive"))
        found = await repository.commit(name)
        if found is None and len(name) == 40 and all(digit in "0123456789abcdef" for digit in name):
            thing = await repository.info(name.encode())
            found = name if thing is not None and thing.kind == "tree" else None
        if found is None:
            raise _RefusedError(404, "Not Found")
        tree = await repository.info(f"{found}^{{tree}}".encode())
        if tree is None:
            raise _RefusedError(404, "Not Found")
        entries = await repository.tree(tree.oid, recursive=recursive)
        listed = []
        for entry in entries[: self.tree_limit]:
            line: dict[str, object] = {
                "path": entry.path.decode(errors="replace"),
                "mode": entry.mode,
                "type": entry.kind,
                "sha": entry.oid,
            }
            if entry.size is not None:
                line["size"] = entry.size
            listed.append(line)
        url = f"{base}/git/trees/{tree.oid}"
        return {"sha": tree.oid, "url": url, "tree": listed, "truncated": len(entries) > self.tree_limit}

    async def _known(self, repository: Repository, ref: str, status: int, message: str) -> str:
        sha = await repository.commit(ref)
        if sha is None:
            raise _RefusedError(status, message)
        return sha

    def _fresh(self, request: Request, value: object) -> Reply:
        return self._validated(request, json.dumps(value).encode(), "application/json; charset=utf-8")

    def _validated(self, request: Request, content: bytes, kind: str) -> Reply:
        etag = f'"{hashlib.sha256(content).hexdigest()}"'
        if etag in request.headers.get("if-none-match", ""):
            # An unchanged answer costs nothing to those who say who they are, and to nobody else.
            if "authorization" in request.headers:
                self.budget.refund()
            return Reply(304, {"etag": etag, **self._headers()})
        headers = {"content-type": kind, "etag": etag, "cache-control": "public, max-age=60, s-maxage=60"}
        return Reply(200, {**headers, **self._headers()}, content)

    def _json(self, status: int, value: object) -> Reply:
        kind = {"content-type": "application/json; charset=utf-8"}
        return Reply(status, {**kind, **self._headers()}, json.dumps(value).encode())

    def _headers(self) -> dict[str, str]:
        return {
            "access-control-allow-origin": "*",
            "access-control-expose-headers": _EXPOSED,
            "x-content-type-options": "nosniff",
            "vary": "Accept, Authorization, Accept-Encoding",
            **self.budget.headers(),
        }
