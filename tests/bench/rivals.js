/**
 * What other loaders do, and the floor below all of them, on the same files: each contender fetches every URL and ends
 * when its last byte is where it belongs. Runs in a worker, as our own does.
 */
import { openDB } from "./idb.js";
import { Lane } from "./pump.js";
import { Folder, forget, openRoot } from "./opfs.js";

const AT_ONCE = 64;

/** @param {string[]} urls @param {number} atOnce @param {(url: string, index: number) => Promise<void>} work */
async function all(urls, atOnce, work) {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < urls.length) {
        const index = next++;
        await work(urls[index], index);
      }
    }),
  );
}

const get = (/** @type {string} */ url) => fetch(url, { cache: "no-store", credentials: "omit" });

const contenders = {
  /** Fetch and throw away: what the network alone takes. */
  async floor(urls, { atOnce = AT_ONCE } = {}) {
    await all(urls, atOnce, async (url) => {
      await (await get(url)).arrayBuffer();
    });
  },

  /** Our own pump and store, driven from JavaScript: what Python adds is the difference. */
  async pump(urls, { hashes, sizes }) {
    const root = await openRoot();
    const folder = new Folder(root, "bench/pump");
    const [writer, journal] = await Promise.all([folder.writer("bench"), folder.openJournal("bench")]);
    const lane = new Lane(AT_ONCE, () => {
      throw new Error("files this large are not in this row");
    });
    lane.writers.push(writer);
    const jobs = urls.map((url, id) => ({
      id,
      url,
      writer: 0,
      size: sizes[id],
      sha256: hashes[id],
      most: sizes[id],
      stall: 20,
      refusedType: "text/html",
    }));
    lane.submit(JSON.stringify(jobs));
    const encoder = new TextEncoder();
    for (let settled = 0; settled < urls.length; ) {
      const { outcomes } = JSON.parse((await lane.take(0.1)).json);
      settled += outcomes.length;
      const failed = outcomes.find((outcome) => outcome.fault);
      if (failed) throw new Error(`${urls[failed.id]}: ${failed.fault} ${failed.detail}`);
      if (outcomes.length) {
        const lines = outcomes.map(({ id, place, sha256 }) => JSON.stringify([urls[id], place, sha256]));
        await journal.append(encoder.encode(`${lines.join("\n")}\n`));
      }
    }
    lane.close();
    await writer.close();
    await journal.close();
  },

  /** The Cache API, without checks: what most web loaders do. */
  async cacheApi(urls, { atOnce = AT_ONCE } = {}) {
    const cache = await caches.open("bench");
    await all(urls, atOnce, async (url) => {
      await cache.put(url, await get(url));
    });
  },

  /** One OPFS file for each asset. Not by sync handles: of hundreds at once, Chromium 156 leaves some for ever ungranted. */
  async opfsFiles(urls) {
    const directory = await (await navigator.storage.getDirectory()).getDirectoryHandle("files", { create: true });
    await all(urls, AT_ONCE, async (url, index) => {
      const bytes = await (await get(url)).arrayBuffer();
      const file = await directory.getFileHandle(`${index}`, { create: true });
      const writable = await file.createWritable();
      await writable.write(bytes);
      await writable.close();
    });
  },

  /** One Blob in IndexedDB for each asset. */
  async indexedDbBlobs(urls) {
    const database = await openDB("bench", 1, { upgrade: (created) => created.createObjectStore("files") });
    await all(urls, AT_ONCE, async (url, index) => {
      await database.put("files", await (await get(url)).blob(), index);
    });
    database.close();
  },

  /** Later: open what `opfsFiles` stored, list it and mint a blob URL for each file. */
  async openFiles(urls) {
    const directory = await (await navigator.storage.getDirectory()).getDirectoryHandle("files");
    const minted = [];
    for await (const entry of directory.values()) minted.push(URL.createObjectURL(await entry.getFile()));
    if (minted.length !== urls.length) throw new Error(`${minted.length} files of ${urls.length}`);
    minted.forEach(URL.revokeObjectURL);
  },
};

const cleanUp = {
  async pump() {
    await forget(await openRoot(), "bench/pump");
  },
  cacheApi: () => caches.delete("bench"),
  async opfsFiles() {
    await (await navigator.storage.getDirectory()).removeEntry("files", { recursive: true });
  },
  indexedDbBlobs: () =>
    new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase("bench");
      request.onsuccess = resolve;
      request.onerror = reject;
    }),
};

self.onmessage = async ({ data: { name, urls, options, keep, clean } }) => {
  try {
    const began = performance.now();
    if (!clean) await contenders[name](urls, options);
    const ms = performance.now() - began;
    if (clean || (!keep && cleanUp[name])) await cleanUp[name]();
    self.postMessage({ ms });
  } catch (error) {
    self.postMessage({ error: `${name}: ${error}` });
  }
};
