/**
 * A deck as single cards, each cut from its sheet: all of them side by side, and one in large, face or back.
 *
 * A card is drawn as the background of an element, the sheet's picture shifted and scaled: five hundred cards of one sheet
 * are one picture to the browser, and what is out of sight is not drawn.
 *
 * @import {Card, Cell, Deck, Sheet} from "../messages.js"
 * @import {Peer} from "../peer.js"
 * @typedef {{peer: Peer, deck: Deck, from: string|null}} Cards `from`: the sheet whose first card is shown first
 * @typedef {{url: string, shape: number, columns: number, rows: number, column: number, row: number}} Face
 */
import { html, nothing, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { text } from "../text.js";
import { picture as standIn } from "./icons.js";

/** Width divided by height where neither author nor picture says: a poker card's. */
const USUAL_SHAPE = 2.5 / 3.5;

/** One card, or its back. */
export class CardFace extends HTMLElement {
  /** @param {Face | null} face */
  set face(face) {
    const { style } = this;
    if (!face) {
      this.removeAttribute("style");
      return;
    }
    const { url, shape, columns, rows, column, row } = face;
    style.setProperty("aspect-ratio", String(shape));
    style.setProperty("background-image", `url("${url.replace(/["\\\n]/g, (mark) => encodeURIComponent(mark))}")`);
    style.setProperty("background-size", `${columns * 100}% ${rows * 100}%`);
    style.setProperty("background-position", `${columns > 1 ? (column / (columns - 1)) * 100 : 0}% ${rows > 1 ? (row / (rows - 1)) * 100 : 0}%`);
  }
}

/** @type {Record<string, (chosen: number, last: number, across: number) => number>} where a key leads to */
const steps = {
  ArrowLeft: (chosen) => chosen - 1,
  ArrowRight: (chosen) => chosen + 1,
  ArrowUp: (chosen, _, across) => (chosen >= across ? chosen - across : chosen),
  ArrowDown: (chosen, last, across) => (chosen + across <= last ? chosen + across : chosen),
  PageUp: (chosen, _, across) => chosen - 4 * across,
  PageDown: (chosen, _, across) => chosen + 4 * across,
  Home: () => 0,
  End: (_, last) => last,
};

export class DeckCards extends HTMLElement {
  /** @type {Cards | null} */
  #cards = null;
  /** @type {Map<number, {url: string, shape: number}>} by the place of the sheet, as far as they have come */
  #sheets = new Map();
  /** @type {Set<number>} sheets that can't be shown */
  #missing = new Set();
  #chosen = 0;
  #turned = false;

  /** @param {Cards} cards */
  set cards(cards) {
    if (cards.deck === this.#cards?.deck) return;
    this.#cards = cards;
    this.#sheets.clear();
    this.#missing.clear();
    this.#turned = false;
    const sheet = cards.deck.sheets.findIndex(({ path }) => path !== null && path === cards.from);
    this.#chosen = Math.max(0, cards.deck.cards.findIndex(({ face }) => face?.[0] === sheet));
    this.#draw();
    cards.deck.sheets.forEach((each, place) => void this.#load(each, place));
  }

  /** @param {Sheet} sheet @param {number} place */
  async #load({ path, columns, rows, shape }, place) {
    const cards = this.#cards;
    try {
      if (!cards || path === null) throw new Error("no file");
      const { url } = await cards.peer.assetUrl(path);
      const image = new Image();
      image.src = url;
      await new Promise((resolve, reject) => Object.assign(image, { onload: resolve, onerror: reject }));
      if (cards !== this.#cards) return;
      // What the picture says counts more than what its author wrote of it.
      const measured = image.naturalWidth / columns / (image.naturalHeight / rows);
      this.#sheets.set(place, { url, shape: measured > 0 ? measured : shape ?? USUAL_SHAPE });
    } catch {
      if (cards !== this.#cards) return;
      this.#missing.add(place);
    }
    this.#draw();
  }

  /** @param {Cell|null} cell @returns {Face|null} */
  #face(cell) {
    const sheet = cell && this.#sheets.get(cell[0]);
    const { columns, rows } = (cell && this.#cards?.deck.sheets[cell[0]]) ?? { columns: 1, rows: 1 };
    return sheet ? { ...sheet, columns, rows, column: cell[1], row: cell[2] } : null;
  }

  /** @type {(event: KeyboardEvent) => void} */
  #onKey = (event) => {
    const list = /** @type {HTMLElement} */ (event.currentTarget);
    const last = list.children.length - 1;
    const top = /** @type {HTMLElement} */ (list.children[0])?.offsetTop;
    const below = [...list.children].findIndex((card) => /** @type {HTMLElement} */ (card).offsetTop > top);
    if (event.key === " " || event.key === "Enter") this.#turn();
    else if (event.key in steps) {
      this.#choose(Math.min(last, Math.max(0, steps[event.key](this.#chosen, last, below < 0 ? last + 1 : below))), true);
    } else return;
    event.preventDefault();
  };

  #turn = () => {
    this.#turned = !this.#turned;
    this.#draw();
  };

  /** @param {number} index @param {boolean} focus */
  #choose(index, focus) {
    this.#chosen = index;
    this.#draw();
    const card = this.querySelector('[aria-selected="true"]');
    if (focus && card instanceof HTMLElement) {
      card.focus({ preventScroll: true });
      card.scrollIntoView({ block: "nearest" });
    }
  }

  /** @param {Card} card @param {number} index */
  #name = (card, index) => card.label || text.decks.card(index + 1);

  #draw() {
    const { deck } = /** @type {Cards} */ (this.#cards);
    const chosen = deck.cards[this.#chosen];
    if (!chosen) return render(html`<p class="quiet">${text.decks.empty}</p>`, this);
    const name = this.#name(chosen, this.#chosen);
    render(html`<div class="deck-chosen">
        ${this.#picture(this.#turned ? chosen.back : chosen.face, this.#turned ? text.decks.backOf(name) : name)}
        <p><strong class="path">${name}</strong><br>
          <span class="quiet small">${text.decks.place(this.#chosen + 1, deck.cards.length)} · ${text.decks.copies(chosen.copies)}</span></p>
        <button type="button" class="button" aria-pressed=${this.#turned} @click=${this.#turn}>${text.decks.turn}</button>
      </div>
      <ul class="deck-cards" role="listbox" aria-label=${text.decks.cards} @keydown=${this.#onKey}>
        ${repeat(deck.cards, (_, index) => index, (card, index) => html`<li role="option" aria-selected=${index === this.#chosen}
          tabindex=${index === this.#chosen ? 0 : -1} aria-label="${this.#name(card, index)}, ${text.decks.copies(card.copies)}"
          @click=${() => this.#choose(index, true)}>
            ${this.#picture(card.face, "")}
            ${card.copies === 1 ? nothing : html`<span class="badge" aria-hidden="true">×${card.copies}</span>`}
          </li>`)}
      </ul>`, this);
  }

  /** @param {Cell|null} cell @param {string} label empty where it is named already */
  #picture(cell, label) {
    const missing = !cell || this.#missing.has(cell[0]);
    return html`<card-face role=${label ? "img" : nothing} aria-label=${label || nothing} aria-hidden=${label ? nothing : "true"}
      .face=${this.#face(cell)}>${missing ? standIn : nothing}</card-face>`;
  }
}

customElements.define("card-face", CardFace);
customElements.define("deck-cards", DeckCards);

/** @param {Cards} cards */
export const deckCards = (cards) => html`<deck-cards .cards=${cards}></deck-cards>`;
