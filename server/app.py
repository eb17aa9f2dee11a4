"""The registry's HTTP API and the page beside it, as one ASGI app."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from client.media_type import must_be_wrapped
from client.repository import Repository
from client.urls import media_url, raw_url
from client.version import ContentVersion, asset_ref, commit_sha
from server import problem
from server.account import SESSION_DAYS, Account, Accounts
from server.asgi import App, Message, Receive, Scope, Send
from server.catalogue import BadCursorError, Catalogue, FileIndex, ModRow, Shelf, Wanted
from server.database import open_database, utc
from server.github import GitHub
from server.owner_control import OwnerControls
from server.problem import ProblemError, unknown_mod, unknown_version
from server.project import Project, Projects
from server.registration import Publish, Registrar
from server.settings import Settings
from server.site import Addresses, PageHeaders, Site, addresses

SESSION_COOKIE = "peer_session"
_LARGEST_BODY = 1 << 20
_IMMUTABLE = "public, max-age=31536000, immutable"
_VERSION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ID = re.compile(r"[0-9a-f]{1,32}")

_Word = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=200)]
_Token = Annotated[str, StringConstraints(pattern=r"^[!-~]+$", max_length=200)]
_Limit = Annotated[int, Query(ge=1, le=100)]
_Cursor = Annotated[str | None, Query(max_length=200)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Named(_Strict):
    """A repository: ``owner`` and ``repo``, or both in ``repository`` as ``owner/repo`` or an address of github.com."""

    owner: _Word | None = None
    repo: _Word | None = None
    repository: _Word | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        apart = (self.owner is not None, self.repo is not None)
        if apart not in {(True, True), (False, False)} or any(apart) == (self.repository is not None):
            raise ValueError("name the repository by owner and repo, or by repository")
        return self

    def named(self) -> Repository:
        """:raises ProblemError: `invalid-repository`"""
        if self.owner is not None and self.repo is not None:
            return _repository(self.owner, self.repo)
        try:
            return Repository.parse(self.repository or "")
        except ValueError as error:
            raise ProblemError(422, "invalid-repository", str(error)) from None


class PublishRequest(_Named):
    """``commitSha`` is the commit the author's own tool has just merged; it is proven, not trusted."""

    ref: _Word | None = None
    commitSha: _Word | None = None  # noqa: N815 # the contract's spelling


class ModChange(_Strict):
    """The registry's own state of a mod, which no manifest holds."""

    private: bool


class ProjectRequest(_Named):
    pass


class SessionRequest(_Strict):
    token: _Token


class IssueRecord(BaseModel):
    code: str
    path: str
    key: str | None
    message: str


class PlayersRecord(BaseModel):
    min: int
    max: int


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


class VersionRecord(BaseModel):
    version: str
    commitSha: str | None  # noqa: N815
    release: str | None
    at: datetime


class VersionList(BaseModel):
    items: list[VersionRecord]
    next: str | None


class AccountRecord(BaseModel):
    name: str
    member: bool
    admin: bool


class SessionRecord(BaseModel):
    account: AccountRecord | None


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


class FileList(BaseModel):
    version: str
    files: list[FileRecord]


_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "content": {problem.MEDIA_TYPE: {}}},
    "5XX": {"model": Problem, "content": {problem.MEDIA_TYPE: {}}},
}


