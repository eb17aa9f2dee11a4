/** The end of a list that is drawn in portions: says `more` when it is scrolled into view or pressed. */
import { html, render } from "lit-html";

import { text } from "../text.js";

export class MoreBelow extends HTMLElement {
  /** @type {IntersectionObserver | null} */
  #observer = null;

  connectedCallback() {
    render(html`<button type="button" class="button" @click=${this.#more}>${text.assets.more}</button>`, this);
    this.#observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) this.#more();
    });
    this.#observer.observe(this);
  }

  disconnectedCallback() {
    this.#observer?.disconnect();
    this.#observer = null;
  }

  #more = () => {
    this.dispatchEvent(new CustomEvent("more"));
    // The observer speaks up only when it starts to see the element; after a short portion it still does.
    this.#observer?.unobserve(this);
    this.#observer?.observe(this);
  };
}

customElements.define("more-below", MoreBelow);
