/**
 * The page's end of the worker: numbered calls, views as they come, and every blob URL the page ever mints.
 * A blob URL minted in a worker would die with the worker, so Blobs come here to get theirs.
 *
 * @import {AssetGroup, Box, Call, Deck, Details, FromWorker, KeptVersion, Method, ModPage, Ready, Reply, Standing, View} from "./messages.js"
 */

/**
 * What a call rejects with: `code` is one of the stable names that Python gives its errors, or one of the page's two:
 * `restarted`, the worker died under the call and there is another now; `fatal`, nothing will ever be answered again.
 */
export class PeerError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {number|null} [retryAt] when a host that wants to be left alone may be asked again, in milliseconds since the epoch
   */
  constructor(code, message, retryAt = null) {
    super(message);
    this.name = "PeerError";
    this.code = code;
    this.retryAt = retryAt;
  }
}

/** @typedef {{url: string, source: "cache"|"live", verified: boolean}} AssetUrl */
/** @typedef {{owner: string, repo: string, version: string, files: number, bytes: number, lastUsed: number|string}} CachedMod */

/** Live blob URLs, one for each file of each mod. */
class BlobUrls {
  /** @type {Map<string, AssetUrl & {blob: Blob}>} */
  #minted = new Map();

  get size() {
    return this.#minted.size;
  }

