"""What the registry asks GitHub, or the local origin in its place.

The head of a branch comes from git's own protocol and costs nothing of the API's budget; the API is asked for what
only it can prove, conditionally where an earlier answer is kept, and not at all while it wants to be left alone.
Network trouble and server errors are met with a few tries more. Synchronous: a scan runs in a thread.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import math
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import httpx

from client.repository import Repository
from client.urls import encoded
from client.version import CommitSha, commit_sha
from server.answer import Answer, Answers
from server.patience import Patience
from server.settings import GitHubEndpoints

_TIMEOUT = httpx.Timeout(30, connect=10)
_LONGEST_REF_LIST = 8 << 20
_RATE_LIMITED = {403, 429}
_PASSING = {500, 502, 503, 504}
_ATTEMPTS = 3
_BACK_OFF_S = 0.1
_REF_LINE = re.compile(rb"([0-9a-f]{40}) (\S+)((?: \S+)*)")

logger = logging.getLogger(__name__)


class GitHubError(Exception):
    """GitHub could not be asked, or did not answer as it should.

    ::

        GitHubError
        ├── RepositoryMissingError  no public repository of that name
        ├── RateLimitedError        the budget is used up; retry_after in seconds, if it said so
        ├── UnauthorizedError       the person's token is worth nothing any more
        └── UnreachableError        network trouble or a server error
    """


class RepositoryMissingError(GitHubError):
    pass


class RateLimitedError(GitHubError):
    def __init__(self, message: str, retry_after: int | None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnauthorizedError(GitHubError):
    pass


class UnreachableError(GitHubError):
    pass


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """What GitHub says of a repository: its spelling of the name and the number that survives a rename."""

    repository: Repository
    number: str
    default_branch: str


@dataclass(frozen=True, slots=True)
class Head:
    """The branch that can be published, and the commit it is at."""

    branch: str
    sha: CommitSha


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file as git's tree has it; ``oid`` is git's own hash, ``mode`` tells symbolic links and submodules."""

    path: str
    mode: str
    oid: str
    size: int | None


@dataclass(frozen=True, slots=True)
class StartedDevice:
    """The first answer of the device flow; times in seconds."""

    device_code: str
    user_code: str
    verification_uri: str
    interval: int
    expires_in: int


@dataclass(frozen=True, slots=True)
class DeviceStep:
    """A later answer: the token, or the ``error`` word of RFC 8628 and perhaps a new interval in seconds."""

    token: str | None
    error: str | None
    interval: int | None


@dataclass(frozen=True, slots=True)
class GitHubUser:
    """A person; ``number`` survives a change of ``login``."""

    number: str
    login: str


