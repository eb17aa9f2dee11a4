/* Workbox precaching as its documentation shows it; the list is handed over in a cache. */
importScripts("./workbox-core.js", "./workbox-routing.js", "./workbox-strategies.js", "./workbox-precaching.js");

self.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const urls = await (await caches.match("/bench/list")).json();
      const controller = new workbox.precaching.PrecacheController();
      controller.addToCacheList(urls.map((url) => ({ url, revision: null })));
      await controller.install(event);
    })(),
  );
});
