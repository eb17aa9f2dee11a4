/**
 * A picture of the mod that is asked for when it comes near the screen: from the cache, else live, else a stand-in.
 *
 * @import {Peer} from "../peer.js"
 * @typedef {{x: number, y: number, w: number, h: number}} Crop fractions of the picture's width and height
 * @typedef {object} Picture
 * @property {Peer} peer
 * @property {string} path
 * @property {string} [mod] owner/repo of a pack; the open mod when left out
 * @property {string} [version] the kept version it is of, where that need not be open
 * @property {string} [alt]
 * @property {string} [status] another status means other bytes: the picture is asked for again
 * @property {Crop|null} [crop]
 * @property {boolean} [badge] say so where the picture is not from this device
 */
import { html, nothing, render } from "lit-html";

import { text } from "../text.js";
import { picture as standIn } from "./icons.js";

/** Asked for at once; more would only queue in the worker, and scrolling on could not take them back. */
const AT_ONCE = 6;

/** @type {Set<AssetImage>} in the order in which they came near the screen */
const waiting = new Set();
let asking = 0;

async function askNext() {
  while (asking < AT_ONCE && waiting.size) {
    const [next] = waiting;
    if (!next) return;
    waiting.delete(next);
    asking++;
    void next.ask().finally(() => {
      asking--;
      void askNext();
    });
  }
}

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!(target instanceof AssetImage)) continue;
    if (isIntersecting) {
      near.unobserve(target);
      waiting.add(target);
    }
  }
  void askNext();
}, { rootMargin: "240px" });

export class AssetImage extends HTMLElement {
  /** @type {Picture | null} */
  #picture = null;
  /** @type {"waiting"|"shown"|"missing"} */
  #look = "waiting";
  /** @type {string | null} */
  #url = null;
  #live = false;
  #again = false;

  /** @param {Picture} picture */
  set picture(picture) {
    const old = this.#picture;
    this.#picture = picture;
    if (old && old.path === picture.path && old.mod === picture.mod && old.status === picture.status) return;
    this.#again = false;
    this.#live = false;
    if (this.isConnected) this.#start();
  }

  connectedCallback() {
    this.#start();
  }

  disconnectedCallback() {
    near.unobserve(this);
    waiting.delete(this);
  }

  #start() {
    if (!this.#url) this.#show("waiting");
    near.unobserve(this);
    near.observe(this);
  }

  async ask() {
    const picture = this.#picture;
    if (!picture) return;
    try {
      const { path, mod, version } = picture;
      const { url, source } = await picture.peer.assetUrl(path, mod ? { mod, ...(version ? { version } : {}) } : {});
      if (picture.path !== this.#picture?.path || picture.mod !== this.#picture.mod) return;
      if (this.#again && url === this.#url) throw new Error("the same bytes, and they are no picture");
      this.#url = url;
      this.#live = source === "live";
      this.#show(this.#look === "shown" ? "shown" : "waiting");
    } catch {
      this.#url = null;
      this.#show("missing");
    }
  }

  #onLoad = () => this.#show("shown");

  #onError = () => {
    // A blob URL may have been revoked between the answer and the decoding, when new bytes arrived: ask once more.
    if (!this.#live && !this.#again) {
      this.#again = true;
      void this.ask();
    } else {
      this.#url = null;
      this.#show("missing");
    }
  };

  /** @param {"waiting"|"shown"|"missing"} look */
  #show(look) {
    this.#look = look;
    this.dataset.look = look;
    const { alt = "", crop = null, badge = false } = this.#picture ?? {};
    const image = this.#url
      ? html`<img src=${this.#url} alt=${alt} decoding="async" @load=${this.#onLoad} @error=${this.#onError}>`
      : nothing;
    render(html`${look === "missing" ? html`<span class="stand-in">${standIn}${alt
        ? html`<span class="visually-hidden">${alt}</span>` : nothing}</span>` : image}
      ${badge && this.#live && look === "shown" ? html`<span class="badge badge-live">${text.assets.live}</span>`
        : nothing}`, this);
    this.#crop(look === "shown" ? crop : null);
  }

  /** @param {Crop | null} crop */
  #crop(crop) {
    const image = this.querySelector("img");
    if (!image) return;
    const whole = !crop || !(crop.w > 0 && crop.w <= 1 && crop.h > 0 && crop.h <= 1);
    this.classList.toggle("cropped", !whole);
    if (whole) {
      this.style.removeProperty("aspect-ratio");
      image.removeAttribute("style");
      return;
    }
    this.style.setProperty("aspect-ratio", `${image.naturalWidth * crop.w} / ${image.naturalHeight * crop.h}`);
    image.style.setProperty("width", `${100 / crop.w}%`);
    image.style.setProperty("transform", `translate(${-crop.x * 100}%, ${-crop.y * 100}%)`);
  }
}

customElements.define("asset-image", AssetImage);
