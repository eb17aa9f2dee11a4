/**
 * What is kept on this device: how much room it takes, who needs it, and how to let go of it.
 *
 * @import {KeptVersion} from "../messages.js"
 * @import {Peer} from "../peer.js"
 */
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { HOME, tableOf } from "../route.js";
import { ago, counted, kindName, size, text } from "../text.js";
import "./asset-image.js";
import * as icons from "./icons.js";
import { wayBack } from "./loading.js";
import { saveReport } from "./pull-report.js";

/** @param {KeptVersion} kept */
const keyOf = ({ owner, repo, version }) => `${owner}/${repo}@${version}`;

export class Storage {
  /** @type {KeptVersion[] | null} */
  #kept = null;
  /** @type {{usage: number, quota: number} | null} what the browser says of its room */
  #room = null;
  /** @type {boolean | null} the browser has promised not to drop it by itself */
  #persisted = null;
  /** @type {Map<string, string>} what the last repair of a version found */
  #found = new Map();
  /** @type {Set<string>} versions that something is being done with */
  #busy = new Set();
  /** @type {{owner: string, repo: string} | null} of the table that was closed last */
  #report = null;
  /** @type {string | null} what went wrong */
  #trouble = null;
  #left = false;

  /** @param {{peer: Peer, redraw: () => void, announce: (words: string) => void}} page */
  constructor(page) {
    this.page = page;
    void this.#load();
  }

  title = text.titles.storage;

  dispose() {
    this.#left = true;
  }

  async #load() {
    try {
      this.#kept = await this.page.peer.storage();
      this.#report = await this.page.peer.lastReport();
      const { usage = 0, quota = 0 } = (await navigator.storage?.estimate?.()) ?? {};
      this.#room = quota ? { usage, quota } : null;
      this.#persisted = (await navigator.storage?.persisted?.()) ?? null;
    } catch {
      // Without storage there is nothing to list, and that is what is said.
      this.#kept ??= [];
    }
    if (!this.#left) this.page.redraw();
  }

