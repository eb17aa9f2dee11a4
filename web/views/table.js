/**
 * The open table: what the mod is, who may sit where, its rules, its pictures, what is wrong with it, and its files.
 *
 * @import {Details, Failure, View} from "../messages.js"
 * @import {Peer} from "../peer.js"
 */
import { html, nothing } from "lit-html";

import { kindName, players, roleName, text } from "../text.js";
import { AssetBrowser } from "./asset-browser.js";
import * as icons from "./icons.js";
import { bar, facts, wayBack } from "./loading.js";
import { fetchReader } from "./mod-prose.js";
import { failures, notices } from "./notices.js";
import { saveReport } from "./pull-report.js";
import { credits, StoryView } from "./story.js";

/** Details are asked for again at most this often while a pull goes on, in milliseconds. */
const PAUSE = 1000;
const SEATS = new Set(["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan", "white", "brown"]);

export class Table {
  /** @type {Details | null} */
  #details = null;
  #revision = -1;
  #asking = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause;
  #closed = false;

  /**
   * @param {Peer} peer
   * @param {() => void} redraw
   */
  constructor(peer, redraw) {
    this.peer = peer;
    this.redraw = redraw;
    this.box = new AssetBrowser(peer, redraw);
    this.story = new StoryView(peer, redraw);
  }

