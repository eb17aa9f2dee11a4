/**
 * One file of the mod in full, or one deck of its cards, in a dialog: a picture, a model, cards, a sound, readable text, or
 * at least what is known of it.
 *
 * @import {TemplateResult} from "lit-html"
 * @import {BoxFile, DeckLine} from "../messages.js"
 * @import {AssetUrl, Peer} from "../peer.js"
 */
import { html, nothing } from "lit-html";

import { PeerError } from "../peer.js";
import { groupNames, reasonText, size, statusNames, text } from "../text.js";
import * as icons from "./icons.js";

/** Characters of a text that are shown; laying out more stalls the page. */
const SHOWN = 200_000;

/** @typedef {() => TemplateResult} Pane what a viewer draws */

/**
 * What shows files that no element of HTML shows, by media type. Each is fetched when the first such file is opened.
 * @type {Record<string, (file: BoxFile, asset: AssetUrl, peer: Peer) => Promise<Pane>>}
 */
const viewers = {
  "application/json": json,
  "model/gltf-binary": model,
  "model/gltf+json": model,
  "image/ktx2": texture("ktx2"),
  "image/vnd.radiance": texture("hdr"),
};

/** @param {BoxFile} file @param {AssetUrl} asset @param {Peer} peer */
async function json(file, { source, url }, peer) {
  const { jsonTree } = await import("./json-tree.js");
  // What the cache gives out has been checked; Python reads the rest, and checks it.
  const shown = { name: nameOf(file.path), source: source === "cache" ? { url } : { text: await peer.text(file.path, within(file)) } };
  return () => jsonTree(shown);
}

/** @param {BoxFile} file @param {AssetUrl} asset @param {Peer} peer */
async function model(file, { url }, peer) {
  const { modelView } = await import("../viewer/model-view.js");
  const locate = async (/** @type {string} */ uri) => {
    const here = new URL(file.path.split("/").map(encodeURIComponent).join("/"), "https://mod.invalid/");
    const there = new URL(uri, here);
    if (there.origin !== here.origin) return null;
    return (await peer.assetUrl(decodeURIComponent(there.pathname.slice(1)), within(file))).url;
  };
  const shown = { name: nameOf(file.path), url, locate };
  return () => modelView(shown);
}

/** @param {"ktx2"|"hdr"} kind */
function texture(kind) {
  return async (/** @type {BoxFile} */ { path }, /** @type {AssetUrl} */ { url }) => {
    const { textureView } = await import("../viewer/texture-view.js");
    const shown = { name: nameOf(path), url, kind };
    return () => textureView(shown);
  };
}

/** @param {Peer} peer @param {number} index @param {string|null} from the sheet to begin with @returns {Promise<Pane|null>} */
async function cards(peer, index, from) {
  const [deck, { deckCards }] = await Promise.all([peer.deck(index), import("./deck-cards.js")]);
  const shown = deck && { peer, deck, from };
  return shown && (() => deckCards(shown));
}

/** @param {string} path */
const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);

/** @param {BoxFile} file */
const within = ({ mod }) => (mod === null ? {} : { mod });

/** @typedef {"loading"|"shown"|"unavailable"|"away"} Look */
/** @typedef {{file: BoxFile, deck?: undefined} | {file?: undefined, deck: DeckLine}} Subject */

export class AssetViewer {
  /** @type {Subject | null} */
  #subject = null;
  /** @type {AssetUrl | null} */
  #asset = null;
  /** @type {string | null} */
  #text = null;
  #cut = false;
  /** @type {Pane | null} */
  #pane = null;
  /** A sheet of cards is shown as the one picture it is. */
  #whole = false;
  /** @type {Look} */
  #look = "loading";

  /**
   * @param {Peer} peer
   * @param {() => void} redraw
   * @param {{beside: (file: BoxFile, by: -1|1) => BoxFile|null, besideDeck: (deck: DeckLine, by: -1|1) => DeckLine|null,
   *   approached: (file: BoxFile) => void}} shelf where *previous* and *next* lead to
   */
  constructor(peer, redraw, shelf) {
    this.peer = peer;
    this.redraw = redraw;
    this.shelf = shelf;
  }

