/** The page for what can't be opened: what happened, what to do, and a way back. */
import { html, nothing } from "lit-html";

import { errorText, text } from "../text.js";
import * as icons from "./icons.js";

/**
 * @param {{code: string, message: string}} error
 * @param {{name: string, home: string, current: string|null, onRetry: () => void}} place `current` is the address of the
 *   mod without the pinned version, where one was asked for
 */
export function failed({ code, message }, { name, home, current, onRetry }) {
  const { title, advice } = errorText(code);
  return html`<article class="narrow">
    <section class="panel failed" data-code=${code}>
      ${icons.warning}
      ${name ? html`<p class="eyebrow">${name}</p>` : nothing}
      <h1 tabindex="-1">${title}</h1>
      <p>${advice}</p>
      ${message ? html`<p class="detail"><span class="label">${text.failed.detail}</span> ${message}</p>` : nothing}
      <div class="actions">
        ${current ? html`<a class="button primary" href=${current}>${text.failed.current}</a>` : nothing}
        <button type="button" class="button ${current ? "" : "primary"}" @click=${onRetry}>
          ${code === "fatal" ? text.failed.reload : text.failed.retry}</button>
        <a class="button" href=${home} data-testid="back">${text.backToCatalogue}</a>
      </div>
    </section>
  </article>`;
}
