"""What "I published, but they still see the old version" came from, beside what players get here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from server.app import create_app
from tests.browsers import Chromium
from tests.e2e.player import Player, statuses
from tests.e2e.site import Site
from tests.server.served import served

Message = MutableMapping[str, Any]


class BranchAsVersion:
    """The registry as it would be under the old rule, where no sha was found: a version made of the branch's name.

    It answers with the name's digest, since a peer takes no name for a version: the same before and after a publish.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(
        self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        is_record = scope["type"] == "http" and scope["path"].startswith("/api/mods")
        if not is_record or scope["path"].endswith("/files"):
            await self._app(scope, receive, send)
            return
        begun: list[Message] = []
        body = bytearray()

        async def gather(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun.append(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body"):
                answer = json.dumps(_renamed(json.loads(body))).encode()
                headers = [(name, value) for name, value in begun[0]["headers"] if name != b"content-length"]
                await send({**begun[0], "headers": [*headers, (b"content-length", str(len(answer)).encode())]})
                await send({"type": "http.response.body", "body": answer})

        await self._app(scope, receive, gather)


def _renamed(values: Any) -> Any:
    if isinstance(values, list):
        return [_renamed(value) for value in values]
    if not isinstance(values, dict):
        return values
    if "artifactHash" in values:
        version = hashlib.sha256(values["ref"].encode()).hexdigest()
        return {**values, "commitSha": None, "artifactHash": version, "version": version}
    return {key: _renamed(value) for key, value in values.items()}


def test_with_the_branch_for_a_version_a_publish_reaches_nobody_and_with_ours_everybody(
    chromium: Chromium, site: Site
) -> None:
    owner = site.mod("renewed", {"a.webp": 100, "b.webp": 200})
    site.publish(owner, "renewed")
    mod = f"{owner}/renewed"
    before = site.sha256(owner, "renewed")["a.webp"]
    with served(BranchAsVersion(create_app(site.settings))) as base:
        old, ours = Player(chromium, base), Player(chromium, site.base)
        for player in (old, ours):
            player.open(mod)
            assert player.digests(["a.webp"]) == {"a.webp": before}

        site.commit(owner, "renewed", {"a.webp": b"what its author published"})
        site.publish(owner, "renewed")

        # Reloading does not help: nothing of that scope is ever asked for again.
        for _ in range(2):
            stale = old.open(mod)
            assert set(statuses(stale).values()) == {"cached"}
            assert old.digests(["a.webp"]) == {"a.webp": before}
        assert site.asked_for(owner, "renewed") == []

        assert statuses(ours.open(mod))["a.webp"] == "downloaded"
        assert ours.digests(["a.webp"]) == {"a.webp": site.sha256(owner, "renewed")["a.webp"]}
        assert site.asked_for(owner, "renewed") == ["a.webp"]
