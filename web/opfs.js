/**
 * Segments and journals in the origin-private file system. What is in them is Python's business (client/scope.py).
 *
 * Creating files is what costs here, so many files share one segment. In Chromium a File, its slices and their blob URLs
 * die when the file is written to again: only sealed segments back blobs, and bytes of an open one are served from memory.
 *
 * @typedef {import("./pump.js").Place} Place
 */

import { free } from "./bytes.js";

/** Bytes at which a segment is sealed and the spare takes over. */
const SEAL_AT = 8 * 1024 * 1024;
/** Files below this are gathered, so that the disk sees few large writes. */
const GATHER_BELOW = 256 * 1024;
const GATHER = 1024 * 1024;

/**
 * The folder of all mods. Its handle is worth nothing once site data was cleared, and then there is another.
 *
 * @typedef {{handle: FileSystemDirectoryHandle}} Root
 */

/** @returns {Promise<Root>} rejects where there is no such storage, as in Firefox's private windows */
export async function openRoot() {
  const handle = await modsFolder();
  // Without a sync handle each write would need a copy of the whole file (createWritable), or can't be done at all.
  if (typeof FileSystemFileHandle.prototype.createSyncAccessHandle !== "function") {
    throw new DOMException("This browser's files can't be written in place.", "NotSupportedError");
  }
  return { handle };
}

async function modsFolder() {
  const origin = await navigator.storage.getDirectory();
  return origin.getDirectoryHandle("mods", { create: true });
}

/** @param {Root} root @returns {Promise<string[]>} */
export async function repositories(root) {
  const found = [];
  for (const owner of (await existing(folders(root.handle))) ?? []) {
    // Another tab may be forgetting this one meanwhile.
    for (const { name } of (await existing(folders(owner))) ?? []) found.push(`${owner.name}/${name}`);
  }
  return found;
}

/** @param {FileSystemDirectoryHandle} parent */
async function folders(parent) {
  const found = [];
  for await (const entry of parent.values()) {
    if (entry.kind === "directory") found.push(/** @type {FileSystemDirectoryHandle} */ (entry));
  }
  return found;
}

/** @param {Root} root @param {string} key */
export async function forget(root, key) {
  const [owner, name] = key.split("/");
  const parent = await existing(root.handle.getDirectoryHandle(owner));
  if (parent) await existing(parent.removeEntry(name, { recursive: true }));
}

/** @template T @param {Promise<T>} promise @returns {Promise<T|null>} null when the entry is not there */
async function existing(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof DOMException && (error.name === "NotFoundError" || error.name === "TypeMismatchError")) {
      return null;
    }
    throw error;
  }
}

/** @type {WeakMap<FileSystemSyncAccessHandle, FileSystemFileHandle>} */
const fileOf = new WeakMap();

/**
 * Chromium never comes back from closing a handle whose file went with cleared site data, and the worker with it.
 * @param {FileSystemSyncAccessHandle} handle
 */
async function release(handle) {
  const file = fileOf.get(handle);
  if (file && (await file.getFile().catch(() => null))) handle.close();
}

/**
 * A reload may race the old worker's handle: it is let go within some 40 ms of that worker's end, so a busy file is
 * asked for again for a while.
 * @param {FileSystemFileHandle} file
 * @returns {Promise<FileSystemSyncAccessHandle>}
 */