  /**
   * The URL of a file of the cache, if its bytes are still there: site data may have been cleared meanwhile.
   *
   * @param {string} key
   * @returns {Promise<AssetUrl|null>}
   */
  async cached(key) {
    const minted = this.#minted.get(key);
    if (minted?.source !== "cache") return null;
    const { blob, ...asset } = minted;
    try {
      await blob.slice(0, 1).arrayBuffer();
    } catch {
      if (this.#minted.get(key) === minted) this.revoke(key);
    }
    return this.#minted.get(key) === minted ? asset : null;
  }

  /**
   * @param {string} key
   * @param {Blob} blob
   * @param {Omit<AssetUrl, "url">} origin
   */
  mint(key, blob, origin) {
    this.revoke(key);
    const asset = { url: URL.createObjectURL(blob), ...origin };
    this.#minted.set(key, { ...asset, blob });
    return asset;
  }

  /** @param {string} key */
  revoke(key) {
    const asset = this.#minted.get(key);
    if (asset) URL.revokeObjectURL(asset.url);
    this.#minted.delete(key);
  }

  revokeAll() {
    for (const key of [...this.#minted.keys()]) this.revoke(key);
  }
}

/** @typedef {{call: Call, opening: number, resolve: (reply: Reply) => void, reject: (error: PeerError) => void}} Pending */

const SHA = /^[0-9a-f]{40}$/;
const ASKED = "asked-to-persist";

/**
 * Scripts, checks and the views drive this one object; it is `window.peer`.
 * Calls made before Python answers wait in the worker. Each rejects with a {@link PeerError}.
 * A worker that dies after it has been ready is replaced once, and the table that was open opens again.
 */
export class Peer {
  /** @type {View | null} what Python last said to draw */
  view = null;
  /** @type {Ready | null} */
  boot = null;
  /** @type {PeerError | null} why no call will ever be answered again */
  fatal = null;
  /** @type {string[]} what is known of each worker's death */
  deaths = [];
  /** @type {boolean | null} whether the browser has promised to keep what is stored; null when it was not asked */
  persisted = null;
  /** This table is here again after the worker died. */
  restarted = false;
  /** A worker of which something is expected and that is silent for so many beats, `beat` milliseconds each, is dead. */
  patience = { beat: 5000, beats: 6 };
  /** @type {{mod: string, version: string|null} | null} what was last asked to be opened and not closed since */
  wanted = null;
  /** @type {PeerError | null} why opening `wanted` failed */
  refusal = null;

  /** @type {Worker} */
  #worker;
  /** @type {Map<number, Pending>} */
  #calls = new Map();
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #listening;
  #silent = 0;
  /** @type {Promise<import("./script-stage.js").ScriptStage> | null} */
  #staging = null;
  /** @type {Set<() => void>} */
  #listeners = new Set();
  /** @type {Map<string, Promise<AssetUrl>>} */
  #minting = new Map();
  #urls = new BlobUrls();
  #nextId = 1;
  #opening = 0;
  #leaving = 0;
  /** @type {Promise<void>} when Python has closed what was last left */
  #left = Promise.resolve();
  #home = "";

  constructor() {
    this.#worker = this.#start();
  }

  /**
   * Calls back whenever `view`, `boot`, `fatal`, `restarted`, `wanted` or `refusal` changed; the answer takes the
   * listener away.
   *
   * @param {() => void} listener
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends the worker and gives everything back. */
  dispose() {
    this.#end();
    this.#listeners.clear();
    this.#fail("The page has ended its worker.");
  }

  /**
   * Opens a table; resolves once it is open.
   *
   * @param {string} mod `owner/repo`, or an id of the registry
   * @param {{version?: string}} [options] a content version to pin
   */
  async open(mod, options = {}) {
    const before = this.wanted ? this.#leave() : this.#left;
    const opening = this.#begin({ mod, version: options.version ?? null });
    try {
      await before.catch(() => undefined);
      if (opening !== this.#opening) throw new PeerError("cancelled", "Something else was opened meanwhile.");
      return await this.#value("open", mod, options);
    } catch (error) {
      this.#refuse(opening, error);
      throw error;
    }
  }

  openNow() {
    return this.#value("openNow");
  }

  /** Closes the table, if one is open; the catalogue comes back. */
  async close() {
    const left = this.#leave();
    this.#begin(null);
    await left;
  }

  report() {
    return this.#value("report");
  }

  /**
   * A URL for one file: a blob URL when its bytes are at hand, else the live one.
   * Asked twice, a file that is in the cache gives the same URL; it is revoked on close.
   *
   * @param {string} path
   * @param {{mod?: string, version?: string}} [options] `mod` names a pack as owner/repo, or the mod whose page is shown;
   *   with `version` too, that version as it is kept
   * @returns {Promise<AssetUrl>}
   */
  async assetUrl(path, options = {}) {
    const key = options.version ? `${options.mod}@${options.version}:${path}` : this.#key(path, options.mod);
    const opening = this.#opening;
    const cached = await this.#urls.cached(key);
    if (cached) return cached;
    if (opening !== this.#opening) throw new PeerError("not-open", "The table was closed meanwhile.");
    let minting = this.#minting.get(key);
    if (!minting) {
      minting = this.#mint(key, path, options);
      this.#minting.set(key, minting);
      const done = () => void (this.#minting.get(key) === minting && this.#minting.delete(key));
      minting.then(done, done);
    }
    return { ...(await minting) };
  }

  /**
   * @param {string} path
   * @param {{mod?: string}} [options]
   * @returns {Promise<string>}
   */
  text(path, options = {}) {
    return this.#value("text", path, options);
  }

  /** @returns {Promise<Details>} */
  details() {
    return this.#value("details");
  }

  /**
   * A mod's own page, without opening it. Its pictures and texts can be asked for with `{mod}` until another is looked at.
   *
   * @param {string} mod `owner/repo`, or an id of the registry
   * @param {{version?: string}} [options]
   * @returns {Promise<ModPage>}
   */
  about(mod, options = {}) {
    return this.#value("about", mod, options);
  }

  /**
   * @param {{owner: string, repo: string, version: string}[]} mods as published now
   * @returns {Promise<Standing[]>}
   */
  standing(mods) {
    return this.#value("standing", mods.map(({ owner, repo, version }) => ({ owner, repo, version })));
  }

  /** Everything kept on this device. @returns {Promise<KeptVersion[]>} */
  storage() {
    return this.#value("storage");
  }

  /** The pull report of the table that was closed last in this page, null where there was none. */
  lastReport() {
    return this.#value("lastReport");
  }

  /**
   * Digests every file of a kept version, drops what is rotten and fetches it again.
   *
   * @param {string} owner
   * @param {string} repo
   * @param {string} version
   * @returns {Promise<{checked: number, dropped: number, refetched: number}>}
   */
  mend(owner, repo, version) {
    return this.#value("mend", owner, repo, version);
  }

  /**
   * The files whose path contains `search`, a portion of each kind; `told` asks for more portions of one.
   *
   * @param {string} [search]
   * @param {Partial<Record<AssetGroup, number>>} [told]
   * @returns {Promise<Box>}
   */
  box(search = "", told = {}) {
    return this.#value("box", search, told);
  }

  /**
   * One of the decks that `box` lists, by its `index`; null when there is none.
   *
   * @param {number} index
   * @returns {Promise<Deck|null>}
   */
  deck(index) {
    return this.#value("deck", index);
  }

  /** @param {string[]} [paths] of the game or its packs; all that failed when left out */
  retry(paths) {
    return paths === undefined ? this.#value("retry") : this.#value("retry", paths);
  }

  cancel() {
    return this.#value("cancel");
  }

  /** @returns {Promise<CachedMod[]>} */
  cached() {
    return this.#value("cached");
  }

  /**
   * @param {string} owner
   * @param {string} repo
   */
  forget(owner, repo) {
    return this.#value("forget", owner, repo);
  }

  repair() {
    return this.#value("repair");
  }

  trace() {
    return this.#value("trace");
  }

  room() {
    return this.#value("room");
  }

  /** What became of each script of the table. */
  scripts() {
    return this.#value("scripts");
  }

  /**
   * The player has used an element of a script: `hook` is the property that names the event.
   *
   * @param {string} script
   * @param {string} element
   * @param {string} hook
   * @param {string} [value]
   */
  press(script, element, hook, value) {
    return this.#value("press", script, element, hook, value ?? null);
  }

  table() {
    return this.#value("table");
  }

  /** Tells Python that there is a network again. */
  online() {
    return this.#value("online");
  }

  /**
   * Asks the browser, once in this browser's life, not to drop what is kept; `persisted` tells what it answered.
   * Firefox puts the question to the player.
   */
  async persist() {
    try {
      this.persisted = await navigator.storage.persisted();
      if (this.persisted || localStorage.getItem(ASKED)) return;
      localStorage.setItem(ASKED, "1");
      this.persisted = await navigator.storage.persist();
    } catch {
      // Private windows may have none of this; then nothing lasts anyway.
    }
  }

  /** How many blob URLs are alive. */
  blobUrls() {
    return this.#urls.size;
  }

  /** @type {(event: MessageEvent<FromWorker>) => void} */
  #onMessage = ({ data }) => {
    this.#silent = 0;
    switch (data.type) {
      case "reply":
        this.#calls.get(data.id)?.resolve(data);
        this.#calls.delete(data.id);
        break;
      case "refusal":
        this.#calls.get(data.id)?.reject(new PeerError(data.code, data.message, data.retryAt));
        this.#calls.delete(data.id);
        break;
      case "ready":
        this.boot = data;
        performance.mark("peer-ready");
        this.#listen();
        this.#tell();
        break;
      case "view":
        this.#show(JSON.parse(data.json));
        break;
      case "fatal":
        this.#die(data.message);
        break;
      default:
        void this.#stage().then((stage) => stage.take(data), () => undefined);
    }
  };

  /** @type {(event: Event) => void} */
  #onError = (event) => {
    const message = event instanceof ErrorEvent && event.message ? event.message : "The worker did not load.";
    if (!this.boot) this.#die(message);
    // Once Python runs, this may be a stray callback and end nothing: whether anyone is left shows when asked.
    else this.#listen(message);
  };

  #start() {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", this.#onMessage);
    worker.addEventListener("error", this.#onError);
    worker.addEventListener("messageerror", this.#onError);
    return worker;
  }

  /** Where scripts run and are seen: it comes with the first of them. */
  #stage() {
    this.#staging ??= import("./script-stage.js").then(({ ScriptStage }) => new ScriptStage(this, (news, transfer) =>
      this.#worker.postMessage(news, transfer)));
    return this.#staging;
  }

  #end() {
    void this.#staging?.then((stage) => stage.clear());
    clearInterval(this.#listening);
    this.#listening = undefined;
    this.#worker.removeEventListener("message", this.#onMessage);
    this.#worker.removeEventListener("error", this.#onError);
    this.#worker.removeEventListener("messageerror", this.#onError);
    this.#worker.terminate();
  }

  /**
   * Listens for signs of life while something is expected of the worker, and asks for one each beat. Beats are counted,
   * not time: a device that slept has missed one.
   * @param {string} [reason] to doubt it although nothing is expected
   */
  #listen(reason) {
    if (this.#listening !== undefined || !this.boot) return;
    this.#silent = 0;
    let asked = false;
    this.#listening = setInterval(() => {
      if (asked && !this.#silent && reason) reason = undefined;
      if (!this.#calls.size && !this.view?.pulling && !reason) {
        clearInterval(this.#listening);
        this.#listening = undefined;
      } else if (++this.#silent > this.patience.beats) {
        this.#die(reason ?? `The worker has not answered for ${(this.patience.beats * this.patience.beat) / 1000} seconds.`);
      } else {
        asked = true;
        // Nobody waits for call 0.
        this.#worker.postMessage(/** @satisfies {Call} */ ({ type: "call", id: 0, method: "room", json: "[]" }));
      }
    }, this.patience.beat);
  }

  /** @param {string} message */
  #die(message) {
    if (this.fatal) return;
    this.deaths.push(message);
    // What did not even start will not start the second time.
    if (!this.boot || this.deaths.length > 1) this.#fail(message);
    else this.#restart();
  }

  #restart() {
    const pending = [...this.#calls.values()];
    const version = this.wanted?.version ?? this.view?.mod?.version ?? "";
    const stood = this.wanted !== null && this.refusal === null;
    this.#end();
    this.#calls.clear();
    this.#forgetUrls();
    this.boot = null;
    this.view = null;
    this.restarted = stood;
    this.#worker = this.#start();
    let opening = false;
    for (const each of pending) {
      const { method } = each.call;
      if (method === "open" && each.opening === this.#opening) {
        this.#send(each);
        opening = true;
      } else if (method === "close") each.resolve({ type: "reply", id: each.call.id, json: "null" });
      else each.reject(new PeerError("restarted", "The part that loads mods died under this call and was started again."));
    }
    if (this.wanted && stood && !opening && !this.#leaving) {
      // The version that was open: a publish since then shall not change what is on the table.
      const options = SHA.test(version) ? { version } : {};
      const { mod } = this.wanted;
      const which = this.#opening;
      this.#value("open", mod, options).catch((error) => this.#refuse(which, error));
    }
    this.#tell();
  }

  /** @param {number} opening @param {unknown} error */
  #refuse(opening, error) {
    if (opening !== this.#opening || !(error instanceof PeerError)) return;
    this.refusal = error;
    this.#tell();
  }

  /** @param {string} message */
  #fail(message) {
    this.#end();
    this.fatal = new PeerError("fatal", message);
    for (const { reject } of this.#calls.values()) reject(this.fatal);
    this.#calls.clear();
    this.#forgetUrls();
    this.#tell();
  }

  /** @param {View} view */
  #show(view) {
    // Until Python has closed a table it may still say how that one stands, and that must not be drawn as the next.
    if (this.#leaving) return;
    this.#home = view.mod ? `${view.mod.owner}/${view.mod.repo}`.toLowerCase() : "";
    for (const settled of view.settled) {
      const split = settled.indexOf(":");
      const [mod, path] = [settled.slice(0, split).toLowerCase(), settled.slice(split + 1)];
      this.#urls.revoke(`${mod}:${path}`);
      this.#urls.revoke(this.#key(path, mod));
    }
    this.view = view;
    if (view.pulling) this.#listen();
    this.#tell();
  }

  /**
   * @param {Peer["wanted"]} wanted
   * @returns {number} which opening this is; late answers to an earlier one are dropped
   */
  #begin(wanted) {
    this.#forgetUrls();
    this.wanted = wanted;
    this.refusal = null;
    this.view = null;
    this.restarted = false;
    const opening = ++this.#opening;
    this.#tell();
    return opening;
  }

  #leave() {
    this.#leaving++;
    this.#left = this.#value("close").then(() => this.#staging).then((stage) => stage?.clear()).finally(() => this.#leaving--);
    return this.#left;
  }

  #tell() {
    for (const listener of [...this.#listeners]) listener();
  }

  #forgetUrls() {
    this.#urls.revokeAll();
    this.#minting.clear();
  }

  /**
   * @param {string} path
   * @param {string} [mod]
   */
  #key(path, mod) {
    const pack = mod?.toLowerCase() ?? "";
    return `${pack === this.#home ? "" : pack}:${path}`;
  }

