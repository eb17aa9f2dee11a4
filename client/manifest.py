"""``diceytable.mod.json``: what a mod says of itself, read leniently.

Only a manifest that is no JSON object stops anything. Every other fault costs the entry it stands in,
and becomes an :class:`~client.issue.Issue` that names file and key. Unknown keys are left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from client.asset_path import AssetPath, path_fault
from client.capability import MOD_CAPABILITIES
from client.engine import accepts_engine
from client.errors import ManifestUnreadable
from client.issue import Issue
from client.json_document import DocumentUnreadable, LenientObject, read_object

MANIFEST_PATH = AssetPath("diceytable.mod.json")
SETUP_PATH = AssetPath("setup.json")
LONGEST_MANIFEST = 8 * 1024 * 1024
MOST_ASSETS = 100_000
MOST_CREDITS = 1000

Kind = Literal["game", "room", "table"]
Role = Literal["manifest", "setup", "script", "asset", "cover", "screenshot", "rules"]

_KINDS: dict[str, Kind] = {"game-pack": "game", "room-pack": "room", "table-pack": "table"}
_MANIFEST_ID = re.compile(r"[A-Za-z0-9-]{1,100}")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_VIDEO_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_VIDEO_PAGES = {"youtube": "https://www.youtube.com/watch?v=", "vimeo": "https://vimeo.com/"}
_HASH = re.compile(r"(?:sha256-)?([0-9a-fA-F]{64})")


class DeclaredFile(NamedTuple):
    """One file a peer pulls. ``sha256`` (64 lower-case hex digits) and ``size`` (bytes) are what the manifest itself
    claims, None where it claims nothing; ``optional`` files may be absent without that being a failure."""

    path: AssetPath
    role: Role
    sha256: str | None = None
    size: int | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class RefusedEntry:
    """A path that names no file of this repository: it is reported by name and never fetched."""

    path: str
    key: str
    fault: str


@dataclass(frozen=True, slots=True)
class Crop:
    """The part of a picture to show, as fractions of its width and height."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class Screenshot:
    path: AssetPath
    title: str | None
    alt: str | None
    crop: Crop | None


@dataclass(frozen=True, slots=True)
class Rules:
    """One rules entry: a Markdown file of the repository, or a video's address (a link, never embedded)."""

    title: str
    path: AssetPath | None
    video: str | None


@dataclass(frozen=True, slots=True)
class Players:
    min: int
    max: int


@dataclass(frozen=True, slots=True)
class AssetRepository:
    """A repository the author keeps further art in; listed, never pulled from."""

    owner: str
    repo: str
    ref: str


@dataclass(frozen=True, slots=True)
class Credit:
    """Whose work a part of the mod is. ``files`` counts the paths it stands for: naming them here fetches none of them.
    ``source`` is an https address."""

    title: str | None
    author: str | None
    license: str | None
    origin: str | None
    source: str | None
    files: int


@dataclass(frozen=True, slots=True)
class ModManifest:
    """A manifest as read. ``files`` is everything a peer pulls, each path once, the manifest itself first."""

    manifest_id: str | None
    name: str
    kind: Kind
    release: str | None
    slug: str | None
    summary: str | None
    description: str | None
    category: str | None
    license: str | None
    tags: tuple[str, ...]
    players: Players | None
    setup: AssetPath
    script: AssetPath | None
    cover: AssetPath | None
    screenshots: tuple[Screenshot, ...]
    rules: tuple[Rules, ...]
    credits: tuple[Credit, ...]
    capabilities: tuple[str, ...]
    asset_repositories: tuple[AssetRepository, ...]
    files: tuple[DeclaredFile, ...]
    refused: tuple[RefusedEntry, ...]
    issues: tuple[Issue, ...]
    engine_accepted: bool

    def file(self, path: str) -> DeclaredFile | None:
        """The declared file at ``path``, None when the manifest does not name it."""
        return next((declared for declared in self.files if declared.path == path), None)


