"""What a browser keeps of one mod, read and tampered with behind the loader's back."""

from __future__ import annotations

import base64
import time
from typing import Any, Final

from client.journal import JournalReading, read_journal
from tests.browsers import PATIENCE
from tests.e2e.player import STORE, Player

_BASE64: Final = """
    const encode = async buffers => {
        const bytes = new Uint8Array(await new Blob(buffers).arrayBuffer());
        let text = "";
        for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
        return btoa(text);
    };
    const decode = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
"""
_OPFS: Final = (
    _BASE64
    + """
    const [, key, name, content] = given;
    const folder = async (parts, create) => {
        let at = await navigator.storage.getDirectory();
        for (const part of parts) at = await at.getDirectoryHandle(part, {create});
        return at;
    };
    const parts = ["mods", ...key.split("/"), ...(name ?? "").split("/")].filter(Boolean);
    const last = parts.at(-1);
    const listing = {};
    // A worker may be tidying up meanwhile.
    const there = work => work().catch(error => {
        if (error.name !== "NotFoundError" && error.name !== "NotReadableError") throw error;
        return null;
    });
    const walk = async (at, before) => {
        for await (const entry of at.values()) {
            if (entry.kind === "directory") await walk(entry, `${before}${entry.name}/`);
            else await there(async () => { listing[before + entry.name] = (await entry.getFile()).size; });
        }
        return listing;
    };
    const work = {
        list: () => there(async () => walk(await folder(parts, false), "")).then(found => found ?? listing),
        read: () => there(async () => {
            const file = await (await (await folder(parts.slice(0, -1), false)).getFileHandle(last)).getFile();
            return await encode([file]);
        }).then(found => found ?? ""),
        write: async () => {
            const file = await (await folder(parts.slice(0, -1), true)).getFileHandle(last, {create: true});
            const stream = await file.createWritable();
            await stream.write(decode(content));
            await stream.close();
        },
        remove: async () => (await folder(parts.slice(0, -1), false)).removeEntry(last, {recursive: true}),
        mkdir: async () => void await folder(parts, true),
    };
    return await work[given[0]]();
"""
)
_INDEXEDDB: Final = (
    _BASE64
    + """
    const [, key, name, content] = given;
    const request = asked => new Promise((resolve, reject) => {
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(asked.error);
        asked.onblocked = () => reject(new Error("blocked"));
    });
    const within = (...parts) => IDBKeyRange.bound(parts, [...parts, []]);
    const segment = name?.startsWith("segments/") ? name.slice(9) : null;
    const rows = segment === null ? [key, name] : [key, segment];
    const table = segment === null ? "journals" : "pieces";
    const opening = indexedDB.open("mods", 1);
    opening.onupgradeneeded = () => {
        for (const store of ["journals", "pieces", "extents"]) opening.result.createObjectStore(store);
    };
    const database = await request(opening);
    const transaction = database.transaction(["journals", "pieces", "extents"], "readwrite");
    const store = wanted => transaction.objectStore(wanted);
    const listing = {};
    const work = {
        list: async () => {
            const keys = await request(store("journals").getAllKeys(within(key)));
            const pieces = await request(store("journals").getAll(within(key)));
            keys.forEach(([, journal], at) => {
                listing[journal] = (listing[journal] ?? 0) + pieces[at].byteLength;
            });
            const ids = await request(store("extents").getAllKeys(within(key)));
            const lengths = await request(store("extents").getAll(within(key)));
            ids.forEach(([, id], at) => { listing[`segments/${id}`] = lengths[at]; });
            for (const [, id] of await request(store("pieces").getAllKeys(within(key)))) {
                listing[`segments/${id}`] ??= 0;
            }
            return listing;
        },
        read: async () => await request(store(table).getAll(within(...rows))),
        write: async () => {
            const {buffer} = decode(content);
            store(table).delete(within(...rows));
            store(table).put(buffer, [...rows, 0]);
            if (segment !== null) store("extents").put(buffer.byteLength, rows);
        },
        remove: async () => {
            store(table).delete(within(...rows));
            if (segment !== null) store("extents").delete(rows);
        },
        mkdir: async () => undefined,
    };
    const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
    });
    const value = await work[given[0]]();
    await done;
    database.close();
    return given[0] === "read" ? await encode(value) : value;
"""
)


class Stored:
    """The stored files of ``owner/repo``: journals by their names, segments as ``segments/<id>``.

    The same words for OPFS and IndexedDB; ``kind`` says which, by default what the engine's pages use.
    """

    def __init__(self, player: Player, owner: str, repo: str, kind: str | None = None) -> None:
        self._player = player
        self._key = f"{owner}/{repo}".lower()
        self.kind = kind or STORE[player.browser.engine]
        self._script = _OPFS if self.kind == "opfs" else _INDEXEDDB

    def _do(self, what: str, name: str | None = None, content: bytes = b"") -> Any:
        return self._player.do(self._script, what, self._key, name, base64.b64encode(content).decode())

    def sizes(self) -> dict[str, int]:
        """Bytes of everything that is kept, by name."""
        sizes: dict[str, int] = self._do("list")
        return sizes

    def read(self, name: str) -> bytes:
        return base64.b64decode(self._do("read", name))

    def write(self, name: str, content: bytes) -> None:
        """Replace a journal or segment, or add one."""
        self._do("write", name, content)

    def remove(self, name: str) -> None:
        self._do("remove", name)

    def mkdir(self, name: str) -> None:
        """An empty folder, where there are folders."""
        self._do("mkdir", name)

    def flip(self, name: str, offset: int) -> None:
        """Turn one bit of a journal or segment."""
        content = bytearray(self.read(name))
        content[offset] ^= 0x10
        self.write(name, bytes(content))

    def truncate(self, name: str, length: int) -> None:
        self.write(name, self.read(name)[:length])

    def segments(self) -> list[str]:
        return sorted(name for name in self.sizes() if name.startswith("segments/"))

    def journals(self) -> dict[str, JournalReading]:
        """What each journal says, as the loader reads it."""
        names = [name for name in self.sizes() if name.endswith(".journal")]
        readings = {name: read_journal(name, self.read(name)) for name in names}
        return {name: reading for name, reading in readings.items() if reading is not None}

    def leftovers(self) -> set[str]:
        """Segments that no journal names."""
        named = {
            f"segments/{entry.place.segment}"
            for reading in self.journals().values()
            for entry in reading.entries.values()
        }
        return set(self.segments()) - named

    def tidied(self) -> None:
        """Wait until the open table has put its cache in order: one journal, sealed, and no segment besides its own.

        :raises TimeoutError: it did not
        """
        ends = time.monotonic() + PATIENCE
        while len(journals := self.journals()) != 1 or self.leftovers():
            if time.monotonic() > ends:
                message = f"{len(journals)} journals and the segments {self.leftovers()} were left"
                raise TimeoutError(message)
