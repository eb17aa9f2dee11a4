/**
 * A model as its viewer sees it: the canvas, what turns it by pointer, touch and keyboard, and what there is to say where
 * none can be shown.
 *
 * @import {TemplateResult} from "lit-html"
 * @import {ModelFacts, ModelView} from "./model.js"
 * @typedef {"loading"|"shown"|"broken"|"no-graphics"|"lost"|"unreachable"} Look
 * @typedef {object} Model
 * @property {string} name
 * @property {string} url
 * @property {(uri: string) => Promise<string|null>} locate the address of another file that the model names
 */
import { html, nothing, render, svg } from "lit-html";

import { text } from "../text.js";
import { groups, icon } from "../views/icons.js";
import { Unreadable } from "../decoder.js";

/** Radians of one press. */
const TURN = Math.PI / 12;
/** Of the distance, for one press. */
const NEARER = 0.8;

const icons = {
  turnLeft: icon(svg`<path d="M9 7L4.5 11.5 9 16M5 11.5h8a6 6 0 016 6v1" />`),
  turnRight: icon(svg`<path d="M15 7l4.5 4.5L15 16M19 11.5h-8a6 6 0 00-6 6v1" />`),
  up: icon(svg`<path d="M12 20V5M6 11l6-6 6 6" />`),
  down: icon(svg`<path d="M12 4v15M6 13l6 6 6-6" />`),
  nearer: icon(svg`<path d="M12 5v14M5 12h14" />`),
  farther: icon(svg`<path d="M5 12h14" />`),
  whole: icon(svg`<path d="M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5" />`),
};

/** @type {Record<string, (view: ModelView) => void>} */
const keys = {
  ArrowLeft: (view) => view.turn(TURN, 0),
  ArrowRight: (view) => view.turn(-TURN, 0),
  ArrowUp: (view) => view.turn(0, TURN),
  ArrowDown: (view) => view.turn(0, -TURN),
  "+": (view) => view.zoom(NEARER),
  "=": (view) => view.zoom(NEARER),
  "-": (view) => view.zoom(1 / NEARER),
  Home: (view) => view.fit(),
  0: (view) => view.fit(),
};

export class ModelPane extends HTMLElement {
  /** @type {Model | null} */
  #model = null;
  /** @type {ModelView | null} */
  #view = null;
  /** @type {Look} */
  #look = "loading";
  #detail = "";
  /** A later attempt makes an earlier one void. */
  #attempt = 0;

  /** @param {Model} model */
  set model(model) {
    if (this.#model?.url === model.url) return;
    this.#model = model;
    if (this.isConnected) void this.#open();
  }

  /** What is shown, for checks: null until it is. */
  get view() {
    return this.#view;
  }

  connectedCallback() {
    void this.#open();
  }

  disconnectedCallback() {
    this.#attempt++;
    this.#close();
  }

  #close() {
    this.#view?.dispose();
    this.#view = null;
  }

  async #open() {
    const model = this.#model;
    if (!model) return;
    const attempt = ++this.#attempt;
    this.#close();
    this.#show("loading");
    const canvas = document.createElement("canvas");
    this.querySelector(".stage")?.prepend(canvas);
    try {
      const [bytes, { openModel }] = await Promise.all([fetched(model.url), import("./model.js")]);
      if (attempt !== this.#attempt) return;
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const view = await openModel(canvas, bytes, { locate: model.locate, still, onLost: () => this.#fail("lost") });
      if (attempt !== this.#attempt) return view.dispose();
      this.#view = view;
      this.#label(canvas, model.name);
      this.#show("shown");
    } catch (error) {
      if (attempt !== this.#attempt) return;
      this.#detail = error instanceof Unreadable ? error.message : "";
      if (error instanceof Error && error.name === "NoGraphics") this.#fail("no-graphics");
      else this.#fail(error instanceof Unreadable ? "broken" : "unreachable");
    }
  }

  /** @param {HTMLCanvasElement} canvas @param {string} name */
  #label(canvas, name) {
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-roledescription", text.model.role);
    canvas.setAttribute("aria-label", name);
    canvas.setAttribute("aria-describedby", "model-keys");
    canvas.addEventListener("keydown", this.#onKey);
  }

  /** @param {"broken"|"no-graphics"|"lost"|"unreachable"} look */
  #fail(look) {
    this.#close();
    this.#show(look);
  }

  /** @type {(event: KeyboardEvent) => void} */
  #onKey = (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!act || !this.#view) return;
    event.preventDefault();
    act(this.#view);
  };

  /** @param {Look} look */
  #show(look) {
    this.#look = look;
    this.dataset.look = look;
    const standing = look === "loading" || look === "shown";
    // The canvas is put in by hand, because a context lives and dies with the element it was made on.
    if (!standing || look === "loading") this.querySelector("canvas")?.remove();
    render(standing ? this.#stage() : this.#trouble(), this);
  }

  #stage() {
    return html`<div class="stage">
        ${this.#look === "loading" ? html`<p class="quiet" role="status">${text.model.loading}</p>` : nothing}
      </div>
      <div class="model-controls" role="group" aria-label=${text.model.controls} ?hidden=${this.#look !== "shown"}>
        ${this.#button(text.model.left, icons.turnLeft, (view) => view.turn(TURN, 0))}
        ${this.#button(text.model.right, icons.turnRight, (view) => view.turn(-TURN, 0))}
        ${this.#button(text.model.up, icons.up, (view) => view.turn(0, TURN))}
        ${this.#button(text.model.down, icons.down, (view) => view.turn(0, -TURN))}
        ${this.#button(text.model.nearer, icons.nearer, (view) => view.zoom(NEARER))}
        ${this.#button(text.model.farther, icons.farther, (view) => view.zoom(1 / NEARER))}
        ${this.#button(text.model.fit, icons.whole, (view) => view.fit())}
      </div>
      <p class="quiet small model-facts">${this.#view ? text.model.facts(this.#view.facts) : nothing}
        <span id="model-keys" class="model-keys">${text.model.keys}</span></p>`;
  }

  /**
   * @param {string} label
   * @param {TemplateResult} icon
   * @param {(view: ModelView) => void} act
   */
  #button(label, icon, act) {
    return html`<button type="button" class="button round" aria-label=${label} title=${label}
      @click=${() => this.#view && act(this.#view)}>${icon}</button>`;
  }

  #trouble() {
    const again = this.#look === "lost" || this.#look === "unreachable";
    return html`<div class="stand-in" role="status">${groups.model}
      <p>${text.model.trouble[/** @type {keyof typeof text.model.trouble} */ (this.#look)]}</p>
      ${this.#look === "broken" && this.#detail ? html`<p class="small path">${this.#detail}</p>` : nothing}
      ${again ? html`<button type="button" class="button" @click=${() => void this.#open()}>${text.model.again}</button>` : nothing}
    </div>`;
  }
}

/** @param {string} url */
async function fetched(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`It answers ${response.status}.`);
  return response.arrayBuffer();
}

customElements.define("model-view", ModelPane);

/** @param {Model} model */
export const modelView = (model) => html`<model-view .model=${model}></model-view>`;
