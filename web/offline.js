/**
 * The page's side of the service worker: has it keep this build once there is nothing better to do, and knows when
 * another build is ready.
 *
 * @typedef {{type: "tidy"} | {type: "activate"} | {type: "page", build: string}} ToServiceWorker `page` asks a waiting
 *   worker whether it has anything newer than that build
 * @typedef {{type: "waiting"} | {type: "moved"}} FromServiceWorker it has a newer build; what config.json names has changed
 */

/** A page that stays open asks for a new build at most this often, in milliseconds. */
const HOUR = 3_600_000;
/** Beside index.html, whatever this module is called by then. */
const SCRIPT = "service-worker.js";

export class Offline {
  /** Another build is ready; {@link Offline#accept} brings it. */
  updateReady = false;

  /** @type {ServiceWorkerContainer | undefined} */
  #container = navigator.serviceWorker;
  #build = document.documentElement.dataset.build ?? "";
  /** @type {ServiceWorkerRegistration | null} */
  #registration = null;
  #askedAt = Date.now();
  #accepted = false;

  /**
   * @param {() => void} changed `updateReady` is another
   * @param {() => void} moved the page runs under a security policy that no longer fits its configuration
   */
  constructor(changed, moved) {
    if (!this.#container || !this.#build) return;
    this.changed = changed;
    this.moved = moved;
    this.#container.addEventListener("message", this.#onMessage);
    // Held as long as the page lives: so its build's files stay, whatever becomes active meanwhile.
    const cache = `site ${new URL("./", location.href).pathname} ${this.#build}`;
    void navigator.locks.request(cache, { mode: "shared" }, () => new Promise(() => undefined)).catch(() => undefined);
  }

  /** Has this build kept, and looks for a newer one. For when the page has nothing better to do: it reads all its files. */
  async start() {
    if (!this.#container || !this.#build || this.#registration) return;
    try {
      const registration = await this.#container.register(SCRIPT, { updateViaCache: "none" });
      this.#registration = registration;
      registration.addEventListener("updatefound", () => this.#follow(registration.installing));
      this.#follow(registration.installing);
      this.#follow(registration.waiting);
      registration.active?.postMessage(/** @satisfies {ToServiceWorker} */ ({ type: "tidy" }));
      document.addEventListener("visibilitychange", this.#onVisible);
    } catch {
      // Without a service worker the page needs the network, as any page does.
    }
  }

  /** Changes to the build that is ready: the page loads again. */
  accept() {
    const waiting = this.#registration?.waiting;
    if (!waiting) return location.reload();
    this.#accepted = true;
    waiting.postMessage(/** @satisfies {ToServiceWorker} */ ({ type: "activate" }));
  }

  /** @param {ServiceWorker | null} worker */
  #follow(worker) {
    if (!worker) return;
    const look = () => {
      // The first one of all has nobody to wait for.
      if (worker.state === "installed" && this.#registration?.active) {
        worker.postMessage(/** @satisfies {ToServiceWorker} */ ({ type: "page", build: this.#build }));
      }
      if (worker.state === "activated" && this.#accepted) location.reload();
    };
    worker.addEventListener("statechange", look);
    look();
  }

  /** @type {(event: MessageEvent<FromServiceWorker>) => void} */
  #onMessage = ({ data }) => {
    if (data.type === "moved") return this.moved?.();
    this.updateReady = true;
    this.changed?.();
  };

  #onVisible = () => {
    if (document.visibilityState !== "visible" || Date.now() - this.#askedAt < HOUR) return;
    this.#askedAt = Date.now();
    this.#registration?.update().catch(() => undefined);
  };
}
