/**
 * What a mod says of itself: description, rules, pictures, credits. The open table and the mod's own page show the same.
 *
 * @import {Story} from "../messages.js"
 * @import {Peer} from "../peer.js"
 * @import {Place} from "./markdown.js"
 */
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { counted, originName, text } from "../text.js";
import "./asset-image.js";
import "./mod-prose.js";

export class StoryView {
  /** @type {Set<string>} rules that have been unfolded, and so are worth fetching */
  #unfolded = new Set();

  /**
   * @param {Peer} peer
   * @param {() => void} redraw
   */
  constructor(peer, redraw) {
    this.peer = peer;
    this.redraw = redraw;
  }

  /**
   * @param {Story} story
   * @param {{owner: string, repo: string, ref: string, apart: boolean}} from `apart` is a mod that is not at the table
   */
  sections(story, from) {
    return html`${this.#about(story, from)}${this.#rules(story, from)}${this.#screenshots(story, from)}`;
  }

  /** @param {Story} story @param {{owner: string, repo: string, apart: boolean}} from */
  cover({ cover }, from) {
    return cover ? html`<asset-image class="cover" .picture=${this.#picture(cover, "", from)}></asset-image>` : nothing;
  }

  /**
   * @param {{path: string, status: string|null}} picture
   * @param {string} alt
   * @param {{owner: string, repo: string, apart: boolean}} from
   */
  #picture({ path, status }, alt, from) {
    return { peer: this.peer, path, alt, status: status ?? "", ...options(from) };
  }

  /**
   * @param {{owner: string, repo: string, ref: string, apart: boolean}} from
   * @param {string} path
   * @returns {Place}
   */
  #place(from, path) {
    const { owner, repo, ref } = from;
    const blob = `https://github.com/${owner}/${repo}/blob/${encodeURIComponent(ref || "HEAD")}/`;
    return { peer: this.peer, path, blob, ...options(from) };
  }

  /** @param {Story} story @param {{owner: string, repo: string, ref: string, apart: boolean}} from */
  #about({ description }, from) {
    if (!description) return nothing;
    const prose = {
      key: description, source: () => description, place: this.#place(from, ""), level: 2, unavailable: description,
    };
    return html`<section aria-labelledby="about-heading">
      <h2 id="about-heading">${text.table.about}</h2><mod-prose .prose=${prose}></mod-prose></section>`;
  }

  /** @param {Story} story @param {{owner: string, repo: string, ref: string, apart: boolean}} from */
  #rules({ rules }, from) {
    if (!rules.length) return nothing;
    return html`<section aria-labelledby="rules-heading">
      <h2 id="rules-heading">${text.table.rules}</h2>
      ${rules.map(({ title, path, video }) => {
        if (path === null) {
          return video === null || !/^https?:\/\//.test(video) ? nothing
            : html`<p><a href=${video} target="_blank" rel="noopener noreferrer">${text.table.video(title)}</a></p>`;
        }
        const prose = {
          key: path, source: () => this.peer.text(path, options(from)), place: this.#place(from, path), level: 2,
          unavailable: text.table.rulesUnavailable,
        };
        return html`<details class="panel fold" @toggle=${() => {
          this.#unfolded.add(path);
          this.redraw();
        }}><summary>${title || path}</summary>
          ${this.#unfolded.has(path) ? html`<mod-prose .prose=${prose}></mod-prose>` : nothing}</details>`;
      })}
    </section>`;
  }

  /** @param {Story} story @param {{owner: string, repo: string, apart: boolean}} from */
  #screenshots({ screenshots }, from) {
    if (!screenshots.length) return nothing;
    return html`<section aria-labelledby="screenshots-heading">
      <h2 id="screenshots-heading">${text.table.screenshots}</h2>
      <ul class="screenshots" role="list">${repeat(screenshots, ({ path }, index) => `${index}:${path}`, (shot, index) => {
        const { title, alt, crop } = shot;
        const words = alt || title || text.table.screenshot(index + 1);
        return html`<li><figure><asset-image .picture=${{ ...this.#picture(shot, words, from), crop }}></asset-image>
          ${title ? html`<figcaption class="small quiet">${title}</figcaption>` : nothing}</figure></li>`;
      })}</ul>
    </section>`;
  }
}

/**
 * Whose work it is, and under which licence.
 *
 * @param {Story} story
 */
export function credits({ credits: list }) {
  if (!list.length) return nothing;
  return html`<section class="panel" aria-labelledby="credits-heading" data-testid="credits">
    <h2 id="credits-heading">${text.credits.heading}</h2>
    <ul class="credits" role="list">${list.slice(0, 200).map(({ title, author, license: own, origin, source, files }) => html`<li>
      <span>${source
        ? html`<a href=${source} target="_blank" rel="noopener noreferrer">${title ?? text.credits.untitled}
            <span class="visually-hidden">(${text.newTab})</span></a>`
        : title ?? text.credits.untitled}${author ? ` ${text.credits.by(author)}` : ""}</span>
      <span class="quiet small">${[origin ? originName(origin) : "", own ?? "", files ? counted(files, "file") : ""]
        .filter(Boolean).join(" · ")}</span>
    </li>`)}</ul>
  </section>`;
}

/** @param {{owner: string, repo: string, apart: boolean}} from */
const options = ({ owner, repo, apart }) => (apart ? { mod: `${owner}/${repo}` } : {});
