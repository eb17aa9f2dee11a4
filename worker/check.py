"""The checking of scripts in a worker of its own: a long one holds up no table, and can be ended at any moment."""

from __future__ import annotations

import json
import traceback
from typing import Any

import js

from client.errors import PeerError
from client.registry import Registry
from client.script_check import CheckedFile, check_file, check_repository
from client.urls import GitHubHosts
from worker.http import FetchHttp


async def check(platform: Any, given: Any) -> str:
    """What ``web/check/check-worker.js`` asks: the files of ``given``, or the repository that it names.

    :return: JSON, either ``files`` or an error's ``code``, ``message`` and ``retryAt``
    """
    try:
        found = await _repository(platform, str(given.repository)) if given.repository else _files(given)
    except PeerError as error:
        return json.dumps(error.as_plain())
    except Exception as error:
        js.console.error(traceback.format_exc())
        return json.dumps(PeerError(f"{type(error).__name__}: {error}").as_plain())
    return json.dumps({"files": [one.as_plain() for one in found]})


def _files(given: Any) -> list[CheckedFile]:
    return [check_file(str(file.name), file.bytes.to_py().tobytes()) for file in given.files]


async def _repository(platform: Any, name: str) -> list[CheckedFile]:
    http = FetchHttp(platform.early)
    config = platform.config.to_py()
    registry = config.get("registry")
    hosts = GitHubHosts(**config["github"]) if config.get("github") else GitHubHosts()
    return await check_repository(http, hosts, Registry(http, registry) if isinstance(registry, str) else None, name)
