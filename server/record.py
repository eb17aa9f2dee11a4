"""What the HTTP API takes and answers (CONTRACT.md), and how rows become answers."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.config import JsonDict

from client.media_type import must_be_wrapped
from client.repository import Repository
from client.urls import media_url, raw_url
from client.version import ContentVersion, asset_ref, commit_sha
from server.account import Account
from server.block import Block
from server.catalogue import ModRow
from server.collection import Collection
from server.database import utc
from server.favourite import Rating
from server.problem import ProblemError
from server.project import Project
from server.site import Addresses

_OWNER = r"[A-Za-z0-9][A-Za-z0-9-]{0,38}"
_NAME = r"(\.{0,2}[A-Za-z0-9_-][A-Za-z0-9._-]{0,90}|\.{3}[A-Za-z0-9._-]{0,90})"
# For whoever reads the schema: what fails them is refused with a code that says more than a broken pattern.
OWNER: JsonDict = {"pattern": f"^{_OWNER}$"}
NAME: JsonDict = {"pattern": f"^{_NAME}$"}
OWNER_AND_NAME: JsonDict = {"pattern": f"^{_OWNER}/{_NAME}$"}
_SHA: JsonDict = {"pattern": "^[0-9a-f]{40}$"}

# pydantic's `$` is the very end of the text: unlike Python's, it lets no trailing newline pass.
Word = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=200)]
Token = Annotated[str, StringConstraints(pattern=r"^[!-~]+$", max_length=200)]
# No controls, and nothing invisible that would make two names look the same.
_SEEN = r"[^\x00-\x20\x7f-\xa0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb]"
PersonName = Annotated[str, StringConstraints(pattern=rf"^{_SEEN}(( ?{_SEEN}){{0,39}})$", max_length=80)]
ModId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{1,32}$")]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


_NULL: JsonDict = {"type": "null"}


def _given(*names: str) -> JsonDict:
    return {name: {"type": "string"} for name in names}


class _Named(Strict):
    """A repository: ``owner`` and ``repo``, or both in ``repository`` as ``owner/repo`` or an address of github.com."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": ["owner", "repo"], "properties": {"repository": _NULL, **_given("owner", "repo")}},
                {"required": ["repository"], "properties": {"owner": _NULL, "repo": _NULL, **_given("repository")}},
            ]
        }
    )

    owner: Annotated[Word, Field(json_schema_extra=OWNER)] | None = None
    repo: Annotated[Word, Field(json_schema_extra=NAME)] | None = None
    repository: Annotated[Word, Field(json_schema_extra=OWNER_AND_NAME)] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        apart = (self.owner is not None, self.repo is not None)
        if apart not in {(True, True), (False, False)} or any(apart) == (self.repository is not None):
            raise ValueError("name the repository by owner and repo, or by repository")
        return self

    def named(self) -> Repository:
        """:raises ProblemError: `invalid-repository`"""
        if self.owner is not None and self.repo is not None:
            return repository_named(self.owner, self.repo)
        try:
            return Repository.parse(self.repository or "")
        except ValueError as error:
            raise ProblemError(422, "invalid-repository", str(error)) from None


class PublishRequest(_Named):
    """``commitSha`` is the commit the author's own tool has just merged; it is proven, not trusted."""

    ref: Word | None = None
    commitSha: Annotated[Word, Field(json_schema_extra=_SHA)] | None = None  # noqa: N815 # the contract's spelling


class ModChange(Strict):
    """The registry's own state of a mod, which no manifest holds."""

    private: bool


class ProjectRequest(_Named):
    pass


class SessionRequest(Strict):
    token: Token


class IssueRecord(BaseModel):
    """``line`` and ``column`` count from 1; None where no such place can be told."""

    code: str
    path: str
    line: int | None = None
    column: int | None = None
    key: str | None
    message: str


class PlayersRecord(BaseModel):
    min: int
    max: int


class StarsRecord(BaseModel):
    """``average`` of 1 to 5 stars, None before the first."""

    average: float | None
    count: int


