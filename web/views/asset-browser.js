/**
 * What is in the box: the game's decks, and every file of it and its packs, by kind.
 *
 * @import {AssetGroup, Box, BoxFile, DeckLine, Shelf} from "../messages.js"
 * @import {Peer} from "../peer.js"
 */
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { groupNames, reasonText, size, statusNames, text } from "../text.js";
import "./asset-image.js";
import { AssetViewer } from "./asset-viewer.js";
import * as icons from "./icons.js";
import "./more-below.js";
import "./near-portion.js";

/** The next portion is asked for when the viewer is so many files from the end of what was told. */
const NEAR_THE_END = 20;

export class AssetBrowser {
  #search = "";
  /** @type {AssetGroup | "all" | "deck"} */
  #group = "all";
  /** @type {Partial<Record<AssetGroup, number>>} portions to be told, where one is not enough */
  #told = {};
  /** @type {Map<string, BoxFile[]>} the portions drawn now by what was told of them */
  #read = new Map();
  /** @type {Box | null} */
  #box = null;
  #asking = false;
  #askAgain = false;

  /**
   * @param {Peer} peer
   * @param {() => void} redraw
   */
  constructor(peer, redraw) {
    this.peer = peer;
    this.redraw = redraw;
    this.viewer = new AssetViewer(peer, redraw, this);
  }

