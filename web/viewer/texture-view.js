/**
 * A texture that no browser shows by itself, as a picture: KTX 2.0 and Radiance HDR. A plain canvas is enough for it.
 *
 * @import {Picture} from "./texture-worker.js"
 * @typedef {"loading"|"shown"|"broken"|"unshowable"|"unreachable"} Look
 * @typedef {{name: string, url: string, kind: "ktx2"|"hdr"}} Texture
 */
import { html, nothing, render } from "lit-html";

import { text } from "../text.js";
import { picture as standIn } from "../views/icons.js";
import { Decoder, Unreadable } from "../decoder.js";

/** Pixels a side that are drawn; of a larger texture a smaller level, or each second pixel, is shown. */
const MOST = 2048;

export class TexturePane extends HTMLElement {
  /** @type {Texture | null} */
  #texture = null;
  /** @type {Decoder | null} */
  #decoder = null;
  /** @type {Picture | null} */
  #picture = null;
  /** @type {Look} */
  #look = "loading";
  #detail = "";
  /** A later attempt makes an earlier one void. */
  #attempt = 0;

  /** @param {Texture} texture */
  set texture(texture) {
    if (this.#texture?.url === texture.url) return;
    this.#texture = texture;
    if (this.isConnected) void this.#open();
  }

  connectedCallback() {
    void this.#open();
  }

  disconnectedCallback() {
    this.#attempt++;
    this.#close();
  }

  #close() {
    this.#decoder?.dispose();
    this.#decoder = null;
    this.#picture = null;
  }

  async #open() {
    const texture = this.#texture;
    if (!texture) return;
    const attempt = ++this.#attempt;
    this.#close();
    this.#show("loading");
    const decoder = this.#decoder = new Decoder(() => new Worker(new URL("./texture-worker.js", import.meta.url), { type: "module" }));
    try {
      const response = await fetch(texture.url);
      if (!response.ok) throw new Error(`It answers ${response.status}.`);
      const bytes = await response.arrayBuffer();
      /** @type {Picture} */
      const picture = await decoder.ask({ kind: texture.kind, bytes, most: MOST }, [bytes]);
      if (attempt !== this.#attempt) return;
      this.#picture = picture;
      this.#show(picture.shown ? "shown" : "unshowable");
      this.#draw(picture);
    } catch (error) {
      if (attempt !== this.#attempt) return;
      this.#detail = error instanceof Unreadable ? error.message : "";
      this.#show(error instanceof Unreadable ? "broken" : "unreachable");
    } finally {
      decoder.dispose();
    }
  }

  /** @param {Picture} picture */
  #draw({ shown }) {
    const canvas = this.querySelector("canvas");
    if (!canvas || !shown) return;
    canvas.width = shown.width;
    canvas.height = shown.height;
    canvas.getContext("2d")?.putImageData(new ImageData(shown.pixels, shown.width, shown.height), 0, 0);
  }

  /** @param {Look} look */
  #show(look) {
    this.#look = look;
    this.dataset.look = look;
    render(this.#template(), this);
  }

  #template() {
    const facts = this.#picture ? html`<p class="quiet small">${text.texture.facts(this.#picture)}</p>` : nothing;
    switch (this.#look) {
      case "loading":
        return html`<p class="quiet" role="status">${text.viewer.loading}</p>`;
      case "shown":
        return html`<canvas role="img" aria-label=${this.#texture?.name ?? ""}></canvas>${facts}`;
      default:
        return html`<div class="stand-in" role="status">${standIn}<p>${text.texture.trouble[this.#look]}</p>
          ${this.#detail ? html`<p class="small path">${this.#detail}</p>` : nothing}</div>${facts}`;
    }
  }
}

customElements.define("texture-view", TexturePane);

/** @param {Texture} texture */
export const textureView = (texture) => html`<texture-view .texture=${texture}></texture-view>`;