def create_app(settings: Settings) -> FastAPI:
    """The app over the database and the GitHub that ``settings`` name."""
    engine = open_database(settings.database)
    github = GitHub(settings.github, settings.github_token)
    catalogue = Catalogue(engine)
    accounts = Accounts(engine)
    registrar = Registrar(engine, github, settings.limits)
    controls = OwnerControls(engine)
    projects = Projects(engine)
    site = Site(settings.dist, PageHeaders(settings.headers))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        github.close()
        engine.dispose()

    app = FastAPI(
        title="diceytable-peer registry",
        openapi_url="/schema",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        responses=_PROBLEMS,
        dependencies=[Depends(_uncached)],
    )
    problem.install(app)
    app.add_middleware(
        CORSMiddleware,
        # A page served from elsewhere may read, and act with a bearer token; cookies never cross origins.
        allow_origins=["*"],
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=["authorization", "content-type"],
        expose_headers=["etag", "retry-after"],
        max_age=86400,
    )
    app.add_middleware(_BodyLimit, limit=_LARGEST_BODY)

    def here(request: Request) -> Addresses:
        return addresses(request, settings.page_hosts, settings.public_url)

    def viewer(request: Request) -> Account | None:
        return _viewer(request, accounts, here(request))

    def signed_in(account: Annotated[Account | None, Depends(viewer)]) -> Account:
        if account is None:
            raise ProblemError(401, "sign-in-required", "Sign in first.", headers={"www-authenticate": "Bearer"})
        return account

    Here = Annotated[Addresses, Depends(here)]  # noqa: N806
    Viewer = Annotated[Account | None, Depends(viewer)]  # noqa: N806
    SignedIn = Annotated[Account, Depends(signed_in)]  # noqa: N806

    def known(mod_id: str) -> ModRow:
        row = catalogue.mod(mod_id) if _ID.fullmatch(mod_id) else None
        if row is None:
            raise unknown_mod()
        return row

    @app.post("/api/mods", status_code=200)
    def publish(wanted: PublishRequest, account: SignedIn, where: Here) -> ModRecord:
        row = registrar.register(Publish(wanted.named(), wanted.ref, wanted.commitSha, account))
        return _record(row, where)

    @app.get("/api/mods")
    def list_mods(
        *,
        viewer: Viewer,
        where: Here,
        kind: Shelf | None = None,
        q: Annotated[str, Query(max_length=200)] = "",
        repo: Annotated[str | None, Query(max_length=200)] = None,
        manifestId: Annotated[str | None, Query(max_length=200)] = None,  # noqa: N803
        limit: _Limit = 50,
        cursor: _Cursor = None,
    ) -> ModList:
        if any("\0" in text for text in (q, manifestId or "")):
            raise ProblemError(422, "invalid-request", "Text can't hold NUL.")
        key = _repository(*repo.partition("/")[::2]).key if repo is not None else None
        wanted = Wanted(kind, q, key, manifestId)
        try:
            page = catalogue.listing(wanted, viewer, limit, cursor)
        except BadCursorError:
            raise _bad_cursor() from None
        return ModList(items=[_record(row, where) for row in page.rows], next=page.next)

    @app.get("/api/mods/{mod_id}")
    def one_mod(mod_id: str, where: Here) -> ModRecord:
        return _record(known(mod_id), where)

    @app.patch("/api/mods/{mod_id}")
    def change_mod(mod_id: str, wanted: ModChange, account: SignedIn, where: Here) -> ModRecord:
        return _record(controls.set_private(known(mod_id).id, account, private=wanted.private), where)

    @app.delete("/api/mods/{mod_id}", status_code=204)
    def delete_mod(mod_id: str, account: SignedIn) -> Response:
        controls.delete(known(mod_id).id, account)
        return Response(status_code=204)

    @app.get("/api/mods/{mod_id}/versions")
    def list_versions(mod_id: str, limit: _Limit = 50, cursor: _Cursor = None) -> VersionList:
        try:
            rows, following = catalogue.versions(known(mod_id).id, limit, cursor)
        except BadCursorError:
            raise _bad_cursor() from None
        items = [
            VersionRecord(version=row.version, commitSha=row.commit_sha, release=row.release, at=utc(row.at))
            for row in rows
        ]
        return VersionList(items=items, next=following)

    @app.get("/api/mods/{mod_id}/versions/{version}/files", response_model=FileList)
    def files_of_version(mod_id: str, version: str, request: Request) -> Response:
        row = known(mod_id)
        if not _VERSION.fullmatch(version):
            raise unknown_version()
        index = catalogue.file_index(row.id, version) or registrar.prove_version(row, version)
        return _index(request, index, _IMMUTABLE)

    @app.get("/api/mods/{mod_id}/files", response_model=FileList)
    def current_files(mod_id: str, request: Request) -> Response:
        row = known(mod_id)
        index = catalogue.file_index(row.id, row.version)
        if index is None:
            raise unknown_version()
        return _index(request, index, "no-cache")

    @app.get("/api/projects")
    def list_projects(account: SignedIn, where: Here, limit: _Limit = 50, cursor: _Cursor = None) -> ProjectList:
        if cursor is not None and "\0" in cursor:
            raise _bad_cursor()
        found, following = projects.of(account, limit, cursor)
        return ProjectList(items=[_project(project, where) for project in found], next=following)

    @app.post("/api/projects")
    def link_project(wanted: ProjectRequest, account: SignedIn, where: Here) -> ProjectRecord:
        repository = wanted.named()
        return _project(Project(repository, registrar.link(repository, account)), where)

    @app.delete("/api/projects/{owner}/{repo}", status_code=204)
    def unlink_project(owner: str, repo: str, account: SignedIn) -> Response:
        projects.unlink(account, _repository(owner, repo))
        return Response(status_code=204)

    @app.get("/api/session")
    def who_am_i(viewer: Viewer) -> SessionRecord:
        return SessionRecord(account=None if viewer is None else _account(viewer))

    @app.post("/api/session")
    def sign_in(wanted: SessionRequest, request: Request, response: Response, where: Here) -> SessionRecord:
        origin = request.headers.get("origin")
        if origin is not None and origin != where.registry:
            raise _wrong_origin()
        found = accounts.start_session(wanted.token)
        if found is None:
            raise ProblemError(401, "unknown-token", "That token belongs to no account.")
        account, secret = found
        response.set_cookie(
            SESSION_COOKIE,
            secret,
            max_age=SESSION_DAYS * 86400,
            httponly=True,
            samesite="strict",
            secure=where.registry.startswith("https:"),
        )
        return SessionRecord(account=_account(account))

    @app.delete("/api/session", status_code=204)
    def sign_out(request: Request, _: Viewer) -> Response:
        secret = request.cookies.get(SESSION_COOKIE)
        if secret:
            accounts.end_session(secret)
        response = Response(status_code=204)
        response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="strict")
        return response

    @app.get("/config.json", include_in_schema=False)
    def config(where: Here) -> JSONResponse:
        return JSONResponse(where.config(), headers={"cache-control": "no-cache", "x-content-type-options": "nosniff"})

    async def otherwise(scope: Scope, receive: Receive, send: Send) -> None:
        """Whatever is no operation of the API is a file of the page, or nothing."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        if scope["path"].startswith("/api/"):
            raise HTTPException(404, f"There is no {scope['path'][:200]}.")
        response = await site.answer(request, here(request))
        await response(scope, receive, send)

    app.router.default = otherwise
    return app


def _uncached(response: Response) -> None:
    """Answers change with the registry; those that don't say so themselves."""
    response.headers["cache-control"] = "no-cache"