  template() {
    const kept = this.#kept;
    return html`<article class="storage" data-testid="storage-panel">
      ${wayBack(HOME)}
      <div class="lead"><h1 tabindex="-1">${text.storage.heading}</h1><p>${text.storage.lead}</p></div>
      ${this.#trouble === null ? nothing : html`<p class="notice" role="alert">${icons.warning} ${this.#trouble}</p>`}
      ${kept === null ? html`<p class="quiet" role="status">${text.storage.loading}</p>` : html`${this.#meter(kept)}${this.#list(kept)}`}
    </article>`;
  }

  /** @param {KeptVersion[]} kept */
  #meter(kept) {
    const total = kept.reduce((sum, { bytes }) => sum + bytes, 0);
    const room = this.#room;
    const report = this.#report;
    return html`<section class="panel room" aria-labelledby="room-heading">
      <h2 id="room-heading">${text.storage.room}</h2>
      <p data-testid="storage-total">${text.storage.total(kept.length, total)}</p>
      ${room === null ? nothing : html`
        <meter min="0" max=${room.quota} high=${room.quota * 0.9} .value=${room.usage}
          aria-label=${text.storage.used(room.usage, room.quota)}></meter>
        <p class="quiet small">${text.storage.used(room.usage, room.quota)}</p>`}
      <p class="quiet small">${this.#persisted ? text.storage.lasting : text.storage.passing}</p>
      <div class="actions">
        ${kept.length ? html`<button type="button" class="button" data-testid="clear-all" @click=${this.#clearAll}>
          ${text.storage.clear}</button>` : nothing}
        ${report === null ? nothing : html`<button type="button" class="button" data-testid="save-report"
          @click=${() => saveReport(report)}>${text.storage.report(report.repo)}</button>`}
      </div>
    </section>`;
  }

  /** @param {KeptVersion[]} kept */
  #list(kept) {
    if (!kept.length) {
      return html`<section class="panel empty" data-testid="storage-empty"><p><strong>${text.storage.nothing}</strong></p>
        <p class="quiet">${text.storage.nothingHint}</p><a class="button primary" href=${HOME}>${text.backToCatalogue}</a></section>`;
    }
    return html`<ul class="stored" role="list">${repeat(kept, keyOf, (one) => this.#line(one))}</ul>`;
  }

  /** @param {KeptVersion} one */
  #line(one) {
    const { owner, repo, version, name, kind, release, cover, files, bytes, lastUsed, tabs, pinnedBy } = one;
    const key = keyOf(one);
    const busy = this.#busy.has(key);
    const place = `${owner}/${repo}`;
    const uses = [...(tabs ? [text.storage.tabs(tabs)] : []), ...(pinnedBy.length ? [text.storage.pinned(pinnedBy)] : [])];
    const picture = { peer: this.page.peer, path: cover ?? "", mod: place, version };
    return html`<li class="panel" data-testid="stored-mod" data-mod=${place} data-version=${version}>
      ${cover ? html`<asset-image .picture=${picture}></asset-image>`
        : html`<span class="stand-in">${icons.picture}</span>`}
      <div class="stored-words">
        <h2><a href=${tableOf(place)}>${name}</a></h2>
        <p class="quiet small">${[kindName(kind), place].join(" · ")}</p>
        <p class="small">${release ? `${release} · ` : ""}<code title=${version}>${version.slice(0, 10)}</code> ·
          ${counted(files, "file")}, ${size(bytes)} · ${lastUsed ? text.storage.opened(ago(lastUsed)) : text.storage.neverOpened}</p>
        ${uses.length ? html`<p class="small">${uses.join(" · ")}</p>` : nothing}
        <p class="small" role="status">${this.#found.get(key) ?? ""}</p>
      </div>
      <div class="actions">
        <button type="button" class="button" data-testid="repair-mod" aria-disabled=${busy} aria-label=${text.storage.repairLabel(name)}
          @click=${() => void (busy || this.#repair(one))}>${busy ? text.storage.busy : text.storage.repair}</button>
        <button type="button" class="button" data-testid="forget-kept" aria-disabled=${busy} aria-label=${text.kept.forgetLabel(name)}
          @click=${() => void (busy || this.#forget(one))}>${text.kept.forget}</button>
      </div>
    </li>`;
  }

  /** @param {KeptVersion} one */
  async #repair(one) {
    const key = keyOf(one);
    this.#busy.add(key);
    this.page.redraw();
    try {
      const result = await this.page.peer.mend(one.owner, one.repo, one.version);
      this.#found.set(key, text.storage.repaired(result));
    } catch {
      this.#found.set(key, text.storage.notRepaired);
    }
    this.#busy.delete(key);
    this.page.announce(`${one.name}: ${this.#found.get(key)}`);
    await this.#load();
  }

  /** All versions of a mod go together. @param {KeptVersion} one */
  async #forget(one) {
    const { owner, repo, name } = one;
    const key = keyOf(one);
    this.#busy.add(key);
    this.page.redraw();
    this.#trouble = await this.#forgotten(owner, repo) ? null : text.kept.inUse(name);
    this.#busy.delete(key);
    this.page.announce(this.#trouble ?? text.kept.forgotten(name));
    await this.#load();
    this.#keepFocus();
  }

  #clearAll = async () => {
    if (!confirm(text.storage.sure)) return;
    const mods = new Map((this.#kept ?? []).map(({ owner, repo }) => [`${owner}/${repo}`, { owner, repo }]));
    const stuck = [];
    for (const [name, { owner, repo }] of mods) if (!(await this.#forgotten(owner, repo))) stuck.push(name);
    this.#trouble = stuck.length ? text.storage.stuck(stuck) : null;
    this.page.announce(this.#trouble ?? text.storage.cleared);
    await this.#load();
    this.#keepFocus();
  };

  /** @param {string} owner @param {string} repo */
  async #forgotten(owner, repo) {
    try {
      await this.page.peer.forget(owner, repo);
      return true;
    } catch {
      return false;
    }
  }

  /** The button that had the focus went with its line. */
  #keepFocus() {
    if (document.activeElement === document.body) document.querySelector("h1")?.focus({ preventScroll: true });
  }
}
