"""The page on a static host of its own."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from client.urls import GitHubHosts
from server.site import Addresses, PageHeaders
from tests.e2e.site import Site
from tests.server.served import served

HEADERS: Final = Path(__file__).parents[2] / "web/headers.json"


class WithHeaders(StaticFiles):
    """Static files under the policy that the header files of ``dist/`` ask of a host."""

    headers: dict[str, str]

    def file_response(self, *given: object, **named: object) -> Response:
        response = super().file_response(*given, **named)  # type: ignore[arg-type]
        response.headers.update(self.headers)
        return response


@contextlib.contextmanager
def hosted(site: Site, registry: str | None = None) -> Iterator[str]:
    """The address of the page as any web server would host it, told of this registry and that GitHub is the local
    origin."""
    hosts = GitHubHosts(site.origin.raw, site.origin.media, site.origin.api)
    github = {"raw": hosts.raw, "media": hosts.media, "api": hosts.api}
    config = json.dumps({"registry": registry, "github": github})

    def configuration(_: Request) -> Response:
        return Response(config, media_type="application/json")

    assert site.settings.dist is not None
    files = WithHeaders(directory=site.settings.dist, html=True)
    files.headers = PageHeaders(HEADERS).to(Addresses(registry or "'self'", hosts, page="https://page.example"))
    with served(Starlette(routes=[Route("/config.json", configuration), Mount("/", files)])) as base:
        yield base
