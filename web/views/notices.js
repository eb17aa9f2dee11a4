/** What the player should know about this table, and what stayed away. */
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { noticeText, reasonText, text } from "../text.js";
import * as icons from "./icons.js";

/** @import {Failure, Notice, View} from "../messages.js" */

/**
 * Problems of the mod have a list of their own on the table.
 * @param {Notice[]} list
 * @param {(owner: string, repo: string) => void} onMakeRoom forgets a mod and fetches what had no room
 */
export const notices = (list, onMakeRoom) => list.some(({ kind }) => kind !== "issues")
  ? html`<div class="notices">${list.filter(({ kind }) => kind !== "issues").map((notice) => {
      const { title, body } = noticeText(notice);
      return html`<div class="notice" data-kind=${notice.kind} data-testid="${notice.kind}-notice">
        ${notice.kind === "preview" ? icons.info : icons.warning}
        <div><p><strong>${title}.</strong> ${body}</p>${removable(notice, onMakeRoom)}</div>
      </div>`;
    })}</div>`
  : nothing;

/**
 * The mods a full disk could be without, the longest unused first. A mod is forgotten with all its versions.
 * @param {Notice} notice @param {(owner: string, repo: string) => void} onMakeRoom
 */
function removable({ data }, onMakeRoom) {
  /** @type {Map<string, {owner: string, repo: string, bytes: number}>} */
  const mods = new Map();
  for (const { owner, repo, bytes } of /** @type {{owner: string, repo: string, bytes: number}[]} */ (data?.removable ?? [])) {
    const name = `${owner}/${repo}`;
    mods.set(name, { owner, repo, bytes: (mods.get(name)?.bytes ?? 0) + bytes });
  }
  if (!mods.size) return nothing;
  return html`<ul class="make-room" role="list">${repeat(mods, ([name]) => name, ([name, { owner, repo, bytes }]) => html`<li>
    <button type="button" class="button" data-testid="forget-mod" data-mod=${name}
      @click=${() => onMakeRoom(owner, repo)}>${text.kept.makeRoom(name, bytes)}</button></li>`)}</ul>`;
}

/** @param {Failure} failure */
export const failureKey = ({ mod, path }) => `${mod}:${path}`;

/**
 * @param {View} view
 * @param {{retrying: ReadonlySet<string>, onRetry: (failures: Failure[]|null) => void}} actions `null` means every one
 */
export function failures(view, { retrying, onRetry }) {
  if (!view.failureCount) return nothing;
  const all = retrying.has("");
  const own = view.mod ? `${view.mod.owner}/${view.mod.repo}` : "";
  return html`<section class="panel failures" data-testid="failures" aria-labelledby="failures-heading">
    <div class="panel-head">
      <h2 id="failures-heading" tabindex="-1">${text.failures.heading(view.failureCount)}</h2>
      ${view.failureCount > 1
        ? html`<button type="button" class="button" data-testid="retry-all" aria-disabled=${all}
            @click=${() => void (all || onRetry(null))}>${all ? text.failures.retrying : text.failures.retryAll}</button>`
        : nothing}
    </div>
    <p class="quiet">${text.failures.intro}</p>
    <ul class="failure-list" role="list">${repeat(view.failures, failureKey, (failure) => {
      const busy = all || retrying.has(failureKey(failure));
      return html`<li data-path=${failure.path}>
        <div>
          <code class="path">${failure.path}</code>
          ${failure.mod && failure.mod.toLowerCase() !== own.toLowerCase()
            ? html`<span class="quiet small">${failure.mod}</span>` : nothing}
          <p class="small">${reasonText(failure.reason)}</p>
        </div>
        <button type="button" class="button" data-testid="retry" aria-disabled=${busy}
          aria-label=${text.failures.retryLabel(failure.path)} @click=${() => void (busy || onRetry([failure]))}>
          ${busy ? text.failures.retrying : text.failures.retry}</button>
      </li>`;
    })}</ul>
    ${view.failureCount > view.failures.length
      ? html`<p class="quiet">${text.failures.more(view.failureCount - view.failures.length)}</p>` : nothing}
  </section>`;
}
