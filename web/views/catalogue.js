/**
 * The front page: what can be played, what is kept on this device, and the door to any other repository.
 *
 * @import {CachedMod, Peer} from "../peer.js"
 * @import {ModRecord, Registry, Shelf} from "../registry.js"
 */
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { kindName, players, size, text } from "../text.js";
import * as icons from "./icons.js";

/** While somebody types, the registry is asked when they pause this long, in milliseconds. */
const PAUSE = 250;
const REPOSITORY = /^(?:(?:https:\/\/)?github\.com\/)?([a-z\d](?:[a-z\d-]{0,38}))\/(?!\.{1,2}(?:\/|$))([\w.-]{1,100}?)(?:\.git)?\/?$/i;

/**
 * The `owner/repo` that somebody typed or pasted, or null. Python judges it again: this is only to answer at once.
 *
 * @param {string} typed
 */
export function repositoryName(typed) {
  const found = REPOSITORY.exec(typed.trim());
  return found ? `${found[1]}/${found[2]}` : null;
}

export class Catalogue {
  /** @type {Shelf} */
  #kind = "games";
  #query = "";
  /** @type {ModRecord[]} */
  #items = [];
  /** @type {string | null} */
  #next = null;
  /** @type {"loading"|"more"|"ready"|"failed"|"offline"} */
  #status = "loading";
  /** @type {CachedMod[]} */
  #kept = [];
  /** @type {AbortController | null} */
  #asking = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause;
  /** @type {string | null} */
  #typed = null;
  /** @type {string | null} how following a sign-in link went */
  #greeting = null;
  /** @type {string | null} why the last *Forget* did nothing */
  #stuck = null;
  /** @type {Set<string>} addresses of covers that can't be shown */
  #broken = new Set();

  /**
   * @param {Registry | null} registry
   * @param {{peer: Peer, address: (mod: string) => string, open: (mod: string) => void, redraw: () => void,
   *   announce: (words: string) => void}} page
   */
  constructor(registry, page) {
    this.registry = registry;
    this.page = page;
  }

  /** Asks the registry for the first page of what is wanted now. */
  async load() {
    if (!this.registry) return;
    await this.#ask(null);
  }

