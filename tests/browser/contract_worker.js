/** Boots Python as the page's own worker does, then asks it one contract case after the other. */
const answer = async (path) => (await fetch(path)).json();

const names = await answer("/names.json");
const [runtime, pump, opfs, indexeddb, digest] = await Promise.all(
  ["runtime", "pump", "opfs", "indexeddb", "digest"].map((name) => import(`/assets/${names[name]}`)),
);
const { pyodide, boot } = await runtime.bootRuntime();
for (const [path, text] of Object.entries(await answer("/sources.json"))) {
  const place = `/contracts/${path}`;
  pyodide.FS.mkdirTree(place.slice(0, place.lastIndexOf("/")));
  pyodide.FS.writeFile(place, text);
}
pyodide.runPython("import sys; sys.path.append('/contracts')");
const runner = pyodide.pyimport("tests.contract.in_worker");
runner.prepare({ pump, opfs, indexeddb, digest });

addEventListener("message", async ({ data }) => {
  postMessage({ id: data.id, failure: await runner.hold(data.contract, data.name, data.kind, data.host) });
});
postMessage({ boot });
