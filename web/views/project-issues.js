/** What a scan found, by file and line, each with the way to that line on GitHub. */
import { html, nothing } from "lit-html";

import { words } from "../author-text.js";
import { text } from "../text.js";
import * as icons from "./icons.js";

/** @import {Issue} from "../author.js" */

/** The lines of a text inside a scene count from its own beginning; in the manifest a key comes with the file's line. */
const MANIFEST = "diceytable.mod.json";
/** More at once would only hold up the page. */
const MOST = 200;

/**
 * @param {Issue[]} issues
 * @param {{owner: string, repo: string, at: string, open: boolean, hint: string}} place `at` is a commit or a branch
 */
export function projectIssues(issues, { owner, repo, at, open, hint }) {
  if (!issues.length) return nothing;
  /** @type {Map<string, Issue[]>} */
  const files = new Map();
  for (const issue of issues.slice(0, MOST)) files.set(issue.path, [...(files.get(issue.path) ?? []), issue]);
  /** @param {string} path @param {number|null} [line] */
  const onGitHub = (path, line = null) =>
    `https://github.com/${owner}/${repo}/blob/${encodeURIComponent(at)}/${path.split("/").map(encodeURIComponent).join("/")}${line === null ? "" : `#L${line}`}`;
  return html`<details class="fold found" data-testid="project-issues" ?open=${open}>
    <summary>${icons.warning} ${words.projects.issues(issues.length, files.size)}</summary>
    <div class="found-files">
      ${hint ? html`<p class="quiet small">${hint}</p>` : nothing}
      ${[...files].map(([path, list]) => html`<section>
        <h3><a class="path" href=${onGitHub(path)} target="_blank" rel="noopener noreferrer">${path}<span class="visually-hidden">
          (${words.projects.onGitHub})</span></a></h3>
        <ul role="list">${list.map(({ code, line, column, key, message }) => html`<li data-code=${code}>
          ${line === null ? html`<span class="quiet small">${words.projects.wholeFile}</span>`
            : html`<a class="small" href=${onGitHub(path, key === null || path === MANIFEST ? line : null)} target="_blank" rel="noopener noreferrer">${words.projects.place(line, column)}<span
                class="visually-hidden"> (${words.projects.onGitHub})</span></a>`}
          <span>${key ? html`<code>${key}</code> ` : nothing}${withoutPlace(path, line, column, key, message)}
            <code class="quiet small">${code}</code></span></li>`)}</ul>
      </section>`)}
      ${issues.length > MOST ? html`<p class="quiet small">${text.failures.more(issues.length - MOST)}</p>` : nothing}
    </div>
  </details>`;
}

/** The place stands beside it already. @type {(path: string, line: number|null, column: number|null, key: string|null, message: string) => string} */
function withoutPlace(path, line, column, key, message) {
  const place = [`${path}${key ? ` ${key}` : ""}, line ${line}, column ${column}: `, `${path}: `].find((start) => message.startsWith(start));
  return place ? message.slice(place.length) : message;
}
