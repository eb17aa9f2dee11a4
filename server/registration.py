"""Registering a mod: prove the commit, scan it, record it. The rules are the seed page's "Registration is what makes a
mod selectable" and "How a publish reaches players"; nothing but a call of :meth:`Registrar.register` runs them."""

from __future__ import annotations

import contextlib
import re
import secrets
import threading
import time
import zlib
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Select, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from client.errors import ManifestUnreadable
from client.issue import Issue
from client.manifest import MANIFEST_PATH
from client.repository import Repository
from client.version import CommitSha, commit_sha, content_version
from server.account import Account
from server.block import check_blocks
from server.catalogue import Catalogue, FileIndex, ModRow
from server.database import dependencies, mods, now, versions
from server.github import GitHub, GitHubError, Head, RateLimitedError, RepositoryFacts, RepositoryMissingError
from server.github_login import GitHubLogin
from server.problem import ProblemError, unknown_version
from server.project import forget_project, keep_project
from server.quota import Allowance, Quota, too_often
from server.scan import SCANNER, Meter, Scan, ScanError, scan
from server.search import index_mod
from server.settings import Limits

_ATTEMPTS = 5
_REFUSED_FOR_S = 60
_MOST_REMEMBERED = 10_000
_LONGEST_ID, _LONGEST_NAME, _LONGEST_SUMMARY = 200, 300, 2000
_MOST_TAGS = 64
_MOST_ISSUES = 500
_NO_SLUG = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Publish:
    """What is asked to be registered. ``account`` None stands for the operator, who registers without owning."""

    repository: Repository
    ref: str | None = None
    sha: str | None = None
    account: Account | None = None


