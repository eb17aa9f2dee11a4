/**
 * A mod's own page: what it is, before it is opened. Python reads it without pulling anything.
 *
 * @import {ModPage} from "../messages.js"
 * @import {Peer} from "../peer.js"
 * @import {Card, Favourites} from "../shortlist.js"
 */
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { PeerError } from "../peer.js";
import { address, HOME, tableOf } from "../route.js";
import { day, errorText, kindName, players, size, text } from "../text.js";
import { failed } from "./failed.js";
import * as icons from "./icons.js";
import { wayBack } from "./loading.js";
import { fetchReader } from "./mod-prose.js";
import { favouriteButton, standingBadge } from "./mod-card.js";
import { credits, StoryView } from "./story.js";

export class About {
  /** @type {ModPage | null} */
  #page = null;
  /** @type {PeerError | null} */
  #refusal = null;
  #left = false;

  /**
   * @param {string} mod owner/repo or an id
   * @param {{peer: Peer, favourites: Favourites, redraw: () => void, announce: (words: string) => void,
   *   known: Card | null}} page `known` is what the catalogue has shown of it
   */
  constructor(mod, page) {
    this.mod = mod;
    this.page = page;
    this.story = new StoryView(page.peer, page.redraw);
    void this.#load();
  }

  dispose() {
    this.#left = true;
  }

  get title() {
    if (this.#refusal) return text.titles.failed(errorText(this.#refusal.code).title);
    return text.titles.about(this.#page?.name ?? this.page.known?.name ?? this.mod);
  }

  /** @type {() => Promise<void>} */
  #load = async () => {
    this.#refusal = null;
    this.#page = null;
    try {
      [this.#page] = await Promise.all([this.page.peer.about(this.mod), fetchReader().catch(() => null)]);
    } catch (error) {
      this.#refusal = error instanceof PeerError ? error : new PeerError("unknown", String(error));
    }
    if (this.#left) return;
    this.page.announce(this.#page ? text.about.ready(this.#page.name) : errorText(this.#refusal?.code ?? "").title);
    this.page.redraw();
  };

  template() {
    const refusal = this.#refusal;
    if (refusal) {
      return failed(refusal, {
        name: this.mod, home: HOME, current: null, report: null, again: false, onRetry: () => {
          void this.#load();
          this.page.redraw();
        },
      });
    }
    const page = this.#page;
    if (!page) {
      return html`<article class="table" aria-busy="true">${wayBack(HOME)}
        <header class="masthead"><div class="cover skeleton" aria-hidden="true"></div>
          <div><p class="eyebrow">${kindName(this.page.known?.kind ?? "")}</p>
            <h1 tabindex="-1">${this.page.known?.name ?? this.mod}</h1>
            <p class="quiet" role="status">${text.about.loading}</p></div></header></article>`;
    }
    const { mod } = page;
    const from = { owner: mod.owner, repo: mod.repo, ref: mod.ref, apart: true };
    const name = `${mod.owner}/${mod.repo}`;
    const main = this.story.sections(page, from);
    return html`<article class="table" data-testid="mod-page">
      ${wayBack(HOME)}
      <header class="masthead">
        ${this.story.cover(page, from)}
        <div>
          <p class="eyebrow">${[kindName(page.kind), ...(page.players ? [players(page.players)] : [])].join(" · ")}
            ${standingBadge(page.standing)}</p>
          <h1 tabindex="-1">${page.name}</h1>
          ${page.summary ? html`<p class="tagline">${page.summary}</p>` : nothing}
          <div class="actions">
            <a class="button primary" href=${tableOf(name)} data-testid="open-mod">${page.standing === "update"
              ? text.about.update : text.catalogue.open}<span class="visually-hidden">${page.name}</span></a>
            ${favouriteButton(page.name, this.page.favourites.has(mod), this.#onFavourite)}
            <span class="quiet">${download(page)}</span>
          </div>
        </div>
      </header>
      ${mod.preview ? html`<div class="notices"><div class="notice" data-kind="preview" data-testid="preview-notice">${icons.info}
        <p>${text.about.preview}</p></div></div>` : nothing}
      ${mod.compatible ? nothing : html`<div class="notices"><div class="notice" data-kind="incompatible">${icons.warning}
        <p>${text.about.incompatible}</p></div></div>`}
      <div class="columns">
        <div class="main-column">${page.description || page.rules.length || page.screenshots.length ? main
          : html`<p class="quiet">${text.table.noAbout}</p>`}</div>
        <div class="side-column">${this.#facts(page)}${credits(page)}${this.#versions(page)}</div>
      </div>
    </article>`;
  }

  #onFavourite = () => {
    const page = this.#page;
    if (!page) return;
    const { owner, repo } = page.mod;
    /** @type {Card} */
    const card = this.page.known ?? {
      id: null, owner, repo, name: page.name, kind: page.kind, cover: null, summary: page.summary, players: page.players,
      bytes: page.bytes ?? 0,
    };
    this.page.announce(this.page.favourites.toggle(card) ? text.favourites.added(page.name) : text.favourites.removed(page.name));
    this.page.redraw();
  };

  /** @param {ModPage} page */
  #facts({ mod, release, license, tags, files, bytes }) {
    const source = `https://github.com/${mod.owner}/${mod.repo}`;
    return html`<section class="panel" aria-labelledby="facts-heading">
      <h2 id="facts-heading">${text.table.facts}</h2>
      <dl class="fact-list">
        <div><dt>${text.about.size}</dt><dd>${text.about.files(files, bytes)}</dd></div>
        ${release ? html`<div><dt>${text.table.release}</dt><dd>${release}</dd></div>` : nothing}
        <div><dt>${text.table.version}</dt><dd><code title=${mod.version}>${mod.version.slice(0, 10)}</code></dd></div>
        ${license ? html`<div><dt>${text.table.license}</dt><dd>${license}</dd></div>` : nothing}
        ${tags.length ? html`<div><dt>${text.about.tags}</dt><dd>${tags.join(", ")}</dd></div>` : nothing}
        <div><dt>${text.table.source}</dt><dd><a href=${source} target="_blank" rel="noopener noreferrer">${mod.owner}/${mod.repo}
          <span class="visually-hidden">(${text.newTab})</span></a></dd></div>
      </dl>
    </section>`;
  }

  /** @param {ModPage} page */
  #versions({ mod, versions }) {
    if (!versions.length) return nothing;
    const name = `${mod.owner}/${mod.repo}`;
    return html`<section class="panel" aria-labelledby="versions-heading" data-testid="versions">
      <h2 id="versions-heading">${text.about.versions}</h2>
      <ul class="versions" role="list">${repeat(versions, ({ version, at }) => `${version} ${at}`, ({ version, sha, release, at, current, kept }) => {
        const words = html`<span>${release ? text.about.release(release) : text.about.unnamed} <code>${version.slice(0, 10)}</code></span>`;
        return html`<li>
          ${sha && !current ? html`<a href=${address({ screen: "table", mod: name, version: sha })}>${words}</a>` : words}
          <span class="quiet small">${day(at)}
            ${current ? html`<span class="badge badge-good">${text.about.current}</span>` : nothing}
            ${kept ? html`<span class="badge">${text.catalogue.cached}</span>` : nothing}</span></li>`;
      })}</ul>
    </section>`;
  }
}

/** @param {ModPage} page */
function download({ standing, missing }) {
  if (missing === 0) return text.about.nothingToFetch;
  if (missing === null) return text.about.sizeUnknown;
  return standing === "none" ? text.about.toFetch(size(missing)) : text.about.stillToFetch(size(missing));
}
