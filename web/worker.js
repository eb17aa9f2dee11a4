/**
 * The worker's first lines: starts Python, hands it the browser's parts as one object and keeps what the page says until
 * Python listens.
 *
 * @import {Call, FromWorker, ScriptNews} from "./messages.js"
 */
import * as digest from "./digest.js";
import * as early from "./early.js";
import * as indexeddb from "./indexeddb.js";
import * as opfs from "./opfs.js";
import * as pump from "./pump.js";
import { files } from "./runtime-files.js";
import { bootRuntime } from "./runtime.js";
import { lineOf } from "./script-line.js";

const scope = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (globalThis));

/** @type {Call[]} */
const waiting = [];
/** @type {((call: Call) => void)|null} */
let listener = null;

/** @type {(news: object) => void} */
let takeScriptNews = () => undefined;

scope.addEventListener("message", ({ data, ports }) => {
  if (data.type !== "call") {
    const news = /** @type {ScriptNews} */ (data);
    takeScriptNews(news.type === "script-line" ? { ...news, line: lineOf(ports[0]) } : news);
    return;
  }
  if (data.method === "open") void configured.then((config) => early.anticipate(config, data, folder)).catch(() => undefined);
  if (listener) listener(data);
  else waiting.push(data);
});

/**
 * @param {FromWorker} message
 * @param {Transferable[]} [transfer]
 */
function post(message, transfer = []) {
  scope.postMessage(message, transfer);
}

/** @param {(call: Call) => void} callback */
function on(callback) {
  listener = callback;
  for (const call of waiting.splice(0)) callback(call);
}

/** @param {(news: object) => void} callback */
function onScript(callback) {
  takeScriptNews = callback;
}

/** @returns {Promise<{registry: string|null, github?: {raw: string, media: string, api: string}}>} */
async function configuration() {
  const response = await fetch(new URL(files.config, import.meta.url));
  if (!response.ok) throw new Error(`config.json answers ${response.status}`);
  return response.json();
}

/** The folder of a mod, in the storage Python will choose too. @param {string} key */
async function folder(key) {
  for (const store of [opfs, indexeddb]) {
    try {
      // Both modules offer the same functions; the root of one is only ever handed to its own Folder.
      return new store.Folder(/** @type {never} */ (await store.openRoot()), key);
    } catch {
      // The next one, then.
    }
  }
  return null;
}

const configured = configuration();

try {
  const [config, runtime] = await Promise.all([configured, bootRuntime()]);
  const { pyodide, boot, reason, ms } = runtime;
  // Python can die under a call, of a stack too deep or of memory at its end; nothing is answered after that.
  /** @type {any} */ (pyodide)._api.on_fatal = (/** @type {unknown} */ error) => post({ type: "fatal", message: String(error) });
  await pyodide.pyimport("worker.main").start({
    config,
    boot,
    bootReason: reason,
    bootMs: ms,
    early,
    post,
    on,
    onScript,
    pump,
    opfs,
    indexeddb,
    digest,
  });
  post({ type: "ready", boot, ms, reason });
} catch (error) {
  post({ type: "fatal", message: error instanceof Error ? error.message : String(error) });
}
