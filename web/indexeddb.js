/**
 * The same segments and journals in IndexedDB, for browsers without the origin-private file system (WebKitGTK) and for
 * Firefox's private windows. A segment is a row of records, each the bytes of one write, under [mod, segment, offset];
 * its length stands in `extents` and is written in the same transaction, so it never promises more than is there.
 *
 * ArrayBuffers, because Safari is unreliable with Blobs; pieces of about 1 MB, because one value may hold 127 MiB at most.
 *
 * @typedef {import("./pump.js").Place} Place
 * @typedef {import("idb").IDBPDatabase<unknown>} Connection
 */
import { openDB } from "idb";

import { free } from "./bytes.js";

const SEAL_AT = 8 * 1024 * 1024;
const PIECE = 1024 * 1024;
/** Milliseconds without a finished transaction after which another page, frozen in the middle of one, is taken to block. */
const PATIENCE = 15_000;

/** The connection, opened again when the browser has closed it under us ("connection is closing"). */
export class Database {
  constructor() {
    /** @type {Promise<Connection>|null} */
    this.opening = null;
    this.moved = performance.now();
    /** @type {DOMException|null} */
    this.blocked = null;
  }

  /** @returns {Promise<Connection>} */
  connection() {
    this.opening ??= openDB("mods", 1, {
      upgrade(database) {
        for (const name of ["journals", "pieces", "extents"]) database.createObjectStore(name);
      },
      blocking: () => this.disconnect(),
      terminated: () => {
        this.opening = null;
      },
    });
    this.opening.catch(() => (this.opening = null));
    return this.opening;
  }

  disconnect() {
    void this.opening?.then((connection) => connection.close());
    this.opening = null;
  }

  /**
   * One transaction, and once more when the connection turned out to be closed. Rejects where the database is blocked.
   * @template T
   * @param {string[]} names @param {IDBTransactionMode} mode
   * @param {(store: (name: string) => any) => Promise<T>|T} work
   * @returns {Promise<T>}
   */
  async transaction(names, mode, work) {
    for (let again = true; ; again = false) {
      if (this.blocked) throw this.blocked;
      try {
        const connection = await this.connection();
        const transaction = connection.transaction(names, mode, { durability: "strict" });
        const [value] = await this.patiently(
          Promise.all([work((name) => transaction.objectStore(name)), transaction.done]));
        return value;
      } catch (error) {
        const closed = error instanceof DOMException && error.name === "InvalidStateError";
        if (!again || !closed) throw error;
        this.opening = null;
      }
    }
  }

  /**
   * What `work` comes to, unless nothing moves here for too long; then nothing is asked of the database any more.
   * @template T
   * @param {Promise<T>} work
   * @returns {Promise<T>}
   */
  async patiently(work) {
    const began = performance.now();
    /** @type {ReturnType<typeof setInterval> | undefined} */
    let watch;
    /** @type {Promise<never>} */
    const blocked = new Promise((_, reject) => {
      watch = setInterval(() => {
        if (performance.now() - Math.max(began, this.moved) < PATIENCE) return;
        this.blocked ??= new DOMException("Another page holds the database.", "TimeoutError");
        reject(this.blocked);
      }, 1000);
    });
    try {
      return await Promise.race([work, blocked]);
    } finally {
      clearInterval(watch);
      this.moved = performance.now();
    }
  }
}

/** @returns {Promise<Database>} rejects where there is no such storage */
export async function openRoot() {
  const database = new Database();
  await database.connection();
  return database;
}

/** All keys that begin with these parts; an empty array sorts after every string and number. @param {unknown[]} parts */
const within = (...parts) => IDBKeyRange.bound([...parts], [...parts, []]);

/** @param {Database} database @returns {Promise<string[]>} */
export async function repositories(database) {
  return database.transaction(["journals"], "readonly", async (store) => {
    const keys = await store("journals").getAllKeys();
    return [...new Set(keys.map((/** @type {string[]} */ [mod]) => mod))];
  });
}

/** @param {Database} database @param {string} key */
export async function forget(database, key) {
  await database.transaction(["journals", "pieces", "extents"], "readwrite", (store) =>
    Promise.all(["journals", "pieces", "extents"].map((name) => store(name).delete(within(key)))),
  );
}

class Appender {
  /** @param {Database} database @param {string} mod @param {string} name @param {number} next */
  constructor(database, mod, name, next) {
    this.database = database;
    this.mod = mod;
    this.name = name;
    this.next = next;
  }

  /** @param {Uint8Array} bytes */
  async append(bytes) {
    const key = [this.mod, this.name, this.next];
    await this.database.transaction(["journals"], "readwrite", (store) => store("journals").add(bytes.slice().buffer, key));
    this.next += 1;
  }

  async close() {}
}

export class Folder {
  /** @param {Database} database @param {string} key "owner/name" in lower case */
  constructor(database, key) {
    this.database = database;
    this.mod = key;
  }

  /** @returns {Promise<string[]>} */
  async journals() {
    return this.database.transaction(["journals"], "readonly", async (store) => {
      const keys = await store("journals").getAllKeys(within(this.mod));
      return [...new Set(keys.map((/** @type {[string, string, number]} */ [, name]) => name))];
    });
  }

  /** @param {string} name @returns {Promise<Uint8Array>} */
  async readJournal(name) {
    const pieces = await this.database.transaction(["journals"], "readonly", (store) =>
      store("journals").getAll(within(this.mod, name)),
    );
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
  }