@dataclass(frozen=True, slots=True)
class _Resolved:
    repository: Repository
    number: str | None
    branch: str
    sha: CommitSha | None


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found at one commit, ready to be recorded."""

    publish: Publish
    resolved: _Resolved
    scan: Scan


class Registrar:
    """Registers mods of one GitHub in one database; safe to use from several threads and processes."""

    def __init__(self, engine: Engine, github: GitHub, limits: Limits, login: GitHubLogin | None = None) -> None:
        self._engine = engine
        self._login = login
        self._quota = Quota(engine)
        self._scans_of: Counter[str] = Counter()
        self._catalogue = Catalogue(engine)
        self._github = github
        self._limits = limits
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()
        self._refused: dict[tuple[str, str], float] = {}
        self._proofs: deque[float] = deque()

    def register(self, publish: Publish) -> ModRow:
        """Scan the published branch, or the proven commit, as it is now, and record it.

        :raises ProblemError: refused; the record, if there was one, is as it was
        """
        with self._scanning_for(publish.account) as meter, self._alone_with(publish.repository.key):
            return self.record(self.read(publish, meter))

    def read(self, publish: Publish, meter: Meter | None = None) -> Reading:
        """The first half of :meth:`register`: everything that asks GitHub, nothing that records.

        :raises ProblemError: refused
        """
        self._check_owner(publish)
        resolved = self._resolve(publish)
        if self._login is not None:
            self._login.check_push(publish.account, resolved.repository)
        return Reading(publish, resolved, self._scan(resolved.repository, resolved.branch, resolved.sha, meter))

    def read_if_moved(self, publish: Publish) -> Reading | None:
        """:meth:`read`, spared (None) when the branch is still at the recorded commit.

        :raises ProblemError: refused
        """
        resolved = self._resolve(publish)
        if self._is_recorded(resolved):
            return None
        return Reading(publish, resolved, self._scan(resolved.repository, resolved.branch, resolved.sha))

    def record(self, reading: Reading) -> ModRow:
        """The second half of :meth:`register`, in one transaction.

        :raises ProblemError: refused
        """
        for attempt in range(_ATTEMPTS):
            try:
                with self._engine.execution_options(writes=True).begin() as connection:
                    return self._record_in(connection, reading.publish, reading.resolved, reading.scan)
            except IntegrityError:
                # Another process recorded the same repository or took the slug a moment ago: look again.
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")

    def prove_version(self, mod: ModRow, version: str) -> FileIndex:
        """The files of an older commit that was never published but belongs to the published branch.

        :raises ProblemError: `unknown-version`, or `rate-limited` when it can't be proven now
        """
        sha = commit_sha(version)
        repository = Repository(mod.owner, mod.repo)
        if sha is None or mod.commit_sha is None:
            raise unknown_version()
        if self._refused.get((mod.id, sha), 0) > time.monotonic():
            raise unknown_version()
        with self._alone_with(f"{mod.id}@{sha}"):
            known = self._catalogue.file_index(mod.id, sha)
            if known is not None:
                return known
            self._spend_proof()
            try:
                proven = self._proven(repository, sha, CommitSha(mod.commit_sha))
            except GitHubError as error:
                raise _not_now(error) from None
            if not proven:
                self._remember_refusal(mod.id, sha)
                raise unknown_version()
            found = self._scan(repository, mod.ref, sha, for_publish=False)
            # Another process may have proven the same commit meanwhile.
            with contextlib.suppress(IntegrityError), self._engine.execution_options(writes=True).begin() as connection:
                self._add_version(connection, mod.id, found, sha, published=False)
        index = self._catalogue.file_index(mod.id, sha)
        if index is None:
            raise unknown_version()
        return index

    def head(self, repository: Repository) -> CommitSha:
        """Where the published branch of a public repository stands.

        :raises ProblemError: no such repository, an empty one, or GitHub won't say
        """
        try:
            head = self._github.head(repository)
        except GitHubError as error:
            raise _not_now(error) from None
        if head is None:
            raise _no_repository(repository)
        return head.sha

    def link(self, repository: Repository, account: Account) -> ModRow | None:
        """Put a repository on an account's list of projects; the owner's deleted mod comes back as it was.

        :raises ProblemError: no such repository, or `repo-already-registered` by another account
        """
        number = None
        try:
            facts = self._github.facts(repository)
            repository, number = facts.repository, facts.number
        except RepositoryMissingError:
            raise _no_repository(repository) from None
        except GitHubError:
            pass
        with self._engine.execution_options(writes=True).begin() as connection:
            row = identified(connection, repository, number)
            if row is not None and row.account_id not in {None, account.id}:
                detail = f"{repository} is registered by another account."
                raise ProblemError(409, "repo-already-registered", detail)
            keep_project(connection, account.id, repository)
            if row is None or row.account_id is None:
                return None
            connection.execute(update(mods).where(mods.c.id == row.id).values(deleted=False))
            return connection.execute(select(mods).where(mods.c.id == row.id)).one()

    def keep_available(self, repositories: set[str]) -> None:
        """Mark mods whose repository (``owner/name`` in lower case) is not among these as unavailable."""
        with self._engine.execution_options(writes=True).begin() as connection:
            connection.execute(update(mods).values(available=mods.c.repo_key.in_(sorted(repositories))))

    def keep_those_of(self, github: str) -> None:
        """Mark mods that were registered at another GitHub than the one of this name as unavailable."""
        here = or_(mods.c.repo_number.is_(None), mods.c.repo_number.startswith(f"{github}:", autoescape=True))
        with self._engine.execution_options(writes=True).begin() as connection:
            connection.execute(update(mods).values(available=here))

    def _resolve(self, publish: Publish) -> _Resolved:
        wanted = publish.repository
        if publish.sha is not None and commit_sha(publish.sha) is None:
            # Not even looked up: an abbreviated sha is also a legal branch name.
            raise _unpinned("A commit is named by its full sha of 40 lower-case hex digits.")
        try:
            facts: RepositoryFacts | None = self._github.facts(wanted)
        except RepositoryMissingError:
            self._mark_missing(wanted)
            raise _no_repository(wanted) from None
        except GitHubError:
            facts = None
        repository = wanted if facts is None else facts.repository
        head = self._head(repository, facts)
        branch = self._branch(publish, facts, head)
        sha = head.sha if head is not None and head.branch == branch else None
        if publish.sha is not None:
            sha = self._prove(repository, publish.sha, sha)
        return _Resolved(repository, None if facts is None else facts.number, branch, sha)

    def _head(self, repository: Repository, facts: RepositoryFacts | None) -> Head | None:
        with contextlib.suppress(GitHubError):
            head = self._github.head(repository)
            if head is None:
                raise ProblemError(422, "manifest-unreadable", f"{repository} has no commit yet.")
            return head
        for branch in dict.fromkeys(("main", facts.default_branch if facts is not None else "main")):
            with contextlib.suppress(GitHubError):
                return Head(branch, self._github.resolve(repository, branch))
        return None

    def _branch(self, publish: Publish, facts: RepositoryFacts | None, head: Head | None) -> str:
        default = facts.default_branch if facts is not None else "main"
        published = head.branch if head is not None else default
        asked = publish.ref.removeprefix("refs/heads/") if publish.ref is not None else published
        if asked != published:
            detail = f"Only {published} can be published; {asked[:100]} is a draft."
            raise ProblemError(422, "draft-not-publishable", detail)
        return published

    def _prove(self, repository: Repository, supplied: str, head: CommitSha | None) -> CommitSha:
        sha = commit_sha(supplied)
        try:
            if sha is not None and head is not None and self._proven(repository, sha, head):
                return sha
        except GitHubError as error:
            raise _unpinned(f"{supplied} could not be proven: {error}") from None
        raise _unpinned(f"{supplied} is not a commit of the published branch of {repository}.")

    def _proven(self, repository: Repository, sha: CommitSha, head: CommitSha) -> bool:
        # A commit of any fork answers to its sha under the parent's name, so that it exists is not enough.
        return self._github.is_commit(repository, sha) and self._github.is_ancestor(repository, sha, head)

    def _scan(
        self,
        repository: Repository,
        branch: str,
        sha: CommitSha | None,
        meter: Meter | None = None,
        *,
        for_publish: bool = True,
    ) -> Scan:
        try:
            return scan(self._github, repository, branch, sha, self._limits, meter, for_publish=for_publish)
        except ScanError as error:
            raise _unfit(error.code, str(error), error.issues, branch, sha) from None
        except ManifestUnreadable as error:
            unreadable = Issue(error.code, MANIFEST_PATH, None, error.message, error.line)
            raise _unfit(error.code, error.message, [unreadable], branch, sha) from None
        except GitHubError as error:
            raise _not_now(error) from None

    def _check_owner(self, publish: Publish) -> None:
        with self._engine.connect() as connection:
            question = select(mods).where(mods.c.repo_key == publish.repository.key)
            row = connection.execute(question).one_or_none()
        if row is not None:
            check_owner(row, publish.account)

    def _is_recorded(self, resolved: _Resolved) -> bool:
        """Whether the record is of this very commit; it is available again then."""
        if resolved.sha is None:
            return False
        same = (
            mods.c.repo_key == resolved.repository.key,
            mods.c.repo_number == resolved.number,
            mods.c.commit_sha == resolved.sha,
            mods.c.scanner == SCANNER,
            mods.c.deleted.is_(False),
        )
        with self._engine.execution_options(writes=True).begin() as connection:
            return connection.execute(update(mods).where(*same).values(available=True)).rowcount == 1

    def _record_in(self, connection: Connection, publish: Publish, resolved: _Resolved, found: Scan) -> ModRow:
        row = identified(connection, resolved.repository, resolved.number)
        manifest_id = (found.manifest.manifest_id or resolved.repository.name)[:_LONGEST_ID]
        sha = resolved.sha
        account = publish.account
        if row is not None:
            check_owner(row, account)
            if row.manifest_id != manifest_id:
                detail = f"{resolved.repository} is registered as {row.manifest_id}; it can't become another mod."
                raise ProblemError(409, "repo-already-registered", detail)
            if sha is None and row.artifact_hash == found.artifact_hash and row.commit_sha is not None:
                sha = CommitSha(row.commit_sha)
        values = _values(resolved, found, sha, manifest_id)
        check_blocks(connection, None if row is None else row.id, values["version"])
        if row is None:
            mod_id = secrets.token_hex(8)
            slug = _free_slug(connection, found.manifest.slug or manifest_id, resolved.repository.owner)
            fixed = {"id": mod_id, "slug": slug, "private": False, "registered_at": values["updated_at"]}
            owner = None if account is None else account.id
            connection.execute(insert(mods).values(**values, **fixed, account_id=owner))
        else:
            mod_id = row.id
            if row.account_id is None and account is not None:
                values["account_id"] = account.id
            if row.repo_key != resolved.repository.key:
                forget_project(connection, row)
            connection.execute(update(mods).where(mods.c.id == mod_id).values(values))
        self._add_version(connection, mod_id, found, sha, published=True)
        _set_dependencies(connection, mod_id, found)
        index_mod(connection, mod_id, values)
        recorded = connection.execute(select(mods).where(mods.c.id == mod_id)).one()
        if recorded.account_id is not None:
            keep_project(connection, recorded.account_id, resolved.repository)
        return recorded

    def _add_version(
        self, connection: Connection, mod_id: str, found: Scan, sha: CommitSha | None, *, published: bool
    ) -> None:
        version = content_version(sha, found.artifact_hash)
        same = (versions.c.mod_id == mod_id, versions.c.version == version)
        known = connection.execute(
            select(versions.c.number, versions.c.published, versions.c.file_index).where(*same)
        ).one_or_none()
        machine = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
        index = machine.compress(found.file_index(version)) + machine.flush()
        if known is None:
            connection.execute(
                insert(versions).values(
                    mod_id=mod_id,
                    version=version,
                    commit_sha=sha,
                    artifact_hash=found.artifact_hash,
                    release=_short(found.manifest.release),
                    published=published,
                    at=now(),
                    file_index=index,
                )
            )
        elif (published and not known.published) or known.file_index != index:
            # The files are the same; which scripts may run is for the newest scanner to say.
            values = {"published": published or known.published, "file_index": index}
            connection.execute(update(versions).where(versions.c.number == known.number).values(values))

    def _mark_missing(self, repository: Repository) -> None:
        with self._engine.execution_options(writes=True).begin() as connection:
            connection.execute(update(mods).where(mods.c.repo_key == repository.key).values(available=False))

    @contextlib.contextmanager
    def _scanning_for(self, account: Account | None) -> Iterator[Meter]:
        """One scan of an account at a time, so many and so large an hour; operators and admins are not counted.

        :raises ProblemError: `rate-limited`
        """
        if account is None or account.admin:
            yield Meter(self._limits.repository_bytes)
            return
        allowance = Allowance(self._limits.scans_an_hour, timedelta(hours=1))
        purpose = f"scan:{account.id}"
        with self._guard:
            if self._scans_of[account.id] > self._limits.waiting_scans:
                detail = "Your other registrations are not finished yet."
                raise ProblemError(429, "rate-limited", detail, headers={"retry-after": "10"})
            self._scans_of[account.id] += 1
        try:
            with self._alone_with(purpose):
                self._quota.check(purpose, allowance)
                self._quota.spend(purpose, allowance)
                with self._bytes_of(account) as meter:
                    yield meter
        finally:
            with self._guard:
                self._scans_of[account.id] -= 1
                if not self._scans_of[account.id]:
                    del self._scans_of[account.id]

    @contextlib.contextmanager
    def _bytes_of(self, account: Account) -> Iterator[Meter]:
        """What an account's scans have unpacked within the hour counts, whatever came of them.

        :raises ProblemError: `rate-limited`
        """
        allowance = Allowance(self._limits.scanned_bytes_an_hour, timedelta(hours=1))
        purpose = f"scanned:{account.id}"
        left, wait = self._quota.left(purpose, allowance)
        if left <= 0:
            raise too_often(wait)
        meter = Meter(min(left, self._limits.repository_bytes))
        try:
            yield meter
        except ProblemError:
            if meter.read > meter.most == left:
                raise too_often(wait) from None
            raise
        finally:
            if meter.read:
                self._quota.spend(purpose, allowance, meter.read)

    @contextlib.contextmanager
    def _alone_with(self, key: str) -> Iterator[None]:
        """One scan of a thing at a time in this process; between processes the database's constraints decide."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
            if len(self._locks) > _MOST_REMEMBERED:
                self._locks = {name: held for name, held in self._locks.items() if held.locked() or name == key}
        with lock:
            yield

    def _spend_proof(self) -> None:
        """Anyone may ask for any sha, and each costs API budget and a scan: so only so many a minute."""
        with self._guard:
            moment = time.monotonic()
            while self._proofs and self._proofs[0] < moment - 60:
                self._proofs.popleft()
            if len(self._proofs) >= self._limits.proofs_a_minute:
                detail = "Too many unknown versions were asked for; try again in a minute."
                raise ProblemError(429, "rate-limited", detail, headers={"retry-after": "60"})
            self._proofs.append(moment)

    def _remember_refusal(self, mod_id: str, sha: str) -> None:
        if len(self._refused) > _MOST_REMEMBERED:
            self._refused.clear()
        self._refused[mod_id, sha] = time.monotonic() + _REFUSED_FOR_S


