/**
 * Signing in: with GitHub where the registry offers it, with a token, or with an invite code that makes the account.
 *
 * @import {Refusal, StartedLogin} from "../author.js"
 * @import {Person} from "../registry.js"
 * @import {Session} from "../session.js"
 */
import { html, nothing } from "lit-html";

import { Author, refusalOf } from "../author.js";
import { words } from "../author-text.js";
import { address, HOME } from "../route.js";
import { clock, text } from "../text.js";
import { copied } from "./copy.js";
import { wayBack } from "./loading.js";
import { refusalNotice } from "./refusal.js";
import { shownToken } from "./shown-token.js";

/** @typedef {"github"|"token"|"invite"} Way */

export class SignIn {
  /** @type {Author|null} */
  #author;
  /** @type {Way|null} the way that is being tried */
  #busy = null;
  /** @type {{way: Way, refusal: Refusal}|null} */
  #refused = null;
  /** @type {{field: string, says: string}|null} */
  #wrong = null;
  /** @type {(StartedLogin & {until: number})|null} what the person has to do on GitHub */
  #started = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #next;
  /** @type {{account: Person, token: string}|null} an account that was made just now */
  #made = null;
  #left = false;

  /**
   * @param {Session} session
   * @param {{redraw: () => void, announce: (words: string) => void, done: () => void}} page `done` leads on from here
   */
  constructor(session, page) {
    this.session = session;
    this.page = page;
    this.#author = session.registry ? new Author(session.registry.base) : null;
  }

  title = words.titles.signIn;

