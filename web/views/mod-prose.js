/**
 * A text by the mod's author. The Markdown reader is fetched with the first of them, so that a page without any is lighter.
 *
 * @import {Place} from "./markdown.js"
 * @typedef {object} Prose
 * @property {string} key another key means another text
 * @property {() => string|Promise<string>} source
 * @property {Place} place
 * @property {number} level of the heading it stands under
 * @property {string} unavailable what to say where it can't be had
 */
import { text } from "../text.js";

/** @type {typeof import("./markdown.js") | null} */
let reader = null;

/** Fetches the reader, so that a text that is at hand stands where it belongs from its first moment on. */
export async function fetchReader() {
  reader ??= await import("./markdown.js");
  return reader;
}

export class ModProse extends HTMLElement {
  /** @type {string | null} */
  #key = null;

  /** @param {Prose} prose */
  set prose(prose) {
    if (prose.key === this.#key) return;
    this.#key = prose.key;
    void this.#fill(prose);
  }

  /** @param {Prose} prose */
  async #fill(prose) {
    this.classList.add("prose");
    const given = prose.source();
    if (reader && typeof given === "string") return this.replaceChildren(reader.renderMarkdown(given, prose.place, prose.level));
    if (!this.hasChildNodes()) this.#say(text.table.loadingText);
    try {
      const [source, { renderMarkdown }] = await Promise.all([given, fetchReader()]);
      if (prose.key === this.#key) this.replaceChildren(renderMarkdown(source, prose.place, prose.level));
    } catch {
      if (prose.key === this.#key) this.#say(prose.unavailable);
    }
  }

  /** @param {string} words */
  #say(words) {
    const paragraph = document.createElement("p");
    paragraph.className = "quiet";
    paragraph.textContent = words;
    this.replaceChildren(paragraph);
  }
}

customElements.define("mod-prose", ModProse);