def _set_dependencies(connection: Connection, mod_id: str, found: Scan) -> None:
    connection.execute(delete(dependencies).where(dependencies.c.mod_id == mod_id))
    named = {(pack.pack_id[:_LONGEST_ID], pack.role): pack.sha for pack in found.packs}
    rows = [
        {"mod_id": mod_id, "pack_id": pack_id, "role": role, "commit_sha": sha}
        for (pack_id, role), sha in named.items()
    ]
    if rows:
        connection.execute(insert(dependencies), rows)


def identified(connection: Connection, repository: Repository, number: str | None) -> ModRow | None:
    """The record of a repository, deleted or not: by the number that survives a rename, else by name.

    :raises ProblemError: the name belongs to the record of another repository
    """
    by_name = connection.execute(_locked(mods.c.repo_key == repository.key)).one_or_none()
    if number is None:
        return by_name
    by_number = connection.execute(_locked(mods.c.repo_number == number)).one_or_none()
    if by_number is not None:
        if by_name is not None and by_name.id != by_number.id:
            detail = f"{repository} has taken the name of another registered repository."
            raise ProblemError(409, "repo-already-registered", detail)
        return by_number
    if by_name is not None and by_name.repo_number is not None:
        recorded_at, asked_at = by_name.repo_number.partition(":")[0], number.partition(":")[0]
        if recorded_at == asked_at:
            detail = f"{repository} is another repository than the one registered under that name."
            raise ProblemError(409, "repo-already-registered", detail)
    return by_name