def _viewer(request: Request, accounts: Accounts, where: Addresses) -> Account | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme:
        account = accounts.proven_by(token.strip(), "token") if scheme.lower() == "bearer" else None
        if account is None:
            detail = "That token belongs to no account."
            raise ProblemError(401, "unknown-token", detail, headers={"www-authenticate": "Bearer"})
        return account
    secret = request.cookies.get(SESSION_COOKIE)
    if not secret:
        return None
    if request.method not in {"GET", "HEAD"} and request.headers.get("origin") != where.registry:
        raise _wrong_origin()
    return accounts.proven_by(secret, "session")


def _repository(owner: str, name: str) -> Repository:
    try:
        return Repository(owner, name)
    except ValueError as error:
        raise ProblemError(422, "invalid-repository", str(error)) from None


def _record(row: ModRow, where: Addresses) -> ModRecord:
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
        updatedAt=utc(row.updated_at),
    )


def _project(project: Project, where: Addresses) -> ProjectRecord:
    mod = None if project.mod is None else _record(project.mod, where)
    return ProjectRecord(owner=project.repository.owner, repo=project.repository.name, mod=mod)


def _cover(row: ModRow, where: Addresses) -> str | None:
    if row.cover is None or must_be_wrapped(row.cover):
        return None
    ref = asset_ref(commit_sha(row.commit_sha), row.ref)
    compose = media_url if row.cover_lfs else raw_url
    return compose(where.github, Repository(row.owner, row.repo), ref, ContentVersion(row.version), row.cover)


def _account(account: Account) -> AccountRecord:
    return AccountRecord(name=account.name, member=account.member, admin=account.admin)


def _index(request: Request, index: FileIndex, caching: str) -> Response:
    etag = f'"{index.version}"'
    headers = {"cache-control": caching, "etag": etag, "vary": "accept-encoding"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(index.gzipped, headers=headers, media_type="application/json")
    return Response(index.plain(), headers=headers, media_type="application/json")


def _bad_cursor() -> ProblemError:
    return ProblemError(422, "invalid-request", "The cursor is not one that this registry gave out.")


def _wrong_origin() -> ProblemError:
    return ProblemError(403, "wrong-origin", "The page that asks is not this registry's.")


class _BodyLimit:
    """Refuses request bodies over ``limit`` bytes, declared or not."""

    def __init__(self, app: App, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        left = self._limit

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                # The only exception FastAPI lets pass while it reads a body.
                raise HTTPException(413, f"A request may be {self._limit} bytes long.")
            return message

        await self._app(scope, counted, send)
