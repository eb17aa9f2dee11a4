/**
 * Lets micropip itself resolve the wheels that the page may install from its own site, and freezes the outcome as a lock.
 *
 *   node freeze.mjs WHEELS LOCK
 *
 * WHEELS is a folder of wheels, one of them micropip's; LOCK is the file to write. Every `file_name` in it is a bare
 * wheel name: `packageBaseUrl` says where they lie.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { loadPyodide } from "pyodide";

const [wheels, lock] = process.argv.slice(2);
const core = JSON.parse(readFileSync(new URL("../node_modules/pyodide/pyodide-lock.json", import.meta.url), "utf8"));
const names = readdirSync(wheels).filter((name) => name.endsWith(".whl")).sort();
const micropip = names.find((name) => name.startsWith("micropip-"));
if (!micropip) throw new Error(`${wheels} holds no wheel of micropip`);

const pyodide = await loadPyodide({ lockFileContents: { ...core, packages: {} }, packageBaseUrl: "emfs:/wheels/" });
pyodide.FS.mkdir("/wheels");
for (const name of names) pyodide.FS.writeFile(`/wheels/${name}`, readFileSync(join(wheels, name)));
pyodide.unpackArchive(new Uint8Array(readFileSync(join(wheels, micropip))), "wheel", { extractDir: "/resolver" });
pyodide.globals.set("wheels", pyodide.toPy(names.map((name) => `emfs:/wheels/${name}`)));
const frozen = JSON.parse(
  await pyodide.runPythonAsync(`
import sys
sys.path.append("/resolver")
import micropip
await micropip.install(wheels)
micropip.freeze()
`),
);
const packages = Object.entries(frozen.packages).map(([name, entry]) => {
  const file = basename(entry.file_name);
  const sha256 = createHash("sha256").update(readFileSync(join(wheels, file))).digest("hex");
  return [name, { ...entry, file_name: file, sha256 }];
});
packages.sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(lock, JSON.stringify({ info: frozen.info, packages: Object.fromEntries(packages) }));