  dispose() {
    this.#closed = true;
    clearTimeout(this.#pause);
  }

  /**
   * Asks for the details when they would answer something else, and not more often than the eye needs.
   *
   * @param {View} view
   */
  async #refresh(view) {
    if (this.#closed || this.#asking || view.revision === this.#revision) return;
    this.#asking = true;
    this.#revision = view.revision;
    try {
      const [details] = await Promise.all([this.peer.details(), this.box.refresh(), this.#details ?? fetchReader().catch(() => null)]);
      if (!this.#closed) this.#details = details;
    } catch {
      // Closed meanwhile, or the worker died: either has its own screen. Anything else is worth asking again.
      this.#revision = -1;
    }
    if (this.#closed) return;
    this.redraw();
    this.#pause = setTimeout(() => {
      this.#asking = false;
      const { view: latest } = this.peer;
      if (latest?.state === "open") void this.#refresh(latest);
    }, PAUSE);
  }

  /**
   * @param {View} view
   * @param {{home: string, retrying: ReadonlySet<string>, onRetry: (failures: Failure[]|null) => void,
   *   onMakeRoom: (owner: string, repo: string) => void}} actions
   */
  template(view, actions) {
    void this.#refresh(view);
    const details = this.#details;
    const mod = view.mod;
    if (!mod) return nothing;
    const source = `https://github.com/${mod.owner}/${mod.repo}`;
    const from = { owner: mod.owner, repo: mod.repo, ref: mod.ref, apart: false };
    const name = details?.name || mod.name || `${mod.owner}/${mod.repo}`;
    return html`<article class="table">
      ${wayBack(actions.home)}
      <header class="masthead">
        ${details ? this.story.cover(details, from) : html`<div class="cover skeleton" aria-hidden="true"></div>`}
        <div>
          <p class="eyebrow">${[kindName(details?.kind ?? mod.kind), ...(details?.players ? [players(details.players)] : [])].join(" · ")}</p>
          <h1 tabindex="-1">${name}</h1>
          ${details?.summary ? html`<p class="tagline">${details.summary}</p>` : nothing}
          ${details?.seats.length ? html`<h2 class="label">${text.table.seats}</h2>
            <ul class="seats" role="list">${details.seats.map((colour) => html`<li data-testid="seat-${colour}"
              class="seat ${SEATS.has(colour) ? `seat-${colour}` : ""}">${colour}</li>`)}</ul>` : nothing}
        </div>
      </header>
      ${notices(view.notices, actions.onMakeRoom)}
      ${view.pulling && view.progress
        ? html`<section class="panel arriving" aria-labelledby="arriving-heading">
            <h2 id="arriving-heading" class="label">${text.table.still}</h2>${bar(view.progress)}${facts(view.progress)}</section>`
        : nothing}
      ${failures(view, actions)}
      ${details
        ? html`<div class="columns"><div class="main-column">${this.story.sections(details, from)}</div>
            <div class="side-column">${this.#facts(details, view, source)}${this.#packs(view)}${credits(details)}
              ${this.#issues(details, view)}</div></div>
          ${this.box.template()}`
        : html`<p class="quiet" role="status">${text.table.loadingDetails}</p>`}
    </article>`;
  }

  /**
   * @param {Details} details
   * @param {View} view
   * @param {string} source
   */
  #facts({ release, license, scene, assetRepos }, view, source) {
    const { mod } = view;
    if (!mod) return nothing;
    return html`<section class="panel" aria-labelledby="facts-heading">
      <h2 id="facts-heading">${text.table.facts}</h2>
      <dl class="fact-list">
        ${scene.objects ? html`<div><dt>${text.table.contents}</dt><dd>${text.table.scene(scene)}</dd></div>` : nothing}
        ${release ? html`<div><dt>${text.table.release}</dt><dd>${release}</dd></div>` : nothing}
        <div><dt>${text.table.version}</dt><dd><code title=${mod.version}>${mod.version.slice(0, 10)}</code></dd></div>
        ${license ? html`<div><dt>${text.table.license}</dt><dd>${license}</dd></div>` : nothing}
        <div><dt>${text.table.source}</dt><dd><a href=${source} target="_blank" rel="noopener noreferrer">${mod.owner}/${mod.repo}
          <span class="visually-hidden">(${text.newTab})</span></a></dd></div>
        ${assetRepos.length ? html`<div><dt>${text.table.assetRepos}</dt><dd>${assetRepos.map(({ owner, repo }) =>
          html`<span class="path">${owner}/${repo}</span> `)}</dd></div>` : nothing}
      </dl>
      <p class="actions"><button type="button" class="button" data-testid="save-report" @click=${this.#saveReport}>
        ${text.table.saveReport}</button></p>
    </section>`;
  }

  #saveReport = async () => saveReport(await this.peer.report());

  /** @param {View} view */
  #packs({ packs }) {
    if (!packs.length) return nothing;
    return html`<section class="panel" aria-labelledby="packs-heading">
      <h2 id="packs-heading">${text.table.packs}</h2>
      <ul class="pack-lines" role="list">${packs.map((pack) => html`<li>
        <span><strong>${pack.name || `${pack.owner}/${pack.repo}`}</strong>
          <span class="quiet small">${roleName(pack.role)}${pack.owner ? ` · ${pack.owner}/${pack.repo}` : ""}</span></span>
        <span class="badge ${pack.state === "failed" ? "badge-bad" : pack.state === "open" ? "badge-good" : ""}">
          ${pack.state === "loading" ? `${pack.percent} %` : text.loading.packState[pack.state]}</span>
      </li>`)}</ul>
    </section>`;
  }

  /**
   * @param {Details} details
   * @param {View} view
   */
  #issues({ issues }, { mod: game }) {
    if (!issues.length) return nothing;
    const own = game ? `${game.owner}/${game.repo}`.toLowerCase() : "";
    return html`<section class="panel" aria-labelledby="issues-heading" data-testid="issues">
      <h2 id="issues-heading">${icons.warning} ${text.table.issues(issues.length)}</h2>
      <p class="quiet small">${text.table.issuesIntro}</p>
      <ul class="issues" role="list" tabindex="0" aria-label=${text.table.issues(issues.length)}>${issues.slice(0, 100).map(
        ({ mod, code, file, key, message }) => html`<li data-code=${code}>
          <code class="path">${mod.toLowerCase() === own ? "" : `${mod}: `}${file}${key ? ` › ${key}` : ""}</code>
          <span class="small">${message.startsWith(`${file}: `) ? message.slice(file.length + 2) : message}</span></li>`)}</ul>
      ${issues.length > 100 ? html`<p class="quiet small">${text.failures.more(issues.length - 100)}</p>` : nothing}
    </section>`;
  }
}