async function createAccess(file) {
  for (let wait = 10; ; wait *= 2) {
    try {
      const handle = await file.createSyncAccessHandle();
      fileOf.set(handle, file);
      return handle;
    } catch (error) {
      const busy = error instanceof DOMException && error.name === "NoModificationAllowedError";
      if (!busy || wait > 2000) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/**
 * Writing may be short: at quota Firefox writes 0 bytes and throws nothing, Chromium throws QuotaExceededError.
 * @param {FileSystemSyncAccessHandle} handle @param {Uint8Array} bytes @param {number} offset
 */
function writeAll(handle, bytes, offset) {
  let written = 0;
  while (written < bytes.byteLength) {
    const count = handle.write(/** @type {BufferSource} */ (bytes.subarray(written)), { at: offset + written });
    if (count === 0) throw new DOMException("The disk took no more bytes.", "QuotaExceededError");
    written += count;
  }
}

class Appender {
  /** @param {FileSystemSyncAccessHandle} handle */
  constructor(handle) {
    this.handle = handle;
    this.offset = handle.getSize();
  }

  /**
   * What is written outlives this browser's death. It may not outlive the machine's until it is closed: then records are
   * lost, which costs a download, while a flush for each batch would cost every pull some 5 %.
   * @param {Uint8Array} bytes
   */
  async append(bytes) {
    writeAll(this.handle, bytes, this.offset);
    this.offset += bytes.byteLength;
  }

  async close() {
    this.handle.flush();
    await release(this.handle);
  }
}

/**
 * A File outlives its file: site data may have been cleared, or the segment collected by a tab that passed this one by.
 * @param {File} file @param {number} offset of a byte
 */
async function isThere(file, offset) {
  try {
    return (await file.slice(offset, offset + 1).arrayBuffer()).byteLength === 1;
  } catch {
    return false;
  }
}

export class Folder {
  /** @param {Root} root @param {string} key "owner/name" in lower case */
  constructor(root, key) {
    this.root = root;
    const [owner, name] = key.split("/");
    this.owner = owner;
    this.name = name;
    /** @type {Map<string, File>} sealed segments that were asked for */
    this.files = new Map();
    /** @type {Set<Writer>} */
    this.writers = new Set();
  }

  /** @param {boolean} create @returns {Promise<FileSystemDirectoryHandle|null>} */
  async directory(create) {
    const directory = await this.directoryIn(this.root.handle, create);
    if (directory || !create) return directory;
    // What can't be made has lost the folder it would be in: site data was cleared.
    this.root.handle = await modsFolder();
    return this.directoryIn(this.root.handle, create);
  }

  /** @param {FileSystemDirectoryHandle} mods @param {boolean} create */
  async directoryIn(mods, create) {
    const owner = await existing(mods.getDirectoryHandle(this.owner, { create }));
    return owner && existing(owner.getDirectoryHandle(this.name, { create }));
  }

  /** @param {boolean} create */
  async segments(create) {
    const directory = await this.directory(create);
    return directory && existing(directory.getDirectoryHandle("segments", { create }));
  }

  /** @returns {Promise<string[]>} */
  async journals() {
    const directory = await this.directory(false);
    const found = [];
    if (directory) for await (const entry of directory.values()) if (entry.kind === "file") found.push(entry.name);
    return found;
  }

  /** @param {string} name @returns {Promise<Uint8Array>} */
  async readJournal(name) {
    const directory = await this.directory(false);
    const handle = directory && (await existing(directory.getFileHandle(name)));
    const file = handle && (await existing(handle.getFile()));
    return new Uint8Array(file ? await file.arrayBuffer() : new ArrayBuffer(0));
  }

  /** @param {string} name */
  async openJournal(name) {
    const directory = /** @type {FileSystemDirectoryHandle} */ (await this.directory(true));
    return new Appender(await createAccess(await directory.getFileHandle(name, { create: true })));
  }

  /** @param {string[]} names */
  async removeJournals(names) {
    const directory = await this.directory(false);
    if (directory) await Promise.all(names.map((name) => existing(directory.removeEntry(name))));
  }

  /** @param {string[]|null} ids @returns {Promise<[string, number][]>} */
  async segmentLengths(ids) {
    const directory = await this.segments(false);
    if (!directory) return [];
    if (ids === null) {
      ids = [];
      for await (const entry of directory.values()) if (entry.kind === "file") ids.push(entry.name);
    }
    /** @type {[string, number][]} */
    const found = [];
    await Promise.all(
      ids.map(async (id) => {
        const file = await this.fileIn(directory, id);
        if (file) found.push([id, file.size]);
      }),
    );
    return found;
  }

  /** @param {string[]} ids */
  async removeSegments(ids) {
    const directory = await this.segments(false);
    if (!directory) return;
    for (const id of ids) this.files.delete(id);
    await Promise.allSettled(ids.map((id) => directory.removeEntry(id)));
  }

  /** @param {string} prefix of the ids of its segments */
  async writer(prefix) {
    const directory = /** @type {FileSystemDirectoryHandle} */ (await this.segments(true));
    const writer = new Writer(directory, prefix, () => this.writers.delete(writer));
    await writer.open();
    this.writers.add(writer);
    return writer;
  }

  /** @param {string} segment @param {number} offset @param {number} length @param {string} type @returns {Promise<Blob|null>} */
  async blob(segment, offset, length, type) {
    if (length === 0) return (await this.segmentLengths([segment])).length > 0 ? new Blob([], { type }) : null;
    for (const writer of this.writers) {
      const bytes = writer.held(segment, offset);
      if (bytes) return new Blob([/** @type {BlobPart} */ (bytes)], { type });
    }
    let file = this.files.get(segment);
    if (file && !(await isThere(file, offset))) {
      this.files.delete(segment);
      file = undefined;
    }
    if (!file) {
      const directory = await this.segments(false);
      const found = directory && (await this.fileIn(directory, segment));
      if (!found) return null;
      file = found;
    }
    return file.size >= offset + length ? file.slice(offset, offset + length, type) : null;
  }

  /** @param {FileSystemDirectoryHandle} directory @param {string} id @returns {Promise<File|null>} */
  async fileIn(directory, id) {
    const handle = await existing(directory.getFileHandle(id));
    const file = handle && (await existing(handle.getFile()));
    if (file && ![...this.writers].some((writer) => writer.isOpen(id))) this.files.set(id, file);
    return file;
  }
}

/** One session's segments: written once, sealed at about 8 MB, never touched again. */
class Writer {
  /** @param {FileSystemDirectoryHandle} directory @param {string} prefix @param {() => void} closed */
  constructor(directory, prefix, closed) {
    this.directory = directory;
    this.prefix = prefix;
    this.closed = closed;
    this.count = 0;
    /** @type {{id: string, handle: FileSystemSyncAccessHandle, length: number, used: boolean}|null} `used` by a file, be it empty */
    this.current = null;
    /** @type {Promise<{id: string, handle: FileSystemSyncAccessHandle}>|null} */
    this.sparePromise = null;
    /** @type {{id: string, handle: FileSystemSyncAccessHandle}|null} */
    this.spare = null;
    this.scratch = new Uint8Array(GATHER);
    this.gathered = 0;
    /** @type {Map<string, Map<number, Uint8Array>>} bytes of segments that are not sealed */
    this.memory = new Map();
    /** @type {Set<string>} segments under streams that are not finished */
    this.streaming = new Set();
    /** @type {Promise<void>[]} */
    this.releasing = [];
    /** @type {unknown} the first failure; a writer that failed takes nothing more */
    this.failure = null;
  }

  async open() {
    const { id, handle } = await this.create();
    this.current = { id, handle, length: 0, used: false };
    this.memory.set(id, new Map());
  }

  async create() {
    const id = `${this.prefix}-${this.count++}`;
    const handle = await createAccess(await this.directory.getFileHandle(id, { create: true }));
    return { id, handle };
  }

  /** Creating takes a while, so the next segment is made before it is needed. */
  prepareSpare() {
    this.sparePromise ??= this.create().then((spare) => (this.spare = spare));
    this.sparePromise.catch(() => (this.sparePromise = null));
  }

  /** @param {string} id */
  isOpen(id) {
    return id === this.current?.id || this.streaming.has(id);
  }

  /** @param {string} segment @param {number} offset @returns {Uint8Array|undefined} */
  held(segment, offset) {
    return this.memory.get(segment)?.get(offset);
  }

  /** @param {Uint8Array} bytes @returns {Place} */
  gather(bytes) {
    if (this.failure) throw this.failure;
    try {
      this.rollWhenFull();
      const current = this.writable();
      const place = { segment: current.id, offset: current.length, length: bytes.byteLength };
      if (bytes.byteLength >= GATHER_BELOW) {
        this.writeGathered();
        writeAll(current.handle, bytes, current.length);
      } else {
        if (this.gathered + bytes.byteLength > GATHER) this.writeGathered();
        this.scratch.set(bytes, this.gathered);
        this.gathered += bytes.byteLength;
      }
      current.length += bytes.byteLength;
      current.used = true;
      // An empty file has nothing to hold, and its offset is the next one's too.
      if (bytes.byteLength > 0) this.memory.get(current.id)?.set(place.offset, bytes);
      return place;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  writable() {
    if (!this.current) throw new DOMException("This session is closed.", "InvalidStateError");
    return this.current;
  }

  writeGathered() {
    const current = this.writable();
    if (this.gathered === 0) return;
    const bytes = this.scratch.subarray(0, this.gathered);
    writeAll(current.handle, bytes, current.length - this.gathered);
    this.gathered = 0;
  }

  rollWhenFull() {
    const current = this.writable();
    if (current.length >= SEAL_AT / 2) this.prepareSpare();
    if (current.length < SEAL_AT || !this.spare) return;
    this.sealCurrent();
    this.current = { ...this.spare, length: 0, used: false };
    this.memory.set(this.current.id, new Map());
    this.spare = null;
    this.sparePromise = null;
  }

  sealCurrent() {
    const current = this.writable();
    this.writeGathered();
    current.handle.flush();
    this.releasing.push(release(current.handle));
    free(this.memory.get(current.id)?.values() ?? []);
    this.memory.delete(current.id);
    this.current = null;
  }

  async commit() {
    if (this.failure) throw this.failure;
    if (!this.current) return;
    try {
      this.writeGathered();
      this.current.handle.flush();
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  async stream() {
    if (this.failure) throw this.failure;
    const { id, handle } = await this.create();
    this.streaming.add(id);
    let length = 0;
    const end = async () => {
      await release(handle);
      this.streaming.delete(id);
    };
    return {
      /** @param {Uint8Array} piece */
      write: (piece) => {
        writeAll(handle, piece, length);
        length += piece.byteLength;
      },
      finish: async () => {
        handle.flush();
        await end();
        return { segment: id, offset: 0, length };
      },
      discard: async () => {
        await end();
        await existing(this.directory.removeEntry(id));
      },
    };
  }

  async seal() {
    if (this.failure) throw this.failure;
    if (!this.current?.used) return;
    this.sealCurrent();
    await this.open();
  }

  async close() {
    const current = this.current;
    try {
      if (current) this.sealCurrent();
    } finally {
      this.current = null;
      this.memory.clear();
      const spare = await this.sparePromise?.catch(() => null);
      for (const handle of [current?.handle, spare?.handle]) if (handle) this.releasing.push(release(handle));
      await Promise.all(this.releasing);
      const unused = [spare?.id, current?.used ? undefined : current?.id].filter((id) => id !== undefined);
      await Promise.allSettled(unused.map((id) => this.directory.removeEntry(id)));
      this.closed();
    }
  }
}
