/**
 * My projects: the repositories of an account, and what their owner may do with each. What is allowed, the registry says.
 *
 * @import {OwnMod, Project, Refusal} from "../author.js"
 * @import {Session} from "../session.js"
 */
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { Author, refusalOf } from "../author.js";
import { words } from "../author-text.js";
import { address, HOME, pageOf, tableOf } from "../route.js";
import { nameOf } from "../shortlist.js";
import { ago, kindName, text } from "../text.js";
import { copied } from "./copy.js";
import { wayBack } from "./loading.js";
import { cover } from "./mod-card.js";
import { projectIssues } from "./project-issues.js";
import { refusalNotice } from "./refusal.js";

const COMMIT = /^[0-9a-f]{40}$/;

/** One project and how the last thing done with it went: no other line of the list knows of that. */
class Line {
  /** @type {"publish"|"other"|null} */
  busy = null;
  /** @type {string|null} */
  said = null;
  /** @type {Refusal|null} */
  refusal = null;
  /** Publishing was refused, rather than something else. */
  refusedPublish = false;
  /** A link that the browser would not copy. @type {string|null} */
  link = null;
  /** What was typed for a commit is none. */
  wrongCommit = false;
  deleted = false;

  /** @param {Project} project */
  constructor(project) {
    this.project = project;
  }

  get key() {
    return nameOf(this.project).toLowerCase();
  }

  get name() {
    return this.project.mod?.name || this.project.repo;
  }

  /** Something else is done now. */
  begin() {
    this.said = null;
    this.refusal = null;
    this.refusedPublish = false;
    this.link = null;
    this.wrongCommit = false;
  }
}

export class Projects {
  /** @type {Line[]|null} */
  #lines = null;
  /** @type {string|null} */
  #next = null;
  /** @type {Refusal|null} the list did not come */
  #refusal = null;
  /** @type {string|null} whose list this is */
  #of = null;
  #loading = false;
  #linking = false;
  /** @type {Refusal|null} of the last link */
  #refusedLink = null;
  /** @type {string|null} */
  #wrongLink = null;
  /** @type {Line|null} which is to be deleted, if its owner is sure */
  #asked = null;

  /**
   * @param {Session} session
   * @param {{redraw: () => void, announce: (words: string) => void}} page
   */
  constructor(session, page) {
    this.session = session;
    this.page = page;
    this.author = session.registry ? new Author(session.registry.base) : null;
  }

  title = words.titles.projects;

  dispose() {}

