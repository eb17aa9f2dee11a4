"""Signing in with GitHub, by OAuth's device flow (RFC 8628): no secret of ours, and nothing GitHub has to call back.

The state between the two steps travels with the browser, sealed; the token that comes out is kept sealed, because
publishing asks GitHub whether its owner may push.
"""

from __future__ import annotations

from dataclasses import dataclass

from client.repository import Repository
from server.account import Account, Accounts
from server.github import DeviceStep, GitHub, GitHubError, RateLimitedError, UnauthorizedError
from server.problem import ProblemError
from server.seal import BrokenSealError, Seal

_LONGEST_S = 1800


@dataclass(frozen=True, slots=True)
class StartedLogin:
    """What the person has to do: enter ``user_code`` at ``verification_uri`` within ``expires_in`` seconds."""

    user_code: str
    verification_uri: str
    device: str
    interval: int
    expires_in: int


class GitHubLogin:
    """``client_id`` names the OAuth app of this installation; None switches all of it off."""

    def __init__(self, github: GitHub, accounts: Accounts, seal: Seal, client_id: str | None) -> None:
        self._github = github
        self._accounts = accounts
        self._seal = seal
        self._client_id = client_id

    @property
    def is_on(self) -> bool:
        return self._client_id is not None

    def start(self) -> StartedLogin:
        """:raises ProblemError: it is off, or GitHub can't be asked"""
        try:
            started = self._github.start_device(self._on())
        except GitHubError as error:
            raise _unreachable(error) from None
        device = self._seal.close(started.device_code)
        return StartedLogin(started.user_code, started.verification_uri, device, started.interval, started.expires_in)

    def finish(self, device: str) -> tuple[Account, str] | int:
        """The account and a session's secret; before the person has agreed, the seconds to wait before asking again.

        :raises ProblemError: `sign-in-refused`, `sign-in-expired`, or GitHub can't be asked
        """
        client_id = self._on()
        try:
            code = self._seal.open(device, _LONGEST_S)
        except BrokenSealError:
            raise _expired() from None
        try:
            step = self._github.poll_device(client_id, code)
            if step.token is None:
                return _wait(step)
            user = self._github.user(step.token)
        except GitHubError as error:
            raise _unreachable(error) from None
        account = self._accounts.of_github(user.number, user.login, self._seal.close(step.token))
        return account, self._accounts.open_session(account)

    def check_push(self, account: Account | None, repository: Repository) -> None:
        """Owning a mod takes push permission on its repository, where people sign in with GitHub.

        :raises ProblemError: `push-permission-required`, or GitHub can't be asked
        """
        if self._client_id is None or account is None or account.admin:
            return
        sealed = self._accounts.github_token(account)
        try:
            allowed = sealed is not None and self._github.may_push(repository, self._seal.open(sealed))
        except (BrokenSealError, UnauthorizedError):
            allowed = False
        except GitHubError as error:
            raise _unreachable(error) from None
        if not allowed:
            detail = f"GitHub does not say that you may push to {repository}; sign in with GitHub as somebody who may."
            raise ProblemError(403, "push-permission-required", detail)

    def _on(self) -> str:
        if self._client_id is None:
            raise ProblemError(404, "sign-in-off", "This registry does not sign in with GitHub.")
        return self._client_id


def _wait(step: DeviceStep) -> int:
    match step.error:
        case "authorization_pending" | "slow_down":
            return step.interval or 5
        case "access_denied":
            raise ProblemError(403, "sign-in-refused", "The sign-in was refused on GitHub.")
        case _:
            raise _expired()


def _expired() -> ProblemError:
    return ProblemError(410, "sign-in-expired", "This sign-in is no longer open; start again.")


def _unreachable(error: GitHubError) -> ProblemError:
    if isinstance(error, RateLimitedError):
        headers = {} if error.retry_after is None else {"retry-after": str(error.retry_after)}
        return ProblemError(503, "rate-limited", "GitHub wants to be left alone for a while.", headers=headers)
    return ProblemError(503, "github-unreachable", "GitHub could not be asked.")
