/** The loading screen: one bar that tells the truth, and two ways out of waiting. */
import { html, nothing } from "lit-html";

import { roleName, size, text } from "../text.js";
import * as icons from "./icons.js";
import { failures, notices } from "./notices.js";

/** @import {Failure, Progress, View} from "../messages.js" */

/** @param {Progress | null} progress */
export function bar(progress) {
  // Without a value the bar says "busy": nothing is known before the mod is resolved.
  return html`<div class="bar" role="progressbar" data-testid="progress" aria-label=${text.loading.label}
      aria-valuemin="0" aria-valuemax="100" aria-valuenow=${progress?.percent ?? 0}
      aria-valuetext=${progress ? `${progress.percent} %` : text.loading.starting}>
    ${progress
      ? html`<progress max="100" .value=${progress.percent} aria-hidden="true"></progress>`
      : html`<progress max="100" aria-hidden="true"></progress>`}
  </div>`;
}

/** @param {Progress | null} progress null while nothing is known: the places are kept */
export function facts(progress) {
  const { unknown } = text.loading;
  if (!progress) {
    return html`<dl class="facts">${[text.loading.amount, text.loading.filesTerm, text.loading.speed, text.loading.time].map(
      (term) => html`<div><dt>${term}</dt><dd>${unknown}</dd></div>`)}</dl>`;
  }
  const { bytesDone, bytesTotal, filesDone, filesTotal, rate, secondsLeft } = progress;
  const finished = filesDone >= filesTotal;
  return html`<dl class="facts">
    <div><dt>${text.loading.amount}</dt><dd>${bytesTotal === null ? size(bytesDone)
      : text.loading.bytes(bytesDone, bytesTotal)}</dd></div>
    <div><dt>${text.loading.filesTerm}</dt><dd>${text.loading.files(filesDone, filesTotal)}</dd></div>
    <div><dt>${text.loading.speed}</dt><dd>${rate > 0 && !finished ? text.loading.rate(rate) : unknown}</dd></div>
    <div><dt>${text.loading.time}</dt><dd>${secondsLeft !== null && !finished
      ? text.loading.left(secondsLeft) : unknown}</dd></div>
  </dl>`;
}

/**
 * @param {View | null} view null until Python has anything to say
 * @param {string} name what the player asked for, until the mod's own name is known
 * @param {{retrying: ReadonlySet<string>, onRetry: (failures: Failure[]|null) => void, onOpenNow: () => void,
 *   onMakeRoom: (owner: string, repo: string) => void, onCancel: () => void}} actions
 */
export function loading(view, name, actions) {
  const progress = view?.progress ?? null;
  // What is pressed stands above what grows, so that nothing moves under a finger.
  const known = view?.state === "loading" && view.mod !== null;
  return html`<article class="narrow">
    <section class="panel loading">
      <p class="eyebrow">${view?.mod ? `${view.mod.owner}/${view.mod.repo}` : text.brand}</p>
      <h1 tabindex="-1">${text.loading.heading(view?.mod?.name || name)}</h1>
      ${bar(progress)}
      ${progress
        ? html`<p class="percent" aria-hidden="true">${progress.percent}<span> %</span></p>`
        : html`<p class="percent quiet">${text.loading.starting}</p>`}
      ${facts(progress)}
      <div class="actions">
        <button type="button" class="button" data-testid="cancel" @click=${actions.onCancel}>${text.loading.cancel}</button>
        ${known
          ? html`<button type="button" class="button primary" data-testid="open-now" aria-describedby="open-now-hint"
              @click=${actions.onOpenNow}>${text.loading.openNow}</button>`
          : nothing}
      </div>
      <p class="quiet small" id="open-now-hint">${known ? text.loading.openNowHint : ""}</p>
      ${progress?.current.length
        ? html`<div class="current"><h2 class="label">${text.loading.current}</h2>
            <ul role="list">${progress.current.map((path) => html`<li><code class="path">${path}</code></li>`)}</ul></div>`
        : nothing}
      ${view?.packs.length
        ? html`<div class="current"><h2 class="label">${text.loading.packs}</h2>
            <ul role="list" class="pack-lines">${view.packs.map((pack) => html`<li>
              <span><strong>${pack.name || `${pack.owner}/${pack.repo}`}</strong>
                <span class="quiet">${roleName(pack.role)}</span></span>
              ${pack.state === "loading"
                ? html`<progress max="100" .value=${pack.percent}
                    aria-label="${pack.name || pack.repo}: ${text.loading.label}"></progress>`
                : html`<span class="badge ${pack.state === "failed" ? "badge-bad" : "badge-good"}">
                    ${text.loading.packState[pack.state]}</span>`}
            </li>`)}</ul></div>`
        : nothing}
    </section>
    ${view ? html`${notices(view.notices, actions.onMakeRoom)}${failures(view, actions)}` : nothing}
  </article>`;
}

/** @param {string} href */
export const wayBack = (href) =>
  html`<a class="way-back" href=${href} data-testid="back">${icons.back}${text.backToCatalogue}</a>`;
