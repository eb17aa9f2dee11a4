/**
 * Where authors see what the registry would say of their scripts. Python reads them, in a worker of this page's own.
 *
 * @typedef {{name: string, bytes: Uint8Array}} Given
 * @typedef {{id: number, files: Given[], repository: string|null}} Asked page → worker
 * @typedef {"refused"|"warned"|"clean"} Verdict
 * @typedef {{line: number, column: number, rule: string, message: string, refuses: boolean, before: string, marked: string,
 *   after: string}} Found
 * @typedef {{key: string|null, bytes: number, verdict: Verdict, findings: Found[]}} CheckedScript
 * @typedef {{name: string, kind: "script"|"setup"|"manifest", verdict: Verdict, scripts: CheckedScript[],
 *   capabilities: string[], issues: string[], trouble: string|null}} CheckedFile
 * @typedef {{id: number, files?: CheckedFile[], code?: string, message?: string, retryAt?: number|null}} Told worker → page
 */
import { html, nothing } from "lit-html";

import { HOME } from "../route.js";
import { clock, size, text } from "../text.js";
import * as icons from "../views/icons.js";
import { wayBack } from "../views/loading.js";
import { words } from "./words.js";

/** More than any file that a mod may have a script in, in bytes. */
const LARGEST = 64 * 1024 * 1024;
const BADGES = { refused: "badge-bad", warned: "badge-warn", clean: "badge-good" };

function addStyle() {
  const href = new URL("./check.css", import.meta.url).href;
  if ([...document.styleSheets].some((sheet) => sheet.href === href)) return;
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
}

export class ScriptCheck {
  /** @type {Worker | null} */
  #worker = null;
  #asked = 0;
  #busy = false;
  /** @type {CheckedFile[] | null} */
  #files = null;
  /** @type {string | null} */
  #trouble = null;
  /** @type {string | null} what a field lacks */
  #wrong = null;
  #over = false;

  /** @param {{redraw: () => void, announce: (said: string) => void}} page */
  constructor(page) {
    this.page = page;
    addStyle();
  }

  title = words.title;

  dispose() {
    this.#stop();
  }

  template() {
    return html`<article class="check" data-testid="script-check">
      ${wayBack(HOME)}
      <div class="lead"><h1 tabindex="-1">${words.heading}</h1><p>${words.lead}</p></div>
      ${this.#forms()}
      <section class="results" aria-labelledby="results-heading" aria-busy=${this.#busy}>
        <h2 id="results-heading" class=${this.#files || this.#trouble || this.#busy ? "" : "visually-hidden"} tabindex="-1">
          ${words.results}</h2>
        ${this.#state()}
      </section>
    </article>`;
  }

