// The page's own account of itself, for a browser that no driver talks to: said to the raw host, whose log tests read.
const until = async (asked) => {
  for (let value; ; await new Promise((resolve) => setTimeout(resolve, 20))) if ((value = await asked())) return value;
};
const say = async (what) => {
  const { github } = await (await fetch("/config.json")).json();
  await fetch(`${github.raw}/said?${encodeURIComponent(JSON.stringify(what))}`, { mode: "no-cors" });
};
const digest = async (path) => {
  const { url } = await peer.assetUrl(path);
  const sum = await crypto.subtle.digest("SHA-256", await (await fetch(url)).arrayBuffer());
  return Array.from(new Uint8Array(sum), (byte) => byte.toString(16).padStart(2, "0")).join("");
};
const request = (asked) => new Promise((resolve, reject) => {
  asked.onsuccess = () => resolve(asked.result);
  asked.onerror = () => reject(asked.error);
});

const mod = new URLSearchParams(location.search).get("mod").toLowerCase();

/** Segments of the mod in IndexedDB that no line of a journal names, and how many journals it has. */
async function leftovers() {
  const ours = IDBKeyRange.bound([mod], [mod, []]);
  const database = await request(indexedDB.open("mods", 1));
  const read = database.transaction(["journals", "extents"]);
  const keys = await request(read.objectStore("journals").getAllKeys(ours));
  const lines = await request(read.objectStore("journals").getAll(ours));
  const extents = await request(read.objectStore("extents").getAllKeys(ours));
  database.close();
  const text = await new Blob(lines.flatMap((line) => [line, "\n"])).text();
  const records = text.split("\n").filter((line) => line.length > 9).map((line) => JSON.parse(line.slice(9)));
  const named = new Set(records.flatMap(({ files }) => files ?? []).map(([, segment]) => segment));
  const journals = new Set(keys.map(([, name]) => name).filter((name) => name.endsWith(".journal")));
  return { journals: journals.size, segments: extents.filter(([, id]) => !named.has(id)).length };
}

try {
  await until(() => globalThis.peer?.view?.state === "open" && !peer.view.pulling);
  const { files } = await peer.report();
  const kept = files.filter(({ status }) => status !== "failed");
  const told = [];
  for (const { path, status } of kept) told.push([path, status, (await digest(path)).slice(0, 32)]);
  if (kept.length === files.length) {
    const ends = performance.now() + 20_000;
    await until(async () => {
      const { journals, segments } = await leftovers();
      return (journals === 1 && !segments) || performance.now() > ends;
    });
  }
  await say({ files: told, failed: files.length - kept.length, ...(await leftovers()) });
} catch (error) {
  await say({ error: String(error) });
}
