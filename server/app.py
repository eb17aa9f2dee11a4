"""The registry's HTTP API and the page beside it, as one ASGI app."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import Depends, FastAPI, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from server import problem
from server.account import SESSION_DAYS, Account, Accounts, NameTakenError
from server.answer import Answers
from server.asgi import App, Message, Receive, Scope, Send
from server.block import Blocks, blocked
from server.catalogue import BadCursorError, Catalogue, FileIndex, ModRow, Order, Shelf, Wanted
from server.collection import Collections, unknown_collection
from server.database import open_database, utc
from server.favourite import Favourites, Ratings
from server.game_page import game_page, sitemap
from server.github import GitHub
from server.github_login import GitHubLogin
from server.invite import Invites
from server.owner_control import OwnerControls
from server.problem import ProblemError, unknown_mod, unknown_version
from server.project import Project, Projects
from server.quota import Allowance, Quota, network
from server.record import (
    NAME,
    OWNER,
    OWNER_AND_NAME,
    BlockList,
    BlockRequest,
    CollectionList,
    CollectionRecord,
    CollectionRequest,
    DeviceRequest,
    FileList,
    HeadRecord,
    InvitedRecord,
    InviteRequest,
    LoginStepRecord,
    ModChange,
    ModList,
    ModRecord,
    Problem,
    ProjectList,
    ProjectRecord,
    ProjectRequest,
    PublishRequest,
    RatingRecord,
    RatingRequest,
    SessionRecord,
    SessionRequest,
    StandingRecord,
    StartedLoginRecord,
    TokenRecord,
    VersionList,
    VersionRecord,
    account_record,
    block_record,
    collection_record,
    collection_summary,
    mod_record,
    project_record,
    rating_record,
    repository_named,
)
from server.registration import Publish, Registrar
from server.seal import Seal
from server.search import index_missing
from server.settings import Settings
from server.site import Addresses, PageHeaders, Site, addresses
from server.unchanged import Generation, Unchanged

SESSION_COOKIE = "peer_session"
OWN_TOKEN = "own"  # noqa: S105 # the label of tokens that people make for themselves
_LARGEST_BODY = 1 << 20
# An index of 10,000 files is half a megabyte.
_RECORDS_KEPT = 1000
_INDEXES_KEPT = 64
_IMMUTABLE = "public, max-age=31536000, immutable"
_VERSION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ID = re.compile(r"[0-9a-f]{1,32}")
# PostgreSQL's text can't hold NUL.
_STORABLE = r"^[^\x00]*$"
_SLUG = re.compile(r"[a-z0-9-]{1,260}")

_Limit = Annotated[int, Query(ge=1, le=100)]
_Cursor = Annotated[str | None, Query(max_length=200)]


_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "content": {problem.MEDIA_TYPE: {}}},
    "5XX": {"model": Problem, "content": {problem.MEDIA_TYPE: {}}},
}


_CONTROLS_FORM: dict[str, Any] = {
    "requestBody": {
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "action": {"enum": ["private", "public", "delete"]},
                        "sure": {"type": "string", "description": "not empty when the mod is to be deleted"},
                    },
                    "required": ["action"],
                }
            }
        }
    }
}


def create_app(settings: Settings) -> FastAPI:
    """The app over the database and the GitHub that ``settings`` name."""
    engine = open_database(settings.database)
    github = GitHub(settings.github, settings.github_token, Answers(engine))
    catalogue = Catalogue(engine)
    accounts = Accounts(engine)
    login = GitHubLogin(github, accounts, Seal(settings.data), settings.github_client_id)
    registrar = Registrar(engine, github, settings.limits, login)
    invites = Invites(engine)
    quota = Quota(engine)
    failures = Allowance(settings.limits.failed_sign_ins, timedelta(minutes=15))
    heads = Allowance(settings.limits.heads_a_minute, timedelta(minutes=1))
    controls = OwnerControls(engine)
    projects = Projects(engine)
    blocks = Blocks(engine)
    favourites = Favourites(engine)
    ratings = Ratings(engine)
    collections = Collections(engine)
    index_missing(engine)
    site = Site(settings.dist, PageHeaders(settings.headers))
    generation = Generation(engine)
    records: Unchanged[bytes] = Unchanged(generation, _RECORDS_KEPT)
    indexes: Unchanged[FileIndex] = Unchanged(generation, _INDEXES_KEPT)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        github.close()
        generation.close()
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
    app.state.github = github
    problem.install(app)

    @app.exception_handler(BadCursorError)
    def _bad_cursor(_: Request, __: BadCursorError) -> Response:
        detail = "The cursor is not one that this registry gave out."
        return ProblemError(404, "unknown-cursor", detail).response()

    app.add_middleware(
        _ApiCors,
        # A page served from elsewhere may read, and act with a bearer token; cookies never cross origins.
        allow_origins=["*"],
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=["authorization", "content-type"],
        expose_headers=["etag", "retry-after"],
        max_age=86400,
    )
    app.add_middleware(_BodyLimit, limit=_LARGEST_BODY)

    # What only looks at the request is asynchronous: each hop to a thread costs as much as a whole small answer.
    async def here(request: Request) -> Addresses:
        return addresses(request, settings.page_hosts, settings.public_url)

    async def viewer(request: Request, where: Annotated[Addresses, Depends(here)]) -> Account | None:
        if "authorization" not in request.headers and SESSION_COOKIE not in request.cookies:
            return None
        return await run_in_threadpool(_viewer, request, accounts, where)

    async def signed_in(account: Annotated[Account | None, Depends(viewer)]) -> Account:
        if account is None:
            raise ProblemError(401, "sign-in-required", "Sign in first.", headers={"www-authenticate": "Bearer"})
        return account

    Here = Annotated[Addresses, Depends(here)]  # noqa: N806
    Viewer = Annotated[Account | None, Depends(viewer)]  # noqa: N806
    SignedIn = Annotated[Account, Depends(signed_in)]  # noqa: N806

    async def administrator(account: SignedIn) -> Account:
        if not account.admin:
            raise ProblemError(403, "admin-required", "Only the operators of this registry may do that.")
        return account

    Administrator = Annotated[Account, Depends(administrator)]  # noqa: N806

    def existing(mod_id: str) -> ModRow:
        row = catalogue.mod(mod_id) if _ID.fullmatch(mod_id) else None
        if row is None:
            raise unknown_mod()
        return row

    def known(mod_id: str) -> ModRow:
        row = existing(mod_id)
        if row.block is not None:
            raise blocked(row.block)
        return row

    @app.post("/api/mods", status_code=200)
    def publish(wanted: PublishRequest, account: SignedIn, where: Here) -> ModRecord:
        row = registrar.register(Publish(wanted.named(), wanted.ref, wanted.commitSha, account))
        return mod_record(row, where)

    @app.get("/api/mods")
    def list_mods(
        *,
        viewer: Viewer,
        where: Here,
        kind: Shelf | None = None,
        q: Annotated[str, Query(max_length=200, pattern=_STORABLE)] = "",
        repo: Annotated[str | None, Query(max_length=200, json_schema_extra=OWNER_AND_NAME)] = None,
        manifestId: Annotated[str | None, Query(max_length=200, pattern=_STORABLE)] = None,  # noqa: N803
        players: Annotated[int | None, Query(ge=1, le=100)] = None,
        sort: Order = "best",
        limit: _Limit = 50,
        cursor: _Cursor = None,
    ) -> ModList:
        key = repository_named(*repo.partition("/")[::2]).key if repo is not None else None
        wanted = Wanted(kind, q, key, manifestId, players, sort)
        page = catalogue.listing(wanted, viewer, limit, cursor)
        return ModList(items=[mod_record(row, where) for row in page.rows], next=page.next)

    @app.get("/api/mods/{mod_id}", response_model=ModRecord)
    async def one_mod(mod_id: str, where: Here) -> Response:
        def read() -> bytes:
            return mod_record(known(mod_id), where).model_dump_json().encode()

        record = await records.read((mod_id, where), partial(run_in_threadpool, read))
        return Response(record, headers={"cache-control": "no-cache"}, media_type="application/json")

    @app.patch("/api/mods/{mod_id}")
    def change_mod(mod_id: str, wanted: ModChange, account: SignedIn, where: Here) -> ModRecord:
        return mod_record(controls.set_private(existing(mod_id).id, account, private=wanted.private), where)

    @app.delete("/api/mods/{mod_id}", status_code=204)
    def delete_mod(mod_id: str, account: SignedIn) -> Response:
        controls.delete(existing(mod_id).id, account)
        return Response(status_code=204)

    @app.get("/api/mods/{mod_id}/versions")
    def list_versions(mod_id: str, limit: _Limit = 50, cursor: _Cursor = None) -> VersionList:
        rows, following = catalogue.versions(existing(mod_id).id, limit, cursor)
        items = [
            VersionRecord(version=row.version, commitSha=row.commit_sha, release=row.release, at=utc(row.at))
            for row in rows
        ]
        return VersionList(items=items, next=following)

    @app.get("/api/mods/{mod_id}/versions/{version}")
    def version_standing(mod_id: str, version: str, response: Response) -> StandingRecord:
        row = existing(mod_id)
        if not _VERSION.fullmatch(version):
            raise unknown_version()
        blocks.check(row.id, version)
        response.headers["cache-control"] = "no-store"
        return StandingRecord(version=version, current=version == row.version)

    @app.get("/api/mods/{mod_id}/versions/{version}/files", response_model=FileList)
    async def files_of_version(mod_id: str, version: str, request: Request) -> Response:
        def read() -> FileIndex:
            row = existing(mod_id)
            if not _VERSION.fullmatch(version):
                raise unknown_version()
            blocks.check(row.id, version)
            return catalogue.file_index(row.id, version) or registrar.prove_version(row, version)

        index = await indexes.read((mod_id, version), partial(run_in_threadpool, read))
        return _index(request, index, _IMMUTABLE)

    @app.get("/api/mods/{mod_id}/files", response_model=FileList)
    async def current_files(mod_id: str, request: Request) -> Response:
        def read() -> FileIndex:
            row = known(mod_id)
            index = catalogue.file_index(row.id, row.version)
            if index is None:
                raise unknown_version()
            return index

        index = await indexes.read(mod_id, partial(run_in_threadpool, read))
        return _index(request, index, "no-cache")

    @app.get("/api/heads/{owner}/{repo}")
    def head_of_repository(
        owner: Annotated[str, Path(json_schema_extra=OWNER)],
        repo: Annotated[str, Path(json_schema_extra=NAME)],
        request: Request,
    ) -> HeadRecord:
        """Where any public repository stands, so that a preview spends none of its player's calls to GitHub."""
        repository = repository_named(owner, repo)
        reason = catalogue.block_of(repository.key)
        if reason is not None:
            raise blocked(reason)
        purpose = f"head:{_network(request, settings)}"
        quota.check(purpose, heads)
        quota.spend(purpose, heads)
        sha = registrar.head(repository)
        blocks.check(None, sha)
        return HeadRecord(commitSha=sha)

    @app.put("/api/mods/{mod_id}/rating")
    def rate(mod_id: str, wanted: RatingRequest, account: SignedIn) -> RatingRecord:
        return rating_record(ratings.give(account, known(mod_id).id, wanted.stars))

    @app.delete("/api/mods/{mod_id}/rating")
    def unrate(mod_id: str, account: SignedIn) -> RatingRecord:
        return rating_record(ratings.give(account, known(mod_id).id, None))

    @app.get("/api/spotlight")
    def spotlight(where: Here, limit: Annotated[int, Query(ge=1, le=24)] = 6) -> ModList:
        return ModList(items=[mod_record(row, where) for row in catalogue.spotlight(limit)], next=None)

    @app.get("/api/favourites")
    def list_favourites(account: SignedIn, where: Here, limit: _Limit = 50, cursor: _Cursor = None) -> ModList:
        page = favourites.of(account, limit, cursor)
        return ModList(items=[mod_record(row, where) for row in page.rows], next=page.next)

    @app.put("/api/favourites/{mod_id}", status_code=204)
    def add_favourite(mod_id: str, account: SignedIn) -> Response:
        favourites.add(account, known(mod_id).id)
        return Response(status_code=204)

    @app.delete("/api/favourites/{mod_id}", status_code=204)
    def remove_favourite(mod_id: str, account: SignedIn) -> Response:
        if _ID.fullmatch(mod_id):
            favourites.remove(account, mod_id)
        return Response(status_code=204)

    @app.get("/api/collections")
    def list_collections(
        viewer: Viewer, *, own: bool = False, limit: _Limit = 50, cursor: _Cursor = None
    ) -> CollectionList:
        found, following = collections.listing(viewer, limit, cursor, own=own)
        return CollectionList(items=[collection_summary(one) for one in found], next=following)

    @app.post("/api/collections", status_code=201)
    def create_collection(wanted: CollectionRequest, account: SignedIn, where: Here) -> CollectionRecord:
        return collection_record(collections.create(account, wanted.name, wanted.mods), where)

    @app.get("/api/collections/{collection_id}")
    def one_collection(collection_id: str, viewer: Viewer, where: Here) -> CollectionRecord:
        return collection_record(collections.one(viewer, _collection_id(collection_id)), where)

    @app.put("/api/collections/{collection_id}")
    def replace_collection(
        collection_id: str, wanted: CollectionRequest, account: SignedIn, where: Here
    ) -> CollectionRecord:
        found = collections.replace(account, _collection_id(collection_id), wanted.name, wanted.mods)
        return collection_record(found, where)

    @app.delete("/api/collections/{collection_id}", status_code=204)
    def remove_collection(collection_id: str, account: SignedIn) -> Response:
        collections.remove(account, _collection_id(collection_id))
        return Response(status_code=204)

    @app.get("/api/admin/blocks")
    def list_blocks(_: Administrator, limit: _Limit = 50, cursor: _Cursor = None) -> BlockList:
        found, following = blocks.listing(limit, cursor)
        return BlockList(items=[block_record(block) for block in found], next=following)

    @app.post("/api/admin/blocks", status_code=201)
    def block(wanted: BlockRequest, account: Administrator) -> BlockList:
        found = blocks.add(account, wanted.mod, wanted.shas, wanted.reason)
        return BlockList(items=[block_record(one) for one in found], next=None)

    @app.delete("/api/admin/blocks/{number}", status_code=204)
    def lift_block(number: Annotated[int, Path(ge=1, lt=1 << 31)], _: Administrator) -> Response:
        blocks.lift(number)
        return Response(status_code=204)

    @app.get("/api/projects")
    def list_projects(account: SignedIn, where: Here, limit: _Limit = 50, cursor: _Cursor = None) -> ProjectList:
        found, following = projects.of(account, limit, cursor)
        return ProjectList(items=[project_record(project, where) for project in found], next=following)

    @app.post("/api/projects")
    def link_project(wanted: ProjectRequest, account: SignedIn, where: Here) -> ProjectRecord:
        repository = wanted.named()
        return project_record(Project(repository, registrar.link(repository, account)), where)

    @app.delete("/api/projects/{owner}/{repo}", status_code=204)
    def unlink_project(
        owner: Annotated[str, Path(json_schema_extra=OWNER)],
        repo: Annotated[str, Path(json_schema_extra=NAME)],
        account: SignedIn,
    ) -> Response:
        projects.unlink(account, repository_named(owner, repo))
        return Response(status_code=204)

    @app.get("/api/session")
    def who_am_i(viewer: Viewer) -> SessionRecord:
        return SessionRecord(account=None if viewer is None else account_record(viewer), github=login.is_on)

    @app.post("/api/session")
    def sign_in(wanted: SessionRequest, request: Request, response: Response, where: Here) -> SessionRecord:
        _check_origin(request, where)
        purpose = f"sign-in:{_network(request, settings)}"
        quota.check(purpose, failures)
        found = accounts.start_session(wanted.token)
        if found is None:
            quota.spend(purpose, failures)
            raise ProblemError(401, "unknown-token", "That token belongs to no account.")
        account, secret = found
        _set_session(response, secret, where)
        return SessionRecord(account=account_record(account), github=login.is_on)

    @app.post("/api/accounts", status_code=201)
    def accept_invite(wanted: InviteRequest, request: Request, response: Response, where: Here) -> InvitedRecord:
        _check_origin(request, where)
        # Guesses at tokens and at codes are guesses of the same person.
        purpose = f"sign-in:{_network(request, settings)}"
        quota.check(purpose, failures)
        try:
            account = invites.redeem(wanted.invite, wanted.name)
        except NameTakenError:
            raise ProblemError(409, "name-taken", f"Somebody is called {wanted.name} already.") from None
        if account is None:
            quota.spend(purpose, failures)
            raise ProblemError(403, "unknown-invite", "That invite code is mistyped, used up or too old.")
        _set_session(response, accounts.open_session(account), where)
        token = accounts.issue_token(account, OWN_TOKEN)
        return InvitedRecord(account=account_record(account), github=login.is_on, token=token)

    @app.post("/api/tokens", status_code=201)
    def make_token(account: SignedIn) -> TokenRecord:
        """A token for CI or another browser; the account's earlier one made here ends."""
        return TokenRecord(token=accounts.issue_token(account, OWN_TOKEN, replacing=True))

    @app.post("/api/session/github")
    def start_github_login(request: Request, where: Here) -> StartedLoginRecord:
        _check_origin(request, where)
        purpose = f"sign-in:{_network(request, settings)}"
        quota.check(purpose, failures)
        started = login.start()
        quota.spend(purpose, failures)
        return StartedLoginRecord(
            userCode=started.user_code,
            verificationUri=started.verification_uri,
            device=started.device,
            interval=started.interval,
            expiresIn=started.expires_in,
        )

    @app.put("/api/session/github")
    def finish_github_login(
        wanted: DeviceRequest, request: Request, response: Response, where: Here
    ) -> LoginStepRecord:
        _check_origin(request, where)
        found = login.finish(wanted.device)
        if isinstance(found, int):
            return LoginStepRecord(account=None, interval=found)
        account, secret = found
        _set_session(response, secret, where)
        return LoginStepRecord(account=account_record(account), interval=None)

    @app.delete("/api/session", status_code=204)
    def sign_out(request: Request, _: Viewer) -> Response:
        secret = request.cookies.get(SESSION_COOKIE)
        if secret:
            accounts.end_session(secret)
        response = Response(status_code=204)
        response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="strict")
        return response

    @app.get("/sitemap.xml", response_class=Response, responses={200: {"content": {"application/xml": {}}}})
    def site_map(where: Here) -> Response:
        return Response(sitemap(where.registry, catalogue.pages()), media_type="application/xml")

    async def page_of(request: Request, slug: str, viewer: Account | None, complaint: ProblemError | None) -> Response:
        """A mod's page, or the page that says there is none: to all but owner and admins a private mod has none."""
        where = await here(request)
        row = await run_in_threadpool(catalogue.by_slug, slug) if _SLUG.fullmatch(slug) else None
        controls_it = row is not None and viewer is not None and (viewer.admin or row.account_id == viewer.id)
        if row is None or (row.private and not controls_it):
            return await site.missing(request, where)
        text = game_page(
            mod_record(row, where), where.registry, site.head_links(), viewer if controls_it else None, complaint
        )
        # Forms must say where they come from; the page's own policy would blank that.
        headers = {**site.headers(where), "cache-control": "private, no-cache", "referrer-policy": "same-origin"}
        return HTMLResponse(text, 200 if complaint is None else complaint.status, headers)

    @app.get("/games/{slug}", response_class=HTMLResponse)
    @app.head("/games/{slug}", include_in_schema=False)
    async def show_game(slug: str, request: Request, viewer: Viewer) -> Response:
        return await page_of(request, slug, viewer, None)

    @app.post("/games/{slug}", response_class=HTMLResponse, status_code=303, openapi_extra=_CONTROLS_FORM)
    async def control_game(slug: str, request: Request, account: SignedIn) -> Response:
        """The owner's controls as a plain form."""
        form = parse_qs((await request.body()).decode("utf-8", "replace"))
        row = await run_in_threadpool(catalogue.by_slug, slug) if _SLUG.fullmatch(slug) else None
        if row is None:
            return await site.missing(request, await here(request))
        after = f"/games/{slug}"
        try:
            match form.get("action"):
                case ["private" | "public" as wanted]:
                    await run_in_threadpool(controls.set_private, row.id, account, private=wanted == "private")
                case ["delete"] if form.get("sure"):
                    await run_in_threadpool(controls.delete, row.id, account)
                    after = "/"
                case _:
                    raise ProblemError(422, "invalid-request", "Nothing was chosen.")
        except ProblemError as error:
            return await page_of(request, slug, account, error)
        return Response(status_code=303, headers={"location": after})

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
        response = await site.answer(request, await here(request))
        await response(scope, receive, send)

    app.router.default = otherwise
    return app


