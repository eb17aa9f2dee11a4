"""``python -m server publish``: register a commit from CI, with what is wrong as annotations of the build.

Annotations are GitHub's workflow commands (docs.github.com, "Workflow commands"), which read well in any log.
"""

from __future__ import annotations

from typing import Any

import httpx

from client.repository import Repository

REGISTERED, REFUSED, NOT_ASKED, NOT_WHOLE = 0, 1, 2, 3
"""Exit statuses: registered; refused, the old version stays; no registry answered; registered, but some of its files
can't be loaded."""

_TIMEOUT = httpx.Timeout(600, connect=10)


def publish(repository: Repository, sha: str | None, registry: str, token: str) -> tuple[int, list[str]]:
    """The exit status, and the lines to print."""
    body = {"owner": repository.owner, "repo": repository.name} | ({} if sha is None else {"commitSha": sha})
    headers = {"authorization": f"Bearer {token}", "user-agent": "diceytable-peer publish"}
    try:
        answer = httpx.post(f"{registry.rstrip('/')}/api/mods", json=body, headers=headers, timeout=_TIMEOUT)
        values = answer.json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError) as error:
        return NOT_ASKED, [_annotation("error", "registry", str(error) or type(error).__name__)]
    if not isinstance(values, dict):
        return NOT_ASKED, [_annotation("error", "registry", f"{registry} does not answer as a registry does.")]
    if answer.status_code != httpx.codes.OK:
        lines = [_issue("error", issue) for issue in _issues(values)]
        detail = f"{repository} is not registered: {values.get('detail') or answer.status_code}"
        lines.append(_annotation("error", str(values.get("code", "refused")), detail))
        busy = (
            answer.status_code >= httpx.codes.INTERNAL_SERVER_ERROR
            or answer.status_code == httpx.codes.TOO_MANY_REQUESTS
        )
        return NOT_ASKED if busy else REFUSED, lines
    whole = values.get("compatible") is True
    lines = [_issue("warning" if whole else "error", issue) for issue in _issues(values)]
    lines.append(
        f"{repository} is registered: {registry.rstrip('/')}/?mod={values.get('id')} at {values.get('version')}"
    )
    return REGISTERED if whole else NOT_WHOLE, lines


def _issues(values: dict[str, Any]) -> list[dict[str, Any]]:
    issues = values.get("issues")
    return [issue for issue in issues if isinstance(issue, dict)] if isinstance(issues, list) else []


def _issue(level: str, issue: dict[str, Any]) -> str:
    place = {"file": issue.get("path"), "line": issue.get("line"), "col": issue.get("column")}
    key = issue.get("key")
    message = str(issue.get("message", ""))
    return _annotation(level, str(issue.get("code", "issue")), f"{key}: {message}" if key else message, place)


def _annotation(level: str, title: str, message: str, place: dict[str, object] | None = None) -> str:
    properties = {**{key: value for key, value in (place or {}).items() if value}, "title": title}
    written = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{level} {written}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
