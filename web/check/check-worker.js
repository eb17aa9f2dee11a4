/**
 * Checks scripts in a Python of its own: a long script holds up neither page nor table, and can be ended at any moment.
 *
 * @import {Asked, Told} from "./check.js"
 */
import * as early from "../early.js";
import { files } from "../runtime-files.js";
import { bootRuntime } from "../runtime.js";

const scope = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (globalThis));

/** @returns {Promise<object>} */
async function configuration() {
  const response = await fetch(new URL(files.config, import.meta.url));
  return response.ok ? response.json() : {};
}

async function start() {
  const [config, { pyodide }] = await Promise.all([configuration(), bootRuntime()]);
  // Python can die under a check, of a stack too deep or of memory at its end; nothing is answered after that.
  /** @type {any} */ (pyodide)._api.on_fatal = () => scope.postMessage(/** @satisfies {Told} */ ({ id: -1, code: "died" }));
  // The parser is no part of what an ordinary visit fetches.
  await pyodide.loadPackage("esprima-fork", { messageCallback: () => undefined });
  const { check } = pyodide.pyimport("worker.check");
  return (/** @type {Asked} */ asked) => check({ early, config }, asked);
}

const starting = start();
// Whoever asks is told.
starting.catch(() => undefined);

scope.addEventListener("message", async ({ data }) => {
  const asked = /** @type {Asked} */ (data);
  /** @type {Told} */
  let told;
  try {
    told = { id: asked.id, ...JSON.parse(await (await starting)(asked)) };
  } catch (error) {
    told = { id: asked.id, code: "incomplete", message: error instanceof Error ? error.message : String(error), retryAt: null };
  }
  scope.postMessage(told);
});