def _locked(condition: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    # What is decided by this row must still hold when it is written. SQLite's writers are alone anyway.
    return select(mods).where(condition).with_for_update()


def _values(resolved: _Resolved, found: Scan, sha: CommitSha | None, manifest_id: str) -> dict[str, Any]:
    manifest = found.manifest
    players = manifest.players
    cover = next((file for file in found.pulled if file.path == manifest.cover), None)
    values: dict[str, Any] = {
        "repo_key": resolved.repository.key,
        "owner": resolved.repository.owner,
        "repo": resolved.repository.name,
        "manifest_id": manifest_id,
        "kind": manifest.kind,
        "name": manifest.name[:_LONGEST_NAME],
        "release": _short(manifest.release),
        "ref": resolved.branch,
        "commit_sha": sha,
        "artifact_hash": found.artifact_hash,
        "version": content_version(sha, found.artifact_hash),
        "compatible": found.compatible,
        "issues": _issues(found.issues),
        "available": True,
        "deleted": False,
        "files": len(found.pulled),
        "bytes": sum(file.real_size for file in found.pulled),
        "cover": None if cover is None else cover.path,
        "cover_lfs": cover is not None and cover.lfs is not None,
        "summary": manifest.summary and manifest.summary[:_LONGEST_SUMMARY],
        "players": None if players is None else {"min": players.min, "max": players.max},
        "tags": [tag[:_LONGEST_NAME] for tag in manifest.tags[:_MOST_TAGS]],
        "category": _short(manifest.category),
        "license": _short(manifest.license),
        "scanner": SCANNER,
        "updated_at": now(),
    }
    if resolved.number is not None:
        values["repo_number"] = resolved.number
    return values


def _short(text: str | None) -> str | None:
    return None if text is None else text[:_LONGEST_NAME]


def _issues(issues: Sequence[Issue]) -> list[dict[str, Any]]:
    shown = [_issue(issue) for issue in issues[:_MOST_ISSUES]]
    left = len(issues) - len(shown)
    if left:
        shown.append(_issue(Issue("more-issues", MANIFEST_PATH, None, f"And {left} more.")))
    return shown


def _issue(issue: Issue) -> dict[str, Any]:
    return {
        "code": issue.code,
        "path": issue.file,
        "line": issue.line,
        "column": issue.column,
        "key": issue.key,
        "message": issue.message,
    }


def _free_slug(connection: Connection, wanted: str, owner: str) -> str:
    """The slug a new mod gets for good: on a clash its owner is appended, then a number."""
    base = _NO_SLUG.sub("-", wanted.lower()).strip("-")[:120] or "mod"
    candidates = [base, f"{base}-{owner.lower()}", *(f"{base}-{owner.lower()}-{number}" for number in range(2, 1000))]
    for candidate in candidates:
        if connection.execute(select(mods.c.id).where(mods.c.slug == candidate)).one_or_none() is None:
            return candidate
    return f"{base}-{secrets.token_hex(8)}"


def check_owner(row: ModRow, account: Account | None) -> None:
    """Let pass the operator, the owner, an admin, and anybody while nobody owns the mod.

    :raises ProblemError: `not-owner`, or `repo-already-registered` when there is no mod to be seen any more
    """
    if account is None or row.account_id in {None, account.id} or account.admin:
        return
    if row.deleted:
        detail = f"{row.owner}/{row.repo} was registered by another account; its mod can only come back there."
        raise ProblemError(409, "repo-already-registered", detail)
    raise ProblemError(403, "not-owner", "Another account owns this mod.")


def _no_repository(repository: Repository) -> ProblemError:
    return ProblemError(404, "repository-not-found", f"{repository} is not a public repository.")


def _unfit(code: str, detail: str, issues: Sequence[Issue], branch: str, sha: CommitSha | None) -> ProblemError:
    """What was read can't be taken in: with the places, and the commit they are of."""
    return ProblemError(422, code, detail, issues=_issues(issues), ref=branch, commitSha=sha)


def _unpinned(detail: str) -> ProblemError:
    return ProblemError(422, "unpinned-scan", detail)


def _not_now(error: GitHubError) -> ProblemError:
    match error:
        case RateLimitedError(retry_after=after):
            headers = {} if after is None else {"retry-after": str(after)}
            return ProblemError(
                503, "rate-limited", f"GitHub wants to be left alone for a while: {error}", headers=headers
            )
        case RepositoryMissingError():
            return ProblemError(404, "repository-not-found", f"GitHub has nothing there: {error}")
        case _:
            return ProblemError(503, "github-unreachable", f"GitHub could not be read: {error}")