  /** Asks again when the last answer failed: there is a network again. */
  reloadIfFailed() {
    if (this.#status === "failed" || this.#status === "offline") void this.load();
  }

  /** @param {string} token of a sign-in link */
  async signIn(token) {
    try {
      this.#greeting = text.session.signedIn(await /** @type {Registry} */ (this.registry).signIn(token));
    } catch {
      this.#greeting = text.session.refused;
    }
    this.page.announce(this.#greeting);
    this.page.redraw();
  }

  /** Asks what is kept on this device; waits for Python. */
  async loadKept() {
    try {
      this.#kept = await this.page.peer.cached();
    } catch {
      // Without storage there is nothing to list, and the table says so when one is opened.
      this.#kept = [];
    }
    this.page.redraw();
  }

  /** @param {string | null} cursor */
  async #ask(cursor) {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.#status = cursor === null ? "loading" : "more";
    this.page.redraw();
    try {
      const wanted = { kind: this.#kind, query: this.#query, cursor };
      const { items, next } = await /** @type {Registry} */ (this.registry).mods(wanted, asking.signal);
      if (asking !== this.#asking) return;
      this.#items = cursor === null ? items : [...this.#items, ...items];
      this.#next = next;
      this.#status = "ready";
      this.page.announce(this.#items.length
        ? text.catalogue.found(this.#kind === "packs", next !== null)(this.#items.length)
        : text.catalogue.nothing(this.#query));
    } catch (error) {
      if (asking !== this.#asking) return;
      // fetch throws TypeErrors where nothing answers at all.
      this.#status = error instanceof TypeError ? "offline" : "failed";
      this.page.announce(text.catalogue[this.#status]);
    }
    this.page.redraw();
  }

  /** @param {Shelf} kind */
  #choose(kind) {
    if (kind === this.#kind) return;
    this.#kind = kind;
    this.#items = [];
    void this.load();
  }

  /** @type {(event: Event) => void} */
  #onSearch = (event) => {
    this.#query = /** @type {HTMLInputElement} */ (event.target).value.trim();
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => void this.load(), PAUSE);
  };

  #clear = () => {
    this.#query = "";
    clearTimeout(this.#pause);
    void this.load();
    document.getElementById("search")?.focus();
  };

  /** @type {(event: SubmitEvent) => void} */
  #onRepository = (event) => {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (document.querySelector("#repository"));
    const mod = repositoryName(field.value);
    this.#typed = mod === null ? field.value : null;
    this.page.redraw();
    if (mod !== null) this.page.open(mod);
    else field.focus();
  };

  /** @param {CachedMod} mod */
  async #forget({ owner, repo }) {
    const name = `${owner}/${repo}`;
    try {
      await this.page.peer.forget(owner, repo);
      this.#stuck = null;
      this.page.announce(text.kept.forgotten(name));
    } catch {
      this.#stuck = text.kept.inUse(name);
      this.page.announce(this.#stuck);
    }
    await this.loadKept();
  }

  template() {
    const { registry } = this;
    return html`<div class="catalogue">
      ${this.#greeting === null ? nothing : html`<p class="notice" data-kind="session">${icons.info} ${this.#greeting}</p>`}
      <div class="lead">
        <h1 tabindex="-1">${registry ? text.catalogue.heading : text.catalogue.soloHeading}</h1>
        <p>${registry ? text.catalogue.lead : text.catalogue.soloLead}</p>
      </div>
      ${registry ? html`${this.#controls()}${this.#shelf()}` : this.#repositoryForm()}
      ${this.#keptList()}
      ${registry ? this.#repositoryForm() : nothing}
    </div>`;
  }

  #controls() {
    /** @param {Shelf} kind @param {string} label */
    const tab = (kind, label) => html`<button type="button" class="tab" aria-pressed=${this.#kind === kind}
      @click=${() => this.#choose(kind)}>${label}</button>`;
    return html`<div class="controls">
      <div class="tabs" role="group" aria-label=${text.catalogue.show}>
        ${tab("games", text.catalogue.games)}${tab("packs", text.catalogue.packs)}
      </div>
      <search>
        <label class="visually-hidden" for="search">${text.catalogue.search}</label>
        <input id="search" type="search" class="field" placeholder=${text.catalogue.searchHint} autocomplete="off"
          .value=${this.#query} @input=${this.#onSearch}>
      </search>
    </div>`;
  }

  #shelf() {
    const packs = this.#kind === "packs";
    const heading = html`<h2 class="visually-hidden">${packs ? text.catalogue.packs : text.catalogue.games}</h2>`;
    if (this.#status === "failed" || this.#status === "offline") {
      const hint = this.#status === "failed" ? text.catalogue.failedHint
        : this.#kept.length ? text.catalogue.offlineHint : text.catalogue.offlineNothing;
      return html`<section class="panel empty" data-testid="catalogue-${this.#status}">${heading}
        <p><strong>${text.catalogue[this.#status]}</strong></p><p class="quiet">${hint}</p>
        <button type="button" class="button primary" data-testid="catalogue-retry" @click=${() => void this.load()}>
          ${text.failed.retry}</button></section>`;
    }
    if (this.#status === "loading" && !this.#items.length) {
      return html`<section aria-busy="true">${heading}
        <p class="visually-hidden">${text.catalogue.loading}</p>
        <div class="cards" aria-hidden="true">${Array.from({ length: 6 }, () => html`<div class="card skeleton"></div>`)}</div>
      </section>`;
    }
    if (!this.#items.length) {
      return html`<section class="panel empty">${heading}
        <p><strong>${text.catalogue.nothing(this.#query)}</strong></p><p class="quiet">${text.catalogue.nothingHint}</p>
        ${this.#query ? html`<button type="button" class="button" @click=${this.#clear}>${text.catalogue.clear}</button>`
          : nothing}</section>`;
    }
    return html`<section aria-busy=${this.#status !== "ready"}>${heading}
      <ul class="cards" role="list">${repeat(this.#items, ({ id }) => id, (mod) => this.#card(mod))}</ul>
      ${this.#next === null ? nothing
        : html`<p class="centred"><button type="button" class="button" aria-disabled=${this.#status === "more"}
            @click=${() => void (this.#status === "ready" && this.#ask(this.#next))}>
            ${this.#status === "more" ? text.catalogue.loadingMore : text.catalogue.more}</button></p>`}
    </section>`;
  }

  /** @param {ModRecord} mod */
  #card(mod) {
    const name = `${mod.owner}/${mod.repo}`;
    const meta = [
      ...(mod.players ? [players(mod.players)] : []),
      ...(mod.kind === "game" ? [] : [kindName(mod.kind)]),
      ...(mod.bytes ? [size(mod.bytes)] : []),
    ];
    const hasCover = mod.cover && !this.#broken.has(mod.cover);
    return html`<li class="card" data-testid="mod-card" data-mod=${name}>
      <div class="cover tint-${tint(name)}">
        ${hasCover
          ? html`<img src=${mod.cover} alt="" loading="lazy" decoding="async" @error=${() => {
              if (mod.cover) this.#broken.add(mod.cover);
              this.page.redraw();
            }}>`
          : html`<span class="initials" aria-hidden="true">${initials(mod.name)}</span>`}
      </div>
      <div class="card-body">
        <h3><a href=${this.page.address(name)}>${mod.name}</a></h3>
        <p class="meta">${meta.join(" · ")}</p>
        ${mod.summary ? html`<p class="summary">${mod.summary}</p>` : nothing}
        <p class="by">${name}
          ${mod.private ? html`<span class="badge">${text.catalogue.private}</span>` : nothing}
          ${mod.available ? nothing : html`<span class="badge badge-bad">${text.catalogue.unavailable}</span>`}
          ${mod.compatible ? nothing : html`<span class="badge badge-warn">${text.catalogue.issues}</span>`}</p>
      </div>
    </li>`;
  }

  #keptList() {
    if (!this.#kept.length) return nothing;
    return html`<section aria-labelledby="kept-heading">
      <h2 id="kept-heading">${text.kept.heading}</h2>
      ${this.#stuck === null ? nothing : html`<p class="small wrong">${this.#stuck}</p>`}
      <ul class="kept" role="list">${repeat(this.#kept, ({ owner, repo, version }) => `${owner}/${repo}/${version}`, (mod) => {
        const name = `${mod.owner}/${mod.repo}`;
        return html`<li data-testid="kept-mod">
          <span><a href=${this.page.address(name)}>${name}</a>
            <span class="quiet small">${text.kept.line(mod.files, mod.bytes)}</span></span>
          <button type="button" class="button" aria-label=${text.kept.forgetLabel(name)}
            @click=${() => void this.#forget(mod)}>${text.kept.forget}</button>
        </li>`;
      })}</ul>
    </section>`;
  }

  #repositoryForm() {
    const wrong = this.#typed !== null;
    return html`<section class="repository" aria-labelledby="repository-heading">
      <h2 id="repository-heading">${text.repository.heading}</h2>
      <form novalidate @submit=${this.#onRepository}>
        <div class="field-group">
          <label for="repository">${text.repository.label}</label>
          <input id="repository" class="field" type="text" inputmode="url" autocomplete="off" autocapitalize="off"
            spellcheck="false" aria-describedby="repository-hint" aria-invalid=${wrong}>
        </div>
        <button type="submit" class="button primary">${text.repository.submit}</button>
      </form>
      <p id="repository-hint" class="small ${wrong ? "wrong" : "quiet"}">
        ${wrong ? text.repository.wrong : text.repository.hint}</p>
    </section>`;
  }
}

/** @param {string} name */
const initials = (name) => [...name.matchAll(/[\p{L}\p{N}]+/gu)].slice(0, 2).map(([word]) => [...word][0]).join("").toUpperCase();

/** @param {string} name one of six calm colours, always the same for a name */
const tint = (name) => [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7) % 6;
