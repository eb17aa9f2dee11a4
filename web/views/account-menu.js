/**
 * The menu under the name of who is signed in.
 *
 * @import {Session} from "../session.js"
 */
import { html, nothing, render } from "lit-html";

import { Author, refusalOf } from "../author.js";
import { words } from "../author-text.js";
import { address } from "../route.js";
import * as icons from "./icons.js";
import { refusalNotice } from "./refusal.js";
import { shownToken } from "./shown-token.js";

export class AccountMenu {
  /** @type {HTMLDialogElement|null} */
  #dialog = null;

  /**
   * @param {Session} session
   * @param {(words: string) => void} announce
   */
  constructor(session, announce) {
    this.session = session;
    this.announce = announce;
    document.addEventListener("pointerdown", (event) => {
      const menu = this.#menu;
      if (menu?.open && !menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
    });
  }

  /** @returns {HTMLDetailsElement|null} */
  get #menu() {
    return document.querySelector("#account details");
  }

  template() {
    const { account } = this.session;
    if (!account) return nothing;
    return html`<details class="menu" data-testid="account-menu" @keydown=${this.#onKey} @focusout=${this.#onFocusOut}>
      <summary><span class="visually-hidden">${words.menu.account}: </span><span class="menu-name">${account.name}</span>${icons.forward}</summary>
      <ul class="panel" role="list">
        <li><a href=${address({ screen: "projects" })} @click=${this.#close}>${words.menu.projects}</a></li>
        <li><button type="button" data-testid="new-token" @click=${this.#openToken}>${words.menu.newToken}</button></li>
        <li><button type="button" data-testid="sign-out" @click=${this.#signOut}>${words.menu.signOut}</button></li>
      </ul>
    </details>`;
  }

  #close = () => {
    const menu = this.#menu;
    if (menu) menu.open = false;
  };

  /** @type {(event: KeyboardEvent) => void} */
  #onKey = (event) => {
    const menu = this.#menu;
    if (event.key !== "Escape" || !menu?.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  };

  /** @type {(event: FocusEvent) => void} */
  #onFocusOut = ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !this.#menu?.contains(relatedTarget)) this.#close();
  };

  #signOut = async () => {
    this.#close();
    try {
      await this.#author.signOut();
    } catch {
      return this.announce(words.menu.notSignedOut);
    }
    this.session.become(null);
    this.announce(words.menu.signedOut);
    /** @type {HTMLElement|null} */ (document.querySelector("#account a"))?.focus();
  };

  get #author() {
    return new Author(/** @type {NonNullable<Session["registry"]>} */ (this.session.registry).base);
  }

  #openToken = () => {
    this.#close();
    this.#dialog ??= document.body.appendChild(document.createElement("dialog"));
    this.#dialog.className = "dialog";
    this.#dialog.setAttribute("aria-labelledby", "new-token-heading");
    this.#drawToken(null, null);
    this.#dialog.showModal();
    // The button that opened it is out of sight by then.
    this.#dialog.addEventListener("close", () => {
      this.#drawToken(null, null);
      this.#menu?.querySelector("summary")?.focus();
    }, { once: true });
  };

  /** @param {string|null} token @param {import("../author.js").Refusal|null} refusal */
  #drawToken(token, refusal) {
    const dialog = /** @type {HTMLDialogElement} */ (this.#dialog);
    const make = () => {
      this.#author.newToken().then((made) => this.#drawToken(made, null), (error) => {
        const refused = refusalOf(error);
        if (refused.code === "sign-in-required") {
          dialog.close();
          this.session.become(null);
        } else this.#drawToken(null, refused);
      });
    };
    render(html`<div class="form">
      <h2 id="new-token-heading">${words.menu.tokenHeading}</h2>
      <p>${token === null ? words.menu.tokenIntro : words.menu.tokenMade}</p>
      ${refusalNotice(refusal)}
      ${token === null ? nothing : shownToken(token, this.announce)}
      <div class="actions">
        ${token === null ? html`<button type="button" class="button primary" data-testid="make-token" @click=${make}>${words.menu.tokenMake}</button>
          <button type="button" class="button" @click=${() => dialog.close()}>${words.cancel}</button>`
        : html`<button type="button" class="button primary" data-testid="token-done" @click=${() => dialog.close()}>${words.menu.done}</button>`}
      </div></div>`, dialog);
    if (token !== null) /** @type {HTMLElement|null} */ (dialog.querySelector("[data-testid=copy-token]"))?.focus();
  }
}
