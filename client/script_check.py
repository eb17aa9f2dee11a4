"""What the registry would say of scripts, told to their author before they are published: the page's "check a script".

The very scanner that reads a publish reads here (:func:`client.scanner.scan_script`), so what passes here passes there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from client.asset_path import AssetPath, path_fault
from client.errors import ManifestUnreadable, RefusedPath, UnknownMod, Unreachable
from client.finding import Finding
from client.github import GitHub
from client.hidden_text import UNSEEN
from client.json_document import DocumentUnreadable, read_object
from client.manifest import LONGEST_MANIFEST, MANIFEST_PATH, ModManifest, read_manifest
from client.ports import Http
from client.registry import Registry
from client.repository import Repository
from client.scanner import refusal, scan_script
from client.scene_script import MOST_SCENE_SCRIPTS, SceneScript
from client.script_source import ScriptSource
from client.setup import LONGEST_SETUP, read_setup
from client.urls import GitHubHosts, raw_url
from client.version import AssetRef

LONGEST_EXCERPT = 120
"""Characters of a line that are shown before and behind what was found."""

Kind = Literal["script", "setup", "manifest"]
Verdict = Literal["refused", "warned", "clean"]

_WORD = re.compile(r"[\w$\u200c\u200d]+")


@dataclass(frozen=True, slots=True)
class CheckedScript:
    """``key`` is its place in a setup, None for a file of its own."""

    key: str | None
    data: bytes
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        if refusal(self.findings) is not None:
            return "refused"
        return "warned" if self.findings else "clean"

    def as_plain(self) -> dict[str, Any]:
        source = ScriptSource(self.data.decode("utf-8", "replace").removeprefix("\ufeff"))
        return {
            "key": self.key,
            "bytes": len(self.data),
            "verdict": self.verdict,
            "findings": [{**one._asdict(), "refuses": one.refuses, **_excerpt(source, one)} for one in self.findings],
        }


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """``trouble`` says why a file could not be read at all; ``issues`` are what else its author should know."""

    name: str
    kind: Kind
    scripts: tuple[CheckedScript, ...] = ()
    capabilities: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    refused: bool = False
    trouble: str | None = None

    def as_plain(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "verdict": self.verdict,
            "scripts": [script.as_plain() for script in self.scripts],
            "capabilities": self.capabilities,
            "issues": self.issues,
            "trouble": self.trouble,
        }

    @property
    def verdict(self) -> Verdict:
        verdicts = {script.verdict for script in self.scripts}
        if self.refused or self.trouble is not None or "refused" in verdicts:
            return "refused"
        return "warned" if "warned" in verdicts else "clean"


def check_file(name: str, data: bytes) -> CheckedFile:
    """Check one file as an author has it: a script, a setup with its scripts, or a manifest."""
    if not name.lower().endswith(".json"):
        return CheckedFile(name, "script", (_checked(None, data),))
    try:
        values = read_object(data, name, longest=LONGEST_SETUP)
        if name.rpartition("/")[2] == MANIFEST_PATH or {"entry", "assets", "capabilities"} & values.keys():
            return _manifest(name, read_manifest(data))
        return _setup(name, data)
    except (DocumentUnreadable, ManifestUnreadable) as error:
        return CheckedFile(name, "setup", trouble=str(error))


def _checked(key: str | None, data: bytes) -> CheckedScript:
    return CheckedScript(key, data, scan_script(data))


def _manifest(name: str, manifest: ModManifest) -> CheckedFile:
    issues = tuple(issue.message for issue in manifest.issues)
    # A publish is refused for this one; the others are recorded beside it.
    refused = any(issue.code == "unknown-capability" for issue in manifest.issues)
    return CheckedFile(name, "manifest", capabilities=manifest.capabilities, issues=issues, refused=refused)


def _setup(name: str, data: bytes) -> CheckedFile:
    setup = read_setup(data, name)
    scripts = tuple(_scene(scene) for scene in setup.scripts[:MOST_SCENE_SCRIPTS])
    issues = [issue.message for issue in setup.issues]
    if len(setup.scripts) > MOST_SCENE_SCRIPTS:
        issues.append(f"{name} has more than {MOST_SCENE_SCRIPTS} scripts.")
    return CheckedFile(name, "setup", scripts, issues=tuple(issues), refused=len(setup.scripts) > MOST_SCENE_SCRIPTS)


def _scene(scene: SceneScript) -> CheckedScript:
    return _checked(scene.key, scene.source.encode("utf-8", "surrogatepass"))


def _excerpt(source: ScriptSource, finding: Finding) -> dict[str, str]:
    """The line of a finding: what is before it, itself, and what is behind; what can't be seen is named."""
    text = source.text_of(finding.line)
    at = _index(text, finding.column)
    word = _WORD.match(text, at)
    end = word.end() if word is not None else at + 1
    before, after = text[:at], text[end:]
    if len(before) > LONGEST_EXCERPT:
        before = "…" + before[-LONGEST_EXCERPT:]
    if len(after) > LONGEST_EXCERPT:
        after = after[:LONGEST_EXCERPT] + "…"
    parts = {"before": before, "marked": text[at:end][:LONGEST_EXCERPT], "after": after}
    return {part: UNSEEN.sub(_named, words) for part, words in parts.items()}