  template() {
    this.#follow();
    return html`<article class="projects" data-testid="projects">
      ${wayBack(HOME)}
      <div class="lead"><h1 tabindex="-1">${words.projects.heading}</h1><p>${words.projects.lead}</p></div>
      ${this.session.account ? html`${this.#linkForm()}${this.#list()}${this.#dialog()}` : this.#nobody()}
    </article>`;
  }

  /** Keeps the list in step with who is signed in. */
  #follow() {
    const name = this.session.account?.name ?? null;
    if (name === this.#of) return;
    this.#of = name;
    this.#lines = null;
    this.#next = null;
    this.#refusal = null;
    if (name !== null) queueMicrotask(() => void this.#load());
  }

  #nobody() {
    const { standing } = this.session;
    if (standing === "asking") return html`<p class="quiet" role="status">${words.signIn.asking}</p>`;
    if (standing === "unreachable") {
      return html`<section class="panel empty" data-testid="projects-unreachable"><p><strong>${words.signIn.unreachable}</strong></p>
        <p class="quiet">${text.catalogue.failedHint}</p>
        <button type="button" class="button primary" @click=${() => void this.session.load()}>${words.again}</button></section>`;
    }
    const none = standing === "nowhere";
    return html`<section class="panel empty" data-testid="projects-signed-out">
      <p><strong>${none ? words.signIn.nowhere : words.projects.signedOut}</strong></p>
      <p class="quiet">${none ? words.signIn.nowhereHint : words.projects.signedOutHint}</p>
      ${none ? nothing : html`<a class="button primary" href=${address({ screen: "sign-in" })}>${words.signIn.heading}</a>`}
    </section>`;
  }

  #linkForm() {
    const wrong = this.#wrongLink !== null;
    return html`<section class="repository" aria-labelledby="link-heading">
      <h2 id="link-heading">${words.projects.linkHeading}</h2>
      <form novalidate data-testid="link-form" aria-busy=${this.#linking} @submit=${this.#onLink}>
        <div class="field-group">
          <label for="link">${text.repository.label}</label>
          <input id="link" name="link" class="field" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false"
            aria-describedby="link-hint" aria-invalid=${wrong}>
        </div>
        <button type="submit" class="button" aria-disabled=${this.#linking}>
          ${this.#linking ? words.projects.linking : words.projects.link}</button>
      </form>
      <p id="link-hint" class="small ${wrong ? "wrong" : "quiet"}">${this.#wrongLink ?? text.repository.hint}</p>
      ${refusalNotice(this.#refusedLink)}
    </section>`;
  }

  #list() {
    if (this.#refusal && !this.#lines) {
      return html`<div>${refusalNotice(this.#refusal)}
        <p class="centred"><button type="button" class="button primary" @click=${() => void this.#load()}>${words.again}</button></p></div>`;
    }
    if (!this.#lines) {
      return html`<section aria-busy="true"><p class="visually-hidden" role="status">${words.projects.loading}</p>
        <div class="project-list" aria-hidden="true">${[1, 2, 3].map(() => html`<div class="panel skeleton project-skeleton"></div>`)}</div>
      </section>`;
    }
    if (!this.#lines.length) {
      return html`<section class="panel empty" data-testid="projects-empty"><p><strong>${words.projects.none}</strong></p>
        <p class="quiet">${words.projects.noneHint}</p></section>`;
    }
    return html`<ul class="project-list" role="list">${repeat(this.#lines, ({ key }) => key, (line) => this.#line(line))}</ul>
      ${this.#refusal ? refusalNotice(this.#refusal) : nothing}
      ${this.#next === null ? nothing : html`<p class="centred"><button type="button" class="button" data-testid="more-projects"
        aria-disabled=${this.#loading} @click=${this.#onMore}>${this.#loading ? words.projects.working : words.projects.more}</button></p>`}`;
  }

  /** @param {Line} line */
  #line(line) {
    const { project, name, busy, refusal, said } = line;
    const { mod, owner, repo } = project;
    const place = nameOf(project);
    return html`<li class="panel project" data-testid="project" data-repo=${place} aria-busy=${busy !== null}>
      ${cover({ name, owner, repo, cover: mod?.cover ?? null })}
      <div class="project-words">
        <h2>${mod && !line.deleted ? html`<a href=${pageOf(place)}>${name}</a>` : name}</h2>
        <p class="quiet small">${[...(mod ? [kindName(mod.kind)] : []), place].join(" · ")}</p>
        ${mod ? html`<p class="small">${mod.release ? `${mod.release} · ` : ""}<code title=${mod.version} data-testid="project-version">${
          mod.version.slice(0, 10)}</code> · ${words.projects.published(ago(Date.parse(mod.updatedAt)))}</p>` : nothing}
        <p class="badges">${this.#badges(line)}</p>
      </div>
      <div class="actions">${line.deleted ? html`
        <button type="button" class="button primary" data-testid="bring-back" aria-disabled=${busy !== null}
          @click=${() => void this.#bringBack(line)}>${words.projects.bringBack}<span class="visually-hidden"> ${name}</span></button>` : html`
        <button type="button" class="button ${mod ? "" : "primary"}" data-testid="publish" aria-disabled=${busy !== null}
          aria-label=${words.projects.publishLabel(name)} @click=${() => void this.#publish(line, "")}>
          ${busy === "publish" ? words.projects.publishing : words.projects.publish}</button>
        ${mod ? html`
          <a class="button" href=${tableOf(place)} data-testid="open-mod">${words.projects.open}<span class="visually-hidden"> ${name}</span></a>
          <button type="button" class="button" data-testid="copy-link" @click=${() => void this.#copy(line, `games/${mod.slug}`)}>
            ${words.projects.copyLink}<span class="visually-hidden"> ${name}</span></button>` : nothing}`}
      </div>
      <div class="project-more">
        ${busy === "publish" ? html`<p class="small">${words.projects.reading(place)}</p><progress aria-label=${words.projects.publishing}></progress>` : nothing}
        ${said === null ? nothing : html`<p class="notice" data-kind="session" data-testid="project-said">${said}</p>`}
        ${line.link === null ? nothing : html`<input class="field" type="text" readonly .value=${line.link} data-testid="project-link"
          aria-label=${words.projects.linkOf(name)}>`}
        ${refusalNotice(refusal, line.refusedPublish ? html`<p>${mod ? words.projects.stays : words.projects.notYet}</p>` : nothing)}
        ${this.#issues(line)}
        ${line.deleted ? nothing : this.#settings(line)}
      </div>
    </li>`;
  }

  /** @param {Line} line */
  #badges({ project: { mod }, deleted }) {
    if (deleted) return nothing;
    if (!mod) return html`<span class="badge">${words.projects.unpublished}</span>`;
    return html`${mod.private ? html`<span class="badge">${text.catalogue.private}</span>` : nothing}
      ${mod.available ? nothing : html`<span class="badge badge-bad">${text.catalogue.unavailable}</span>`}
      ${mod.compatible ? nothing : html`<span class="badge badge-warn">${text.catalogue.issues}</span>`}`;
  }

  /** Those of the refused commit, or else those of what is published. @param {Line} line */
  #issues({ project: { owner, repo, mod }, refusal, refusedPublish, deleted }) {
    if (deleted) return nothing;
    const problem = refusedPublish ? refusal?.problem : null;
    if (problem?.issues?.length) {
      return projectIssues(problem.issues, { owner, repo, at: problem.commitSha ?? problem.ref ?? "HEAD", open: true, hint: "" });
    }
    if (!mod) return nothing;
    return projectIssues(mod.issues, { owner, repo, at: mod.commitSha ?? mod.ref, open: false, hint: words.projects.issuesHint });
  }

  /** @param {Line} line */
  #settings(line) {
    const { project: { mod }, name, busy, wrongCommit } = line;
    const id = `commit-${line.key}`;
    /** @param {string} testid @param {string} label @param {() => void} act */
    const button = (testid, label, act) => html`<button type="button" class="button" data-testid=${testid} aria-disabled=${busy !== null}
      @click=${() => void (line.busy === null && act())}>${label}<span class="visually-hidden"> ${name}</span></button>`;
    return html`<details class="fold" data-testid="settings">
      <summary>${words.projects.settings}<span class="visually-hidden">: ${name}</span></summary>
      <div class="settings">
        <form novalidate data-testid="commit-form" @submit=${(/** @type {SubmitEvent} */ event) => this.#onCommit(event, line)}>
          <div class="field-group"><label for=${id}>${words.projects.commit}</label>
            <input id=${id} name="commit" class="field" type="text" autocomplete="off" autocapitalize="off" spellcheck="false"
              aria-describedby="${id}-hint" aria-invalid=${wrongCommit}>
            <p id="${id}-hint" class="small ${wrongCommit ? "wrong" : "quiet"}">${wrongCommit ? words.projects.commitMissing : words.projects.commitHint}</p></div>
          <button type="submit" class="button" aria-disabled=${busy !== null}>${words.projects.commitPublish}</button>
        </form>
        ${mod ? html`
          <div>${button("copy-play", words.projects.copyPlay, () => void this.#copy(line, `?mod=${encodeURIComponent(mod.id)}`))}
            <p class="quiet small">${words.projects.playHint}</p></div>
          <div>${button("private", mod.private ? words.projects.makePublic : words.projects.makePrivate, () => void this.#setPrivate(line, mod))}
            <p class="quiet small">${mod.private ? words.projects.publicHint : words.projects.privateHint}</p></div>
          <div>${button("delete", words.projects.remove, () => this.#ask(line))}
            <p class="quiet small">${words.projects.removeHint}</p></div>`
        : html`<div>${button("unlink", words.projects.unlink, () => void this.#unlink(line))}
            <p class="quiet small">${words.projects.unlinkHint}</p></div>`}
      </div>
    </details>`;
  }

  #dialog() {
    return html`<dialog class="dialog" id="delete-dialog" aria-labelledby="delete-heading" aria-describedby="delete-hint">
      <div class="form">
        <h2 id="delete-heading">${words.projects.sure(this.#asked?.name ?? "")}</h2>
        <p id="delete-hint">${words.projects.sureHint}</p>
        <div class="actions">
          <button type="button" class="button" data-testid="delete-cancel" @click=${() => this.#closeDialog()}>${words.cancel}</button>
          <button type="button" class="button danger" data-testid="delete-sure" @click=${this.#remove}>${words.projects.sureYes}</button>
        </div>
      </div>
    </dialog>`;
  }

  async #load() {
    if (this.#loading || !this.author) return;
    const of = this.#of;
    this.#loading = true;
    this.#refusal = null;
    this.page.redraw();
    try {
      const { items, next } = await this.author.projects(this.#next);
      if (of !== this.#of) return;
      const known = new Set((this.#lines ?? []).map(({ key }) => key));
      const found = items.map((project) => new Line(project)).filter(({ key }) => !known.has(key));
      const first = found[0];
      const more = this.#lines !== null;
      this.#lines = [...(this.#lines ?? []), ...found];
      this.#next = next;
      if (more && first) this.#focusAfterDraw(first);
    } catch (error) {
      if (of === this.#of) this.#refused(refusalOf(error), (refusal) => void (this.#refusal = refusal));
    } finally {
      this.#loading = false;
      this.page.redraw();
      if (of !== this.#of && this.#of !== null && this.#lines === null) void this.#load();
    }
  }

  #onMore = () => void this.#load();

  /** @param {Line} line */
  #focusAfterDraw(line) {
    queueMicrotask(() => /** @type {HTMLElement|null} */ (this.#row(line)?.querySelector("a, button"))?.focus());
  }

  /** @param {Line} line */
  #row(line) {
    const wanted = nameOf(line.project);
    return [...document.querySelectorAll("[data-testid=project]")].find((row) => /** @type {HTMLElement} */ (row).dataset.repo === wanted);
  }

  /** Whoever is not signed in any more is told that, and nothing else. @param {Refusal} refusal @param {(refusal: Refusal) => void} tell */
  #refused(refusal, tell) {
    if (refusal.code === "sign-in-required") this.session.become(null);
    else tell(refusal);
  }

  /** @type {(event: SubmitEvent) => Promise<void>} */
  #onLink = async (event) => {
    event.preventDefault();
    if (this.#linking || !this.author) return;
    const field = /** @type {HTMLInputElement} */ (document.querySelector("#link"));
    const typed = field.value.trim();
    this.#refusedLink = null;
    this.#wrongLink = typed ? null : words.projects.linkMissing;
    this.#linking = Boolean(typed);
    this.page.redraw();
    if (!typed) return field.focus();
    try {
      const line = this.#put(await this.author.link(typed));
      line.said = line.project.mod ? words.projects.isBack(line.name) : words.projects.linked(nameOf(line.project));
      field.value = "";
      this.page.announce(line.said);
    } catch (error) {
      this.#refused(refusalOf(error), (refusal) => {
        if (refusal.code === "invalid-repository" || refusal.code === "invalid-request") this.#wrongLink = words.projects.linkMissing;
        else this.#refusedLink = refusal;
        field.focus();
      });
    }
    this.#linking = false;
    this.page.redraw();
  };

  /** A project in its place on the list, or at the head where it had none. @param {Project} project */
  #put(project) {
    const line = new Line(project);
    const lines = this.#lines ?? [];
    const at = lines.findIndex(({ key }) => key === line.key);
    this.#lines = at < 0 ? [line, ...lines] : lines.map((other, place) => (place === at ? line : other));
    return line;
  }

  /**
   * Does something with one project; whatever comes of it stands in its line.
   *
   * @param {Line} line
   * @param {"publish"|"other"} kind
   * @param {(author: Author) => Promise<string>} work answers what to say of it
   */
  async #attempt(line, kind, work) {
    if (line.busy !== null || !this.author) return;
    line.begin();
    line.busy = kind;
    if (kind === "publish") this.page.announce(words.projects.reading(nameOf(line.project)));
    this.page.redraw();
    try {
      line.said = await work(this.author);
      this.page.announce(line.said);
    } catch (error) {
      this.#refused(refusalOf(error), (refusal) => {
        line.refusal = refusal;
        line.refusedPublish = kind === "publish";
      });
    }
    line.busy = null;
    this.page.redraw();
  }

  /** @param {Line} line @param {string} sha */
  #publish(line, sha) {
    return this.#attempt(line, "publish", async (author) => {
      const before = line.project.mod;
      const mod = await author.publish(line.project, sha);
      line.project = { owner: mod.owner, repo: mod.repo, mod };
      const version = mod.version.slice(0, 10);
      if (!before) return words.projects.first(version);
      return before.artifactHash === mod.artifactHash ? words.projects.same(version) : words.projects.moved(version);
    });
  }

  /** @param {SubmitEvent} event @param {Line} line */
  #onCommit(event, line) {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (/** @type {HTMLFormElement} */ (event.target).elements.namedItem("commit"));
    const typed = field.value.trim();
    if (COMMIT.test(typed)) return void this.#publish(line, typed);
    line.wrongCommit = true;
    this.page.redraw();
    field.focus();
  }

  /** @param {Line} line @param {OwnMod} mod */
  #setPrivate(line, mod) {
    return this.#attempt(line, "other", async (author) => {
      const changed = await author.setPrivate(mod.id, !mod.private);
      line.project = { ...line.project, mod: changed };
      return changed.private ? words.projects.isPrivate : words.projects.isPublic;
    });
  }

  /** @param {Line} line */
  #ask(line) {
    this.#asked = line;
    this.page.redraw();
    /** @type {HTMLDialogElement} */ (document.querySelector("#delete-dialog")).showModal();
  }

  #closeDialog() {
    /** @type {HTMLDialogElement} */ (document.querySelector("#delete-dialog")).close();
  }

  #remove = async () => {
    const line = this.#asked;
    const mod = line?.project.mod;
    this.#closeDialog();
    if (!line || !mod) return;
    await this.#attempt(line, "other", async (author) => {
      await author.remove(mod.id);
      line.deleted = true;
      return words.projects.deleted(line.name);
    });
    if (line.deleted) /** @type {HTMLElement|null} */ (this.#row(line)?.querySelector("[data-testid=bring-back]"))?.focus();
  };

  /** @param {Line} line */
  async #bringBack(line) {
    await this.#attempt(line, "other", async (author) => {
      line.project = await author.link(nameOf(line.project));
      line.deleted = false;
      return words.projects.isBack(line.name);
    });
    if (!line.deleted) /** @type {HTMLElement|null} */ (this.#row(line)?.querySelector("[data-testid=publish]"))?.focus();
  }

  /** @param {Line} line */
  async #unlink(line) {
    await this.#attempt(line, "other", async (author) => {
      await author.unlink(line.project);
      this.#lines = (this.#lines ?? []).filter((other) => other !== line);
      return words.projects.unlinked(nameOf(line.project));
    });
  }

  /** @param {Line} line @param {string} path from the registry's address on */
  async #copy(line, path) {
    const link = new URL(path, this.author?.base).href;
    line.begin();
    if (await copied(link, null)) line.said = words.projects.linkCopied(line.name);
    else line.link = link;
    this.page.redraw();
    this.page.announce(line.said ?? words.notCopied);
    const field = this.#row(line)?.querySelector("[data-testid=project-link]");
    if (field instanceof HTMLInputElement) {
      field.focus();
      field.select();
    }
  }
}
