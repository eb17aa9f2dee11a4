/**
 * What scripts declare, drawn as the page draws everything: elements and words, never a script's own HTML, style or address.
 *
 * @import {ScriptElement, ScriptNote, UiPart} from "../messages.js"
 */
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { live } from "lit-html/directives/live.js";

import { text } from "../text.js";

/** @typedef {(script: string, element: string, hook: string, value?: string) => void} Press */

/** @param {ScriptElement[]} elements @param {Press} press */
export function scriptUi(elements, press) {
  return repeat(elements, ({ script, element }) => `${script} ${element.id}`, ({ script, element }) => part(element, script, press));
}

/** @param {UiPart} one @param {string} script @param {Press} press @returns {unknown} */
function part(one, script, press) {
  const { id, type, props, hooks, children } = one;
  if (props.hidden) return nothing;
  const inside = repeat(children, (child) => child.id, (child) => part(child, script, press));
  const key = `${script} ${id}`;
  const used = (/** @type {string} */ hook) => (/** @type {Event} */ event) => {
    const { target } = event;
    if (hooks[hook]) press(script, id, hook, target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
      || target instanceof HTMLSelectElement ? target.value : undefined);
  };
  switch (type) {
    case "panel":
    case "screen":
    case "modal":
      // A script can't take the page away: a modal is a panel in front, and closes by its own button alone.
      return html`<section class="script-${type}" data-testid="script-element" data-element=${key} data-anchor=${props.anchor ?? "top-right"}
        role=${type === "modal" ? "dialog" : "region"} aria-label=${props.title ?? text.scripts.panel(script)}>
        ${props.title ? html`<h2>${props.title}</h2>` : nothing}${words(props)}${inside}
        ${hooks.onPress ? html`<button type="button" class="button" @click=${used("onPress")}>${props.label ?? text.scripts.press}</button>` : nothing}
        ${hooks.onClose ? html`<button type="button" class="button" @click=${used("onClose")}>${text.scripts.close}</button>` : nothing}</section>`;
    case "layout":
      return html`<div class="script-layout" data-direction=${props.direction ?? "column"} data-align=${props.align ?? "stretch"}>${inside}</div>`;
    case "text":
      return html`<p class="script-text" data-size=${props.size ?? "medium"} data-tone=${props.tone ?? "neutral"}
        data-weight=${props.weight ?? "normal"}>${props.text ?? ""}</p>`;
    case "button":
      return html`<button type="button" class=${props.primary ? "button button-primary" : "button"} data-element=${key}
        ?disabled=${props.disabled ?? false} @click=${used("onPress")}>${props.label ?? props.text ?? ""}</button>`;
    case "input":
      return html`<label class="script-field">${props.label ?? text.scripts.field}
        ${props.multiline
          ? html`<textarea data-element=${key} .value=${live(props.value ?? "")} placeholder=${props.placeholder ?? ""}
              ?disabled=${props.disabled ?? false} @change=${used("onChange")}></textarea>`
          : html`<input data-element=${key} type=${props.inputType ?? "text"} .value=${live(props.value ?? "")}
              placeholder=${props.placeholder ?? ""} ?disabled=${props.disabled ?? false} @change=${used("onChange")}>`}</label>`;
    case "select":
      return html`<label class="script-field">${props.label ?? text.scripts.field}
        <select data-element=${key} ?disabled=${props.disabled ?? false} @change=${used("onChange")}>
          ${(props.options ?? []).map((/** @type {{value: string, label: string}} */ option) =>
            html`<option value=${option.value} ?selected=${option.value === props.value}>${option.label}</option>`)}</select></label>`;
  }
}

/** @param {Record<string, any>} props */
const words = ({ text: said }) => (said ? html`<p class="script-text">${said}</p>` : nothing);

/** @param {ScriptNote[]} notes */
export function scriptNotes(notes) {
  if (!notes.length) return nothing;
  return html`<details class="panel" data-testid="script-notes"><summary>${text.scripts.developer(notes.length)}</summary>
    <ol role="list">${notes.map((note) => note.kind === "state"
      ? html`<li data-level=${note.state === "refused" || note.state === "ended" ? "warn" : "info"}>
          <code>${note.mod} ${note.path}</code> ${text.scripts.state[note.state]}${note.reason ? `: ${text.scripts.reason(note.reason)}` : ""}</li>`
      : html`<li data-level=${note.level}><code>${note.path}${note.line ? `:${note.line}${note.column ? `:${note.column}` : ""}` : ""}</code>
          ${note.text}</li>`)}</ol></details>`;
}
