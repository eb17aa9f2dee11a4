/**
 * Requests that need no Python start as soon as a call comes in, and are handed over when it asks for the same address:
 * what the registry says of the mod, its file index, and the manifest, where this browser does not hold them yet. Which
 * mod to load, and what any of the answers means, Python decides; an address nobody asks for costs one request and
 * nothing else.
 *
 * @import {Call} from "./messages.js"
 * @typedef {{registry: string|null, github?: {raw: string, media: string, api: string}}} Config
 * @typedef {{journals: () => Promise<string[]>}} Folder
 */

/** @type {Map<string, Promise<Response>>} */
const early = new Map();
/** @type {Set<string>} what was begun for the call before and may still be waiting to be asked for */
const begun = new Set();
/** Calls for which it is still open what to begin. */
let deciding = 0;
/** @type {Set<string>} what was asked for meanwhile: beginning that as well would fetch it twice */
const asked = new Set();

/** @param {string} url @param {RequestInit} options */
export function begin(url, options) {
  const known = early.get(url);
  if (known) return known;
  const response = fetch(url, { credentials: "omit", referrerPolicy: "no-referrer", ...options });
  response.catch(() => early.delete(url));
  early.set(url, response);
  return response;
}

/**
 * The response that is already on its way, or a new one.
 * @param {string} url @param {RequestInit} options
 */
export function fetchEarlyOrNow(url, options) {
  const response = early.get(url);
  if (deciding) asked.add(url);
  if (!response) return fetch(url, options);
  early.delete(url);
  return response;
}

/**
 * Begin what a call of the page will need.
 * @param {Config} config @param {Call} call
 * @param {(key: string) => Promise<Folder|null>} folder of "owner/name" in lower case
 */
export async function anticipate(config, call, folder) {
  // An answer that nobody took is of another moment: a mod may have been published since.
  for (const url of begun) early.delete(url);
  begun.clear();
  deciding += 1;
  try {
    await beginFor(config, call, folder);
  } finally {
    deciding -= 1;
    if (!deciding) asked.clear();
  }
}

/** @param {string} url @param {RequestInit} options */
function beginUnlessAsked(url, options) {
  if (asked.has(url)) return;
  begun.add(url);
  void begin(url, options);
}

/** @type {typeof anticipate} */
async function beginFor(config, call, folder) {
  if (call.method !== "open" || config.registry === null) return;
  const [mod, options] = /** @type {[string, {version?: string}?]} */ (JSON.parse(call.json));
  const api = `${config.registry.replace(/\/$/, "")}/api/mods`;
  const byName = mod.includes("/");
  const url = byName ? `${api}?${new URLSearchParams({ repo: mod })}` : `${api}/${encodeURIComponent(mod)}`;
  begun.add(url);
  const answer = (await begin(url, {})).clone();
  const record = byName ? (await answer.json()).items?.[0] : await answer.json();
  if (!record?.version || options?.version) return;
  const held = (await (await folder(`${record.owner}/${record.repo}`.toLowerCase()))?.journals()) ?? [];
  if (held.some((journal) => journal.startsWith(`${record.version}.`))) return;
  beginUnlessAsked(`${api}/${record.id}/versions/${record.version}/files`, {});
  if (!record.commitSha || !config.github || held.length > 0) return;
  const { owner, repo, commitSha } = record;
  beginUnlessAsked(`${config.github.raw}/${owner}/${repo}/${commitSha}/diceytable.mod.json`, { cache: "no-store" });
}
