/**
 * What runs in a script's worker before its first line: takes away every way out and builds `api`.
 *
 * The frame's policy already refuses the network, and code out of text; this takes away what the policy can't: workers of
 * text, channels to other tabs, and the worker's own postMessage. Whatever the script does to `Array.prototype` or `JSON`
 * it does to itself. The build puts all of this on one line, so that the script's lines are counted from its own first.
 *
 * The whole blob is `(bootstrap)(function(exports,module){return(function(){` + the script + `}).call(undefined)});`: names
 * that a script declares hide those it is given, and its own variables are no globals.
 */
(() => {
  "use strict";
  const MOST_AT_ONCE = 200;
  const LONGEST = 200_000;
  /** Calls, and characters of them, that may wait for their answers; who makes more is spared nothing but Python the heap. */
  const MOST_WAITING = 4000;
  const LONGEST_WAITING = 2_000_000;
  const KEPT = new Set((
    "Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error"
    + " AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError globalThis self JSON Math"
    + " Intl ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float16Array Float32Array Float64Array"
    + " Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set Iterator WeakMap WeakSet WeakRef Proxy Reflect"
    + " FinalizationRegistry decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN console"
    + " setTimeout clearTimeout queueMicrotask structuredClone TextEncoder TextDecoder URL URLSearchParams crypto performance"
    + " atob btoa DOMException constructor __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__"
    + " hasOwnProperty isPrototypeOf propertyIsEnumerable toString valueOf toLocaleString").split(" "));
  const scope = /** @type {any} */ (globalThis);
  const { Promise, Map, String, Error, queueMicrotask, Reflect, Object } = scope;
  const { stringify, parse } = scope.JSON;
  const listen = scope.addEventListener.bind(scope);
  const answerBeat = scope.postMessage.bind(scope, "beat");
  const realConsole = scope.console;

  for (let holder = scope; holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (KEPT.has(name)) continue;
      if (!Reflect.deleteProperty(holder, name)) {
        try {
          Object.defineProperty(holder, name, { value: undefined, writable: false, configurable: false });
        } catch {
          // Nothing else can be done; what is left is in the frame's policy.
        }
      }
    }
  }
  for (const name of ["createObjectURL", "revokeObjectURL"]) Reflect.deleteProperty(scope.URL, name);
  // Deleting a global of a worker can bring back one that its prototype holds: what is asked for by name stays away.
  for (const name of ("Worker SharedWorker Blob File FileReader FileReaderSync BroadcastChannel MessageChannel MessagePort importScripts"
    + " postMessage close fetch XMLHttpRequest WebSocket EventSource WebTransport RTCPeerConnection caches indexedDB navigator"
    + " location WebAssembly addEventListener onmessage setInterval Notification Request Response").split(" ")) {
    if (scope[name] !== undefined) {
      try {
        Object.defineProperty(scope, name, { value: undefined, writable: false, configurable: false });
      } catch {
        // As above.
      }
    }
  }

  /** @type {MessagePort} */
  let port;
  /** @type {(text: string) => void} */
  let post = () => undefined;
  /** @type {string[]} */
  let queue = [];
  let queued = 0;
  let number = 0;
  /** @type {Map<number, {length: number, resolve?: (value: unknown) => void, reject?: (error: unknown) => void}>} */
  const waiting = new Map();
  let waitingLength = 0;
  /** @type {Map<string, ((detail: unknown) => unknown)[]>} */
  const listeners = new Map();
  let context = { seat: null, variant: null };

  function flush() {
    const calls = queue;
    queue = [];
    queued = 0;
    /** @type {unknown[]} */
    let some = [];
    let length = 0;
    for (const text of calls) {
      if (some.length === MOST_AT_ONCE || length + text.length > LONGEST) {
        post(`[${some.join(",")}]`);
        some = [];
        length = 0;
      }
      some.push(text);
      length += text.length;
    }
    if (some.length) post(`[${some.join(",")}]`);
  }

  /** @param {string} code @param {string} message */
  const refusal = (code, message) => Object.assign(new Error(message), { code });

  // One for all of them: a loop that makes a million calls makes no million errors.
  const tooMany = Promise.reject(refusal("too-many", "Too many calls wait for their answers."));
  tooMany.catch(() => undefined);
  const isFull = () => waiting.size >= MOST_WAITING || waitingLength >= LONGEST_WAITING;

  /** @param {string} method @param {string} given JSON of a list @param {{resolve?: (value: unknown) => void, reject?: (error: unknown) => void}} then */
  function enqueue(method, given, then) {
    const id = ++number;
    const inner = given.slice(1, -1);
    const text = `[${id},${stringify(method)}${inner ? `,${inner}` : ""}]`;
    waiting.set(id, { length: text.length, ...then });
    waitingLength += text.length;
    queue.push(text);
    if (queued++ === 0) queueMicrotask(flush);
  }

  /** @param {string} method @param {unknown[]} given */
  function call(method, given) {
    if (isFull()) return tooMany;
    return new Promise((/** @type {(value: unknown) => void} */ resolve, /** @type {(error: unknown) => void} */ reject) => {
      const text = stringify(given);
      if (text.length > LONGEST / 2) reject(refusal("too-large", `api.${method} was given more than ${LONGEST / 2} characters.`));
      else enqueue(method, text, { resolve, reject });
    });
  }

  /** What nobody waits for; over the credit it is lost. @param {string} kind @param {unknown[]} given */
  function tell(kind, ...given) {
    if (!isFull()) enqueue(kind, stringify(given), {});
  }

  /** Characters on the script's first line that are not its own. */
  let before = 0;

  /**
   * An error with the first place of its stack that is the script's own.
   * @param {any} error @param {{lineno?: number, colno?: number}} [event]
   */
  function report(error, event = {}) {
    const places = [[event.lineno, event.colno]];
    for (const at of String(error?.stack ?? "").matchAll(/blob:[^\s)]*?:(\d+):(\d+)/g)) places.push([Number(at[1]), Number(at[2])]);
    const [line, column] = places.find(([row, place]) => row && (row > 1 || (place ?? 0) > before)) ?? [];
    tell("scriptError", String(error?.message ?? error).slice(0, 1000), line ?? null, column && line === 1 ? column - before : column ?? null);
  }

  /** @param {string} name @param {unknown} detail */
  function dispatch(name, detail) {
    for (const listener of [...(listeners.get(name) ?? [])]) {
      try {
        const done = /** @type {any} */ (listener(detail));
        if (done && typeof done.then === "function") done.then(undefined, report);
      } catch (error) {
        report(error);
      }
    }
  }

  /** @param {string} text */
  function receive(text) {
    const message = parse(text);
    if (message.context) context = message.context;
    for (const [id, ok, value] of message.answers ?? []) {
      const one = waiting.get(id);
      if (!one) continue;
      waiting.delete(id);
      waitingLength -= one.length;
      if (ok) one.resolve?.(value);
      else one.reject?.(refusal(value.code, value.message));
    }
    for (const [name, detail] of message.events ?? []) dispatch(name, detail);
  }

  /** @param {Record<string, string>} methods each with the capability it needs @param {Set<string>} granted */
  function makeApi(methods, granted) {
    /** @type {Record<string, (...given: any[]) => unknown>} */
    const special = {
      log: (text) => void tell("log", typeof text === "string" ? text : stringify(text) ?? String(text)),
      on: (name, listener) => {
        if (typeof listener !== "function") throw refusal("wrong-argument", "api.on takes a function.");
        const key = String(name);
        listeners.set(key, [...(listeners.get(key) ?? []), listener]);
        tell("on", key);
        return () => void listeners.set(key, (listeners.get(key) ?? []).filter((one) => one !== listener));
      },
      getMySeat: () => context.seat,
      getVariant: () => context.variant,
    };
    /** @type {Record<string, unknown>} */
    const api = {};
    for (const [method, capability] of Object.entries(methods)) {
      api[method] = (/** @type {unknown[]} */ ...given) => {
        if (!granted.has(capability)) throw refusal("no-capability", `api.${method} needs the capability ${capability}.`);
        return special[method] ? special[method](...given) : call(method, given);
      };
    }
    return Object.freeze(api);
  }

  for (const level of ["log", "info", "debug", "warn", "error"]) {
    realConsole[level] = (/** @type {unknown[]} */ ...given) =>
      tell("console", level, given.map((one) => {
        if (typeof one === "string") return one;
        try {
          return stringify(one) ?? String(one);
        } catch {
          return String(one);
        }
      }).join(" ").slice(0, 2000));
  }
  listen("error", (/** @type {ErrorEvent} */ event) => {
    event.preventDefault();
    report(event.error ?? event.message, event);
  });
  listen("unhandledrejection", (/** @type {PromiseRejectionEvent} */ event) => {
    event.preventDefault();
    report(event.reason);
  });

  return (/** @type {(exports: any, module: any) => void} */ script) => {
    listen("message", (/** @type {MessageEvent} */ event) => {
      if (event.data === "beat") {
        answerBeat();
        return;
      }
      if (port || event.ports.length !== 1) return;
      port = event.ports[0];
      post = port.postMessage.bind(port);
      const { methods, capabilities, manifest } = event.data;
      before = event.data.before;
      const api = makeApi(methods, new Set(capabilities));
      port.onmessage = ({ data }) => receive(data);
      Object.defineProperty(scope, "api", { value: api, writable: false, configurable: false });
      const module = { exports: /** @type {any} */ ({}) };
      try {
        script(module.exports, module);
        const setup = module.exports?.setup;
        const done = typeof setup === "function" ? setup(api, manifest) : undefined;
        if (done && typeof done.then === "function") done.then(undefined, report);
      } catch (error) {
        report(error);
      }
      tell("started");
    });
  };
})()
