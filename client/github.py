"""GitHub's API as far as a peer needs it: the head of a preview's default branch, and a version's tree where the
registry has no file index."""

from __future__ import annotations

from dataclasses import dataclass

from client.errors import RateLimited, UnknownMod, Unreachable
from client.json_document import read_json
from client.ports import Http, Reply
from client.publish import Publish
from client.repository import Repository
from client.urls import GitHubHosts, encoded
from client.version import AssetRef, CommitSha, ContentVersion, commit_sha

LONGEST_COMMIT = 8 * 1024 * 1024
LONGEST_TREE = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class GitBlob:
    """A file as git stores it: the id of its content, and its bytes' number."""

    id: str
    size: int


class GitHub:
    """Unauthenticated reads; there are 60 an hour for each address, so none is wasted."""

    def __init__(self, http: Http, hosts: GitHubHosts) -> None:
        self._http = http
        self._hosts = hosts

    async def preview(self, repository: Repository, sha: CommitSha | None, *, current: bool) -> Publish:
        """An unregistered repository at ``sha``, or at the head of its default branch, which takes one call to learn.

        ``current`` says that this is its head now, not a commit somebody asked for.

        :raises UnknownMod: there is no such public repository, or it is empty
        :raises RateLimited: the hour's calls are used up
        :raises Unreachable: GitHub did not answer
        """
        sha = sha or await self._head(repository)
        return Publish(repository, AssetRef(sha), ContentVersion(sha), None, repository.name, current=current)

    async def blobs(self, repository: Repository, ref: AssetRef) -> dict[str, GitBlob] | None:
        """Every file at ``ref`` as git names it; None when GitHub won't say, or not all."""
        url = f"{self._hosts.api}/repos/{repository}/git/trees/{encoded(ref)}?recursive=1"
        try:
            reply = await self._http.get(url, most=LONGEST_TREE)
            values = read_json(reply.body) if reply.status == 200 else None
        except (Unreachable, ValueError):
            return None
        if not isinstance(values, dict) or values.get("truncated") is not False:
            return None
        entries = values.get("tree")
        found = {}
        for entry in entries if isinstance(entries, list) else []:
            match entry:
                case {"type": "blob", "path": str(path), "sha": str(sha), "size": int(size)}:
                    found[path] = GitBlob(sha, size)
        return found

    async def _head(self, repository: Repository) -> CommitSha:
        reply = await self._http.get(f"{self._hosts.api}/repos/{repository}/commits/HEAD", most=LONGEST_COMMIT)
        if reply.status in {404, 409, 422}:
            raise UnknownMod(f"There is no public repository {repository} with anything in it.")
        if reply.status in {403, 429}:
            raise RateLimited("GitHub's calls for this hour are used up.", retry_at=_retry_at(reply))
        try:
            values = read_json(reply.body) if reply.status == 200 else None
        except ValueError:
            values = None
        sha = commit_sha(values.get("sha")) if isinstance(values, dict) else None
        if sha is None:
            raise Unreachable(f"GitHub did not say where {repository} stands ({reply.status}).")
        return sha


def _retry_at(reply: Reply) -> float | None:
    reset = reply.headers.get("x-ratelimit-reset", "")
    return float(reset) if reset.isdecimal() and len(reset) < 13 else None