def _index(line: str, column: int) -> int:
    """Where in a line the UTF-16 unit of this column stands."""
    units = 1
    for index, character in enumerate(line):
        if units >= column:
            return index
        units += 2 if ord(character) > 0xFFFF else 1
    return len(line)


def _named(unseen: re.Match[str]) -> str:
    return f"⟨U+{ord(unseen[0]):04X}⟩"


# What lies in a repository


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an author has named: a repository, one path in it or none, and a branch or commit or its head."""

    repository: Repository
    path: AssetPath | None
    ref: AssetRef | None


def wanted(text: str) -> Wanted:
    """Read ``owner/repo``, ``owner/repo/path/to.js``, or the address of either on github.com.

    :raises UnknownMod: it is none of these
    :raises RefusedPath: the path can't name a file of a repository
    """
    plain = re.sub(r"^(?:https://)?(?:www\.)?github\.com/", "", text.strip(), flags=re.IGNORECASE)
    owner, _, rest = plain.partition("/")
    name, _, path = rest.strip("/").partition("/")
    ref = None
    if plain != text.strip():
        found = re.match(r"(?:blob|tree)/([^/]+)(?:/(.*))?$", path)
        if found is not None:
            ref, path = AssetRef(found[1]), found[2] or ""
    try:
        repository = Repository(owner, name.removesuffix(".git"))
    except ValueError as error:
        raise UnknownMod(f"{error}.") from None
    if path and path_fault(path) is not None:
        raise RefusedPath(f"{path[:200]!r} {path_fault(path)}.")
    return Wanted(repository, AssetPath(path) if path else None, ref)


async def check_repository(http: Http, hosts: GitHubHosts, registry: Registry | None, text: str) -> list[CheckedFile]:
    """Check the manifest and all scripts of a repository as it stands on its branch now, or one file of it.

    :raises UnknownMod, RefusedPath: as :func:`wanted`, or there is no such public repository
    :raises ManifestUnreadable: it has no manifest that could be read
    :raises Blocked, RateLimited, Unreachable: nobody says where it stands
    """
    asked = wanted(text)
    ref = await _ref(http, hosts, registry, asked)

    async def fetch(path: AssetPath, most: int) -> bytes:
        url = raw_url(hosts, asked.repository, ref, None, path)
        reply = await http.get(url, most=most, fresh=True)
        if reply.status == 404:
            raise UnknownMod(f"{asked.repository} has no {path} on its branch.")
        if reply.status != 200:
            raise Unreachable(f"{path} could not be loaded ({reply.status}).")
        return reply.body

    if asked.path is not None:
        return [check_file(asked.path, await fetch(asked.path, LONGEST_SETUP))]
    manifest = read_manifest(await fetch(MANIFEST_PATH, LONGEST_MANIFEST))
    found = [_manifest(MANIFEST_PATH, manifest)]
    for path in (manifest.script, manifest.setup):
        if path is None:
            continue
        try:
            found.append(check_file(path, await fetch(path, LONGEST_SETUP)))
        except UnknownMod as error:
            declared = manifest.file(path)
            if declared is not None and declared.optional:
                continue
            kind: Kind = "script" if path == manifest.script else "setup"
            found.append(CheckedFile(path, kind, trouble=error.message))
    return found


async def _ref(http: Http, hosts: GitHubHosts, registry: Registry | None, asked: Wanted) -> AssetRef:
    if asked.ref is not None:
        return asked.ref
    head = await registry.head(asked.repository) if registry is not None else None
    return (await GitHub(http, hosts).preview(asked.repository, head, current=True)).ref
