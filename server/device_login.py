"""The local origin's part of OAuth's device flow (RFC 8628), as GitHub answers it, with people made up by tests."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from server.exchange import Reply, Request

_JSON = {"content-type": "application/json; charset=utf-8"}
_EXPIRES_S = 900
_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


@dataclass(slots=True)
class _Device:
    client: str
    user_code: str
    login: str | None = None
    denied: bool = False


@dataclass(slots=True)
class DeviceLogins:
    """Safe to use from any thread. ``writers`` adds logins with push permission to a lower-case ``owner/name``;
    ``interval`` is the seconds to leave between two questions."""

    interval: int = 5
    writers: dict[str, set[str]] = field(default_factory=dict)
    _devices: dict[str, _Device] = field(default_factory=dict)
    _tokens: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def approve(self, user_code: str, login: str) -> None:
        """What ``login`` does on GitHub's page with the code it was shown.

        :raises KeyError: nobody was shown this code
        """
        with self._lock:
            self._shown(user_code).login = login

    def deny(self, user_code: str) -> None:
        """:raises KeyError: nobody was shown this code"""
        with self._lock:
            self._shown(user_code).denied = True

    def revoke(self, login: str) -> None:
        """Every token of ``login`` is worth nothing from now on."""
        with self._lock:
            self._tokens = {token: whose for token, whose in self._tokens.items() if whose != login}

    def login(self, authorization: str) -> str | None:
        """Whose bearer token this Authorization header holds."""
        with self._lock:
            return self._tokens.get(authorization.removeprefix("Bearer "))

    def user(self, login: str) -> dict[str, object]:
        """The user as ``GET /user`` has it."""
        number = int.from_bytes(hashlib.sha256(login.lower().encode()).digest()[:5], "big")
        return {"login": login, "id": number, "type": "User"}

    def permissions(self, login: str, owner: str, name: str) -> dict[str, bool]:
        """What ``login`` may do with a repository: its owner anything, others read."""
        own = login.lower() == owner.lower()
        push = own or login in self.writers.get(f"{owner}/{name}".lower(), ())
        return {"admin": own, "maintain": own, "push": push, "triage": push, "pull": True}

    async def answer(self, request: Request) -> Reply:
        if request.method != "POST":
            return Reply(404, _JSON, b"{}")
        form = {key: values[0] for key, values in parse_qs((await request.body()).decode()).items()}
        match request.segments:
            case ("login", "device", "code"):
                return self._start(form, request.base)
            case _:
                return self._poll(form)

    def _start(self, form: dict[str, str], base: str) -> Reply:
        client = form.get("client_id", "")
        if not client:
            return Reply(404, _JSON, b'{"error": "Not Found"}')
        device_code = secrets.token_hex(20)
        user_code = f"{secrets.token_hex(2)}-{secrets.token_hex(2)}".upper()
        with self._lock:
            self._devices[device_code] = _Device(client, user_code)
        return _json(
            {
                "device_code": device_code,
                "user_code": user_code,
                "verification_uri": f"{base}/login/device",
                "expires_in": _EXPIRES_S,
                "interval": self.interval,
            }
        )

    def _poll(self, form: dict[str, str]) -> Reply:
        with self._lock:
            code = form.get("device_code", "")
            device = self._devices.get(code)
            if form.get("grant_type") != _GRANT:
                return _json({"error": "unsupported_grant_type"})
            if device is None or device.client != form.get("client_id"):
                return _json({"error": "incorrect_device_code"})
            if device.denied:
                return _json({"error": "access_denied"})
            if device.login is None:
                return _json({"error": "authorization_pending"})
            del self._devices[code]
            token = f"gho_{secrets.token_hex(18)}"
            self._tokens[token] = device.login
        return _json({"access_token": token, "token_type": "bearer", "scope": ""})

    def _shown(self, user_code: str) -> _Device:
        for device in self._devices.values():
            if device.user_code == user_code:
                return device
        raise KeyError(user_code)


def _json(value: dict[str, object]) -> Reply:
    return Reply(200, _JSON, json.dumps(value).encode())
