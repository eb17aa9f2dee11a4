/**
 * A worker that reads files the page's own thread has no time for: started when it is first asked, ended by
 * {@link Decoder#dispose}.
 *
 * three.js and the decoders it comes with make their workers out of text, at blob: addresses. The page's policy refuses
 * those, as it refuses code made of strings, and it stays that way: the workers here are files of this site, under the
 * same policy as the page. A frame with a policy of its own would have done too, but it is more to serve and more to trust.
 *
 * @typedef {{id: number, value: unknown} | {id: number, fault: string}} Answer
 */

/** A file that is not what its name says, or not whole; the message is for its author. */
export class Unreadable extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "Unreadable";
  }
}

export class Decoder {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  #asked = new Map();
  #nextId = 1;
  #start;

  /** @param {() => Worker} start */
  constructor(start) {
    this.#start = start;
  }

  /**
   * @param {object} task what the worker's `answer` takes
   * @param {Transferable[]} [given] bytes that may leave this thread
   * @returns {Promise<any>} rejects with {@link Unreadable} when the worker can't make anything of it
   */
  ask(task, given = []) {
    const worker = this.#worker ??= this.#begin();
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#asked.set(id, { resolve, reject });
      worker.postMessage({ id, task }, given);
    });
  }

  dispose() {
    this.#fail("The decoder was ended.");
  }

  #begin() {
    const worker = this.#start();
    worker.addEventListener("message", this.#onMessage);
    worker.addEventListener("error", this.#onError);
    return worker;
  }

  /** @type {(event: MessageEvent<Answer>) => void} */
  #onMessage = ({ data }) => {
    const asked = this.#asked.get(data.id);
    this.#asked.delete(data.id);
    if ("fault" in data) asked?.reject(new Unreadable(data.fault));
    else asked?.resolve(data.value);
  };

  /** @type {(event: ErrorEvent) => void} */
  #onError = ({ message }) => this.#fail(message || "The decoder did not load.");

  /** @param {string} why */
  #fail(why) {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#asked.values()) reject(new Unreadable(why));
    this.#asked.clear();
  }
}

/**
 * The worker's half: answers each task with what `answer` makes of it.
 *
 * @template Task
 * @param {(task: Task) => Promise<{value: unknown, given: Transferable[]}>} answer
 */
export function serve(answer) {
  const scope = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (globalThis));
  scope.addEventListener("message", async (/** @type {MessageEvent<{id: number, task: Task}>} */ { data: { id, task } }) => {
    try {
      const { value, given } = await answer(task);
      scope.postMessage(/** @satisfies {Answer} */ ({ id, value }), given);
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      scope.postMessage(/** @satisfies {Answer} */ ({ id, fault }));
    }
  });
}
