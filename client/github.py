"""GitHub's API as far as a solo preview needs it: one call, for the head of the default branch."""

from __future__ import annotations

import json

from client.errors import RateLimited, UnknownMod, Unreachable
from client.ports import Http, Reply
from client.publish import Publish
from client.repository import Repository
from client.urls import GitHubHosts
from client.version import AssetRef, CommitSha, ContentVersion, commit_sha

LONGEST_COMMIT = 8 * 1024 * 1024


class GitHub:
    """Unauthenticated reads; there are 60 an hour for each address, so none is wasted."""

    def __init__(self, http: Http, hosts: GitHubHosts) -> None:
        self._http = http
        self._hosts = hosts

    async def preview(self, repository: Repository, wanted: CommitSha | None) -> Publish:
        """An unregistered repository's head, or the commit asked for.

        :raises UnknownMod: there is no such public repository, or it is empty
        :raises RateLimited: the hour's calls are used up
        :raises Unreachable: GitHub did not answer
        """
        sha = wanted or await self._head(repository)
        return Publish(repository, AssetRef(sha), ContentVersion(sha), None, repository.name, current=wanted is None)

    async def _head(self, repository: Repository) -> CommitSha:
        reply = await self._http.get(f"{self._hosts.api}/repos/{repository}/commits/HEAD", most=LONGEST_COMMIT)
        if reply.status in {404, 409, 422}:
            raise UnknownMod(f"There is no public repository {repository} with anything in it.")
        if reply.status in {403, 429}:
            raise RateLimited("GitHub's calls for this hour are used up.", retry_at=_retry_at(reply))
        try:
            values = json.loads(reply.body) if reply.status == 200 else None
        except (ValueError, RecursionError):
            values = None
        sha = commit_sha(values.get("sha")) if isinstance(values, dict) else None
        if sha is None:
            raise Unreachable(f"GitHub did not say where {repository} stands ({reply.status}).")
        return sha


def _retry_at(reply: Reply) -> float | None:
    reset = reply.headers.get("x-ratelimit-reset", "")
    return float(reset) if reset.isdecimal() and len(reset) < 13 else None