  #forms() {
    const drop = this.#over ? "drop over" : "drop";
    return html`<div class="ways">
      <section class="panel">
        <label class=${drop} @dragover=${this.#onDragOver} @dragleave=${() => this.#hover(false)} @drop=${this.#onDrop}>
          <span class="button primary">${words.choose}</span>
          <span class="quiet small">${words.drop}</span>
          <input type="file" class="visually-hidden" multiple accept=".js,.json,text/javascript,application/json"
            data-testid="check-files" @change=${this.#onFiles}>
        </label>
        <form class="repository" @submit=${this.#onRepository}>
          <div class="field-group"><label for="check-repository">${words.repository}</label>
            <input class="field" id="check-repository" name="repository" autocomplete="off" spellcheck="false" autocapitalize="none"
              aria-describedby="check-repository-hint" aria-invalid=${this.#wrong === words.noRepository}></div>
          <button class="button">${words.checkRepository}</button>
          <p class="quiet small" id="check-repository-hint">${words.repositoryHint}</p>
        </form>
      </section>
      <form class="panel paste" @submit=${this.#onPaste}>
        <label for="check-text">${words.paste}</label>
        <textarea class="field" id="check-text" name="text" rows="9" spellcheck="false" autocapitalize="none" autocomplete="off"
          aria-invalid=${this.#wrong === words.nothingPasted} wrap="off"></textarea>
        <div class="actions"><button class="button" data-testid="check-pasted">${words.check}</button></div>
      </form>
      ${this.#wrong === null ? nothing : html`<p class="wrong" role="alert">${this.#wrong}</p>`}
    </div>`;
  }

  #state() {
    if (this.#busy) {
      return html`<div class="panel" data-testid="check-busy"><p><strong>${words.busy}</strong></p>
        <progress aria-label=${words.busy}></progress><p class="quiet small">${words.busyHint}</p>
        <div class="actions"><button type="button" class="button" data-testid="check-cancel" @click=${this.#onCancel}>
          ${words.cancel}</button></div></div>`;
    }
    if (this.#trouble !== null) {
      return html`<div class="notice" data-testid="check-trouble">${icons.warning}<p><strong>${words.failed}.</strong> ${this.#trouble}</p></div>`;
    }
    return this.#files === null ? nothing : this.#files.map((file) => this.#file(file));
  }

  /** @param {CheckedFile} file */
  #file({ name, kind, verdict, scripts, capabilities, issues, trouble }) {
    return html`<section class="panel checked" data-testid="checked-file" data-verdict=${verdict}>
      <div class="panel-head"><h3 class="path">${name}</h3>
        <span class="badge ${BADGES[verdict]}">${words.verdicts[verdict]}</span></div>
      ${trouble === null ? nothing : html`<p class="wrong">${trouble}</p>`}
      ${scripts.map((script) => this.#script(script))}
      ${kind === "setup" && !scripts.length && trouble === null ? html`<p class="quiet">${words.noScripts}</p>` : nothing}
      ${kind === "manifest" ? html`<h4>${words.capabilities}</h4>${capabilities.length
        ? html`<ul class="capabilities" role="list">${capabilities.map((one) => html`<li><code class="badge">${one}</code></li>`)}</ul>`
        : html`<p class="quiet">${words.noCapabilities}</p>`}` : nothing}
      ${issues.length ? html`<h4>${words.issues}</h4><ul>${issues.map((issue) => html`<li>${issue}</li>`)}</ul>` : nothing}
    </section>`;
  }