  /** @param {BoxFile} file */
  async show(file) {
    const subject = this.#begin({ file });
    this.shelf.approached(file);
    this.redraw();
    const { path, group, mime } = file;
    const readable = (group === "data" || group === "text") && !(mime in viewers);
    const [asset, words] = await Promise.allSettled([
      this.peer.assetUrl(path, within(file)),
      readable ? this.peer.text(path, within(file)) : Promise.reject(new Error("not a text")),
    ]);
    if (subject !== this.#subject) return;
    this.#asset = asset.status === "fulfilled" ? asset.value : null;
    if (words.status === "fulfilled") {
      this.#cut = words.value.length > SHOWN;
      this.#text = words.value.slice(0, SHOWN);
    }
    const url = this.#asset;
    if (url && mime in viewers) await this.#fetch(subject, viewers[mime](file, url, this.peer));
    else if (file.deck !== null) await this.#fetch(subject, cards(this.peer, file.deck, path));
    else this.#look = url || this.#text !== null ? "shown" : "unavailable";
    if (subject === this.#subject) this.redraw();
  }

  /** @param {DeckLine} deck */
  async showDeck(deck) {
    const subject = this.#begin({ deck });
    this.redraw();
    await this.#fetch(subject, cards(this.peer, deck.index, null));
    if (subject === this.#subject) this.redraw();
  }

  /** @param {Subject} subject */
  #begin(subject) {
    this.#forget();
    this.#subject = subject;
    this.#look = "loading";
    this.redraw();
    const dialog = this.#dialog();
    if (dialog && !dialog.open) dialog.showModal();
    return subject;
  }

  #forget() {
    this.#subject = null;
    this.#asset = null;
    this.#text = null;
    this.#pane = null;
    this.#whole = false;
  }

  /** @param {Subject} subject @param {Promise<Pane|null>} coming */
  async #fetch(subject, coming) {
    /** @type {Pane | null} */
    let pane = null;
    /** @type {Look} */
    let look = "shown";
    try {
      pane = await coming;
      if (!pane) look = "unavailable";
    } catch (error) {
      look = error instanceof PeerError ? "unavailable" : "away";
    }
    if (subject !== this.#subject) return;
    this.#pane = pane;
    this.#look = look;
  }

  #dialog() {
    return /** @type {HTMLDialogElement | null} */ (document.querySelector("#viewer"));
  }

  #close = () => this.#dialog()?.close();

  #onClose = () => {
    // The event comes late: something else may have been opened since.
    if (this.#dialog()?.open) return;
    this.#forget();
    this.redraw();
  };

