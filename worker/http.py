"""Small requests with the browser's own ``fetch``."""

from __future__ import annotations

from typing import Any

import js
from pyodide.ffi import JsException, to_js

from client.errors import Unreachable
from client.ports import Blob, Reply


class FetchHttp:
    """Reads answers whole. ``pyfetch`` is not used: it turns every failure into an AbortError.

    :param early: ``web/early.js``, which holds responses that were asked for before they were needed
    """

    def __init__(self, early: Any) -> None:
        self._early = early

    async def get(self, url: str, *, most: int, fresh: bool = False) -> Reply:
        response = await self._response(url, fresh)
        try:
            body = await response.arrayBuffer()
        except JsException as error:
            raise Unreachable(f"{url} broke off: {error}") from None
        if int(body.byteLength) > most:
            raise Unreachable(f"{url} answered with more than {most} bytes.")
        headers = {str(name).lower(): str(value) for name, value in response.headers.entries()}
        return Reply(str(response.url or url), int(response.status), headers, body.to_bytes())

    def anticipate(self, url: str) -> None:
        self._early.begin(url, to_js({"cache": "no-store"}, dict_converter=js.Object.fromEntries))

    async def _response(self, url: str, fresh: bool) -> Any:
        # Custom headers would ask for a preflight, which raw hosts refuse (PLATFORM.md).
        options = {"credentials": "omit", "referrerPolicy": "no-referrer", "cache": "reload" if fresh else "default"}
        try:
            return await self._early.fetchEarlyOrNow(url, to_js(options, dict_converter=js.Object.fromEntries))
        except JsException as error:
            raise Unreachable(f"{url} does not answer: {error}") from None

    async def blob(self, url: str, media_type: str) -> tuple[Blob, int] | None:
        try:
            response = await self._response(url, False)
            if int(response.status) != 200:
                return None
            blob = await response.blob()
        except (JsException, Unreachable):
            return None
        return blob.slice(0, blob.size, media_type), int(blob.size)

    def wrap(self, data: bytes, media_type: str) -> Blob:
        options = to_js({"type": media_type}, dict_converter=js.Object.fromEntries)
        return js.Blob.new(to_js([to_js(data)]), options)
