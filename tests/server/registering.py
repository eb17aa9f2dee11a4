"""Registering a repository, as every test that publishes does."""

from __future__ import annotations

from typing import Any

import httpx


def registered(client: httpx.Client, owner: str, repo: str) -> dict[str, Any]:
    """Have the registry read what the repository holds now; answers the mod's record."""
    answer = client.post("/api/mods", json={"owner": owner, "repo": repo})
    assert answer.status_code == 200, answer.text
    record: dict[str, Any] = answer.json()
    return record