class ModRecord(BaseModel):
    """A mod as CONTRACT.md has it; from ``cover`` on, what a catalogue card shows without reading the manifest."""

    id: str
    manifestId: str  # noqa: N815
    kind: Literal["game", "room", "table"]
    name: str
    slug: str
    release: str | None
    owner: str
    repo: str
    ref: str
    commitSha: str | None  # noqa: N815
    artifactHash: str  # noqa: N815
    version: str
    compatible: bool
    issues: list[IssueRecord]
    private: bool
    available: bool
    files: int
    bytes: int
    cover: str | None
    summary: str | None
    players: PlayersRecord | None
    tags: list[str]
    category: str | None
    license: str | None
    rating: StarsRecord
    updatedAt: datetime  # noqa: N815


class ModList(BaseModel):
    items: list[ModRecord]
    next: str | None


class ProjectRecord(BaseModel):
    """``mod`` is None until the repository is registered."""

    owner: str
    repo: str
    mod: ModRecord | None


class ProjectList(BaseModel):
    items: list[ProjectRecord]
    next: str | None


class HeadRecord(BaseModel):
    """The commit a repository's published branch is at."""

    commitSha: str  # noqa: N815


class VersionRecord(BaseModel):
    version: str
    commitSha: str | None  # noqa: N815
    release: str | None
    at: datetime


class StandingRecord(BaseModel):
    """How a version stands that an open table shows; one that is blocked is refused as `blocked`."""

    version: str
    current: bool


class VersionList(BaseModel):
    items: list[VersionRecord]
    next: str | None


class AccountRecord(BaseModel):
    name: str
    member: bool
    admin: bool


class SessionRecord(BaseModel):
    """Who is signed in; ``github`` says whether this registry signs people in with GitHub."""

    account: AccountRecord | None
    github: bool


class InviteRequest(Strict):
    """``invite`` however it was written down; ``name`` is what the new account will be called."""

    invite: Annotated[str, StringConstraints(pattern=r"^[ -~]+$", max_length=100)]
    name: PersonName


class InvitedRecord(SessionRecord):
    """``token`` signs in elsewhere and publishes from CI; it is shown this once."""

    token: str


class TokenRecord(BaseModel):
    """A bearer token; it is shown this once."""

    token: str


class DeviceRequest(Strict):
    device: Annotated[str, StringConstraints(pattern=r"^[!-~]+$", max_length=1000)]


class StartedLoginRecord(BaseModel):
    """Enter ``userCode`` at ``verificationUri``; then ask with ``device`` every ``interval`` seconds."""

    userCode: str  # noqa: N815
    verificationUri: str  # noqa: N815
    device: str
    interval: int
    expiresIn: int  # noqa: N815


class LoginStepRecord(BaseModel):
    """The account, or None and the seconds to wait until the next question."""

    account: AccountRecord | None
    interval: int | None


