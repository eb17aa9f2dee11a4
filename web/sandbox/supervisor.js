/**
 * The only script that the page of the frame may run: the frame's policy names its digest. It starts the mod's script in a
 * worker, passes the page's beats on to it, and ends it when it answers no more. A loop in a frame freezes whoever shares
 * its thread, in Firefox the page itself; a loop in a worker is ended without anybody noticing.
 *
 * BOOTSTRAP, the worker's first lines, stands before this in the frame's page.
 */
(() => {
  "use strict";
  /** Beats of the page a worker may leave unanswered. */
  const PATIENCE = 6;
  /** The first line of the script stands right behind BOOTSTRAP, so that its lines keep their numbers. */
  const END = "\n}).call(undefined)});";
  const page = globalThis.parent;
  /** @type {Worker | null} */
  let worker = null;
  let unanswered = 0;

  /** @param {{type: string} & Record<string, unknown>} message */
  const tell = (message) => page.postMessage(message, "*");

  /** @param {string} reason */
  function end(reason) {
    worker?.terminate();
    worker = null;
    tell({ type: "ended", reason });
  }

  /** @param {{source: string, config: object}} script @param {readonly MessagePort[]} ports */
  function start({ source, config }, ports) {
    const url = URL.createObjectURL(new Blob([BOOTSTRAP, source, END], { type: "text/javascript" }));
    try {
      worker = new Worker(url);
    } catch (error) {
      end(String(error));
      return;
    }
    worker.addEventListener("message", () => void (unanswered = 0));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      tell({ type: "error", message: event.message ?? "The script could not be started.", line: event.lineno, column: event.colno });
    });
    worker.postMessage({ ...config, before: BOOTSTRAP.length }, [...ports]);
  }

  addEventListener("message", ({ source, data, ports }) => {
    // Sibling frames can post here too, and every one of them has the origin "null".
    if (source !== page) return;
    if (data?.type === "start" && worker === null && ports.length === 1) start(data, ports);
    else if (data?.type === "beat") {
      tell({ type: "alive" });
      if (worker === null) return;
      if (unanswered++ >= PATIENCE) end("hung");
      else worker.postMessage("beat");
    }
  });
})();