  /** Asks what is in the box now; whoever asks meanwhile is answered by one more question. */
  async refresh() {
    this.#askAgain = this.#asking;
    if (this.#asking) return;
    this.#asking = true;
    try {
      do {
        this.#askAgain = false;
        const box = await this.peer.box(this.#search, this.#told);
        this.#box = box;
        const told = box.groups.flatMap(({ portions }) => portions);
        this.#read = new Map(told.map((portion) => [portion, this.#read.get(portion) ?? JSON.parse(portion)]));
      } while (this.#askAgain);
    } catch {
      // The table was closed meanwhile, or the worker died: either has its own screen.
    } finally {
      this.#asking = false;
    }
    this.redraw();
  }

  /** @param {AssetGroup} group */
  #shelf(group) {
    return this.#box?.groups.find((shelf) => shelf.group === group);
  }

  /** @param {Shelf} shelf @returns {BoxFile[][]} */
  #files = ({ portions }) => portions.map((portion) => this.#read.get(portion) ?? []);

  /** @param {Shelf} shelf */
  #isWhole = (shelf) => this.#files(shelf).reduce((sum, { length }) => sum + length, 0) >= shelf.matching;

  /** @param {Shelf} shelf */
  #more(shelf) {
    const { group, portions } = shelf;
    if (this.#isWhole(shelf) || (this.#told[group] ?? 1) > portions.length) return;
    this.#told[group] = portions.length + 1;
    void this.refresh();
  }

  /**
   * The file before (`-1`) or after (`1`) a file on its shelf.
   *
   * @param {BoxFile} file
   * @param {-1|1} by
   */
  beside(file, by) {
    const shelf = this.#shelf(file.group);
    const files = shelf ? this.#files(shelf).flat() : [];
    const index = files.findIndex(({ path, mod }) => path === file.path && mod === file.mod);
    return index < 0 ? null : files[index + by] ?? null;
  }

  /**
   * The deck before or after a deck.
   *
   * @param {DeckLine} deck
   * @param {-1|1} by
   */
  besideDeck(deck, by) {
    const decks = this.#box?.decks ?? [];
    const place = decks.findIndex(({ index }) => index === deck.index);
    return place < 0 ? null : decks[place + by] ?? null;
  }

  /** The viewer shows a file: those after it are told in time. @param {BoxFile} file */
  approached(file) {
    const shelf = this.#shelf(file.group);
    if (shelf && this.#files(shelf).at(-1)?.slice(-NEAR_THE_END).includes(file)) this.#more(shelf);
  }

  /** @type {(event: Event) => void} */
  #onSearch = (event) => {
    this.#search = /** @type {HTMLInputElement} */ (event.target).value.trim();
    this.#told = {};
    void this.refresh();
  };

  template() {
    const box = this.#box;
    if (!box) return html`<p class="quiet" role="status">${text.table.loadingDetails}</p>`;
    const matching = box.groups.reduce((sum, shelf) => sum + shelf.matching, 0);
    const chosen = box.groups.filter((shelf) => shelf.matching && (this.#group === "all" || this.#group === shelf.group));
    const decks = this.#group === "all" || this.#group === "deck" ? box.decks : [];
    return html`<section class="box" aria-labelledby="box-heading">
      <div class="box-head">
        <h2 id="box-heading">${text.assets.heading}</h2>
        <p class="quiet">${text.assets.total(box.files, box.bytes)}</p>
      </div>
      <div class="controls">
        <div class="tabs" role="group" aria-label=${text.assets.show}>
          ${this.#tab("all", text.assets.all, matching)}
          ${box.decks.length || this.#group === "deck" ? this.#tab("deck", text.decks.heading, box.decks.length) : nothing}
          ${box.groups.map((shelf) => this.#tab(shelf.group, groupNames[shelf.group], shelf.matching))}
        </div>
        <search>
          <label class="visually-hidden" for="filter">${text.assets.filter}</label>
          <input id="filter" class="field" type="search" autocomplete="off" spellcheck="false"
            placeholder=${text.assets.filterHint} @input=${this.#onSearch}>
        </search>
      </div>
      <p class="visually-hidden" role="status">${this.#search
        ? text.assets.found(chosen.reduce((sum, shelf) => sum + shelf.matching, 0)) : ""}</p>
      ${decks.length ? this.#decks(decks) : nothing}
      ${chosen.length ? repeat(chosen, ({ group }) => group, (shelf) => this.#section(shelf))
        : decks.length ? nothing : html`<p class="panel empty quiet">${text.assets.none}</p>`}
      ${this.viewer.template()}
    </section>`;
  }

  /**
   * @param {AssetGroup | "all" | "deck"} group
   * @param {string} label
   * @param {number} count
   */
  #tab(group, label, count) {
    return html`<button type="button" class="tab" aria-pressed=${this.#group === group} @click=${() => {
      this.#group = group;
      this.redraw();
    }}>${label} <span class="count">${count}</span></button>`;
  }

  /** @param {DeckLine[]} decks */
  #decks(decks) {
    return html`<section aria-labelledby="group-deck">
      <h3 id="group-deck">${text.decks.heading} <span class="count">${decks.length}</span></h3>
      <ul class="tiles" role="list">
        ${repeat(decks, ({ index }) => index, (deck) => html`<li data-testid="deck">
          <button type="button" @click=${() => void this.viewer.showDeck(deck)}>
            ${this.#deckPicture(deck)}
            <span class="file-name"><span class="path">${deck.label || text.decks.unnamed}</span>
              <span class="quiet small">${text.decks.size(deck)}</span></span>
          </button>
        </li>`)}
      </ul>
    </section>`;
  }

  /** The back of its cards, or else the first. @param {DeckLine} deck */
  #deckPicture({ picture }) {
    if (!picture?.path) return html`<span class="stand-in">${icons.picture}</span>`;
    const { path, status, columns, rows, column, row } = picture;
    const crop = columns * rows > 1 ? { x: column / columns, y: row / rows, w: 1 / columns, h: 1 / rows } : null;
    return html`<asset-image .picture=${{ peer: this.peer, path, crop, badge: true, ...(status === null ? {} : { status }) }}></asset-image>`;
  }

  /** @param {Shelf} shelf */
  #section(shelf) {
    const { group, matching } = shelf;
    const tiles = group === "image";
    return html`<section aria-labelledby="group-${group}">
      <h3 id="group-${group}">${groupNames[group]} <span class="count">${matching}</span></h3>
      ${this.#files(shelf).map((files) => html`<near-portion .portion=${{ items: files, template: () => html`
        <ul class=${tiles ? "tiles" : "rows"} role="list">
          ${repeat(files, ({ path, mod }) => `${mod ?? ""}:${path}`, (file) => this.#file(file, tiles))}
        </ul>` }}></near-portion>`)}
      ${this.#isWhole(shelf) ? nothing : html`<more-below @more=${() => this.#more(shelf)}></more-below>`}
    </section>`;
  }

  /**
   * @param {BoxFile} file
   * @param {boolean} tile
   */
  #file(file, tile) {
    const { path, mod, from, group, bytes, status, reason } = file;
    const slash = path.lastIndexOf("/");
    const kept = status !== "failed" && status !== "pending";
    const picture = { peer: this.peer, path, ...(mod === null ? {} : { mod }), status, badge: true };
    return html`<li data-testid="asset" data-path=${path} data-mod=${mod ?? nothing} data-status=${status}>
      <button type="button" @click=${() => void this.viewer.show(file)}>
        ${tile ? html`<asset-image .picture=${picture}></asset-image>` : html`<span class="row-icon">${icons.groups[group]}</span>`}
        <span class="file-name"><span class="path">${path.slice(slash + 1)}</span>
          <span class="quiet small path">${[from, path.slice(0, Math.max(slash, 0))].filter(Boolean).join(" · ")}</span></span>
        <span class="file-facts small">
          <span class="quiet">${bytes === null ? "" : size(bytes)}</span>
          ${kept
            ? html`<span class="kept-mark">${icons.check}<span class="visually-hidden">${statusNames[status]}</span></span>`
            : html`<span class="badge ${status === "failed" ? "badge-bad" : ""}" title=${reasonText(reason) || nothing}>
                ${statusNames[status]}</span>`}
        </span>
      </button>
    </li>`;
  }
}
