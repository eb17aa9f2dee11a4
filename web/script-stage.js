/**
 * The page's part in running scripts: their frames, what they have put on the screen, and what they say to their author.
 *
 * @import {FromWorker, ScriptElement, ScriptNews, ScriptNote} from "./messages.js"
 * @import {Peer} from "./peer.js"
 */
import { render } from "lit-html";

import { ScriptFrames } from "./script-frames.js";
import { scriptNotes, scriptUi } from "./views/script-ui.js";

const MOST_NOTES = 200;

export class ScriptStage {
  /** @type {ScriptElement[]} */
  #elements = [];
  /** @type {ScriptNote[]} */
  #notes = [];
  #drawing = false;
  #place = document.createElement("div");
  #panel = document.createElement("div");

  /**
   * @param {Peer} peer
   * @param {(news: ScriptNews, transfer: Transferable[]) => void} send to the worker
   */
  constructor(peer, send) {
    this.peer = peer;
    this.frames = new ScriptFrames({
      onPort: (script, port) => send({ type: "script-line", script }, [port]),
      onError: (script, error) => send({ type: "script-error", script, ...error }, []),
      onEnd: (script, reason) => send({ type: "script-ended", script, reason }, []),
    });
    this.#place.className = "script-ui";
    this.#panel.className = "script-notes";
    document.body.append(this.#place, this.#panel);
  }

  /** @param {FromWorker} message */
  take(message) {
    if (message.type === "script") {
      void this.frames.start({ script: message.script, source: message.source, config: JSON.parse(message.json) });
    } else if (message.type === "script-stop") this.frames.stop(message.script);
    else if (message.type === "script-ui") this.#elements = JSON.parse(message.json);
    else if (message.type === "script-note") this.#notes = [...this.#notes, JSON.parse(message.json)].slice(-MOST_NOTES);
    this.#draw();
  }

  /** No table, no scripts. */
  clear() {
    this.frames.stopAll();
    this.#elements = [];
    this.#notes = [];
    this.#draw();
  }

  /** At most once a frame, whatever scripts do. */
  #draw() {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      render(scriptUi(this.#elements, (script, element, hook, value) => void this.peer.press(script, element, hook, value)), this.#place);
      render(scriptNotes(this.#notes), this.#panel);
    });
  }
}
