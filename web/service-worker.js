/**
 * Keeps one build of the page and its runtime on the device, whole, and answers with it whether there is a network or not.
 * The viewers, which most visits never open, it keeps once they have been used.
 *
 * The build puts `SITE` before these lines: so each build has a worker of its own, with a cache of its own. A page gets
 * index.html from the build that is active, and what index.html names carries its content's hash: no two builds mix.
 * Nothing else is touched: not mods, not the registry, not other pages of this host.
 */
{
  const scope = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (globalThis));
  const home = new URL(scope.registration.scope);
  /** Other copies of the page may live beside this one on the same host. */
  const prefix = `site ${home.pathname} `;
  const name = prefix + SITE.build;
  const config = new URL("config.json", home).href;
  /** How long config.json may take when there is an older one, in milliseconds. */
  const PATIENCE = 3000;

  /** @param {Record<string, string>} some @returns {Map<string, string>} URL → Subresource Integrity value */
  const byUrl = (some) => new Map(Object.entries(some).map(([path, integrity]) => [new URL(path, home).href, integrity]));
  const files = byUrl(SITE.files);
  const later = byUrl(SITE.later);

  /** @param {string} url @param {Cache|CacheStorage} where */
  const kept = (url, where) => where.match(url, { ignoreVary: true });

  /**
   * A file of this build, proven: a host that answers with another build's, or with a page of its own, is not believed.
   * Hashed names come out of the browser's HTTP cache if they are there.
   * @param {string} url @param {RequestCache} cache
   */
  async function download(url, cache) {
    const response = await fetch(url, { integrity: files.get(url) ?? later.get(url), cache, credentials: "same-origin" });
    if (!response.ok || response.redirected) throw new Error(`${url} answers ${response.status}`);
    return response;
  }

  /** Fills the cache; an earlier attempt that was cut short is taken up, and what another build has too is not fetched. */
  async function install() {
    const cache = await caches.open(name);
    await Promise.all([...files.keys()].map(async (url) => {
      if (await kept(url, cache)) return;
      const response = url === home.href ? undefined : await kept(url, caches);
      await cache.put(url, response ?? await download(url, url === home.href ? "no-cache" : "default"));
    }));
    // Who has used a viewer under another build has it under this one.
    await Promise.all([...later.keys()].map(async (url) => {
      const response = await kept(url, caches);
      if (response) await cache.put(url, response);
    }));
    await keepConfig(cache, await fetch(config, { cache: "no-cache" }).catch(() => null));
  }

  /** @param {Cache} cache @param {Response|null} response */
  async function keepConfig(cache, response) {
    if (response?.ok) await cache.put(config, response);
  }

  /**
   * A file of this or, for a page that began earlier, another build. One that the browser has dropped is put back.
   * @param {FetchEvent} event @param {string} url
   */
  async function file(event, url) {
    const cache = await caches.open(name);
    const found = await kept(url, cache) ?? (url === home.href ? undefined : await kept(url, caches));
    if (found) return found;
    if (!files.has(url) && !later.has(url)) return fetch(event.request);
    const response = await download(url, url === home.href ? "no-cache" : "default").catch(() => null);
    if (!response) return fetch(event.request);
    event.waitUntil(cache.put(url, response.clone()));
    return response;
  }

  /**
   * config.json as the host has it now, or as it was. The hosts it names stand in the security policy too, and page and
   * worker got theirs when they were kept: a new config.json counts only together with their new headers, and the pages
   * that run under the old ones are told.
   * @param {FetchEvent} event
   */
  async function configuration(event) {
    const cache = await caches.open(name);
    const old = await kept(config, cache);
    if (!old) return fetch(event.request);
    try {
      const response = await fetch(config, { cache: "no-cache", signal: AbortSignal.timeout(PATIENCE) });
      if (!response.ok) return old;
      const [before, after] = await Promise.all([old.clone().text(), response.clone().text()]);
      if (before === after) return response;
      const renewed = await Promise.all(SITE.policed.map(async (path) => {
        const url = new URL(path, home).href;
        return /** @type {const} */ ([url, await download(url, "reload")]);
      }));
      for (const [url, file] of renewed) await cache.put(url, file);
      await keepConfig(cache, response.clone());
      await tell({ type: "moved" });
      return response;
    } catch {
      return old;
    }
  }

  /** @param {import("./offline.js").FromServiceWorker} message */
  async function tell(message) {
    for (const page of await scope.clients.matchAll({ type: "window" })) page.postMessage(message);
  }

  /**
   * Removes the caches of builds that no page shows: each page holds a lock named after the cache it lives on.
   * While another build is coming or waiting, it is left alone.
   */
  async function tidy() {
    for (const other of await caches.keys()) {
      if (!other.startsWith(prefix) || other === name) continue;
      await navigator.locks.request(other, { ifAvailable: true }, async (lock) => {
        if (lock && !scope.registration.installing && !scope.registration.waiting) await caches.delete(other);
      });
    }
  }

  /**
   * A mod's files come from other hosts, hundreds at once. Where a browser knows routes (Chromium since 123) they go past
   * this worker: waking it for each costs every pull a tenth of a core.
   * @param {ExtendableEvent & {addRoutes?: (routes: object) => Promise<void>}} event
   */
  const letOthersPass = (event) =>
    event.addRoutes?.({ condition: { not: { urlPattern: `${home.origin}/*` } }, source: "network" }).catch(() => undefined);

  scope.addEventListener("install", (event) => {
    letOthersPass(event);
    event.waitUntil(install());
  });

  // Pages that came without this worker stay without it: they lack nothing, and even a request that goes past a worker
  // costs Chromium 0.2 ms, a twelfth of a pull from a near origin.

  scope.addEventListener("message", (event) => {
    /** @type {import("./offline.js").ToServiceWorker} */
    const message = event.data;
    if (message.type === "tidy") event.waitUntil(tidy());
    // A page that came past this worker, straight from the network, may be of this build already.
    else if (message.type === "activate" || message.build === SITE.build) event.waitUntil(scope.skipWaiting());
    else /** @type {Client} */ (event.source).postMessage({ type: "waiting" });
  });

  scope.addEventListener("fetch", (event) => {
    const { method, mode, headers, url: address } = event.request;
    if (method !== "GET" || headers.has("range")) return;
    const url = new URL(address);
    if (mode === "navigate") {
      const isPage = url.origin === home.origin && [home.pathname, `${home.pathname}index.html`].includes(url.pathname);
      if (isPage) event.respondWith(file(event, home.href));
    } else if (address === config) event.respondWith(configuration(event));
    else if (!url.search && address.startsWith(`${home.href}assets/`)) event.respondWith(file(event, url.href));
  });
}
