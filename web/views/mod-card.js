/** A mod as the catalogue shows it: one card, the same for what is found, what is kept dear and what was played last. */
import { html, nothing } from "lit-html";

import { pageOf, tableOf } from "../route.js";
import { kindName, players, size, stars, text } from "../text.js";
import { nameOf } from "../shortlist.js";
import * as icons from "./icons.js";

/** @import {ModRecord} from "../registry.js" */
/** @import {Card} from "../shortlist.js" */
/** @import {Standing} from "../messages.js" */

/** @type {Set<string>} addresses of covers that can't be shown */
const broken = new Set();

/**
 * @param {Card & Partial<Omit<ModRecord, "id">>} mod a record of the registry, or what a shortlist remembers of one
 * @param {{standing: Standing|undefined, favourite: boolean, onFavourite: () => void}} state
 */
export function modCard(mod, { standing, favourite, onFavourite }) {
  const name = nameOf(mod);
  const facts = [
    ...(mod.players ? [players(mod.players)] : []),
    ...(mod.kind === "game" ? [] : [kindName(mod.kind)]),
    ...(mod.bytes ? [size(mod.bytes)] : []),
    ...(mod.rating?.average ? [stars(mod.rating.average)] : []),
  ];
  return html`<li class="card" data-testid="mod-card" data-mod=${name} data-standing=${standing ?? nothing}>
    ${cover(mod)}
    <div class="card-body">
      <h3><a href=${pageOf(name)}>${mod.name}</a></h3>
      <p class="meta">${facts.join(" · ")}</p>
      ${mod.summary ? html`<p class="summary">${mod.summary}</p>` : nothing}
      <p class="by">${name} ${badges(mod, standing)}</p>
      <div class="card-actions">
        <a class="button" href=${tableOf(name)} data-testid="open-mod">${text.catalogue.open}
          <span class="visually-hidden">${mod.name}</span></a>
        ${favouriteButton(mod.name, favourite, onFavourite)}
      </div>
    </div>
  </li>`;
}

/** @param {{name: string, owner: string, repo: string, cover: string|null}} mod */
export function cover(mod) {
  const name = nameOf(mod);
  const address = mod.cover && !broken.has(mod.cover) ? mod.cover : null;
  /** @type {(event: Event) => void} */
  const onError = ({ target }) => {
    if (mod.cover) broken.add(mod.cover);
    // The initials lie under the picture.
    /** @type {HTMLImageElement} */ (target).hidden = true;
  };
  return html`<div class="cover tint-${tint(name)}"><span class="initials" aria-hidden="true">${initials(mod.name)}</span>
    ${address ? html`<img src=${address} alt="" loading="lazy" decoding="async" @error=${onError}>` : nothing}</div>`;
}

/**
 * @param {string} name
 * @param {boolean} favourite
 * @param {() => void} onFavourite
 */
export const favouriteButton = (name, favourite, onFavourite) => html`<button type="button" class="button round star"
  aria-pressed=${favourite} aria-label=${text.favourites.label(name)} title=${favourite ? text.favourites.remove : text.favourites.add}
  data-testid="favourite" @click=${onFavourite}>${icons.star}</button>`;

/** @param {Standing | undefined} standing */
export function standingBadge(standing) {
  if (standing === "cached") return html`<span class="badge badge-good">${text.catalogue.cached}</span>`;
  if (standing === "update") return html`<span class="badge badge-warn">${text.catalogue.updateReady}</span>`;
  return nothing;
}

/** @param {Partial<Omit<ModRecord, "id">>} mod @param {Standing | undefined} standing */
const badges = (mod, standing) => html`${standingBadge(standing)}
  ${mod.private ? html`<span class="badge">${text.catalogue.private}</span>` : nothing}
  ${mod.available === false ? html`<span class="badge badge-bad">${text.catalogue.unavailable}</span>` : nothing}
  ${mod.compatible === false ? html`<span class="badge badge-warn">${text.catalogue.issues}</span>` : nothing}`;

/** @param {string} name */
const initials = (name) => [...name.matchAll(/[\p{L}\p{N}]+/gu)].slice(0, 2).map(([word]) => [...word][0]).join("").toUpperCase();

/** @param {string} name one of six calm colours, always the same for a name */
const tint = (name) => [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7) % 6;
