/** What the registry refused, in words and with its code. */
import { html, nothing } from "lit-html";

import { refusalText, words } from "../author-text.js";
import * as icons from "./icons.js";

/** @import {Refusal} from "../author.js" */

/**
 * @param {Refusal|null} refusal
 * @param {unknown} [after] what else there is to say
 * @param {boolean} [brief] the words say it all
 */
export function refusalNotice(refusal, after = nothing, brief = false) {
  if (refusal === null) return nothing;
  const { title, advice } = refusalText(refusal);
  const { dependants, detail, issues } = refusal.problem;
  return html`<div class="notice" data-kind="refusal" data-code=${refusal.code} role="alert">${icons.warning}
    <div>
      <p><strong>${title}.</strong> ${advice}</p>
      ${after}
      ${dependants ? html`<p>${words.projects.needing} ${dependants.join(", ")}</p>` : nothing}
      <p class="quiet small"><code>${refusal.code}</code>${detail && !brief && !issues?.length ? html` ${detail}` : nothing}</p>
    </div>
  </div>`;
}