  /** @param {CheckedScript} script */
  #script({ key, bytes, verdict, findings }) {
    return html`<div class="script" data-verdict=${verdict}>
      <p class="quiet small">${key === null ? size(bytes) : html`<code>${key}</code> · ${size(bytes)} · ${words.verdicts[verdict]}`}</p>
      ${findings.length ? html`<ol class="findings" role="list">${findings.map((found) => this.#finding(found))}</ol>`
        : html`<p>${icons.check} ${words.clean}</p>`}
    </div>`;
  }

  /** @param {Found} found */
  #finding({ line, column, rule, message, refuses, before, marked, after }) {
    const { title = rule, instead = "" } = words.rules[rule] ?? {};
    return html`<li data-testid="finding" data-rule=${rule}>
      <p class="finding-head"><strong>${title}</strong>
        <span class="badge ${refuses ? "badge-bad" : "badge-warn"}">${refuses ? words.refuses : words.warns}</span>
        <span class="quiet small">${words.place(line, column)}</span></p>
      <pre class="source"><code>${before}<mark>${marked || "\u00a0"}</mark>${after}</code></pre>
      <p>${message}</p>
      ${instead ? html`<p><strong>${words.instead}</strong> ${instead}</p>` : nothing}
    </li>`;
  }

  /** @param {boolean} over */
  #hover(over) {
    this.#over = over;
    this.page.redraw();
  }

  /** @type {(event: DragEvent) => void} */
  #onDragOver = (event) => {
    event.preventDefault();
    if (!this.#over) this.#hover(true);
  };

  /** @type {(event: DragEvent) => void} */
  #onDrop = (event) => {
    event.preventDefault();
    this.#over = false;
    void this.#take([...(event.dataTransfer?.files ?? [])]);
  };

  /** @type {(event: Event) => void} */
  #onFiles = (event) => {
    const field = /** @type {HTMLInputElement} */ (event.currentTarget);
    void this.#take([...(field.files ?? [])]);
    // The same file again is a change, too: its author has just mended it.
    field.value = "";
  };

  /** @param {File[]} chosen */
  async #take(chosen) {
    if (!chosen.length) return this.page.redraw();
    const large = chosen.find((file) => file.size > LARGEST);
    if (large) return this.#tell(words.tooLarge(large.name));
    try {
      const files = await Promise.all(chosen.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
      this.#ask({ files, repository: null });
    } catch (error) {
      this.#tell(String(error));
    }
  }

  /** @type {(event: SubmitEvent) => void} */
  #onPaste = (event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get("text");
    if (!given) return this.#lacks(words.nothingPasted, "#check-text");
    // A form gives each line end as two characters.
    const bytes = new TextEncoder().encode(String(given).replaceAll("\r\n", "\n"));
    this.#ask({ files: [{ name: words.pasted, bytes }], repository: null });
  };

  /** @type {(event: SubmitEvent) => void} */
  #onRepository = (event) => {
    event.preventDefault();
    const repository = String(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get("repository")).trim();
    if (!repository) return this.#lacks(words.noRepository, "#check-repository");
    this.#ask({ files: [], repository });
  };

  /** @param {string} what @param {string} field */
  #lacks(what, field) {
    this.#wrong = what;
    this.page.redraw();
    document.querySelector(/** @type {"input"} */ (field))?.focus();
  }

  #onCancel = () => {
    this.#stop();
    this.page.announce(words.cancelled);
    this.page.redraw();
    /** @type {HTMLElement | null} */ (document.querySelector(".check h1"))?.focus();
  };

  #stop() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#busy = false;
    this.#asked++;
  }

  /** @param {Omit<Asked, "id">} what */
  #ask(what) {
    if (this.#busy) this.#stop();
    this.#wrong = this.#trouble = this.#files = null;
    this.#busy = true;
    this.#worker ??= this.#start();
    this.#worker.postMessage({ ...what, id: ++this.#asked });
    this.page.announce(words.busy);
    this.page.redraw();
  }

  #start() {
    const worker = new Worker(new URL("./check-worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => this.#onTold(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      if (worker !== this.#worker) return;
      this.#stop();
      this.#tell(words.errors.incomplete);
    });
    return worker;
  }

  /** @param {Told} told */
  #onTold({ id, files, code, message, retryAt }) {
    if (code === "died") {
      this.#stop();
      return this.#tell(words.died);
    }
    if (id !== this.#asked) return;
    this.#busy = false;
    if (files) {
      this.#files = files;
      const findings = files.reduce((sum, { scripts }) => sum + scripts.reduce((all, one) => all + one.findings.length, 0), 0);
      this.page.announce(words.summary(findings, files.length));
      this.page.redraw();
      this.#arrive();
      return;
    }
    // A Python that has died of a script answers nothing more.
    if (code === "incomplete") this.#stop();
    const until = typeof retryAt === "number" ? ` ${text.failed.until(clock(retryAt))}` : "";
    this.#tell(`${words.errors[code ?? ""] ?? ""} ${message ?? ""}${until}`.trim());
  }

  /** @param {string} trouble */
  #tell(trouble) {
    this.#busy = false;
    this.#trouble = trouble;
    this.page.announce(`${words.failed}. ${trouble}`);
    this.page.redraw();
    this.#arrive();
  }

  #arrive() {
    const heading = /** @type {HTMLElement | null} */ (document.querySelector("#results-heading"));
    heading?.focus({ preventScroll: true });
    heading?.scrollIntoView({ block: "start" });
  }
}
