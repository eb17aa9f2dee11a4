/**
 * Starts Python: from the memory snapshot made at build time, and where that fails from the beginning.
 *
 * Pyodide's snapshot loader is a private interface, so its version is pinned and the plain boot stays as the way out.
 */
import { files } from "./runtime-files.js";

/**
 * @typedef {import("pyodide").PyodideAPI} Pyodide
 * @typedef {"snapshot"|"plain"} Boot
 * @typedef {{pyodide: Pyodide, boot: Boot, reason: string|null, ms: number}} Runtime `reason` says why it is not a snapshot
 */

/**
 * How long a boot may take before it counts as hung, in milliseconds.
 * @typedef {object} Limits
 * @property {number} download 7 MB need 112 s at 0.5 Mbit/s
 * @property {number} start beyond three times the download; a slow phone needs 10 s for the plain boot
 */

/** @type {Limits} */
const generous = { download: 180_000, start: 30_000 };

// WebKit gives its own errors no stack (a fetch without an answer, most DOMExceptions). To Pyodide what has none is no
// error, and the await that it should end never ends.
if (!("stack" in Error.prototype)) Object.defineProperty(Error.prototype, "stack", { value: "", writable: true, configurable: true });

const at = (/** @type {string} */ path) => new URL(path, import.meta.url).href;

/**
 * @template T
 * @param {Promise<T>} work
 * @param {number} limit milliseconds
 * @param {string} what
 * @returns {Promise<T>}
 */
function within(work, limit, what) {
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not end within ${Math.round(limit / 1000)} s`)), limit);
  });
  return Promise.race([work, /** @type {Promise<never>} */ (late)]).finally(() => clearTimeout(timer));
}

/**
 * @param {string} url
 * @param {string} [integrity] with it the bytes are proven: a snapshot with one bit wrong would start and misbehave
 * @returns {Promise<Response>}
 */
async function download(url, integrity) {
  const { pathname } = new URL(url);
  const response = await fetch(url, integrity ? { integrity } : {}).catch((cause) => {
    throw new Error(`${pathname} does not arrive as it was built: ${cause.message}`, { cause });
  });
  if (!response.ok) throw new Error(`${pathname} answers ${response.status}`);
  return response;
}

/**
 * The wasm file as `loadPyodide` can take it: it compiles while it streams and waits for ever when the type is another.
 * A rightly typed response is passed on untouched, because only that one is kept compiled by the browser.
 */
async function downloadWasm() {
  const response = await download(at(`${files.pyodide}pyodide.asm.wasm`));
  if (response.headers.get("content-type")?.split(";")[0].trim() === "application/wasm") return response;
  return new Response(response.body, { headers: { "content-type": "application/wasm" } });
}

/**
 * Answers Pyodide's own requests for two files and leaves all others alone. It has no option for either: the wasm
 * request has to fail loudly, and a snapshot needs no standard library but a file by its name.
 * @param {Record<string, () => Promise<Response>>} answers by URL, each used once
 */
function answering(answers) {
  const open = new Map(Object.entries(answers));
  const original = globalThis.fetch;
  const restore = () => {
    globalThis.fetch = original;
  };
  globalThis.fetch = (input, init) => {
    const url = String(input);
    const answer = open.get(url);
    if (!answer) return original.call(globalThis, input, init);
    open.delete(url);
    if (open.size === 0) restore();
    return answer();
  };
  return restore;
}

/**
 * The memory image as Pyodide made it; web/site/snapshot.mjs says how it is packed.
 * @param {ArrayBuffer} packed
 */
function unpacked(packed) {
  const [length, count] = new Uint32Array(packed, 0, 2);
  const runs = new Uint32Array(packed, 8, 2 * count);
  const image = new Uint8Array(length);
  let from = 8 + runs.byteLength;
  for (let run = 0; run < count; run++) {
    const [offset, size] = runs.subarray(2 * run, 2 * run + 2);
    image.set(new Uint8Array(packed, from, size), offset);
    from += size;
  }
  return image;
}

/** @returns {Promise<[typeof import("pyodide"), {default: import("pyodide").PyodideConfig["createPyodideModule"]}]>} */
const core = () => Promise.all([import(at(`${files.pyodide}pyodide.js`)), import(at(`${files.pyodide}pyodide.asm.js`))]);

/**
 * @param {Limits} limits
 * @returns {Promise<Pyodide>}
 */
async function fromSnapshot(limits) {
  const started = performance.now();
  const modules = core();
  const wasm = downloadWasm();
  const image = download(at(files.snapshot), files.integrity).then((response) => response.arrayBuffer()).then(unpacked);
  modules.catch(() => {});
  wasm.catch(() => {});
  image.catch(() => {});
  const [[{ loadPyodide }, { default: createPyodideModule }], response, _loadSnapshot] = await within(
    Promise.all([modules, wasm, image]),
    limits.download,
    "the snapshot's download",
  );
  const restore = answering({
    [at(`${files.pyodide}pyodide.asm.wasm`)]: () => Promise.resolve(response),
    [at(`${files.pyodide}python_stdlib.zip`)]: () => Promise.resolve(new Response(new Uint8Array(1))),
  });
  try {
    const pyodide = await within(
      loadPyodide({
        indexURL: at(files.pyodide),
        packageBaseUrl: at(files.packages),
        lockFileContents: files.lock,
        createPyodideModule,
        _loadSnapshot,
      }),
      limits.start + 3 * (performance.now() - started),
      "the start from the snapshot",
    );
    pyodide.pyimport("worker.stdlib").install(at(`${files.pyodide}python_stdlib.zip`), files.archiveSha256);
    // Restored with the snapshot, the generator would give every tab the same numbers.
    pyodide.pyimport("random").seed();
    return pyodide;
  } finally {
    restore();
  }
}

/**
 * @param {Limits} limits
 * @returns {Promise<Pyodide>}
 */
async function fromBeginning(limits) {
  const started = performance.now();
  const [[{ loadPyodide }, { default: createPyodideModule }], response] = await within(
    Promise.all([core(), downloadWasm()]),
    limits.download,
    "the runtime's download",
  );
  const restore = answering({ [at(`${files.pyodide}pyodide.asm.wasm`)]: () => Promise.resolve(response) });
  try {
    return await within(
      loadPyodide({
        indexURL: at(files.pyodide),
        packageBaseUrl: at(files.packages),
        lockFileContents: files.lock,
        createPyodideModule,
        packages: [files.package],
      }),
      limits.download + limits.start + 3 * (performance.now() - started),
      "the start of Python",
    );
  } finally {
    restore();
  }
}

/**
 * @param {Limits} [limits]
 * @returns {Promise<Runtime>}
 * @throws when neither way leads to a running Python; the message names both reasons
 */
export async function bootRuntime(limits = generous) {
  const started = performance.now();
  try {
    const pyodide = await fromSnapshot(limits);
    return { pyodide, boot: "snapshot", reason: null, ms: performance.now() - started };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    try {
      const pyodide = await fromBeginning(limits);
      return { pyodide, boot: "plain", reason, ms: performance.now() - started };
    } catch (second) {
      throw new Error(`${second instanceof Error ? second.message : second} (from the snapshot: ${reason})`, { cause: second });
    }
  }
}
