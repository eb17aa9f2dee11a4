/**
 * Reads a JSON file, which may be megabytes in one line, and hands it out row by row: the page draws what is unfolded.
 *
 * @typedef {{url: string} | {text: string}} OpenTask
 * @typedef {{id: number, from: number}} MoreTask the children of a value from this one on
 *
 * @typedef {object} Row one value
 * @property {string|null} key its name in an object
 * @property {number} index its place among its siblings
 * @property {"object"|"array"|"string"|"number"|"boolean"|"null"|"rest"} kind
 *   the page's own `rest` stands for those that have not come yet
 * @property {string} text of a plain value, cut where it is long
 * @property {number} size values in it, or characters of a string
 * @property {number|null} id by which its children can be asked for; null of a plain value
 * @property {Row[]} children as far as they are told
 *
 * @typedef {{root: Row, fault: null} | {root: null, fault: string, beginning: string, whole: boolean}} Opened
 *   `beginning`: of a file that is no JSON
 */
import { serve } from "./decoder.js";

/** Rows that are told unasked, and of one value at a time. */
const PORTION = 200;
/** Characters of one string that are shown. */
const LONGEST = 2000;
/** Characters shown of a file that is no JSON. */
const BEGINNING = 200_000;

/** @type {(object|unknown[])[]} by id */
const values = [];

/** @param {unknown} value @param {string|null} key @param {number} index @returns {Row} */
function row(value, key, index) {
  if (typeof value === "object" && value !== null) {
    const size = Array.isArray(value) ? value.length : Object.keys(value).length;
    return { key, index, kind: Array.isArray(value) ? "array" : "object", text: "", size, id: values.push(value) - 1, children: [] };
  }
  const kind = value === null ? "null" : /** @type {Row["kind"]} */ (typeof value);
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, LONGEST)) : String(value);
  return { key, index, kind, text, size: typeof value === "string" ? value.length : 0, id: null, children: [] };
}

/** @param {number} id @param {number} from @param {number} count @returns {Row[]} */
function children(id, from, count) {
  const value = values[id];
  if (Array.isArray(value)) return value.slice(from, from + count).map((each, index) => row(each, null, from + index));
  return Object.entries(value).slice(from, from + count).map(([key, each], index) => row(each, key, from + index));
}

/** Tells as much of the upper levels as fits into one portion. @param {Row} root */
function unfold(root) {
  let left = PORTION;
  const open = [root];
  for (const each of open) {
    if (each.id === null || left <= 0) continue;
    each.children = children(each.id, 0, Math.min(left, PORTION / 2));
    left -= each.children.length;
    open.push(...each.children);
  }
}

/** @param {OpenTask} task @returns {Promise<Opened>} */
async function opened(task) {
  const text = "text" in task ? task.text : await (await fetch(task.url)).text();
  try {
    const root = row(JSON.parse(text), null, 0);
    unfold(root);
    return { root, fault: null };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { root: null, fault, beginning: text.slice(0, BEGINNING), whole: text.length <= BEGINNING };
  }
}

serve(async (/** @type {OpenTask|MoreTask} */ task) => ({
  value: "id" in task ? children(task.id, task.from, PORTION) : await opened(task), given: [],
}));