class BlockRequest(Strict):
    """A mod by id, versions by commit sha or artifact hash, or both; ``reason`` is shown to whoever asks for them."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["mod"], "properties": _given("mod")},
                {"required": ["shas"], "properties": {"shas": {"minItems": 1}}},
            ]
        }
    )

    mod: ModId | None = None
    shas: Annotated[
        list[Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]], Field(max_length=1000)
    ] = []
    reason: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", min_length=1, max_length=500)]

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.mod is None and not self.shas:
            raise ValueError("name a mod or shas")
        return self


class BlockRecord(BaseModel):
    number: int
    kind: Literal["mod", "version"]
    value: str
    reason: str
    at: datetime


class BlockList(BaseModel):
    items: list[BlockRecord]
    next: str | None


def _whole(value: object) -> object:
    # JSON has one kind of number: 2.0 is an integer to a schema.
    return int(value) if isinstance(value, float) and value.is_integer() else value


class RatingRequest(Strict):
    stars: Annotated[int, Field(ge=1, le=5), BeforeValidator(_whole)]


class RatingRecord(BaseModel):
    """``average`` of 1 to 5 stars; ``own`` is what the asking account gave."""

    average: float | None
    count: int
    own: int | None


class CollectionRequest(Strict):
    """``mods`` are ids, in the order to show them; each counts once."""

    name: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", min_length=1, max_length=100)]
    mods: Annotated[list[ModId], Field(max_length=100)]


class CollectionSummary(BaseModel):
    """``size`` counts the mods its reader may see listed."""

    id: str
    name: str
    author: str
    size: int
    updatedAt: datetime  # noqa: N815


class CollectionRecord(CollectionSummary):
    mods: list[ModRecord]


class CollectionList(BaseModel):
    items: list[CollectionSummary]
    next: str | None


class Problem(BaseModel):
    """RFC 9457."""

    type: str
    title: str
    status: int
    code: str
    detail: str


class LfsRecord(BaseModel):
    oid: str
    size: int


class FileRecord(BaseModel):
    path: str
    size: int
    sha256: str
    lfs: LfsRecord | None = None


class ScriptRecord(BaseModel):
    """A script that was read and may run: the file at ``path``, or the text at ``key`` of the setup at ``path``."""

    path: str
    sha256: str
    key: str | None = None


class FileList(BaseModel):
    """``scripts`` is absent where scripts were not read when the version was recorded: none may run."""

    version: str
    files: list[FileRecord]
    scripts: list[ScriptRecord] | None = None


def repository_named(owner: str, name: str) -> Repository:
    try:
        return Repository(owner, name)
    except ValueError as error:
        raise ProblemError(422, "invalid-repository", str(error)) from None


def mod_record(row: ModRow, where: Addresses) -> ModRecord:
    return ModRecord(
        id=row.id,
        manifestId=row.manifest_id,
        kind=row.kind,
        name=row.name,
        slug=row.slug,
        release=row.release,
        owner=row.owner,
        repo=row.repo,
        ref=row.ref,
        commitSha=row.commit_sha,
        artifactHash=row.artifact_hash,
        version=row.version,
        compatible=row.compatible,
        issues=row.issues,
        private=row.private,
        available=row.available,
        files=row.files,
        bytes=row.bytes,
        cover=_cover(row, where),
        summary=row.summary,
        players=row.players,
        tags=row.tags,
        category=row.category,
        license=row.license,
        rating=StarsRecord(average=_average(row.rating_sum, row.rating_count), count=row.rating_count),
        updatedAt=utc(row.updated_at),
    )


def project_record(project: Project, where: Addresses) -> ProjectRecord:
    mod = None if project.mod is None else mod_record(project.mod, where)
    return ProjectRecord(owner=project.repository.owner, repo=project.repository.name, mod=mod)


def block_record(block: Block) -> BlockRecord:
    return BlockRecord(number=block.number, kind=block.kind, value=block.value, reason=block.reason, at=block.at)


def rating_record(rating: Rating) -> RatingRecord:
    return RatingRecord(average=_average(rating.total, rating.count), count=rating.count, own=rating.own)


def collection_summary(found: Collection) -> CollectionSummary:
    return CollectionSummary(
        id=found.id, name=found.name, author=found.author, size=found.size, updatedAt=found.updated_at
    )


def collection_record(found: Collection, where: Addresses) -> CollectionRecord:
    return CollectionRecord(
        id=found.id,
        name=found.name,
        author=found.author,
        size=found.size,
        updatedAt=found.updated_at,
        mods=[mod_record(row, where) for row in found.mods or ()],
    )


def _average(total: int, count: int) -> float | None:
    return round(total / count, 2) if count else None


def _cover(row: ModRow, where: Addresses) -> str | None:
    if row.cover is None or must_be_wrapped(row.cover):
        return None
    ref = asset_ref(commit_sha(row.commit_sha), row.ref)
    compose = media_url if row.cover_lfs else raw_url
    return compose(where.github, Repository(row.owner, row.repo), ref, ContentVersion(row.version), row.cover)


def account_record(account: Account) -> AccountRecord:
    return AccountRecord(name=account.name, member=account.member, admin=account.admin)