  /** @param {string} name */
  async openJournal(name) {
    const keys = await this.database.transaction(["journals"], "readonly", (store) =>
      store("journals").getAllKeys(within(this.mod, name)),
    );
    return new Appender(this.database, this.mod, name, keys.length ? keys[keys.length - 1][2] + 1 : 0);
  }

  /** @param {string[]} names */
  async removeJournals(names) {
    await this.database.transaction(["journals"], "readwrite", (store) =>
      Promise.all(names.map((name) => store("journals").delete(within(this.mod, name)))),
    );
  }

  /** @param {string[]|null} ids @returns {Promise<[string, number][]>} */
  async segmentLengths(ids) {
    return this.database.transaction(["extents"], "readonly", async (store) => {
      const [keys, lengths] = await Promise.all([
        store("extents").getAllKeys(within(this.mod)),
        store("extents").getAll(within(this.mod)),
      ]);
      const wanted = ids && new Set(ids);
      /** @type {[string, number][]} */
      const found = keys.map((/** @type {string[]} */ [, id], /** @type {number} */ index) => [id, lengths[index]]);
      return wanted ? found.filter(([id]) => wanted.has(id)) : found;
    });
  }

  /** @param {string[]} ids */
  async removeSegments(ids) {
    await this.database.transaction(["pieces", "extents"], "readwrite", (store) =>
      Promise.all(
        ids.flatMap((id) => [
          store("pieces").delete(within(this.mod, id)),
          store("extents").delete([this.mod, id]),
        ]),
      ),
    );
  }

  /** @param {string} prefix of the ids of its segments */
  async writer(prefix) {
    return new Writer(this.database, this.mod, prefix);
  }

  /** @param {string} segment @param {number} offset @param {number} length @param {string} type @returns {Promise<Blob|null>} */
  async blob(segment, offset, length, type) {
    if (length === 0) return (await this.segmentLengths([segment])).length ? new Blob([], { type }) : null;
    return this.database.transaction(["pieces"], "readonly", async (store) => {
      const pieces = store("pieces");
      const before = IDBKeyRange.bound([this.mod, segment], [this.mod, segment, offset]);
      const first = await pieces.openKeyCursor(before, "prev");
      if (!first) return null;
      const from = first.key[2];
      const reach = IDBKeyRange.bound([this.mod, segment, from], [this.mod, segment, offset + length], false, true);
      /** @type {ArrayBuffer[]} */
      const buffers = await pieces.getAll(reach);
      const all = new Blob(buffers);
      return all.size >= offset - from + length ? all.slice(offset - from, offset - from + length, type) : null;
    });
  }
}

/** One session's segments. A record once written is never touched again, so each is as good as sealed. */
class Writer {
  /** @param {Database} database @param {string} mod @param {string} prefix */
  constructor(database, mod, prefix) {
    this.database = database;
    this.mod = mod;
    this.prefix = prefix;
    this.id = `${prefix}-0`;
    this.count = 1;
    this.length = 0;
    /** @type {{offset: number, buffers: Uint8Array[], length: number}[]} */
    this.gathered = [];
  }

  begin() {
    this.id = `${this.prefix}-${this.count++}`;
    this.length = 0;
  }

  /** @param {Uint8Array} bytes @returns {Place} */
  gather(bytes) {
    if (this.length >= SEAL_AT && this.gathered.length === 0) this.begin();
    const place = { segment: this.id, offset: this.length, length: bytes.byteLength };
    const last = this.gathered[this.gathered.length - 1];
    if (last && last.length + bytes.byteLength <= PIECE) {
      last.buffers.push(bytes);
      last.length += bytes.byteLength;
    } else {
      this.gathered.push({ offset: this.length, buffers: [bytes], length: bytes.byteLength });
    }
    this.length += bytes.byteLength;
    return place;
  }

  async commit() {
    const gathered = this.gathered;
    if (gathered.length === 0) return;
    this.gathered = [];
    const { id, length } = this;
    const records = await Promise.all(
      gathered.map(async ({ offset, buffers }) => ({
        offset,
        bytes: await new Blob(/** @type {BlobPart[]} */ (buffers)).arrayBuffer(),
      })),
    );
    free(gathered.flatMap(({ buffers }) => buffers));
    await this.put(id, length, records);
    free(records.map(({ bytes }) => new Uint8Array(bytes)));
  }

  /** @param {string} id @param {number} length @param {{offset: number, bytes: ArrayBuffer}[]} records */
  async put(id, length, records) {
    await this.database.transaction(["pieces", "extents"], "readwrite", (store) =>
      Promise.all([
        ...records.map(({ offset, bytes }) => store("pieces").put(bytes, [this.mod, id, offset])),
        store("extents").put(length, [this.mod, id]),
      ]),
    );
  }

  async stream() {
    const id = `${this.prefix}-${this.count++}`;
    let length = 0;
    return {
      /** @param {Uint8Array} piece */
      write: async (piece) => {
        const offset = length;
        length += piece.byteLength;
        await this.put(id, length, [{ offset, bytes: piece.slice().buffer }]);
      },
      finish: async () => ({ segment: id, offset: 0, length }),
      discard: () =>
        this.database.transaction(["pieces", "extents"], "readwrite", (store) =>
          Promise.all([store("pieces").delete(within(this.mod, id)), store("extents").delete([this.mod, id])]),
        ),
    };
  }

  async seal() {
    await this.commit();
    this.begin();
  }

  async close() {
    await this.commit();
  }
}
