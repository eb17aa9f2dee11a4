/**
 * What is in the box: every file of the game and its packs, by kind.
 *
 * @import {AssetGroup, Details} from "../messages.js"
 * @import {Peer} from "../peer.js"
 * @import {BoxFile} from "./asset-viewer.js"
 */
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { groupNames, reasonText, size, statusNames, text } from "../text.js";
import "./asset-image.js";
import { AssetViewer } from "./asset-viewer.js";
import * as icons from "./icons.js";
import "./more-below.js";

/** Files drawn before the player scrolls on: a mod may have ten thousand. */
const PORTION = 120;

export class AssetBrowser {
  #filter = "";
  /** @type {AssetGroup | "all"} */
  #group = "all";
  /** @type {Map<AssetGroup, number>} */
  #shown = new Map();
  /** @type {Details | null} */
  #details = null;
  /** @type {BoxFile[]} */
  #files = [];

  /**
   * @param {Peer} peer
   * @param {() => void} redraw
   */
  constructor(peer, redraw) {
    this.peer = peer;
    this.redraw = redraw;
    this.viewer = new AssetViewer(peer, redraw);
  }

  /** @type {(event: Event) => void} */
  #onFilter = (event) => {
    this.#filter = /** @type {HTMLInputElement} */ (event.target).value.trim().toLowerCase();
    this.#shown.clear();
    this.redraw();
  };

  /** @param {Details} details */
  template(details) {
    if (details !== this.#details) {
      this.#details = details;
      this.#files = [
        ...details.assets.map((line) => ({ line, mod: null, from: null })),
        ...details.packs.flatMap(({ owner, repo, name, assets }) =>
          assets.map((line) => ({ line, mod: `${owner}/${repo}`, from: name || `${owner}/${repo}` }))),
      ];
    }
    const matching = this.#filter
      ? this.#files.filter(({ line }) => line.path.toLowerCase().includes(this.#filter)) : this.#files;
    const groups = /** @type {[AssetGroup, BoxFile[]][]} */ (
      Object.keys(groupNames).map((group) => [group, matching.filter(({ line }) => line.group === group)]));
    const present = groups.filter(([, files]) => files.length);
    const bytes = this.#files.reduce((sum, { line }) => sum + (line.bytes ?? 0), 0);
    const chosen = present.filter(([group]) => this.#group === "all" || this.#group === group);
    return html`<section class="box" aria-labelledby="box-heading">
      <div class="box-head">
        <h2 id="box-heading">${text.assets.heading}</h2>
        <p class="quiet">${text.assets.total(this.#files.length, bytes)}</p>
      </div>
      <div class="controls">
        <div class="tabs" role="group" aria-label=${text.assets.show}>
          ${this.#tab("all", text.assets.all, matching.length)}
          ${groups.filter(([group]) => this.#files.some(({ line }) => line.group === group))
            .map(([group, files]) => this.#tab(group, groupNames[group], files.length))}
        </div>
        <search>
          <label class="visually-hidden" for="filter">${text.assets.filter}</label>
          <input id="filter" class="field" type="search" autocomplete="off" spellcheck="false"
            placeholder=${text.assets.filterHint} @input=${this.#onFilter}>
        </search>
      </div>
      <p class="visually-hidden" role="status">${this.#filter
        ? text.assets.found(chosen.reduce((sum, [, files]) => sum + files.length, 0)) : ""}</p>
      ${chosen.length ? repeat(chosen, ([group]) => group, ([group, files]) => this.#section(group, files))
        : html`<p class="panel empty quiet">${text.assets.none}</p>`}
      ${this.viewer.template()}
    </section>`;
  }

  /**
   * @param {AssetGroup | "all"} group
   * @param {string} label
   * @param {number} count
   */
  #tab(group, label, count) {
    return html`<button type="button" class="tab" aria-pressed=${this.#group === group} @click=${() => {
      this.#group = group;
      this.redraw();
    }}>${label} <span class="count">${count}</span></button>`;
  }

  /**
   * @param {AssetGroup} group
   * @param {BoxFile[]} files
   */
  #section(group, files) {
    const shown = this.#shown.get(group) ?? PORTION;
    const tiles = group === "image";
    return html`<section aria-labelledby="group-${group}">
      <h3 id="group-${group}">${groupNames[group]} <span class="count">${files.length}</span></h3>
      <ul class=${tiles ? "tiles" : "rows"} role="list">
        ${repeat(files.slice(0, shown), ({ line, mod }) => `${mod ?? ""}:${line.path}`, (file) => this.#file(file, tiles, files))}
      </ul>
      ${files.length > shown ? html`<more-below @more=${() => {
        this.#shown.set(group, shown + PORTION);
        this.redraw();
      }}></more-below>` : nothing}
    </section>`;
  }

  /**
   * @param {BoxFile} file
   * @param {boolean} tile
   * @param {BoxFile[]} among
   */
  #file(file, tile, among) {
    const { line, mod, from } = file;
    const slash = line.path.lastIndexOf("/");
    const kept = line.status !== "failed" && line.status !== "pending";
    const picture = { peer: this.peer, path: line.path, ...(mod === null ? {} : { mod }), status: line.status, badge: true };
    return html`<li data-testid="asset" data-path=${line.path} data-mod=${mod ?? nothing} data-status=${line.status}>
      <button type="button" @click=${() => void this.viewer.show(file, among)}>
        ${tile ? html`<asset-image .picture=${picture}></asset-image>` : html`<span class="row-icon">${icons.groups[line.group]}</span>`}
        <span class="file-name"><span class="path">${line.path.slice(slash + 1)}</span>
          <span class="quiet small path">${[from, line.path.slice(0, Math.max(slash, 0))].filter(Boolean).join(" · ")}</span></span>
        <span class="file-facts small">
          <span class="quiet">${line.bytes === null ? "" : size(line.bytes)}</span>
          ${kept
            ? html`<span class="kept-mark">${icons.check}<span class="visually-hidden">${statusNames[line.status]}</span></span>`
            : html`<span class="badge ${line.status === "failed" ? "badge-bad" : ""}" title=${reasonText(line.reason) || nothing}>
                ${statusNames[line.status]}</span>`}
        </span>
      </button>
    </li>`;
  }
}