  /**
   * @param {string} key
   * @param {string} path
   * @param {{mod?: string, version?: string}} options
   * @returns {Promise<AssetUrl>}
   */
  async #mint(key, path, options) {
    const opening = this.#opening;
    const { json, blob } = await this.#call("asset", path, options);
    if (opening !== this.#opening) throw new PeerError("not-open", "The table was closed meanwhile.");
    /** @type {{source: "cache"|"live", verified: boolean, url: string|null, mime: string}} */
    const { source, verified, url, mime } = JSON.parse(json);
    if (blob) {
      const typed = blob.type === mime ? blob : blob.slice(0, blob.size, mime);
      return this.#urls.mint(key, typed, { source, verified });
    }
    if (url === null) throw new PeerError("not-found", `${path} has no bytes and no address.`);
    return { url, source, verified };
  }

  /**
   * @param {Method} method
   * @param {unknown[]} args
   */
  async #value(method, ...args) {
    return JSON.parse((await this.#call(method, ...args)).json);
  }

  /**
   * @param {Method} method
   * @param {unknown[]} args
   * @returns {Promise<Reply>}
   */
  #call(method, ...args) {
    return new Promise((resolve, reject) => {
      if (this.fatal) return reject(this.fatal);
      let json;
      try {
        json = JSON.stringify(args);
      } catch (error) {
        return reject(new PeerError("error", `${method} can't take that: ${error}`));
      }
      /** @type {Call} */
      const call = { type: "call", id: this.#nextId++, method, json };
      this.#send({ call, opening: this.#opening, resolve, reject });
    });
  }

  /** @param {Pending} pending */
  #send(pending) {
    this.#worker.postMessage(pending.call);
    this.#calls.set(pending.call.id, pending);
    this.#listen();
  }
}
