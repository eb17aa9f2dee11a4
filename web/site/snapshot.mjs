/**
 * Makes the memory snapshot the worker boots from: an interpreter with our packages and what they need imported.
 *
 *   node snapshot.mjs WHEEL LOCK SNAPSHOT
 *
 * The image is bound to the exact build of Pyodide it was made with, and it holds no files: what is not imported here
 * is not there afterwards. A module of ours that takes a JavaScript object at import time (`from js import navigator`,
 * `create_proxy`, `to_js`) can't be part of an image and fails the build.
 */
import crypto from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const [wheel, lock, snapshot] = process.argv.slice(2);
/** What the worker reaches for besides what it imports: answers to errors, and the libraries a first call would load. */
const warm = ["asyncio", "collections.abc", "hashlib", "json", "linecache", "random", "traceback", "urllib.parse"];

// An image is public, and so is all entropy in it: with none, equal sources give an equal image and an equal hashed name.
// The clock stands still for the same reason.
Object.assign(crypto, { randomFillSync: (/** @type {Uint8Array} */ bytes) => bytes.fill(0) });
Object.assign(globalThis.crypto, { getRandomValues: (/** @type {Uint8Array} */ bytes) => bytes.fill(0) });
Date.now = () => 0;
performance.now = () => 0;

/**
 * The image without its empty pages, which are more than half: its length, the number of runs, offset and length of each
 * run (32 bits each, little-endian), then the runs' bytes. `unpacked` in runtime.js is the way back.
 * @param {Uint8Array} image
 */
function packed(image) {
  const page = 4096;
  /** @type {{offset: number, length: number}[]} */
  const runs = [];
  for (let offset = 0; offset < image.length; offset += page) {
    const bytes = image.subarray(offset, offset + page);
    if (bytes.every((byte) => byte === 0)) continue;
    const last = runs.at(-1);
    if (last && last.offset + last.length === offset) last.length += bytes.length;
    else runs.push({ offset, length: bytes.length });
  }
  const table = Uint32Array.from([image.length, runs.length, ...runs.flatMap(({ offset, length }) => [offset, length])]);
  return Buffer.concat([new Uint8Array(table.buffer), ...runs.map(({ offset, length }) => image.subarray(offset, offset + length))]);
}

try {
  const pyodide = await loadPyodide({
    _makeSnapshot: true,
    env: { PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1" },
    lockFileContents: readFileSync(lock, "utf8"),
    packageBaseUrl: "./",
  });
  const packages = pyodide.runPython("import site; site.getsitepackages()[0]");
  pyodide.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel", { extractDir: packages });
  const names = pyodide.runPython(`
import pathlib
root = pathlib.Path(site.getsitepackages()[0])
sorted(
    ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    for package in ("client", "worker")
    for path in (root / package).rglob("*.py")
)
`);
  pyodide.globals.set("names", names);
  pyodide.globals.set("warm", pyodide.toPy(warm));
  pyodide.runPython(`
import gc, importlib, random
importlib.invalidate_caches()
for name in [*names, *warm]:
    importlib.import_module(name)
del names, warm, name, root, site, pathlib
importlib.invalidate_caches()
random.seed(0)
gc.collect()
del gc, importlib, random
`);
  names.destroy();
  writeFileSync(snapshot, packed(pyodide.makeMemorySnapshot()));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
