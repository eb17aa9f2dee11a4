/** Says that a newer build of the page is ready; nothing changes before the player wants it. */
import { html } from "lit-html";

import { text } from "../text.js";
import * as icons from "./icons.js";

/** @param {() => void} accept */
export const updateNotice = (accept) => html`<div class="notice" data-kind="update" data-testid="update-notice">
  ${icons.info}<p><strong>${text.update.ready}</strong></p>
  <button type="button" class="button" data-testid="update" @click=${accept}>${text.update.accept}</button>
</div>`;
