"""What would see a leak: name servers, web servers and UDP ports that note who calls, on this machine."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

DOMAIN = "leak.test"
"""Every name below it leads here."""


class Collectors:
    """``names`` asked for below DOMAIN, ``requests`` as "METHOD host path", ``packets`` by their UDP payload."""

    def __init__(self, pages: dict[str, tuple[str, str]]) -> None:
        """``pages`` are (media type, text) by path, for the run that is to leak."""
        self.names: list[str] = []
        self.requests: list[str] = []
        self.packets: list[bytes] = []
        self._packets: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._names: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._pages = pages
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._sockets: list[socket.socket] = []
        self.web = self._server.server_address[1]
        self.udp = self._listen(0, self._note_packet)

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._listen(53, self._answer_name)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        for one in self._sockets:
            one.close()

    def forget(self) -> None:
        self.names.clear()
        self.requests.clear()
        self.packets.clear()
        self._packets = queue.SimpleQueue()
        self._names = queue.SimpleQueue()

    def next_name(self) -> str:
        """The first name since they were last forgotten that this did not answer yet.

        :raises queue.Empty: none was asked for within a while
        """
        return self._names.get(timeout=20)

    def next_packet(self) -> bytes:
        """Likewise the first packet.

        :raises queue.Empty: none came within a while
        """
        return self._packets.get(timeout=20)

    def _listen(self, port: int, take: Callable[[bytes, tuple[str, int]], bytes | None]) -> int:
        bound = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        bound.bind(("127.0.0.1", port))
        self._sockets.append(bound)

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    data, sender = bound.recvfrom(4096)
                    answer = take(data, sender)
                    if answer is not None:
                        bound.sendto(answer, sender)

        threading.Thread(target=serve, daemon=True).start()
        number: int = bound.getsockname()[1]
        return number

    def _note_packet(self, data: bytes, _: tuple[str, int]) -> None:
        self.packets.append(data)
        self._packets.put(data)

    def _answer_name(self, data: bytes, _: tuple[str, int]) -> bytes | None:
        labels, at = [], 12
        while at < len(data) and data[at]:
            labels.append(data[at + 1 : at + 1 + data[at]].decode("ascii", "replace"))
            at += 1 + data[at]
        name, question = ".".join(labels).lower(), data[12 : at + 5]
        ours = name.endswith(f".{DOMAIN}")
        if ours:
            self.names.append(name)
            self._names.put(name)
        (kind,) = struct.unpack(">H", data[at + 1 : at + 3])
        has_address = ours and kind == 1
        answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 1, 4) + bytes([127, 0, 0, 1]) if has_address else b""
        flags = 0x8180 if ours else 0x8183
        return data[:2] + struct.pack(">HHHHH", flags, 1, int(has_address), 0, 0) + question + answer

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        collectors = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                collectors.requests.append(f"{self.command} {self.headers.get('host')} {self.path}")
                kind, text = collectors._pages.get(self.path, ("text/javascript", "1;"))
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("access-control-allow-origin", "*")
                self.end_headers()
                self.wfile.write(text.encode())

            do_POST = do_PUT = do_HEAD = do_OPTIONS = do_GET  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def can_collect() -> bool:
    """Whether this process may give a browser a name server of its own: root, and mounts in a namespace."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode == 0


@contextlib.contextmanager
def own_name_server(folder: Path) -> Iterator[None]:
    """Browsers started meanwhile ask 127.0.0.1 for names: each runs in a mount namespace where that is written."""
    configuration = folder / "resolv.conf"
    configuration.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    configuration.chmod(0o644)
    wrapped = folder / "bin"
    wrapped.mkdir()
    for name in ("chromium", "firefox-esr", "firefox", "WebKitWebDriver"):
        real = shutil.which(name)
        if real is None:
            continue
        script = wrapped / name
        mount = f"mount --bind {configuration} /etc/resolv.conf"
        script.write_text(f'#!/bin/sh\nexec unshare -m sh -c \'{mount} && exec "$0" "$@"\' {real} "$@"\n')
        script.chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{wrapped}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before