MANIFEST_FILE = DeclaredFile(MANIFEST_PATH, "manifest")
"""The manifest as a file to pull, before anything is known of it."""


def read_manifest(data: bytes) -> ModManifest:
    """Read a manifest's bytes.

    :raises ManifestUnreadable: it is not a JSON object of at most 8 MiB
    """
    try:
        values = read_object(data, MANIFEST_PATH, longest=LONGEST_MANIFEST)
    except DocumentUnreadable as error:
        raise ManifestUnreadable(str(error), line=error.line) from None
    return _Reading(values).manifest()


class _Reading:
    def __init__(self, values: dict[str, Any]) -> None:
        self.issues: list[Issue] = []
        self.refused: list[RefusedEntry] = []
        self.files: dict[str, DeclaredFile] = {}
        self.top = LenientObject(values, MANIFEST_PATH, "", self.issues)

    def manifest(self) -> ModManifest:
        top = self.top
        manifest_id = self._manifest_id()
        claims = self._hashes()
        self._declare("", MANIFEST_PATH, "manifest", claims)
        setup, script = self._entry(claims)
        self._assets(claims)
        cover = self._path(top, "coverImage")
        if cover is not None:
            self._declare("coverImage", cover, "cover", claims)
        screenshots = tuple(self._screenshots(claims))
        rules = tuple(self._rules(claims))
        self._case_collisions()
        return ModManifest(
            manifest_id=manifest_id,
            name=(top.text("name") or "").strip() or manifest_id or "Untitled mod",
            kind=self._kind(),
            release=top.text("version"),
            slug=self._slug(),
            summary=top.text("summary"),
            description=top.text("description"),
            category=top.text("category"),
            license=top.text("license"),
            tags=top.texts("tags"),
            players=self._players(),
            setup=setup,
            script=script,
            cover=cover,
            screenshots=screenshots,
            rules=rules,
            credits=tuple(self._credits()),
            capabilities=self._capabilities(),
            asset_repositories=tuple(self._asset_repositories()),
            files=tuple(self.files.values()),
            refused=tuple(self.refused),
            engine_accepted=self._engine(),
            issues=tuple(self.issues),
        )

    def _manifest_id(self) -> str | None:
        value = self.top.text("id")
        if value is None:
            self.top.complain("missing-key", "id", "is missing.")
        elif not _MANIFEST_ID.fullmatch(value):
            self.top.complain("odd-id", "id", "should be letters, digits and hyphens.")
        return value

    def _kind(self) -> Kind:
        value = self.top.text("type")
        if value is not None and value not in _KINDS:
            self.top.complain(
                "unknown-type", "type", f"{value[:40]!r} is not one of {', '.join(_KINDS)}; read as a game."
            )
        return _KINDS.get(value or "", "game")

    def _slug(self) -> str | None:
        value = self.top.text("slug")
        if value is not None and not (len(value) <= 100 and _SLUG.fullmatch(value)):
            self.top.complain("odd-slug", "slug", "should be lower-case words joined by hyphens; it is not used.")
            return None
        return value

    def _hashes(self) -> dict[str, str]:
        """The manifest's own list of content hashes, ``{path: "sha256-<hex>" or 64 hex digits}``."""
        value = self.top.raw("hashes")
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.top.wrong("hashes", "an object", value)
            return {}
        claims = {}
        for path, claim in value.items():
            claimed = self._hash(self.top, f'hashes["{path[:120]}"]', claim)
            if claimed is not None:
                claims[path] = claimed
        return claims

    def _hash(self, within: LenientObject, key: str, claim: object) -> str | None:
        match = _HASH.fullmatch(claim) if isinstance(claim, str) else None
        if match is None:
            within.complain("unverifiable-hash", key, "is no SHA-256 in hex; the file can't be checked against it.")
            return None
        if match[1] != match[1].lower():
            within.complain("hash-in-capitals", key, "should be lower-case hex; it is read as if it were.")
        return match[1].lower()

    def _entry(self, claims: dict[str, str]) -> tuple[AssetPath, AssetPath | None]:
        entry = self.top.child("entry")
        setup = self._path(entry, "setup")
        self._declare("entry.setup", setup or SETUP_PATH, "setup", claims, optional=setup is None)
        script = self._path(entry, "script")
        if script is not None:
            self._declare("entry.script", script, "script", claims)
        return setup or SETUP_PATH, script

    def _assets(self, claims: dict[str, str]) -> None:
        if self.top.raw("assets") is None:
            self.top.complain("missing-key", "assets", "is missing: nothing but setup and pictures will be loaded.")
        seen: set[str] = set()
        for number, (place, element) in enumerate(self.top.items("assets")):
            if number >= MOST_ASSETS:
                self.top.complain(
                    "too-many-assets", "assets", f"has more than {MOST_ASSETS} entries; the rest is left out."
                )
                return
            sha256 = size = None
            if isinstance(element, dict):
                asset = LenientObject(element, MANIFEST_PATH, place, self.issues)
                text, key = asset.text("path"), f"{place}.path"
                if text is None:
                    asset.complain("missing-key", "path", "is missing.")
                    continue
                if "sha256" in asset:
                    sha256 = self._hash(asset, "sha256", asset.raw("sha256"))
                size = asset.integer("size")
            elif isinstance(element, str):
                text, key = element, place
            else:
                self.top.wrong(place, "a path", element)
                continue
            path = self._checked(text, key)
            if path is None:
                continue
            if path in seen:
                self.top.complain("duplicate-path", key, f"names {path} once more.")
                continue
            seen.add(path)
            self._declare(key, path, "asset", claims, sha256=sha256, size=size)

    def _screenshots(self, claims: dict[str, str]) -> list[Screenshot]:
        found = []
        for shot in self.top.children("screenshots"):
            path = self._path(shot, "path")
            if path is None:
                continue
            self._declare(shot.place("path"), path, "screenshot", claims)
            found.append(Screenshot(path, shot.text("title"), shot.text("alt"), self._crop(shot)))
        return found

    def _crop(self, shot: LenientObject) -> Crop | None:
        if "crop" not in shot:
            return None
        crop = shot.child("crop")
        sides = [crop.number(side) for side in ("x", "y", "w", "h")]
        x, y, w, h = (side if side is not None else -1.0 for side in sides)
        if not (0 <= x < 1 and 0 <= y < 1 and 0 < w <= 1 and 0 < h <= 1):
            shot.complain("odd-crop", "crop", "should hold fractions of the picture; it is shown whole.")
            return None
        return Crop(x, y, min(w, 1 - x), min(h, 1 - y))

    def _rules(self, claims: dict[str, str]) -> list[Rules]:
        found = []
        for rules in self.top.children("rules"):
            title = rules.text("title") or "Rules"
            match rules.text("kind"):
                case "markdown":
                    path = self._path(rules, "path")
                    if path is not None:
                        self._declare(rules.place("path"), path, "rules", claims)
                        found.append(Rules(title, path, None))
                case "video":
                    video = self._video(rules)
                    if video is not None:
                        found.append(Rules(title, None, video))
                case _:
                    rules.complain("unknown-rules", "kind", "should be markdown or video.")
        return found

    def _video(self, rules: LenientObject) -> str | None:
        """A video's public address, from ``{provider, id}`` or an https address written out."""
        value = rules.raw("video")
        if isinstance(value, dict):
            provider, number = value.get("provider"), value.get("id")
            if isinstance(number, str) and _VIDEO_ID.fullmatch(number) and provider in _VIDEO_PAGES:
                return _VIDEO_PAGES[provider] + number
            value = value.get("url")
        if not isinstance(value, str) or not value.startswith("https://"):
            rules.complain("odd-video", "video", "should name a provider we know and an id, or an https address.")
            return None
        return value

    def _credits(self) -> list[Credit]:
        """Authors name the same thing in different words, and nothing depends on it, so nothing here is an issue."""
        values = self.top.raw("credits")
        entries = [entry for entry in values if isinstance(entry, dict)] if isinstance(values, list) else []
        return [_credit(LenientObject(entry, MANIFEST_PATH, "credits", [])) for entry in entries[:MOST_CREDITS]]

    def _capabilities(self) -> tuple[str, ...]:
        allowed = self.top.child("capabilities").texts("allowed")
        for unknown in sorted(set(allowed) - MOD_CAPABILITIES):
            self.top.complain(
                "unknown-capability", "capabilities.allowed", f"names {unknown[:60]!r}, which does not exist."
            )
        return tuple(slug for slug in dict.fromkeys(allowed) if slug in MOD_CAPABILITIES)

    def _players(self) -> Players | None:
        if "players" not in self.top:
            return None
        players = self.top.child("players")
        least, most = players.integer("min"), players.integer("max")
        if least is None and most is None:
            return None
        least = least if least is not None else 1
        most = most if most is not None else least
        if not 1 <= least <= most:
            self.top.complain("odd-players", "players", "should have 1 ≤ min ≤ max; it is not shown.")
            return None
        return Players(least, most)

    def _asset_repositories(self) -> list[AssetRepository]:
        found = []
        for entry in self.top.children("assetRepos"):
            owner, repo = entry.text("owner"), entry.text("repo")
            if owner and repo:
                found.append(AssetRepository(owner, repo, entry.text("ref") or "HEAD"))
        return found

    def _engine(self) -> bool:
        wanted = self.top.child("compatibility").text("engine")
        if wanted is None:
            return True
        accepted = accepts_engine(wanted)
        if accepted is None:
            self.top.complain("odd-engine-range", "compatibility.engine", "can't be read; it is taken to fit.")
            return True
        if not accepted:
            self.top.complain(
                "engine-range", "compatibility.engine", f"is {wanted[:60]!r}, which this engine is not in."
            )
        return accepted

    def _path(self, within: LenientObject, key: str) -> AssetPath | None:
        value = within.raw(key)
        if value is None:
            return None
        if not isinstance(value, str):
            within.wrong(key, "a path", value)
            return None
        return self._checked(value, within.place(key))

    def _checked(self, text: str, key: str) -> AssetPath | None:
        fault = path_fault(text)
        if fault is None:
            return AssetPath(text)
        self.refused.append(RefusedEntry(text, key, fault))
        self.top.complain("refused-path", key, f"{text[:120]!r} {fault}; it is not loaded.")
        return None

    def _declare(
        self,
        key: str,
        path: AssetPath,
        role: Role,
        claims: dict[str, str],
        *,
        sha256: str | None = None,
        size: int | None = None,
        optional: bool = False,
    ) -> None:
        claimed = claims.get(path)
        if sha256 is not None and claimed is not None and sha256 != claimed:
            self.top.complain("hashes-disagree", key, f"and hashes give {path} two different hashes.")
        earlier = self.files.get(path)
        if earlier is not None:
            role, optional = earlier.role, earlier.optional and optional
            sha256, size = sha256 or earlier.sha256, size if size is not None else earlier.size
        self.files[path] = DeclaredFile(path, role, sha256 or claimed, size, optional)

    def _case_collisions(self) -> None:
        spelled: dict[str, str] = {}
        for path in self.files:
            other = spelled.setdefault(path.casefold(), path)
            if other != path:
                self.top.complain(
                    "case-collision", "assets", f"has {other} and {path}, one file on systems that ignore case."
                )


def _credit(entry: LenientObject) -> Credit:
    def first(*keys: str) -> str | None:
        return next((text.strip() for key in keys if (text := entry.text(key)) and text.strip()), None)

    source, paths = first("source", "url", "sourceUrl", "link"), entry.raw("paths")
    return Credit(
        title=first("title", "name", "work"),
        author=first("author", "creator", "artist", "by"),
        license=first("license", "licence"),
        origin=first("origin"),
        source=source if source is not None and source.startswith("https://") else None,
        files=len(paths) if isinstance(paths, list) else 0,
    )