  dispose() {
    this.#left = true;
    clearTimeout(this.#next);
  }

  template() {
    return html`<article class="narrow sign-in" data-testid="sign-in">
      ${wayBack(HOME)}
      ${this.#made ? this.#welcome(this.#made) : this.#doors()}
    </article>`;
  }

  #doors() {
    const { standing, account, registry, github } = this.session;
    const lead = html`<div class="lead"><h1 tabindex="-1">${words.signIn.heading}</h1><p>${words.signIn.lead}</p></div>`;
    if (standing === "nowhere") return this.#instead("nowhere", words.signIn.nowhere, words.signIn.nowhereHint, nothing);
    if (standing === "elsewhere") {
      return this.#instead("elsewhere", words.signIn.elsewhere, words.signIn.elsewhereHint, html`
        <a class="button primary" href=${new URL("?sign-in", registry?.base).href}>${words.signIn.elsewhereLink(registry?.base.host ?? "")}</a>`);
    }
    if (standing === "asking") return html`${lead}<p class="quiet" role="status">${words.signIn.asking}</p>`;
    if (standing === "unreachable") {
      return this.#instead("unreachable", words.signIn.unreachable, text.catalogue.failedHint, html`
        <button type="button" class="button primary" @click=${() => void this.session.load()}>${words.again}</button>`);
    }
    if (account) {
      return this.#instead("already", words.signIn.already, words.signIn.as(account.name), html`
        <a class="button primary" href=${address({ screen: "projects" })}>${words.menu.projects}</a>`);
    }
    return html`${lead}${github ? this.#github() : nothing}${this.#token()}${this.#invite()}`;
  }

  /** @param {string} kind @param {string} heading @param {string} hint @param {unknown} action */
  #instead(kind, heading, hint, action) {
    return html`<section class="panel failed" data-testid="sign-in-${kind}">
      <h1 tabindex="-1">${heading}</h1><p>${hint}</p>
      <div class="actions">${action}<a class="button" href=${HOME}>${text.backToCatalogue}</a></div></section>`;
  }

  #github() {
    const started = this.#started;
    return html`<section class="panel form" aria-labelledby="github-heading" aria-busy=${this.#busy === "github"}>
      <h2 id="github-heading">${words.signIn.github}</h2>
      ${this.#refusalOf("github")}
      ${started ? html`
        <p>${words.signIn.githubStep}: <a href=${started.verificationUri} target="_blank" rel="noopener noreferrer">${
          started.verificationUri}<span class="visually-hidden"> (${text.newTab})</span></a></p>
        <div class="with-button">
          <input id="user-code" class="field user-code" type="text" readonly aria-label=${words.signIn.code} .value=${started.userCode}
            data-testid="user-code">
          <button type="button" class="button" data-testid="copy-code" @click=${this.#copyCode}>${words.copy}</button>
        </div>
        <p class="quiet small">${words.signIn.githubWaiting(clock(started.until))}</p>
        <progress aria-label=${words.signIn.github}></progress>
        <div class="actions"><button type="button" class="button" data-testid="github-cancel" @click=${this.#stopGitHub}>
          ${words.cancel}</button></div>`
      : html`
        <p class="quiet small">${words.signIn.githubHint}</p>
        <div class="actions"><button type="button" class="button primary" data-testid="github-start"
          aria-disabled=${this.#busy === "github"} @click=${this.#startGitHub}>
          ${this.#busy === "github" ? words.signIn.busy : words.signIn.githubStart}</button></div>`}
    </section>`;
  }

  #token() {
    const busy = this.#busy === "token";
    return html`<section class="panel form" aria-labelledby="token-heading">
      <h2 id="token-heading">${words.signIn.token}</h2>
      ${this.#refusalOf("token")}
      <form novalidate aria-busy=${busy} data-testid="token-form" @submit=${this.#onToken}>
        ${this.#field("token", words.signIn.tokenLabel, words.signIn.tokenHint, html`<input id="token" name="token" class="field"
          type="password" autocomplete="current-password" autocapitalize="off" spellcheck="false"
          aria-describedby="token-hint" aria-invalid=${this.#wrong?.field === "token"}>`)}
        <div class="actions"><button type="submit" class="button ${this.session.github ? "" : "primary"}" aria-disabled=${busy}>
          ${busy ? words.signIn.busy : words.signIn.tokenSubmit}</button></div>
      </form>
    </section>`;
  }

  #invite() {
    const busy = this.#busy === "invite";
    return html`<section class="panel form" aria-labelledby="invite-heading">
      <h2 id="invite-heading">${words.signIn.invite}</h2>
      ${this.#refusalOf("invite")}
      <form novalidate aria-busy=${busy} data-testid="invite-form" @submit=${this.#onInvite}>
        ${this.#field("invite", words.signIn.inviteLabel, "", html`<input id="invite" name="invite" class="field" type="text"
          autocomplete="off" autocapitalize="characters" spellcheck="false" aria-describedby="invite-hint"
          aria-invalid=${this.#wrong?.field === "invite"}>`)}
        ${this.#field("name", words.signIn.nameLabel, words.signIn.nameHint, html`<input id="name" name="name" class="field" type="text"
          autocomplete="nickname" spellcheck="false" aria-describedby="name-hint" aria-invalid=${this.#wrong?.field === "name"}>`)}
        <div class="actions"><button type="submit" class="button" aria-disabled=${busy}>
          ${busy ? words.signIn.busy : words.signIn.inviteSubmit}</button></div>
      </form>
    </section>`;
  }

  /** @param {string} id @param {string} label @param {string} hint @param {unknown} input */
  #field(id, label, hint, input) {
    const wrong = this.#wrong?.field === id ? this.#wrong.says : null;
    return html`<div class="field-group"><label for=${id}>${label}</label>${input}
      <p id="${id}-hint" class="small ${wrong === null ? "quiet" : "wrong"}">${wrong ?? hint}</p></div>`;
  }

  /** @param {{account: Person, token: string}} made */
  #welcome({ account, token }) {
    return html`<section class="panel form" data-testid="welcome">
      <h1 tabindex="-1">${words.signIn.welcome(account.name)}</h1>
      <p>${words.signIn.keepToken}</p>
      ${shownToken(token, this.page.announce)}
      <div class="actions"><button type="button" class="button primary" data-testid="go-on" @click=${this.page.done}>
        ${words.goOn}</button></div>
    </section>`;
  }

  /** @param {Way} way */
  #refusalOf(way) {
    return this.#refused?.way === way ? refusalNotice(this.#refused.refusal, nothing, true) : nothing;
  }

  /** @type {(event: SubmitEvent) => void} */
  #onToken = (event) => {
    event.preventDefault();
    const token = valueOf(event, "token");
    if (!token) return this.#complain("token", words.signIn.tokenMissing);
    void this.#attempt("token", async (author) => this.#enter(await author.signIn(token)));
  };

  /** @type {(event: SubmitEvent) => void} */
  #onInvite = (event) => {
    event.preventDefault();
    const invite = valueOf(event, "invite");
    const name = valueOf(event, "name");
    if (!invite) return this.#complain("invite", words.signIn.inviteMissing);
    if (!name) return this.#complain("name", words.signIn.nameMissing);
    void this.#attempt("invite", async (author) => {
      const made = await author.accept(invite, name);
      this.#made = made;
      this.session.become(made.account);
      this.page.announce(words.signIn.welcome(made.account.name));
      this.page.redraw();
      document.querySelector("h1")?.focus({ preventScroll: true });
    });
  };

  #startGitHub = () => void this.#attempt("github", async (author) => {
    const started = await author.startGitHub();
    if (this.#left) return;
    this.#started = { ...started, verificationUri: webAddress(started.verificationUri), until: Date.now() + started.expiresIn * 1000 };
    this.page.announce(words.signIn.githubSpoken(started.userCode, started.verificationUri));
    this.#askLater(started.interval);
    this.page.redraw();
    document.querySelector("#user-code")?.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement|null} */ (document.querySelector("#user-code"))?.focus();
  });

  #stopGitHub = () => {
    clearTimeout(this.#next);
    this.#started = null;
    this.page.redraw();
    /** @type {HTMLElement|null} */ (document.querySelector("[data-testid=github-start]"))?.focus();
  };

  /** @param {number} interval seconds */
  #askLater(interval) {
    this.#next = setTimeout(() => void this.#askGitHub(interval), interval * 1000);
  }

  /** @param {number} interval seconds */
  async #askGitHub(interval) {
    const started = this.#started;
    if (!started || this.#left) return;
    try {
      const step = await /** @type {Author} */ (this.#author).finishGitHub(started.device);
      if (started !== this.#started || this.#left) return;
      if (step.account) return this.#enter(step.account);
      this.#askLater(Math.max(interval, step.interval ?? 0));
    } catch (error) {
      if (started !== this.#started || this.#left) return;
      const refusal = refusalOf(error);
      // A network that is away for a moment does not end what the person has begun on another page.
      if (refusal.code === "offline" && Date.now() < started.until) return this.#askLater(interval);
      this.#started = null;
      this.#refused = { way: "github", refusal };
      this.page.redraw();
    }
  }

  #copyCode = () => {
    const field = /** @type {HTMLInputElement} */ (document.querySelector("#user-code"));
    void copied(field.value, field).then((done) => this.page.announce(done ? words.copied : words.notCopied));
  };

  /** @param {string} field @param {string} says */
  #complain(field, says) {
    this.#wrong = { field, says };
    this.#refused = null;
    this.page.redraw();
    document.getElementById(field)?.focus();
  }

  /** @param {Way} way @param {(author: Author) => Promise<void>} work */
  async #attempt(way, work) {
    if (this.#busy || !this.#author) return;
    this.#busy = way;
    this.#wrong = null;
    this.#refused = null;
    this.page.redraw();
    try {
      await work(this.#author);
    } catch (error) {
      const refusal = refusalOf(error);
      if (way === "invite" && refusal.code === "invalid-request") this.#wrong = { field: "name", says: words.signIn.nameRefused };
      else this.#refused = { way, refusal };
    }
    this.#busy = null;
    if (this.#left) return;
    this.page.redraw();
    const field = { github: "", token: "token", invite: this.#refused?.refusal.code === "name-taken" || this.#wrong ? "name" : "invite" }[way];
    if (this.#refused || this.#wrong) document.getElementById(field)?.focus();
  }

  /** @param {Person} account */
  #enter(account) {
    this.session.become(account);
    this.page.announce(words.signIn.as(account.name));
    if (!this.#left) this.page.done();
  }
}

/** @param {SubmitEvent} event @param {string} name */
const valueOf = (event, name) => String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get(name) ?? "").trim();

/** Nothing but an address of the web is followed. @param {string} uri */
const webAddress = (uri) => (/^https?:\/\//.test(uri) ? uri : "about:blank");
