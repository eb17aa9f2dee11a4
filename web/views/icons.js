/** The page's few pictures, drawn in the colour of the text around them; all of them decoration beside words. */
import { html, svg } from "lit-html";

/** @param {import("lit-html").TemplateResult<2>} shape */
export const icon = (shape) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${shape}</svg>`;

export const back = icon(svg`<path d="M15 5l-7 7 7 7" />`);
export const forward = icon(svg`<path d="M9 5l7 7-7 7" />`);
export const close = icon(svg`<path d="M6 6l12 12M18 6L6 18" />`);
export const check = icon(svg`<path d="M5 12.5l4.5 4.5L19 7.5" />`);
export const warning = icon(svg`<path d="M12 4l9 16H3zM12 10v4.5M12 17.2v.1" />`);
export const info = icon(svg`<circle cx="12" cy="12" r="9" /><path d="M12 11v5.5M12 7.6v.1" />`);
export const people = icon(svg`<circle cx="9" cy="8" r="3.2" /><path d="M3 20c0-4 2.6-6.4 6-6.4s6 2.4 6 6.4M15.5 5.2a3.2 3.2 0 010 5.8M17.5 14c2.2.8 3.5 3 3.5 6" />`);
export const star = icon(svg`<path d="M12 4.2l2.4 5 5.4.7-4 3.8 1 5.4-4.8-2.6-4.8 2.6 1-5.4-4-3.8 5.4-.7z" />`);
export const disk = icon(svg`<path d="M4 13h16v6H4zM4 13l2.5-8h11L20 13M16.5 16v.1" />`);
export const picture = icon(svg`<rect x="3.5" y="5" width="17" height="14" rx="2" /><circle cx="9" cy="10" r="1.6" /><path d="M4 17l5-4 3.5 2.6L16 12l4.5 4" />`);

/** @type {Record<import("../messages.js").AssetGroup, import("lit-html").TemplateResult>} */
export const groups = {
  image: picture,
  model: icon(svg`<path d="M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9" />`),
  sound: icon(svg`<path d="M9 18V6l10-2v12" /><circle cx="6.5" cy="18" r="2.5" /><circle cx="16.5" cy="16" r="2.5" />`),
  data: icon(svg`<path d="M9 4c-3 0-3 2-3 4s0 4-2.5 4C6 12 6 14 6 16s0 4 3 4M15 4c3 0 3 2 3 4s0 4 2.5 4C18 12 18 14 18 16s0 4-3 4" />`),
  text: icon(svg`<path d="M5 6h14M5 10.5h14M5 15h14M5 19.5h8" />`),
  other: icon(svg`<path d="M7 3h7l4 4v14H7zM14 3v4h4" />`),
};