class GitHub:
    """A client of one GitHub; safe to use from several threads. ``answers`` keeps what the API has said."""

    def __init__(
        self,
        endpoints: GitHubEndpoints,
        token: str | None = None,
        answers: Answers | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.endpoints = endpoints
        self.patience = Patience()
        self._answers = answers
        self._sleep = sleep
        self._authorization = {"authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(timeout=_TIMEOUT, headers={"user-agent": "diceytable-peer"}, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def facts(self, repository: Repository) -> RepositoryFacts:
        """:raises GitHubError: any of its kinds"""
        answer = self._api(f"/repos/{repository}")
        try:
            owner, _, name = answer["full_name"].partition("/")
            number = f"{self.endpoints.name}:{int(answer['id'])}"
            return RepositoryFacts(Repository(owner, name), number, str(answer["default_branch"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UnreachableError(f"GitHub's answer about {repository} can't be read: {error}") from None

    def head(self, repository: Repository) -> Head | None:
        """`main` when there is one, else the default branch; None when the repository is empty.

        One ``ls-refs`` of git's protocol version 2 (gitprotocol-v2), which no API budget counts.

        :raises GitHubError: any of its kinds
        """
        lines = (b"peel\n", b"symrefs\n", b"ref-prefix HEAD\n", b"ref-prefix refs/heads/main\n")
        body = _packet(b"command=ls-refs\n") + b"0001" + b"".join(_packet(line) for line in lines) + b"0000"
        headers = {
            "git-protocol": "version=2",
            "content-type": "application/x-git-upload-pack-request",
            "accept": "application/x-git-upload-pack-result",
        }
        url = f"{self.endpoints.git}/{repository}.git/git-upload-pack"
        self._wait_politely(url)
        answer = self._ask("POST", url, headers, content=body)
        if answer.status_code == 429:
            raise self._rate_limited(answer, url)
        if answer.status_code in {401, 403, 404}:
            raise RepositoryMissingError(f"{repository} is not a public repository")
        if answer.status_code != 200 or len(answer.content) > _LONGEST_REF_LIST:
            raise UnreachableError(f"{url} answers {answer.status_code}")
        return _head(answer.content)

    def resolve(self, repository: Repository, branch: str) -> CommitSha:
        """The commit a branch is at, by the API: the second way when git's protocol does not answer.

        :raises GitHubError: any of its kinds
        """
        answer = self._api(f"/repos/{repository}/commits/{encoded(branch)}")
        sha = commit_sha(answer.get("sha"))
        if sha is None:
            raise UnreachableError(f"GitHub's answer about {branch} of {repository} has no sha")
        return sha

    def is_commit(self, repository: Repository, sha: CommitSha) -> bool:
        """Whether the commits API answers with exactly this sha (seed page "A supplied sha is proven").

        :raises GitHubError: when it could not be asked
        """
        try:
            answer = self._api(f"/repos/{repository}/commits/{sha}")
        except RepositoryMissingError:
            return False
        return answer.get("sha") == sha

    def is_ancestor(self, repository: Repository, sha: CommitSha, head: CommitSha) -> bool:
        """Whether ``head`` can be reached from ``sha``; a fork's commit answers to its name here, but can't.

        :raises GitHubError: when it could not be asked
        """
        if sha == head:
            return True
        try:
            answer = self._api(f"/repos/{repository}/compare/{sha}...{head}")
        except RepositoryMissingError:
            return False
        return answer.get("status") in {"ahead", "identical"}

    def start_device(self, client_id: str) -> StartedDevice:
        """Ask for a code that a person enters on GitHub; no scope, so the token can read what is public.

        :raises GitHubError: it could not be asked
        """
        answer = self._form("/login/device/code", {"client_id": client_id})
        try:
            address = str(answer["verification_uri"])
            if not address.startswith(self.endpoints.git):
                raise ValueError("the code is to be entered elsewhere")
            numbers = int(answer["interval"]), int(answer["expires_in"])
            return StartedDevice(str(answer["device_code"]), str(answer["user_code"]), address, *numbers)
        except (KeyError, TypeError, ValueError) as error:
            raise UnreachableError(f"GitHub does not start a sign-in: {error}") from None

    def poll_device(self, client_id: str, device_code: str) -> DeviceStep:
        """Ask whether the person has entered the code.

        :raises GitHubError: it could not be asked
        """
        grant = "urn:ietf:params:oauth:grant-type:device_code"
        form = {"client_id": client_id, "device_code": device_code, "grant_type": grant}
        answer = self._form("/login/oauth/access_token", form)
        token, error, interval = answer.get("access_token"), answer.get("error"), answer.get("interval")
        return DeviceStep(
            token if isinstance(token, str) and token else None,
            error if isinstance(error, str) else None,
            interval if isinstance(interval, int) and 0 < interval <= 900 else None,
        )

    def user(self, token: str) -> GitHubUser:
        """Whose token it is.

        :raises GitHubError: any of its kinds
        """
        answer = self._api("/user", token)
        try:
            return GitHubUser(f"{self.endpoints.name}:{int(answer['id'])}", Repository(answer["login"], "x").owner)
        except (KeyError, TypeError, ValueError) as error:
            raise UnreachableError(f"GitHub's answer about a user can't be read: {error}") from None

    def may_push(self, repository: Repository, token: str) -> bool:
        """Whether the token's owner may push to a repository.

        :raises GitHubError: any of its kinds
        """
        permissions = self._api(f"/repos/{repository}", token).get("permissions")
        return isinstance(permissions, dict) and permissions.get("push") is True

    def tree(self, repository: Repository, sha: CommitSha) -> list[TreeFile]:
        """Every file of a commit; fewer when GitHub truncates its answer.

        :raises GitHubError: any of its kinds
        """
        answer = self._api(f"/repos/{repository}/git/trees/{sha}?recursive=1")
        files = [
            TreeFile(entry["path"], entry["mode"], entry["sha"], entry.get("size"))
            for entry in answer.get("tree", ())
            if entry.get("type") != "tree"
        ]
        if answer.get("truncated"):
            logger.warning("GitHub lists only the first %d files of %s", len(files), repository)
        return files

    @contextlib.contextmanager
    def archive(self, repository: Repository, ref: str) -> Iterator[Iterator[bytes]]:
        """A commit's or branch's tarball, gzipped, in pieces.

        :raises GitHubError: any of its kinds, also while reading
        """
        name = ref if commit_sha(ref) else f"refs/heads/{ref}"
        url = f"{self.endpoints.archives}/{repository}/legacy.tar.gz/{encoded(name)}"
        self._wait_politely(url)
        try:
            with self._http.stream("GET", url, follow_redirects=True) as answer:
                self._check(answer, url)
                yield answer.iter_raw()
        except httpx.HTTPError as error:
            raise UnreachableError(f"{url}: {error}") from None

    def raw(self, repository: Repository, sha: CommitSha, path: str, limit: int) -> bytes:
        """One file of a commit, at most ``limit`` bytes of it.

        :raises GitHubError: any of its kinds
        """
        url = f"{self.endpoints.raw}/{repository}/{sha}/{encoded(path)}"
        self._wait_politely(url)
        content = bytearray()
        try:
            with self._http.stream("GET", url) as answer:
                self._check(answer, url)
                for piece in answer.iter_bytes():
                    content += piece
                    if len(content) > limit:
                        raise UnreachableError(f"{url} is longer than {limit} bytes")
        except httpx.HTTPError as error:
            raise UnreachableError(f"{url}: {error}") from None
        return bytes(content)

    def _form(self, path: str, form: dict[str, str]) -> dict[str, Any]:
        url = self.endpoints.git + path
        try:
            answer = self._http.post(url, data=form, headers={"accept": "application/json"})
        except httpx.HTTPError as error:
            raise UnreachableError(f"{url}: {error}") from None
        self._check(answer, url)
        return _object(answer.content, url)

    def _api(self, path: str, token: str | None = None) -> dict[str, Any]:
        """An answer of the REST API; with ``token`` in a person's name and never out of a store."""
        url = self.endpoints.api + path
        proof = self._authorization if token is None else {"authorization": f"Bearer {token}"}
        headers = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28", **proof}
        if token is not None:
            # A person's token has a budget of its own, and what it may see is nobody else's.
            answer = self._ask("GET", url, headers)
            if answer.status_code == 401:
                raise UnauthorizedError(f"{url} does not take the token")
            self._check(answer, url, patiently=False)
            return _object(answer.content, url)
        self._wait_politely(url)
        kept = self._answers.get(url) if self._answers is not None else None
        if kept is not None:
            headers["if-none-match"] = kept.etag
        answer = self._ask("GET", url, headers)
        if answer.status_code == 304 and kept is not None:
            self.patience.answered(_host(url), answer.headers)
            return _object(kept.body, url)
        self._check(answer, url)
        value = _object(answer.content, url)
        if self._answers is not None and "etag" in answer.headers:
            self._answers.keep(url, Answer(answer.headers["etag"], answer.content))
        return value

    def _ask(self, method: str, url: str, headers: dict[str, str], content: bytes | None = None) -> httpx.Response:
        """One request that may be repeated safely; a few times, where the trouble looks like passing."""
        for attempt in itertools.count(1):
            try:
                answer = self._http.request(method, url, content=content, headers=headers, follow_redirects=True)
            except httpx.HTTPError as error:
                if attempt == _ATTEMPTS:
                    raise UnreachableError(f"{url}: {error}") from None
            else:
                if answer.status_code not in _PASSING or attempt == _ATTEMPTS:
                    return answer
            self._sleep(random.uniform(0, _BACK_OFF_S * 2**attempt))  # noqa: S311 # jitter is no secret
        raise AssertionError("unreachable")

    def _wait_politely(self, url: str) -> None:
        """:raises RateLimitedError: the host is not to be asked yet"""
        left = self.patience.left_s(_host(url))
        if left:
            raise RateLimitedError(f"{url}: not asked, to leave the host alone", math.ceil(left))

    def _rate_limited(self, answer: httpx.Response, url: str) -> RateLimitedError:
        return RateLimitedError(f"{url}: rate limited", math.ceil(self.patience.refused(_host(url), answer.headers)))

    def _check(self, answer: httpx.Response, url: str, *, patiently: bool = True) -> None:
        status = answer.status_code
        if status == 200:
            if patiently:
                self.patience.answered(_host(url), answer.headers)
            return
        spent = answer.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in answer.headers
        if status == 429 or (status in _RATE_LIMITED and spent):
            if not patiently:
                raise RateLimitedError(f"{url}: rate limited", None)
            raise self._rate_limited(answer, url)
        if status in {404, 409, 410, 422, 451}:
            raise RepositoryMissingError(f"{url} answers {status}")
        raise UnreachableError(f"{url} answers {status}")


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0]


def _object(content: bytes, url: str) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise UnreachableError(f"{url} does not answer with JSON") from None
    if not isinstance(value, dict):
        raise UnreachableError(f"{url} does not answer with an object")
    return value


def _packet(line: bytes) -> bytes:
    return f"{len(line) + 4:04x}".encode() + line


def _head(content: bytes) -> Head | None:
    default: tuple[str, bytes] | None = None
    main: bytes | None = None
    for line in _packets(content):
        match = _REF_LINE.fullmatch(line.rstrip(b"\n"))
        if match is None:
            continue
        sha, name, attributes = match.groups()
        if name == b"HEAD":
            for attribute in attributes.split():
                if attribute.startswith(b"symref-target:refs/heads/"):
                    branch = attribute.removeprefix(b"symref-target:refs/heads/").decode(errors="replace")
                    default = branch, sha
        elif name == b"refs/heads/main":
            main = sha
    if main is not None:
        return Head("main", CommitSha(main.decode()))
    return None if default is None else Head(default[0], CommitSha(default[1].decode()))


def _packets(content: bytes) -> Iterator[bytes]:
    at = 0
    while at + 4 <= len(content):
        try:
            length = int(content[at : at + 4], 16)
        except ValueError:
            raise UnreachableError("the list of refs can't be read") from None
        if length >= 4:
            yield content[at + 4 : at + length]
        at += max(length, 4)
