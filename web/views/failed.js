/** The page for what can't be opened: what happened, what to do, and a way back. */
import { html, nothing } from "lit-html";

import { clock, errorText, text } from "../text.js";
import * as icons from "./icons.js";

/** @type {(event: Event) => void} */
function copyReport(event) {
  const button = /** @type {HTMLElement} */ (event.currentTarget);
  const report = /** @type {HTMLElement} */ (document.querySelector("#report"));
  // Selected too: not every browser lets a page write to the clipboard.
  getSelection()?.selectAllChildren(report);
  navigator.clipboard?.writeText(report.textContent ?? "")
    .then(() => { button.textContent = text.failed.copied; }, () => undefined);
}

/**
 * @param {{code: string, message: string, retryAt: number|null}} error `retryAt` is when a host wants to be asked again,
 *   in milliseconds since the epoch
 * @param {{name: string, home: string, current: string|null, report: string|null, again: boolean,
 *   onRetry: () => void}} place `current` is the address of the mod without the pinned version, where one was asked for;
 *   `report` is for whoever can mend it; `again` says that the worker had been started anew before
 */
export function failed({ code, message, retryAt }, { name, home, current, report, again, onRetry }) {
  const { title, advice } = errorText(code, again);
  return html`<article class="narrow">
    <section class="panel failed" data-code=${code}>
      ${icons.warning}
      ${name ? html`<p class="eyebrow">${name}</p>` : nothing}
      <h1 tabindex="-1">${title}</h1>
      <p>${retryAt === null ? advice : text.failed.until(clock(retryAt))}</p>
      ${message ? html`<p class="detail"><span class="label">${text.failed.detail}</span> ${message}</p>` : nothing}
      ${report === null ? nothing : html`<details class="fold" ?open=${code === "fatal"}><summary>${text.failed.report}</summary>
        <pre class="detail report" id="report" tabindex="0" aria-label=${text.failed.report} data-testid="report">${report}</pre>
      </details>`}
      <div class="actions">
        ${current ? html`<a class="button primary" href=${current}>${text.failed.current}</a>` : nothing}
        <button type="button" class="button ${current ? "" : "primary"}" @click=${onRetry}>
          ${code === "fatal" || code === "incomplete" ? text.failed.reload : text.failed.retry}</button>
        ${report === null ? nothing
          : html`<button type="button" class="button" data-testid="copy-report" @click=${copyReport}>${text.failed.copy}</button>`}
        <a class="button" href=${home} data-testid="back">${text.backToCatalogue}</a>
      </div>
    </section>
  </article>`;
}
