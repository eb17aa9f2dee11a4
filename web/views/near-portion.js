/**
 * One portion of a long list. It is drawn only while it is near the screen; away from it, an empty box of the same height
 * keeps its place. A browser lays out ten thousand pictures in half a second, and this is what no scrolling has time for.
 *
 * @typedef {object} Portion
 * @property {object} items another object means other items; how high they are is remembered by it
 * @property {unknown} [stamp] another value means that the same items look different
 * @property {() => unknown} template
 */
import { nothing, render } from "lit-html";

/** Drawn from so far above and below the screen: about two turns of a wheel or one page of keys ahead. */
const AHEAD = "1200px 0px";

/** @type {WeakMap<object, number>} CSS pixels */
const heights = new WeakMap();

const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting, boundingClientRect } of entries) {
    if (target instanceof NearPortion) target.turn(isIntersecting, boundingClientRect.height);
  }
}, { rootMargin: AHEAD });

export class NearPortion extends HTMLElement {
  /** @type {Portion | null} */
  #portion = null;
  #near = true;

  /** @param {Portion} portion */
  set portion(portion) {
    const before = this.#portion;
    this.#portion = portion;
    if (before && before.items === portion.items && before.stamp === portion.stamp) return;
    // A list that is shown again begins with the boxes it had, and fills those in sight.
    if (!before) this.#near = !heights.has(portion.items);
    this.#draw();
  }

  connectedCallback() {
    sight.observe(this);
  }

  disconnectedCallback() {
    sight.unobserve(this);
  }

  /**
   * @param {boolean} near
   * @param {number} height measured anyway: to ask again would have the page laid out once for each portion
   */
  turn(near, height) {
    // What has the focus stays, or the focus would be lost.
    if (near === this.#near || (!near && this.contains(document.activeElement))) return;
    if (!near && this.#portion) heights.set(this.#portion.items, height);
    this.#near = near;
    this.#draw();
  }

  #draw() {
    const portion = this.#portion;
    if (!portion) return;
    const height = heights.get(portion.items);
    if (this.#near || height === undefined) this.style.removeProperty("height");
    else this.style.setProperty("height", `${height}px`);
    render(this.#near ? portion.template() : nothing, this);
  }
}

customElements.define("near-portion", NearPortion);
