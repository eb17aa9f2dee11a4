"""Errors as RFC 9457 problem documents: whatever goes wrong, the answer is one, with a stable ``code``."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

MEDIA_TYPE = "application/problem+json"

_CODES = {404: "not-found", 405: "method-not-allowed", 400: "bad-request", 413: "too-large", 415: "bad-request"}

logger = logging.getLogger(__name__)


class ProblemError(Exception):
    """Stops a request. ``code`` is for programs, ``detail`` for people; ``more`` stands beside them in the document."""

    def __init__(
        self, status: int, code: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = dict(headers or {})
        self.more = more

    def response(self) -> Response:
        document = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            **self.more,
        }
        return Response(
            json.dumps(document),
            self.status,
            {"cache-control": "no-store", **self.headers},
            MEDIA_TYPE,
        )


def unknown_mod() -> ProblemError:
    return ProblemError(404, "unknown-mod", "The registry knows no such mod.")


def unknown_version() -> ProblemError:
    return ProblemError(404, "unknown-version", "No version of this mod has that name.")


def install(app: FastAPI) -> None:
    """Make every error of ``app`` a problem document."""

    @app.exception_handler(ProblemError)
    def _known(_: Request, error: ProblemError) -> Response:
        return error.response()

    @app.exception_handler(RequestValidationError)
    def _invalid(_: Request, error: RequestValidationError) -> Response:
        faults = [
            {"at": ".".join(str(step) for step in fault["loc"]), "message": str(fault["msg"])}
            for fault in error.errors()
        ]
        first = f"{faults[0]['at']}: {faults[0]['message']}" if faults else "The request can't be read."
        return ProblemError(422, "invalid-request", first, errors=faults).response()

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> Response:
        code = _CODES.get(error.status_code, "http-error")
        headers = dict(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            headers = {"allow": ", ".join(sorted(_methods(request)))}
        return ProblemError(error.status_code, code, str(error.detail), headers=headers).response()

    @app.exception_handler(Exception)
    def _unhandled(request: Request, error: Exception) -> Response:
        logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return ProblemError(500, "internal-error", "Something went wrong here; it has been logged.").response()


def _methods(request: Request) -> set[str]:
    """Every method this address takes: the framework names those of the first route only (RFC 9110, 15.5.6)."""
    found: set[str] = set()
    for route in request.app.routes:
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            found |= route.methods or set()
    return found