async def _uncached(response: Response) -> None:
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


def _index(request: Request, index: FileIndex, caching: str) -> Response:
    etag = f'"{index.version}"'
    headers = {"cache-control": caching, "etag": etag, "vary": "accept-encoding"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(index.gzipped, headers=headers, media_type="application/json")
    return Response(index.plain(), headers=headers, media_type="application/json")


def _check_origin(request: Request, where: Addresses) -> None:
    origin = request.headers.get("origin")
    if origin is not None and origin != where.registry:
        raise _wrong_origin()


def _network(request: Request, settings: Settings) -> str:
    """Where a request comes from; the proxy in front, if there is one, appends what it saw."""
    forwarded = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    seen = "" if request.client is None else request.client.host
    return network(forwarded if settings.public_url is not None and forwarded else seen)


def _set_session(response: Response, secret: str, where: Addresses) -> None:
    response.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=SESSION_DAYS * 86400,
        httponly=True,
        samesite="strict",
        secure=where.registry.startswith("https:"),
    )


def _collection_id(text: str) -> str:
    if not _ID.fullmatch(text):
        raise unknown_collection()
    return text


def _wrong_origin() -> ProblemError:
    return ProblemError(403, "wrong-origin", "The page that asks is not this registry's.")


class _ApiCors(CORSMiddleware):
    """What another origin may read is the API. The page's own files would only vary by who asks, and so miss caches."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith(("/api/", "/schema")):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


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
