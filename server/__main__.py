"""Commands of the server: ``python -m server run …``, ``… publish …``, ``… account …`` and ``… invite``."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Engine

from client.repository import Repository
from server.account import Accounts, NameTakenError
from server.database import open_database
from server.invite import Invites
from server.publication import NOT_ASKED, publish
from server.run import Run, RunError
from server.settings import DATABASE_URL_VARIABLE, DEFAULT_DATA, Settings

GITHUB_TOKEN_VARIABLE = "PEER_GITHUB_TOKEN"  # noqa: S105
TOKEN_VARIABLE = "PEER_TOKEN"  # noqa: S105
COMMAND_LINE = "command line"
GITHUB_CLIENT_VARIABLE = "PEER_GITHUB_CLIENT_ID"


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit status."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    if options.command == "publish":
        return _publish(options)
    settings = Settings(
        data=options.data.resolve(),
        database_url=os.environ.get(DATABASE_URL_VARIABLE) or None,
        github_token=os.environ.get(GITHUB_TOKEN_VARIABLE) or None,
        github_client_id=os.environ.get(GITHUB_CLIENT_VARIABLE) or None,
    )
    if options.command == "run":
        return _run(options, settings)
    settings.data.mkdir(parents=True, exist_ok=True)
    engine = open_database(settings.database)
    try:
        if options.command == "invite":
            return _invite(options, engine)
        return _account(options, Accounts(engine))
    finally:
        engine.dispose()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m server", description="Registry and local origin.")
    data = argparse.ArgumentParser(add_help=False)
    data.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of the database (default: .data)")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", parents=[data], help="serve the page, the registry and the local origin")
    run.add_argument("--port", type=int, default=8000, help="of the page; 0 takes a free one (default: 8000)")
    run.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    run.add_argument("--site", "--dist", type=Path, help="folder of the built page; without it only the API answers")
    run.add_argument(
        "--mods", type=Path, nargs="+", action="extend", default=[], help="folders that hold <owner>/<repo>"
    )
    run.add_argument("--github", action="store_true", help="use GitHub itself instead of the local origin")
    run.add_argument("--latency-ms", type=float, default=0, help="delay of every answer of the local origin")
    run.add_argument("--no-open", action="store_true", help="leave the browser closed")
    account = commands.add_parser("account", help="accounts of the registry")
    actions = account.add_subparsers(dest="action", required=True)
    add = actions.add_parser("add", parents=[data], help="make an account and print its token as the last word")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--member", action="store_true", help="a paying member")
    add.add_argument("--admin", action="store_true")
    change = actions.add_parser("set", parents=[data], help="change what an account is")
    change.add_argument("name", metavar="NAME")
    change.add_argument("--member", action=argparse.BooleanOptionalAction, help="a paying member")
    change.add_argument("--admin", action=argparse.BooleanOptionalAction)
    token = actions.add_parser("token", parents=[data], help="print a new token; the one printed before ends")
    token.add_argument("name", metavar="NAME")
    invite = commands.add_parser("invite", parents=[data], help="print a code that people make accounts with")
    invite.add_argument("--uses", type=int, default=1, help="how many accounts (default: 1)")
    invite.add_argument("--days", type=int, default=14, help="how long it is good for (default: 14)")
    invite.add_argument("--member", action="store_true", help="for paying members")
    publishing = commands.add_parser("publish", help="register a commit, for CI; what is wrong becomes annotations")
    publishing.add_argument("repository", metavar="OWNER/REPO")
    publishing.add_argument("--sha", help="the full sha of the commit; without it, what the branch is at")
    publishing.add_argument("--registry", required=True, metavar="URL")
    publishing.add_argument("--token", help=f"of an account there (default: {TOKEN_VARIABLE} of the environment)")
    return parser


def _publish(options: argparse.Namespace) -> int:
    token = options.token or os.environ.get(TOKEN_VARIABLE)
    if not token:
        print(f"Give a token with --token or in {TOKEN_VARIABLE}.", file=sys.stderr)
        return NOT_ASKED
    try:
        repository = Repository.parse(options.repository)
    except ValueError as error:
        print(f"{error}.", file=sys.stderr)
        return NOT_ASKED
    status, lines = publish(repository, options.sha, options.registry, token)
    print(*lines, sep="\n")
    return status


def _run(options: argparse.Namespace, settings: Settings) -> int:
    site: Path | None = options.site
    if site is not None and not (site / "index.html").is_file():
        print(f"{site} holds no index.html; build the page first.", file=sys.stderr)
        return 2
    run = Run(
        port=options.port,
        host=options.host,
        settings=replace(settings, dist=None if site is None else site.resolve()),
        mods=tuple(options.mods),
        on_github=options.github,
        latency_ms=options.latency_ms,
        open_browser=not options.no_open,
    )
    try:
        run.serve()
    except RunError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _invite(options: argparse.Namespace, engine: Engine) -> int:
    if not (1 <= options.uses <= 10_000 and 1 <= options.days <= 3650):
        print("An invite makes 1 to 10000 accounts within 1 to 3650 days.", file=sys.stderr)
        return 2
    code = Invites(engine).issue(uses=options.uses, days=options.days, member=options.member)
    print(f"Whoever has it makes an account with {code}")
    return 0


def _account(options: argparse.Namespace, accounts: Accounts) -> int:
    name = options.name.strip()
    if options.action == "add":
        return _add_account(name, options, accounts)
    account = accounts.named(name)
    if account is None:
        print(f"There is no account named {name}.", file=sys.stderr)
        return 1
    if options.action == "token":
        print(f"{name} signs in with {accounts.issue_token(account, COMMAND_LINE, replacing=True)}")
        return 0
    account = accounts.change(name, member=options.member, admin=options.admin) or account
    standing = [word for word, is_so in (("a member", account.member), ("an admin", account.admin)) if is_so]
    print(f"{name} is {' and '.join(standing) or 'neither a member nor an admin'}.")
    return 0


def _add_account(name: str, options: argparse.Namespace, accounts: Accounts) -> int:
    if not name or len(name) > 80 or not name.isprintable():
        print("An account's name has 1 to 80 printable characters.", file=sys.stderr)
        return 2
    try:
        account = accounts.add(name, member=options.member, admin=options.admin)
    except NameTakenError:
        print(f"There is an account named {name} already.", file=sys.stderr)
        return 1
    print(f"{name} signs in with {accounts.issue_token(account, COMMAND_LINE)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
