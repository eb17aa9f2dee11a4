"""The whole system of one test session: git repositories, the local origin over them, registry and page."""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from server.account import Accounts
from server.app import create_app
from server.database import open_database
from server.invite import Invites
from server.origin import LocalOrigin
from server.settings import GitHubEndpoints, Limits, Settings
from tests.repositories import MANIFEST, build_repositories, digests, publish, read, synthetic_mod
from tests.server.registering import registered
from tests.server.served import served

SAMPLES: Final = "tablewright-samples"
"""The owner of most sample mods."""

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Person:
    """``client`` asks the registry as this person."""

    name: str
    token: str
    client: httpx.Client

    def publish(self, owner: str, repo: str) -> dict[str, Any]:
        """Register what the repository holds now; answers the mod's record."""
        return registered(self.client, owner, repo)


@dataclass(frozen=True)
class Site:
    """``base`` is the page's address without a trailing slash, ``mods`` the folder of ``<owner>/<repo>``."""

    base: str
    mods: Path
    origin: LocalOrigin
    author: httpx.Client
    """Somebody with an account, for publishing."""
    settings: Settings
    accounts: Accounts
    invites: Invites

    @contextlib.contextmanager
    def person(self, *, member: bool = False) -> Iterator[Person]:
        """Somebody with an account of their own."""
        account = self.accounts.add(f"Person {next(_numbers)}", member=member)
        token = self.accounts.issue_token(account, "test")
        headers = {"authorization": f"Bearer {token}"}
        with httpx.Client(base_url=self.base, headers=headers, timeout=60, trust_env=False) as client:
            yield Person(account.name, token, client)

    def publish(self, owner: str, repo: str) -> dict[str, Any]:
        """Register what the repository holds now; answers the mod's record. The log then begins anew: the registry
        reads from the origin too."""
        record = registered(self.author, owner, repo)
        self.origin.requests.reset()
        return record

    def commit(self, owner: str, repo: str, changes: Mapping[str, bytes | None]) -> str:
        """A new commit on the repository's branch, not yet published; answers its sha."""
        return publish(self.mods / owner / repo, changes)

    def copy(self, repo: str, *, of: str = SAMPLES) -> str:
        """A sample mod under an owner nobody else uses, not yet published; answers that owner."""
        owner = new_owner()
        shutil.copytree(self.mods / of / repo, self.mods / owner / repo)
        return owner

    def mod(self, repo: str, sizes: Mapping[str, int], **manifest: Any) -> str:
        """A mod of files of these sizes under an owner nobody else uses, not yet published; answers that owner."""
        owner = new_owner()
        synthetic_mod(self.mods, owner, repo, sizes, **manifest)
        return owner

    def manifest(self, owner: str, repo: str, ref: str = "main") -> dict[str, Any]:
        """The manifest as git has it."""
        values: dict[str, Any] = json.loads(read(self.mods / owner / repo, MANIFEST, ref))
        return values

    def sha256(self, owner: str, repo: str, ref: str = "main") -> dict[str, str]:
        """SHA-256 of every file git has at ``ref``, by path."""
        return {path: digest.sha256 for path, digest in digests(self.mods / owner / repo, ref).items()}

    def asked_for(self, owner: str, repo: str) -> list[str]:
        """The files of a mod the origin was asked for, oldest first."""
        log = [*self.origin.requests.all(f"/{owner}/{repo}/*", host="raw")]
        log += self.origin.requests.all(f"/media/{owner}/{repo}/*", host="media")
        return [exchange.path.removeprefix("/media").split("/", 4)[4] for exchange in log]


def new_owner() -> str:
    """An owner's name, with a capital in it, that no other repository has."""
    return f"Owner-{next(_numbers)}"


def declared_paths(manifest: Mapping[str, Any]) -> set[str]:
    """Every path of a well-formed manifest that a peer pulls, read without the code under test."""
    # An entry without a setup means the root's, which is there in all our mods.
    entry: dict[str, str] = {"setup": "setup.json", **manifest["entry"]}
    paths = {MANIFEST, *entry.values(), *manifest["assets"]}
    paths |= {manifest["coverImage"]} if "coverImage" in manifest else set()
    paths |= {shot["path"] for shot in manifest.get("screenshots", [])}
    paths |= {rules["path"] for rules in manifest.get("rules", []) if rules["kind"] == "markdown"}
    return paths


@contextlib.contextmanager
def running(dist: Path, folder: Path) -> Iterator[Site]:
    """Everything, over the sample mods, in ``folder``; the registry knows none of them yet."""
    # A build that ends meanwhile puts another dist/ in place.
    shutil.copytree(dist, folder / "dist")
    mods = folder / "mods"
    mods.mkdir()
    build_repositories(mods)
    with LocalOrigin([mods], rate_limit=100_000) as origin:
        endpoints = GitHubEndpoints(origin.raw, origin.media, origin.api, origin.git, origin.git, "local")
        settings = Settings(
            data=folder,
            dist=folder / "dist",
            github=endpoints,
            page_hosts=origin.hosts,
            limits=Limits(proofs_a_minute=1000, scans_an_hour=100_000, failed_sign_ins=1000),
        )
        engine = open_database(settings.database)
        accounts = Accounts(engine)
        token = accounts.issue_token(accounts.add("author"), "test")
        with served(create_app(settings)) as base:
            headers = {"authorization": f"Bearer {token}"}
            with httpx.Client(base_url=base, headers=headers, timeout=60, trust_env=False) as author:
                yield Site(base, mods, origin, author, settings, accounts, Invites(engine))
        engine.dispose()
