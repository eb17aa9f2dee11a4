/**
 * One file of the mod in full, in a dialog: a picture, a sound, readable text, or at least what is known of it.
 *
 * @import {BoxFile} from "../messages.js"
 * @import {AssetUrl, Peer} from "../peer.js"
 */
import { html, nothing } from "lit-html";

import { groupNames, reasonText, size, statusNames, text } from "../text.js";
import * as icons from "./icons.js";

/** Characters of a text that are shown; laying out more stalls the page. */
const SHOWN = 200_000;
/** A JSON text up to this many characters is indented for reading. */
const INDENTED = 1_000_000;

export class AssetViewer {
  /** @type {BoxFile | null} */
  #file = null;
  /** @type {AssetUrl | null} */
  #asset = null;
  /** @type {string | null} */
  #text = null;
  #cut = false;
  /** @type {"loading"|"shown"|"unavailable"} */
  #look = "loading";

  /**
   * @param {Peer} peer
   * @param {() => void} redraw
   * @param {{beside: (file: BoxFile, by: -1|1) => BoxFile|null, approached: (file: BoxFile) => void}} shelf
   *   where *previous* and *next* lead to
   */
  constructor(peer, redraw, shelf) {
    this.peer = peer;
    this.redraw = redraw;
    this.shelf = shelf;
  }

  /** @param {BoxFile} file */
  async show(file) {
    this.#file = file;
    this.#asset = null;
    this.#text = null;
    this.#look = "loading";
    this.shelf.approached(file);
    this.redraw();
    const dialog = this.#dialog();
    if (dialog && !dialog.open) dialog.showModal();
    const options = file.mod === null ? {} : { mod: file.mod };
    const { path, group } = file;
    const readable = group === "data" || group === "text";
    const [asset, words] = await Promise.allSettled([
      this.peer.assetUrl(path, options),
      readable ? this.peer.text(path, options) : Promise.reject(new Error("not a text")),
    ]);
    if (file !== this.#file) return;
    this.#asset = asset.status === "fulfilled" ? asset.value : null;
    if (words.status === "fulfilled") this.#read(words.value, path);
    this.#look = this.#asset || this.#text !== null ? "shown" : "unavailable";
    this.redraw();
  }

  /**
   * @param {string} words
   * @param {string} path
   */
  #read(words, path) {
    let shown = words;
    if (path.toLowerCase().endsWith(".json") && words.length <= INDENTED) {
      try {
        shown = JSON.stringify(JSON.parse(words), null, 2);
      } catch {
        // Not JSON after all: it is shown as it stands.
      }
    }
    this.#cut = shown.length > SHOWN;
    this.#text = shown.slice(0, SHOWN);
  }

  #dialog() {
    return /** @type {HTMLDialogElement | null} */ (document.querySelector("#viewer"));
  }

  #close = () => this.#dialog()?.close();

  #onClose = () => {
    this.#file = null;
    this.#asset = null;
    this.#text = null;
    this.redraw();
  };

  /** @type {(event: MouseEvent) => void} */
  #onBackdrop = (event) => {
    if (event.target === event.currentTarget) this.#close();
  };

  /** @type {(event: KeyboardEvent) => void} */
  #onKey = (event) => {
    if (event.target instanceof HTMLElement && event.target.closest("audio, pre")) return;
    if (event.key === "ArrowLeft") this.#step(-1);
    if (event.key === "ArrowRight") this.#step(1);
  };

  /** @param {-1|1} by */
  #step(by) {
    const next = this.#file && this.shelf.beside(this.#file, by);
    if (next) void this.show(next);
  }

  #onBroken = () => {
    this.#look = "unavailable";
    this.redraw();
  };

  template() {
    return html`<dialog id="viewer" class="viewer" aria-labelledby="viewer-heading" @close=${this.#onClose}
      @click=${this.#onBackdrop} @keydown=${this.#onKey}>${this.#file ? this.#frame(this.#file) : nothing}</dialog>`;
  }

  /** @param {BoxFile} file */
  #frame(file) {
    const { path, mod, from, group, bytes, status, reason } = file;
    const slash = path.lastIndexOf("/");
    return html`<div class="viewer-frame">
      <header>
        <div>
          <h2 id="viewer-heading">${path.slice(slash + 1)}</h2>
          <p class="quiet small path">${mod ?? nothing}${mod ? ": " : ""}${path}</p>
        </div>
        <button type="button" class="button round" aria-label=${text.viewer.close} @click=${this.#close}>${icons.close}</button>
      </header>
      <div class="viewer-body" aria-busy=${this.#look === "loading"} aria-live="polite">${this.#body(file)}</div>
      <footer>
        <p class="quiet small">${[groupNames[group], bytes === null ? text.assets.sizeUnknown : size(bytes),
          statusNames[status], from].filter(Boolean).join(" · ")}
          ${reason ? html`<br>${reasonText(reason)}` : nothing}
          ${this.#asset ? html`<br>${this.#asset.source === "live" ? `${text.viewer.live} ` : ""}${this.#asset.verified
            ? text.viewer.checked : text.viewer.unverified}` : nothing}</p>
        <div class="actions">
          <button type="button" class="button round" aria-label=${text.viewer.previous} aria-disabled=${!this.shelf.beside(file, -1)}
            @click=${() => this.#step(-1)}>${icons.back}</button>
          <button type="button" class="button round" aria-label=${text.viewer.next}
            aria-disabled=${!this.shelf.beside(file, 1)} @click=${() => this.#step(1)}>${icons.forward}</button>
          ${this.#asset?.url.startsWith("blob:")
            ? html`<a class="button" href=${this.#asset.url} download=${path.slice(slash + 1)}>${text.viewer.save}</a>`
            : this.#asset
              ? html`<a class="button" href=${this.#asset.url} target="_blank" rel="noopener noreferrer">${text.viewer.openLive}
                  <span class="visually-hidden">(${text.newTab})</span></a>`
              : nothing}
        </div>
      </footer>
    </div>`;
  }

  /** @param {BoxFile} file */
  #body({ path, group }) {
    if (this.#look === "loading") return html`<p class="quiet">${text.viewer.loading}</p>`;
    if (this.#text !== null) {
      return html`${this.#cut ? html`<p class="quiet small">${text.viewer.cut}</p>` : nothing}
        <pre tabindex="0" aria-label=${path}>${this.#text}</pre>`;
    }
    if (!this.#asset || this.#look === "unavailable") {
      return html`<div class="stand-in">${icons.groups[group]}<p>${text.viewer.unavailable}</p></div>`;
    }
    if (group === "image") {
      return html`<img src=${this.#asset.url} alt=${path.slice(path.lastIndexOf("/") + 1)} @error=${this.#onBroken}>`;
    }
    if (group === "sound") {
      return html`<audio controls src=${this.#asset.url} aria-label=${path} @error=${this.#onBroken}></audio>`;
    }
    return html`<div class="stand-in">${icons.groups[group]}
      <p>${group === "data" || group === "text" ? text.viewer.noText : text.viewer.noPreview}</p></div>`;
  }
}
