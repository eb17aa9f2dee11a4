/**
 * The frames that scripts run in, one for each: made, listened to by beats, and removed. What a script may do is decided in
 * Python, to which it has a port of its own; nothing of what it says passes here.
 */

import { SANDBOX } from "./sandbox-page.js";

/** Milliseconds between two beats, and how many of them a frame may leave unanswered. */
const BEAT = 500;
const PATIENCE = 10;
const PAGE = new URL(SANDBOX, document.baseURI);

/** @typedef {{script: string, source: string, config: unknown}} Start */
/**
 * What becomes of a script, for whoever started it: `port` is Python's end of its line.
 *
 * @typedef {object} Reports
 * @property {(script: string, port: MessagePort) => void} onPort
 * @property {(script: string, error: {message: string, line: number|null, column: number|null}) => void} onError
 * @property {(script: string, reason: string) => void} onEnd
 */

/** Whether the host sends the headers that make the frame a prison; without them no script runs. */
async function isConfined() {
  const response = await fetch(PAGE);
  const policy = response.headers.get("content-security-policy") ?? "";
  const needed = ["sandbox allow-scripts;", "default-src 'none'", "connect-src 'none'", "script-src 'sha256-", "worker-src blob:"];
  return response.ok && needed.every((directive) => policy.includes(directive)) && !/allow-(?!scripts)|'unsafe|\*/.test(policy);
}

export class ScriptFrames {
  /** @type {Map<string, {frame: HTMLIFrameElement, silent: number}>} */
  #frames = new Map();
  /** @type {Promise<string | null> | null} why no frame can be had; null where one can */
  #hindrance = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #beating;

  /** @param {Reports} reports */
  constructor(reports) {
    this.reports = reports;
    addEventListener("message", this.#onMessage);
  }

  get size() {
    return this.#frames.size;
  }

  /** @param {Start} start */
  async start({ script, source, config }) {
    this.stop(script);
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.hidden = true;
    frame.title = script;
    this.#frames.set(script, { frame, silent: 0 });
    this.#hindrance ??= isConfined().then((confined) => (confined ? null : "not-confined"), () => "no-frame");
    const hindrance = await this.#hindrance;
    if (hindrance) {
      this.#hindrance = null;
      this.#end(script, frame, hindrance);
      return;
    }
    if (this.#frames.get(script)?.frame !== frame) return;
    frame.addEventListener("load", () => {
      const { port1, port2 } = new MessageChannel();
      this.reports.onPort(script, port1);
      // The frame's origin is opaque, so no other name for it is to be had; what is sent is no secret.
      frame.contentWindow?.postMessage({ type: "start", source, config }, "*", [port2]);
      this.#beating ??= setInterval(() => this.#beat(), BEAT);
    }, { once: true });
    frame.src = PAGE.href;
    document.body.append(frame);
  }

  /** @param {string} script */
  stop(script) {
    this.#frames.get(script)?.frame.remove();
    this.#frames.delete(script);
    if (this.#frames.size) return;
    clearInterval(this.#beating);
    this.#beating = undefined;
  }

  stopAll() {
    for (const script of [...this.#frames.keys()]) this.stop(script);
  }

  #beat() {
    for (const [script, one] of this.#frames) {
      // A frame that is flooded by its own worker has no turn left to answer: then the frame itself has to go.
      if (one.silent++ >= PATIENCE) this.#end(script, one.frame, "hung");
      else one.frame.contentWindow?.postMessage({ type: "beat" }, "*");
    }
  }

  /** @param {string} script @param {HTMLIFrameElement} frame @param {string} reason */
  #end(script, frame, reason) {
    if (this.#frames.get(script)?.frame !== frame) return;
    this.stop(script);
    this.reports.onEnd(script, reason);
  }

  /** @type {(event: MessageEvent) => void} */
  #onMessage = ({ source, data }) => {
    const found = [...this.#frames].find(([, { frame }]) => frame.contentWindow === source);
    if (!found || source === null) return;
    const [script, one] = found;
    if (data?.type === "alive") one.silent = 0;
    else if (data?.type === "ended") this.#end(script, one.frame, String(data.reason).slice(0, 200));
    else if (data?.type === "error") {
      const { message, line, column } = data;
      this.reports.onError(script, { message: String(message).slice(0, 1000), line: Number(line) || null, column: Number(column) || null });
    }
  };
}
