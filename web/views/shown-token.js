/** A token, which is shown once: to be copied, and kept elsewhere. */
import { html } from "lit-html";

import { words } from "../author-text.js";
import { copied } from "./copy.js";

/**
 * @param {string} token
 * @param {(words: string) => void} announce
 */
export function shownToken(token, announce) {
  /** @type {(event: Event) => void} */
  const onCopy = ({ currentTarget }) => {
    const field = /** @type {HTMLInputElement} */ (document.querySelector("#shown-token"));
    void copied(token, field).then((done) => {
      const said = done ? words.copied : words.notCopied;
      const status = /** @type {HTMLElement} */ (currentTarget).closest(".shown-token")?.querySelector("[role=status]");
      if (status) status.textContent = said;
      else announce(said);
    });
  };
  return html`<div class="shown-token">
    <label for="shown-token">${words.signIn.tokenShown}</label>
    <div class="with-button">
      <input id="shown-token" class="field" type="text" readonly .value=${token} data-testid="token" autocomplete="off" spellcheck="false">
      <button type="button" class="button" data-testid="copy-token" @click=${onCopy}>${words.copy}</button>
    </div>
    <p class="small" role="status"></p>
  </div>`;
}
