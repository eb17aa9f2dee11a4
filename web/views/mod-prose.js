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
    if (!this.hasChildNodes()) this.#say(text.table.loadingText);
    try {
      const [source, { renderMarkdown }] = await Promise.all([prose.source(), import("./markdown.js")]);
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
