/**
 * A JSON file as a tree to unfold. A worker reads it: what is drawn is what is unfolded, in portions.
 *
 * @import {Opened, Row} from "../json-worker.js"
 * @typedef {{name: string, source: {url: string} | {text: string}}} Json
 */
import { html, nothing, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { Decoder } from "../decoder.js";
import { text } from "../text.js";

/** Characters of one string that json-worker.js tells. */
const LONGEST = 2000;
/** Levels that are shown by how far in a row begins. */
const DEEPEST = 20;

export class JsonTree extends HTMLElement {
  /** @type {Json | null} */
  #json = null;
  /** @type {Decoder | null} */
  #decoder = null;
  /** @type {Opened | null} null while it is read */
  #opened = null;
  /** @type {Set<Row>} */
  #open = new Set();
  /** @type {Map<Row, Row>} the value that holds it */
  #parents = new Map();
  /** @type {Map<Row, Row>} see {@link JsonTree.#rest} */
  #rests = new Map();
  /** @type {Row | null} the one that the keyboard is at */
  #current = null;
  #failed = false;

  /** @param {Json} json */
  set json(json) {
    if (json.source === this.#json?.source) return;
    this.#json = json;
    if (this.isConnected) void this.#read();
  }

  connectedCallback() {
    void this.#read();
  }

  disconnectedCallback() {
    this.#close();
  }

  #close() {
    this.#decoder?.dispose();
    this.#decoder = null;
    this.#opened = null;
    this.#open.clear();
    this.#parents.clear();
    this.#rests.clear();
    this.#current = null;
    this.#failed = false;
  }

  async #read() {
    const json = this.#json;
    if (!json) return;
    this.#close();
    this.#draw();
    const decoder = this.#decoder = new Decoder(() => new Worker(new URL("../json-worker.js", import.meta.url), { type: "module" }));
    try {
      /** @type {Opened} */
      const opened = await decoder.ask(json.source);
      if (decoder !== this.#decoder) return;
      this.#opened = opened;
      this.#current = opened.root;
      if (opened.root) this.#adopt(opened.root);
    } catch {
      if (decoder !== this.#decoder) return;
      this.#failed = true;
    }
    this.#draw();
  }

  /** Opens what came with its children, and knows whose they are. @param {Row} row */
  #adopt(row) {
    if (row.children.length) this.#open.add(row);
    for (const child of row.children) {
      this.#parents.set(child, row);
      this.#adopt(child);
    }
  }

  /** @param {Row} row */
  async #more(row) {
    const decoder = this.#decoder;
    if (row.id === null || !decoder || row.children.length >= row.size) return;
    const from = row.children.length;
    /** @type {Row[]} */
    const children = await decoder.ask({ id: row.id, from }).catch(() => []);
    if (decoder !== this.#decoder || row.children.length !== from) return;
    row.children.push(...children);
    for (const child of children) this.#parents.set(child, row);
    // Who asked for more by keyboard goes on with what came.
    if (this.#current === this.#rests.get(row)) this.#go(children[0] ?? row);
    else this.#draw();
  }

  /** @param {Row} row @param {boolean} open */
  #fold(row, open) {
    if (open === this.#open.has(row) || row.id === null || !row.size) return;
    if (open) this.#open.add(row);
    else this.#open.delete(row);
    this.#draw();
    if (open && !row.children.length) void this.#more(row);
  }

  /** @param {Row} row */
  #go(row) {
    this.#current = row;
    this.#draw();
    const item = this.querySelector('[tabindex="0"]');
    if (!(item instanceof HTMLElement)) return;
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }

  /**
   * Rows from top to bottom as they are drawn.
   * @param {Row} row @param {number} siblings @param {number} level
   * @returns {Generator<{row: Row, siblings: number, level: number}>}
   */
  *#drawn(row, siblings = 1, level = 1) {
    yield { row, siblings, level };
    if (!this.#open.has(row)) return;
    for (const child of row.children) yield* this.#drawn(child, row.size, level + 1);
    if (row.children.length < row.size) yield { row: this.#rest(row), siblings: row.size, level: level + 1 };
  }

  /** The row that stands for what has not come yet of another. @param {Row} row */
  #rest(row) {
    const rest = this.#rests.get(row) ?? { key: null, index: 0, kind: "rest", text: "", size: 0, id: null, children: [] };
    rest.index = row.children.length;
    rest.text = text.json.more(row.size - row.children.length);
    this.#rests.set(row, rest);
    this.#parents.set(rest, row);
    return rest;
  }

  /** @type {(event: KeyboardEvent) => void} */
  #onKey = (event) => {
    const [row, root] = [this.#current, this.#opened?.root];
    if (!row || !root || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = [...this.#drawn(root)].map((each) => each.row);
    const open = this.#open.has(row);
    /** @type {Row|undefined} */
    let next;
    switch (event.key) {
      case "ArrowDown": next = rows[rows.indexOf(row) + 1]; break;
      case "ArrowUp": next = rows[rows.indexOf(row) - 1]; break;
      case "Home": next = root; break;
      case "End": next = rows.at(-1); break;
      case "ArrowRight":
        if (open) next = row.children[0];
        else this.#fold(row, true);
        break;
      case "ArrowLeft":
        if (open) this.#fold(row, false);
        else next = this.#parents.get(row);
        break;
      case "Enter": case " ": this.#act(row); break;
      default: return;
    }
    event.preventDefault();
    if (next) this.#go(next);
  };

  #draw() {
    render(this.#template(), this);
  }

  #template() {
    if (this.#failed) return html`<p class="quiet" role="status">${text.json.failed}</p>`;
    if (!this.#opened) return html`<p class="quiet" role="status">${text.viewer.loading}</p>`;
    if (this.#opened.root) {
      return html`<ul class="json" role="tree" aria-label=${this.#json?.name ?? ""} @keydown=${this.#onKey}>
        ${repeat(this.#drawn(this.#opened.root), ({ row }) => row, (each) => this.#row(each))}
      </ul>`;
    }
    const { fault, beginning, whole } = this.#opened;
    return html`<p class="small">${text.json.broken} <span class="path">${fault}</span>${whole ? nothing : ` ${text.viewer.cut}`}</p>
      <pre tabindex="0" aria-label=${this.#json?.name ?? ""}>${beginning}</pre>`;
  }

  /** @param {{row: Row, siblings: number, level: number}} drawn */
  #row({ row, siblings, level }) {
    const { key, index, kind, size, id } = row;
    const holds = id !== null && size > 0;
    const open = holds && this.#open.has(row);
    const name = key ?? (this.#parents.has(row) && kind !== "rest" ? String(index) : null);
    const value = id === null ? row.text : kind === "array" ? text.json.items(size) : text.json.keys(size);
    const cut = kind === "string" && size > LONGEST ? ` ${text.json.cut(size)}` : "";
    return html`<li role="treeitem" class="json-row" aria-expanded=${holds ? open : nothing} aria-level=${level} aria-setsize=${siblings}
      aria-posinset=${index + 1} aria-selected=${row === this.#current} tabindex=${row === this.#current ? 0 : -1}
      @click=${() => this.#act(row)}>
        <span class="json-mark" aria-hidden="true">${indent(level)}${holds ? (open ? "▾" : "▸") : " "}</span>
        <span>${name === null ? nothing : html`<span class=${key === null ? "json-index" : "json-key"}>${name}:</span> `}<span
          class=${id === null ? `json-${kind}` : "json-holds"}>${value}</span><span class="json-holds">${cut}</span></span>
      </li>`;
  }

  /** What pressing a row does. @param {Row} row */
  #act(row) {
    this.#current = row;
    const parent = this.#parents.get(row);
    this.#draw();
    if (row.kind === "rest" && parent) void this.#more(parent);
    else this.#fold(row, !this.#open.has(row));
  }
}

/** The space before a row: a style of its own would need an attribute that the page's policy refuses. @param {number} level */
const indent = (level) => "\u00a0\u00a0".repeat(Math.min(level - 1, DEEPEST));

customElements.define("json-tree", JsonTree);

/** @param {Json} json */
export const jsonTree = (json) => html`<json-tree .json=${json}></json-tree>`;
