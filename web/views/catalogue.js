/**
 * The front page: what can be played, what was played last, what is kept on this device, and the door to any other
 * repository.
 *
 * @import {Standing} from "../messages.js"
 * @import {CachedMod, Peer} from "../peer.js"
 * @import {ModRecord, Order, Registry, Shelf} from "../registry.js"
 * @import {Card, Favourites, Shortlist} from "../shortlist.js"
 */
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { address, tableOf } from "../route.js";
import { nameOf } from "../shortlist.js";
import { orderNames, shelfNames, text } from "../text.js";
import * as icons from "./icons.js";
import { cover, modCard } from "./mod-card.js";
import "./more-below.js";
import "./near-portion.js";

/** While somebody types, the registry is asked when they pause this long, in milliseconds. */
const PAUSE = 250;
const REPOSITORY = /^(?:(?:https:\/\/)?github\.com\/)?([a-z\d](?:[a-z\d-]{0,38}))\/(?!\.{1,2}(?:\/|$))([\w.-]{1,100}?)(?:\.git)?\/?$/i;
/** @type {Shelf[]} */
const SHELVES = ["games", "rooms", "tables"];
/** @type {Order[]} */
const ORDERS = ["best", "newest", "rating", "name", "smallest"];
const MOST_PLAYERS = 8;
const RECENT = 6;
const KEPT = 6;

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
  /** @type {Shelf | "favourites"} */
  #kind = "games";
  #query = "";
  /** @type {number | null} */
  #players = null;
  /** @type {Order} */
  #order = "best";
  /** @type {ModRecord[][]} what each answer brought: as portions they are drawn, and skipped while out of sight */
  #portions = [];
  /** @type {string | null} */
  #next = null;
  /** @type {"loading"|"more"|"ready"|"failed"|"offline"} */
  #status = "loading";
  /** @type {CachedMod[]} */
  #kept = [];
  /** @type {Map<string, Standing>} by owner/repo */
  #standing = new Map();
  #revision = 0;
  /** @type {Card[] | null} */
  #drawnFavourites = null;
  /** @type {AbortController | null} */
  #asking = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause;
  /** @type {string | null} */
  #typed = null;
  /** @type {string | null} how following a sign-in link went */
  #greeting = null;

  /**
   * @param {Registry | null} registry
   * @param {{peer: Peer, favourites: Favourites, recent: Shortlist, open: (mod: string) => void, redraw: () => void,
   *   announce: (words: string) => void}} page
   */
  constructor(registry, page) {
    this.registry = registry;
    this.page = page;
  }

  /** Asks the registry for the first portion of what is wanted now. */
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
      const { Author } = await import("../author.js");
      const { name } = await new Author(/** @type {Registry} */ (this.registry).base).signIn(token);
      this.#greeting = text.session.signedIn(name);
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
      await this.#stand(this.#portions.flat(), true);
    } catch {
      // Without storage there is nothing to list, and the table says so when one is opened.
      this.#kept = [];
    }
    this.page.redraw();
  }

  /** What a card would show of a mod, if the registry has told of it. @param {string} mod owner/repo @returns {Card|null} */
  known(mod) {
    return this.#portions.flat().find((record) => nameOf(record).toLowerCase() === mod.toLowerCase()) ?? null;
  }

  /** @param {string | null} cursor */
  async #ask(cursor) {
    if (this.#kind === "favourites") return;
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.#status = cursor === null ? "loading" : "more";
    this.page.redraw();
    try {
      const wanted = { kind: this.#kind, query: this.#query, players: this.#players, order: this.#order, cursor };
      const { items, next } = await /** @type {Registry} */ (this.registry).mods(wanted, asking.signal);
      if (asking !== this.#asking) return;
      this.#portions = cursor === null ? [items] : [...this.#portions, items];
      this.#next = next;
      this.#status = "ready";
      this.page.favourites.renew(items);
      this.page.recent.renew(items);
      const count = this.#portions.reduce((sum, portion) => sum + portion.length, 0);
      this.page.announce(count ? text.catalogue.found(this.#kind, next !== null)(count) : text.catalogue.nothing(this.#query));
      if (this.page.peer.boot) void this.#stand(items).then(() => this.page.redraw(), () => undefined);
    } catch (error) {
      if (asking !== this.#asking) return;
      // fetch throws TypeErrors where nothing answers at all.
      this.#status = error instanceof TypeError ? "offline" : "failed";
      this.page.announce(text.catalogue[this.#status]);
    }
    this.page.redraw();
  }

  /**
   * Has Python say which of these are on this device.
   *
   * @param {ModRecord[]} records
   * @param {boolean} [anew] what was known is no longer true
   */
  async #stand(records, anew = false) {
    const found = records.length ? await this.page.peer.standing(records) : [];
    if (anew) this.#standing.clear();
    records.forEach((record, index) => this.#standing.set(nameOf(record), /** @type {Standing} */ (found[index])));
    if (anew || found.some((standing) => standing !== "none")) this.#revision++;
  }

  /** @param {Shelf | "favourites"} kind */
  #choose(kind) {
    if (kind === this.#kind) return;
    this.#kind = kind;
    this.#portions = [];
    if (kind === "favourites") this.page.redraw();
    else void this.load();
  }

  /** @type {(event: Event) => void} */
  #onSearch = (event) => {
    this.#query = /** @type {HTMLInputElement} */ (event.target).value.trim();
    clearTimeout(this.#pause);
    if (this.#kind === "favourites") this.page.redraw();
    else this.#pause = setTimeout(() => void this.load(), PAUSE);
  };

  /** @type {(event: Event) => void} */
  #onPlayers = (event) => {
    this.#players = Number(/** @type {HTMLSelectElement} */ (event.target).value) || null;
    void this.load();
  };

  /** @type {(event: Event) => void} */
  #onOrder = (event) => {
    this.#order = /** @type {Order} */ (/** @type {HTMLSelectElement} */ (event.target).value);
    void this.load();
  };

  #clear = () => {
    this.#query = "";
    this.#players = null;
    clearTimeout(this.#pause);
    void this.load();
    this.page.redraw();
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

  template() {
    const { registry } = this;
    return html`<div class="catalogue">
      ${this.#greeting === null ? nothing : html`<p class="notice" data-kind="session">${icons.info} ${this.#greeting}</p>`}
      <div class="lead">
        <h1 tabindex="-1">${registry ? text.catalogue.heading : text.catalogue.soloHeading}</h1>
        <p>${registry ? text.catalogue.lead : text.catalogue.soloLead}</p>
      </div>
      ${registry ? nothing : this.#repositoryForm()}
      ${this.#recentList()}
      ${registry ? html`${this.#controls()}${this.#shelf()}` : nothing}
      ${this.#keptList()}
      ${registry ? this.#repositoryForm() : nothing}
    </div>`;
  }

  #recentList() {
    const cards = this.page.recent.cards.slice(0, RECENT);
    if (!cards.length) return nothing;
    return html`<section aria-labelledby="recent-heading">
      <h2 id="recent-heading">${text.recent.heading}</h2>
      <ul class="recent" role="list">${repeat(cards, nameOf, (card) => html`<li data-testid="recent-mod">
        <a href=${tableOf(nameOf(card))}>${cover(card)}<span class="recent-name">${card.name}</span></a></li>`)}</ul>
    </section>`;
  }

  #controls() {
    /** @param {Shelf | "favourites"} kind @param {unknown} label */
    const tab = (kind, label) => html`<button type="button" class="tab" aria-pressed=${this.#kind === kind}
      @click=${() => this.#choose(kind)}>${label}</button>`;
    const count = this.page.favourites.cards.length;
    return html`<div class="controls">
      <div class="tabs" role="group" aria-label=${text.catalogue.show}>
        ${SHELVES.map((kind) => tab(kind, shelfNames[kind]))}
        ${tab("favourites", html`${text.favourites.heading} <span class="count">${count || ""}</span>`)}
      </div>
      <div class="filters">
        <search>
          <label class="visually-hidden" for="search">${text.catalogue.search}</label>
          <input id="search" type="search" class="field" placeholder=${text.catalogue.searchHint} autocomplete="off"
            .value=${this.#query} @input=${this.#onSearch}>
        </search>
        ${this.#kind === "favourites" ? nothing : html`
          <label class="choice"><span class="label">${text.catalogue.players}</span>
            <select class="field" data-testid="players" @change=${this.#onPlayers}>
              <option value="" ?selected=${this.#players === null}>${text.catalogue.anyPlayers}</option>
              ${Array.from({ length: MOST_PLAYERS }, (_, index) => html`<option value=${index + 1}
                ?selected=${this.#players === index + 1}>${index + 1}</option>`)}
            </select></label>
          <label class="choice"><span class="label">${text.catalogue.sort}</span>
            <select class="field" data-testid="sort" @change=${this.#onOrder}>
              ${ORDERS.map((order) => html`<option value=${order} ?selected=${this.#order === order}>${orderNames[order]}</option>`)}
            </select></label>`}
      </div>
    </div>`;
  }

  #shelf() {
    const heading = html`<h2 class="visually-hidden">${this.#kind === "favourites" ? text.favourites.heading
      : shelfNames[this.#kind]}</h2>`;
    if (this.#kind === "favourites") return this.#favourites(heading);
    if (this.#status === "failed" || this.#status === "offline") {
      const hint = this.#status === "failed" ? text.catalogue.failedHint
        : this.#kept.length ? text.catalogue.offlineHint : text.catalogue.offlineNothing;
      return html`<section class="panel empty" data-testid="catalogue-${this.#status}">${heading}
        <p><strong>${text.catalogue[this.#status]}</strong></p><p class="quiet">${hint}</p>
        <button type="button" class="button primary" data-testid="catalogue-retry" @click=${() => void this.load()}>
          ${text.failed.retry}</button></section>`;
    }
    const empty = !this.#portions.some((portion) => portion.length);
    if (this.#status === "loading" && empty) {
      return html`<section aria-busy="true">${heading}
        <p class="visually-hidden">${text.catalogue.loading}</p>
        <div class="cards" aria-hidden="true">${Array.from({ length: 6 }, () => html`<div class="card skeleton"></div>`)}</div>
      </section>`;
    }
    if (empty) {
      const narrowed = this.#query || this.#players !== null;
      return html`<section class="panel empty" data-testid="catalogue-empty">${heading}
        <p><strong>${text.catalogue.nothing(this.#query)}</strong></p><p class="quiet">${text.catalogue.nothingHint}</p>
        ${narrowed ? html`<button type="button" class="button" @click=${this.#clear}>${text.catalogue.clear}</button>`
          : nothing}</section>`;
    }
    return html`<section aria-busy=${this.#status !== "ready"}>${heading}
      ${this.#portions.map((portion) => html`<near-portion .portion=${{
        items: portion, stamp: this.#looks(), template: () => html`<ul class="cards" role="list">
          ${repeat(portion, ({ id }) => id, (mod) => this.#card(mod))}</ul>`,
      }}></near-portion>`)}
      ${this.#next === null ? nothing : html`<more-below @more=${this.#onMore}></more-below>`}
      <p class="visually-hidden" role="status">${this.#status === "more" ? text.catalogue.loadingMore : ""}</p>
    </section>`;
  }

  /** Changes when a card that is drawn would look different. */
  #looks() {
    const { cards } = this.page.favourites;
    if (cards !== this.#drawnFavourites) {
      this.#drawnFavourites = cards;
      this.#revision++;
    }
    return this.#revision;
  }

  #onMore = () => {
    if (this.#status === "ready" && this.#next !== null) void this.#ask(this.#next);
  };

  /** @param {unknown} heading */
  #favourites(heading) {
    const query = this.#query.toLowerCase();
    const cards = this.page.favourites.cards.filter((card) =>
      `${card.name} ${nameOf(card)} ${card.summary ?? ""}`.toLowerCase().includes(query));
    if (!cards.length) {
      return html`<section class="panel empty" data-testid="favourites-empty">${heading}
        <p><strong>${query ? text.catalogue.nothing(this.#query) : text.favourites.none}</strong></p>
        <p class="quiet">${text.favourites.noneHint}</p></section>`;
    }
    return html`<section>${heading}
      <ul class="cards" role="list">${repeat(cards, nameOf, (card) => this.#card(card))}</ul></section>`;
  }

  /** @param {Card} mod */
  #card(mod) {
    const { favourites, redraw, announce } = this.page;
    return modCard(mod, {
      standing: this.#standing.get(nameOf(mod)),
      favourite: favourites.has(mod),
      onFavourite: () => {
        announce(favourites.toggle(mod) ? text.favourites.added(mod.name) : text.favourites.removed(mod.name));
        redraw();
      },
    });
  }

  #keptList() {
    if (!this.#kept.length) return nothing;
    const more = this.#kept.length - KEPT;
    return html`<section aria-labelledby="kept-heading">
      <h2 id="kept-heading">${text.kept.heading}</h2>
      <ul class="kept" role="list">${repeat(this.#kept.slice(0, KEPT), ({ owner, repo, version }) => `${owner}/${repo}/${version}`,
        (mod) => html`<li data-testid="kept-mod">
          <span><a href=${tableOf(nameOf(mod))}>${nameOf(mod)}</a>
            <span class="quiet small">${text.kept.line(mod.files, mod.bytes)}</span></span></li>`)}</ul>
      <p><a class="button" href=${address({ screen: "storage" })} data-testid="to-storage">${icons.disk}${text.kept.manage(Math.max(more, 0))}</a></p>
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