  /** @type {(event: MouseEvent) => void} */
  #onBackdrop = (event) => {
    if (event.target === event.currentTarget) this.#close();
  };

  /** @type {(event: KeyboardEvent) => void} */
  #onKey = (event) => {
    if (event.target instanceof HTMLElement && event.target.closest("audio, pre, canvas, [role=tree], [role=listbox]")) return;
    if (event.key === "ArrowLeft") this.#step(-1);
    if (event.key === "ArrowRight") this.#step(1);
  };

  /** @param {-1|1} by */
  #beside(by) {
    const { file, deck } = this.#subject ?? {};
    if (file) return this.shelf.beside(file, by);
    return deck ? this.shelf.besideDeck(deck, by) : null;
  }

  /** @param {-1|1} by */
  #step(by) {
    const next = this.#beside(by);
    if (next) void ("index" in next ? this.showDeck(next) : this.show(next));
  }

  #onBroken = () => {
    this.#look = "unavailable";
    this.redraw();
  };

  #onWhole = () => {
    this.#whole = !this.#whole;
    this.redraw();
  };

  template() {
    const { file, deck } = this.#subject ?? {};
    return html`<dialog id="viewer" class="viewer" aria-labelledby="viewer-heading" @close=${this.#onClose}
      @click=${this.#onBackdrop} @keydown=${this.#onKey}>${file ? this.#fileFrame(file) : deck ? this.#deckFrame(deck) : nothing}</dialog>`;
  }

  /** @param {BoxFile} file */
  #fileFrame(file) {
    const { path, mod, from, group, bytes, status, reason } = file;
    const facts = html`${[groupNames[group], bytes === null ? text.assets.sizeUnknown : size(bytes),
      statusNames[status], from].filter(Boolean).join(" · ")}
      ${reason ? html`<br>${reasonText(reason)}` : nothing}
      ${this.#asset ? html`<br>${this.#asset.source === "live" ? `${text.viewer.live} ` : ""}${this.#asset.verified
        ? text.viewer.checked : text.viewer.unverified}` : nothing}`;
    const actions = html`
      ${this.#pane && file.deck !== null
        ? html`<button type="button" class="button" @click=${this.#onWhole}>${this.#whole ? text.decks.asCards : text.decks.asSheet}</button>`
        : nothing}
      ${this.#asset?.url.startsWith("blob:")
        ? html`<a class="button" href=${this.#asset.url} download=${nameOf(path)}>${text.viewer.save}</a>`
        : this.#asset
          ? html`<a class="button" href=${this.#asset.url} target="_blank" rel="noopener noreferrer">${text.viewer.openLive}
              <span class="visually-hidden">(${text.newTab})</span></a>`
          : nothing}`;
    return this.#frame({
      name: nameOf(path), under: `${mod ? `${mod}: ` : ""}${path}`, facts, actions, body: this.#body(file),
      previous: text.viewer.previous, next: text.viewer.next,
    });
  }

  /** @param {DeckLine} deck */
  #deckFrame(deck) {
    const body = this.#pane && this.#look === "shown" ? this.#pane() : this.#standIn(icons.picture);
    return this.#frame({
      name: deck.label || text.decks.unnamed, under: null, facts: html`${text.decks.size(deck)}`, actions: nothing, body,
      previous: text.decks.previous, next: text.decks.next,
    });
  }

  /**
   * @param {object} content
   * @param {string} content.name
   * @param {string|null} content.under
   * @param {TemplateResult} content.facts
   * @param {TemplateResult|typeof nothing} content.actions
   * @param {TemplateResult} content.body
   * @param {string} content.previous
   * @param {string} content.next
   */
  #frame({ name, under, facts, actions, body, previous, next }) {
    return html`<div class="viewer-frame">
      <header>
        <div>
          <h2 id="viewer-heading">${name}</h2>
          ${under === null ? nothing : html`<p class="quiet small path">${under}</p>`}
        </div>
        <button type="button" class="button round" aria-label=${text.viewer.close} @click=${this.#close}>${icons.close}</button>
      </header>
      <div class="viewer-body" aria-busy=${this.#look === "loading"}
        aria-live=${this.#pane || this.#text !== null ? "off" : "polite"}>${body}</div>
      <footer>
        <p class="quiet small">${facts}</p>
        <div class="actions">
          <button type="button" class="button round" aria-label=${previous} aria-disabled=${!this.#beside(-1)}
            @click=${() => this.#step(-1)}>${icons.back}</button>
          <button type="button" class="button round" aria-label=${next} aria-disabled=${!this.#beside(1)}
            @click=${() => this.#step(1)}>${icons.forward}</button>
          ${actions}
        </div>
      </footer>
    </div>`;
  }

  /** What stands where nothing can be shown, yet or at all. @param {TemplateResult} icon */
  #standIn(icon) {
    if (this.#look === "loading") return html`<p class="quiet">${text.viewer.loading}</p>`;
    return html`<div class="stand-in">${icon}<p>${this.#look === "away" ? text.viewer.away : text.viewer.unavailable}</p></div>`;
  }

  /** @param {BoxFile} file */
  #body({ path, group }) {
    if (this.#look !== "shown") return this.#standIn(icons.groups[group]);
    if (this.#pane && !this.#whole) return this.#pane();
    if (this.#text !== null) {
      return html`${this.#cut ? html`<p class="quiet small">${text.viewer.cut}</p>` : nothing}
        <pre tabindex="0" aria-label=${path}>${this.#text}</pre>`;
    }
    if (!this.#asset) return this.#standIn(icons.groups[group]);
    if (group === "image") {
      return html`<img src=${this.#asset.url} alt=${nameOf(path)} @error=${this.#onBroken}>`;
    }
    if (group === "sound") {
      return html`<audio controls src=${this.#asset.url} aria-label=${path} @error=${this.#onBroken}></audio>`;
    }
    return html`<div class="stand-in">${icons.groups[group]}
      <p>${group === "data" || group === "text" ? text.viewer.noText : text.viewer.noPreview}</p></div>`;
  }
}
