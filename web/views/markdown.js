/**
 * Markdown from a mod's author, made harmless: a short list of elements survives, links leave by a new tab, pictures
 * come from the mod itself, and a picture from anywhere else is only a link to it (it could count who reads).
 *
 * @import {Peer} from "../peer.js"
 * @typedef {object} Place where the text stands, for what it names relatively
 * @property {Peer} peer
 * @property {string} path of the Markdown file; "" for the manifest's own texts
 * @property {string} [mod] owner/repo, where it is not the mod at the table
 * @property {string} blob address of the repository's files for a reader, ending with a slash
 */
import DOMPurify from "dompurify";
import { Marked } from "marked";

import { text } from "../text.js";
import { AssetImage } from "./asset-image.js";

const ALLOWED_TAGS = [
  "a", "b", "blockquote", "br", "code", "dd", "del", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img",
  "kbd", "li", "ol", "p", "pre", "s", "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul",
];
const ALLOWED_ATTR = ["href", "src", "alt", "title", "start", "align", "colspan", "rowspan"];
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

const UNSHOWN = /<!--[^]*?(?:-->|$)|<(script|style|template|iframe|object|svg|math|noscript)\b[^]*?(?:<\/\1\s*>|$)/gi;
const TAG = /<(\/?)([a-z][a-z\d]*)((?:"[^"]*"|'[^']*'|[^"'<>])*)>|[<>]/gi;
const ADDRESS = /(?:^|\s)(href|src|alt)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=]+))/gi;

const escaped = (/** @type {string} */ words) => words.replace(/[<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/**
 * An author's own HTML with nothing left but plain tags and addresses. DOMPurify judges the result; this comes first because
 * merely parsing a style or a handler, even into a document that shows nothing, is reported as a breach of the page's CSP.
 *
 * @param {string} source
 */
const plain = (source) =>
  source.replace(UNSHOWN, "").replace(TAG, (tag, slash = "", name = "", rest = "") => {
    if (!name) return escaped(tag);
    if (!ALLOWED_TAGS.includes(name.toLowerCase())) return "";
    const kept = slash || !/^(?:a|img)$/i.test(name) ? "" : [...rest.matchAll(ADDRESS)].map(
      (/** @type {(string|undefined)[]} */ [, key, ...values]) => ` ${key}="${escaped(values.find((value) => value !== undefined) ?? "")}"`).join("");
    return `<${slash}${name}${kept}>`;
  });

const marked = new Marked({ gfm: true, breaks: true, renderer: { html: ({ text: source }) => plain(source) } });

/**
 * @param {string} source
 * @param {Place} place
 * @param {number} level of the heading the text stands under
 * @returns {DocumentFragment}
 */
export function renderMarkdown(source, place, level) {
  const fragment = DOMPurify.sanitize(/** @type {string} */ (marked.parse(source)), {
    ALLOWED_TAGS, ALLOWED_ATTR, ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false, RETURN_DOM_FRAGMENT: true,
  });
  const headings = [...fragment.querySelectorAll("h1, h2, h3, h4, h5, h6")];
  const depth = (/** @type {Element} */ heading) => Number(heading.localName[1]);
  const top = Math.min(...headings.map(depth));
  let above = level;
  for (const heading of headings) {
    // Authors choose headings by size and skip levels; who walks a page by its headings can't.
    above = Math.min(above + 1, level + 1 + depth(heading) - top, 6);
    const deeper = document.createElement(`h${above}`);
    deeper.append(...heading.childNodes);
    heading.replaceWith(deeper);
  }
  for (const image of fragment.querySelectorAll("img")) image.replaceWith(picture(image, place));
  for (const link of fragment.querySelectorAll("a")) {
    const address = safeAddress(link.getAttribute("href"), place);
    if (address === null) link.replaceWith(...link.childNodes);
    else leave(link, address);
  }
  for (const table of fragment.querySelectorAll("table")) {
    const frame = document.createElement("div");
    frame.className = "scroll-x";
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", text.markdown.table);
    table.replaceWith(frame);
    frame.append(table);
  }
  return fragment;
}

/**
 * @param {HTMLAnchorElement} link
 * @param {string} address
 */
function leave(link, address) {
  link.href = address;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
}

/**
 * @param {HTMLImageElement} image
 * @param {Place} place
 */
function picture(image, place) {
  const alt = image.getAttribute("alt") ?? "";
  const src = image.getAttribute("src") ?? "";
  const path = SCHEME.test(src) || src.startsWith("/") ? null : inRepository(src, place.path);
  if (path !== null) {
    const own = new AssetImage();
    own.picture = { peer: place.peer, path, alt, ...(place.mod ? { mod: place.mod } : {}) };
    return own;
  }
  const label = text.markdown.image(alt);
  const address = safeAddress(src, place);
  if (address === null || image.closest("a")) return document.createTextNode(label);
  const link = document.createElement("a");
  link.textContent = label;
  leave(link, address);
  return link;
}

/**
 * @param {string | null} href
 * @param {Place} place
 */
function safeAddress(href, place) {
  if (!href || href.startsWith("#")) return null;
  if (SCHEME.test(href) || href.startsWith("//")) {
    const url = URL.parse(href, "https://github.com/");
    return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  }
  const path = inRepository(href, place.path);
  return path === null ? null : place.blob + path.split("/").map(encodeURIComponent).join("/");
}

/**
 * The path in the repository that a relative address means, or null where it leaves the repository.
 *
 * @param {string} address
 * @param {string} from
 */
function inRepository(address, from) {
  const bare = address.replace(/[?#].*$/s, "");
  const steps = bare.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const raw of bare.split("/")) {
    let step;
    try {
      step = decodeURIComponent(raw);
    } catch {
      step = raw;
    }
    if (step === "" || step === ".") continue;
    if (step !== "..") steps.push(step);
    else if (steps.pop() === undefined) return null;
  }
  return steps.length ? steps.join("/") : null;
}
