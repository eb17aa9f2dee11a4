"""What an operator chooses: where data lives, which GitHub is asked, what the page is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from client.urls import GitHubHosts

PROJECT = Path(__file__).resolve().parent.parent
DEFAULT_DATA = PROJECT / ".data"
DATABASE_URL_VARIABLE = "PEER_DATABASE_URL"


@dataclass(frozen=True, slots=True)
class GitHubEndpoints:
    """Base addresses, without a trailing slash. ``name`` sets numeric repository ids of one GitHub apart from
    another's: the local origin's are hashes, and must never be taken for GitHub's own."""

    raw: str = "https://raw.githubusercontent.com"
    media: str = "https://media.githubusercontent.com"
    api: str = "https://api.github.com"
    git: str = "https://github.com"
    archives: str = "https://codeload.github.com"
    name: str = "github"


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one scan, sizes in bytes, and of how often things may be done.

    ``scans_an_hour``, ``scanned_bytes_an_hour`` (unpacked) and ``waiting_scans`` are an account's: it has one scan at a
    time, and so many may wait for it. ``repository_bytes`` is one scan's, whoever asks for it.
    ``script_seconds`` of a processor and ``script_memory`` are what reading a commit's scripts may take.
    ``failed_sign_ins`` are an address's within a quarter of an hour, ``heads_a_minute`` its questions where a
    repository stands.
    """

    repository_bytes: int = 4 << 30
    file_bytes: int = 100 << 20
    files: int = 100_000
    unlike_archive: int = 500
    proofs_a_minute: int = 30
    scans_an_hour: int = 300
    scanned_bytes_an_hour: int = 16 << 30
    waiting_scans: int = 8
    failed_sign_ins: int = 20
    script_seconds: int = 60
    script_memory: int = 2 << 30
    heads_a_minute: int = 30


@dataclass(frozen=True, slots=True)
class Settings:
    """``page_hosts`` is what browsers are told; ``{host}`` in it becomes the host name they reached the server by.
    ``public_url`` is the registry's own address when a proxy hides it; then the last X-Forwarded-For is believed.
    ``github_client_id`` names an OAuth app and switches sign-in with GitHub on."""

    data: Path = DEFAULT_DATA
    database_url: str | None = None
    dist: Path | None = None
    headers: Path = PROJECT / "web" / "headers.json"
    github: GitHubEndpoints = field(default_factory=GitHubEndpoints)
    github_token: str | None = None
    github_client_id: str | None = None
    page_hosts: GitHubHosts = field(default_factory=GitHubHosts)
    public_url: str | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def database(self) -> str:
        """The database's URL; by default one SQLite file below ``data``."""
        return self.database_url or f"sqlite:///{self.data / 'peer.sqlite'}"
