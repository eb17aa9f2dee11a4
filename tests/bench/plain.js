/** Pyodide as its package comes, started as its documentation says: what a page without a snapshot waits for. */
import { loadPyodide } from "./pyodide/pyodide.mjs";

try {
  const pyodide = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  pyodide.runPython("1 + 1");
  postMessage("ready");
} catch (error) {
  postMessage(String(error));
}
