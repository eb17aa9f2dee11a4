"""Scripts that do no harm and look as if they did: more of them than of the harmful ones in ``scanner_corpus``.

They are what authors of games write: idioms of libraries that are pasted into a script, words of the trade that happen
to be names of the browser, and every place of the grammar where such a word is not a use of that name.
"""

from __future__ import annotations

WORDS = {
    "a comment that quotes an attack": "/* never write eval(atob('...')) or new Function(x) here */\napi.log('ok');",
    "a comment in the middle of a call": "api.log(/* fetch('/x') */ 'ok' /* , document.cookie */);",
    "a licence": "/*! jquery-like v1.0 | (c) window.document.location | importScripts */\nvar n = 1;",
    "an address in a comment": "// see https://example.org/?eval(1)#<!--\napi.log('ok');",
    "less than and decrement": "let n = 3;\nwhile (0 < n--) api.log(n);\nconst b = n < !--n;",
    "decrement and greater than": "let x = 5;\nwhile (x --> 0) api.log(x);",
    "markup in a text": "const card = '<!-- face --> <script src=\"x.js\"></script>';",
    "markup in a template over lines": "const card = `\n<!-- face\n--> ${1}\n<b>`;",
    "rules in a text": "const rules = 'Each player may import one card, open a window, or eval their hand.';",
    "a message with a global in it": "throw new Error('window is not defined; document.location is missing');",
    "directives of others": "'use asm-like';\n'eval(1)';\napi.log('ok');",
    "a text continued on the next line": "const t = 'new Func\\\ntion(fetch)';",
    "an escaped text": "const t = '\\x66etch \\u0065val';",
    "a raw template": "const t = String.raw`\\u0066etch(${1})`;",
    "a regex of code": "const code = /\\b(?:eval|Function|importScripts)\\s*\\(/gu;",
    "a regex with a class of slashes": "const r = /[/fetch('x')]/.test('/');\napi.log(r);",
    "a regex after a keyword": "function has(t) {\n  return /document\\.cookie/.test(t);\n}",
    "a division that looks like a regex": "const a = 8, fetchable = 2, g = 1;\nconst b = a /fetchable/ g;",
    "a regex with names": (
        "const m = /(?<fetch>\\d+)-(?<eval>\\d+)/.exec('1-2');\napi.log(m.groups.fetch, m.groups.eval);"
    ),
    "a switch over words": "switch (word) {\n  case 'fetch': api.log(1); break;\n  case 'eval': api.log(2);\n}",
    "a set of forbidden words": "const bad = new Set(['eval', 'Function', 'constructor', '__proto__', 'fetch']);",
    "a map by words": "const m = new Map([['document', 1], ['window', 2]]);\nm.get('document');",
    "a symbol's description": "const token = Symbol('fetch');\nconst all = Symbol.for('document');",
    "a pattern for replace": "const clean = text.replace('constructor', 'builder').split('import(');",
    "a comparison with a word": "if (kind === 'eval' || kind === 'Function') api.log(kind);",
    "words in many languages": "const t = ['holen', 'chercher', '\u53d6\u5f97', 'fetch'].join(', ');",
}

MEMBERS = {
    "methods named as globals": "deck.fetch(1);\ndeck.eval(2);\nboard.open(3);\nboard.postMessage(4);\nqueue.close();",
    "a promise's import": "loader.import('cards').then((cards) => cards.length);",
    "members of members": "game.window.document.location.top = 1;",
    "optional members": "game?.fetch?.('ace')?.document?.[0];",
    "members in brackets, written out": "game['eval']('x');\ngame['setInterval'](1);",
    "a template as a member": "game[`fetch`]('x');",
    "keys in quotes": "const o = { 'fetch': 1, \"eval\": 2, 'import': 3, 'api': 4 };",
    "keys by number and by symbol": "const o = { 1: 'a', [Symbol.iterator]: null, ['x' + 1]: 2 };",
    "a key called constructor": "const roles = { constructor: 'builds', window: 'glass', Worker: 'digs' };",
    "getters and setters": (
        "const o = {\n  get fetch() { return 1; },\n  set document(v) { this.x = v; },\n};\no.document = 1;"
    ),
    "static members": "class Deck {\n  static fetch = 1;\n  static eval() { return Deck.fetch; }\n}\nDeck.eval();",
    "private members": (
        "class Deck {\n  #document = 1;\n  #eval() { return this.#document; }\n  go() { return #eval in this; }\n}"
    ),
    "a private method that fetches": "class Deck {\n  #fetch(n) { return n; }\n  top(n) { return this.#fetch(n); }\n}",
    "class members by a known name": "class Deck {\n  ['fetch']() { return 1; }\n  static ['window'] = 2;\n}",
    "async and generator methods": (
        "class Deck {\n  async fetch() {}\n  *open() { yield 1; }\n  async *eval() { yield 2; }\n}"
    ),
    "a class called Worker": "class Worker {\n  dig() { return 1; }\n}\nnew Worker().dig();",
    "a class expression with a name": (
        "const Placer = class Worker {\n  again() { return new Worker(); }\n};\nnew Placer();"
    ),
    "a class that extends a local": (
        "class Blob {}\nclass Slime extends Blob {\n  constructor() { super(); this.open = 1; }\n}"
    ),
    "super's methods": (
        "class A { fetch() { return 1; } }\nclass B extends A {\n"
        "  fetch() { return super.fetch() + super['fetch'](); }\n}"
    ),
    "new.target": "class Shape {\n  constructor() { if (new.target === Shape) throw new TypeError('abstract'); }\n}",
    "constructor's name in a message": "api.log(thing.constructor.name, thing?.constructor?.name);",
    "is it a plain object": "const plain = (x) => x && x.constructor === Object;",
    "is it of the same class": "class P { eq(o) { return o.constructor === this.constructor; } }",
    "statics through the class": "class Deck { static size = 3; half() { return this.constructor.size / 2; } }",
    "a deep read of a setting": "const pick = (o, path) => path.split('.').reduce((at, key) => at?.[key], o);",
    "a member by a parameter": "const by = (key) => (a, b) => a[key] - b[key];\nhands.sort(by('value'));",
    "a table of handlers": "const on = { fetch() {}, open() {} };\non[event.kind]?.(event);",
    "a computed state": "state[`${seat}:${'fetch'}`] = true;\nstate['con' + seat] = 1;",
    "own methods bound": (
        "class Deck { constructor() { this.fetch = this.fetch.bind(this); } fetch() { return this; } }\nnew Deck();"
    ),
    "call and apply": "const slice = Array.prototype.slice;\nslice.call(cards, 1);\nMath.max.apply(null, scores);",
    "has its own": "const own = (o, k) => Object.prototype.hasOwnProperty.call(o, k);",
    "what kind it is": "const kind = (x) => Object.prototype.toString.call(x).slice(8, -1);",
    "a property that is defined": "Object.defineProperty(deck, 'fetch', { value: 1, enumerable: false });",
    "a frozen table": "const KINDS = Object.freeze({ __proto__: null, document: 'doc', image: 'img' });",
}

NAMES = {
    "a parameter called document": "const title = (document) => document.title;",
    "a parameter with a default": "function show(window = { width: 3 }, open = window.width) {\n  return open;\n}",
    "parameters of a method": "const o = { draw(fetch, ...open) { return fetch(open); } };",
    "parameters of a setter": "const o = { set top(parent) { this.x = parent.top; } };",
    "taken apart in a loop": "for (const { fetch, open: close } of decks) fetch(close);",
    "taken apart from a list": "const [fetch, , open = fetch, ...close] = tools;\nfetch(open, close);",
    "taken apart in a catch": "try { go(); } catch ({ message, name: open }) { api.log(message, open); }",
    "taken apart deep inside": "const { a: { b: [{ fetch }] } } = tree;\nfetch(1);",
    "assigned apart": "let open, close;\n({ open, close = 2 } = gate);\n[open, close] = [close, open];",
    "a variable above its declaration": "function go() {\n  fetch = 1;\n  return fetch;\n  var fetch;\n}",
    "a variable of a loop": "for (var top = 0; top < 3; top++) {\n}\napi.log(top);",
    "a let of a switch": "switch (n) {\n  case 1:\n    let open = 2;\n    api.log(open);\n}",
    "a function in a block": "{\n  function fetch(x) { return x; }\n  fetch(1);\n}",
    "a function after its use in a function": (
        "function a() { return fetch(1); }\nfunction fetch(n) { return n; }\na();"
    ),
    "a closure's variable": "const make = () => { let location = 0; return () => ++location; };\nmake()();",
    "a generator called open": "function* open() { yield 1; }\nfor (const x of open()) api.log(x);",
    "an async function called fetch": "async function fetch(n) { return n; }\nfetch(1).then((n) => api.log(n));",
    "an arrow called alert": "const alert = (text) => api.log(text);\nalert('your turn');",
    "a class Element with a static block": "class Element {\n  static all = [];\n  static { Element.all.push(1); }\n}",
    "a class called Node that extends": "class Node {}\nclass Leaf extends Node {}\nnew Leaf();",
    "the game's history": "const history = [];\nhistory.push({ move: 1 });\nhistory.length = 0;",
    "the screen of a ship": "let screen = 'starboard';\nscreen += '!';\napi.log(screen);",
    "a local named self": (
        "exports.setup = (api) => {\n  const self = { open: 1 };\n  api.log(self.open, self['x']);\n};"
    ),
    "a local named globalThis": "function go(globalThis) {\n  return globalThis.fetch;\n}",
    "a local named window": "(function (window) {\n  window.deck = [];\n  return window;\n})({});",
    "a local named Function": "const Function = { of: (x) => x };\nFunction.of(1);",
    "a local named eval in an old function": "function run(eval) {\n  return eval(1);\n}",
    "a label called fetch": "fetch: for (const a of b) {\n  for (;;) continue fetch;\n}",
    "a label called api": "api: {\n  if (done) break api;\n}",
    "an undeclared counter": "rounds = 0;\nrounds++;\nname = 'x';",
    "names with dollars": "const $fetch = 1, _eval = 2, fetch$ = 3, eval2 = 4;",
    "names that begin alike": (
        "const fetched = [], windowed = 1, documents = 2, importer = 3, evaluate = (x) => x;\nevaluate(fetched);"
    ),
    "names that end alike": (
        "prefetch(1);\nreopen(2);\nmyWindow.go();\nfunction prefetch() {}\nfunction reopen() {}\nvar myWindow = {};"
    ),
    "arguments of one's own": "function sum() {\n  return [].slice.call(arguments).length;\n}\nsum(1, 2);",
    "async and of as names": "const async = 1, of = 2, get = 3, set = 4, let_ = 5;\napi.log(async + of + get + set);",
}

IDIOMS = {
    "a UMD header": (
        "(function (root, factory) {\n  if (typeof define === 'function' && define.amd) define([], factory);\n"
        "  else if (typeof module === 'object' && module.exports) module.exports = factory();\n"
        "  else root.Dice = factory();\n})(typeof self !== 'undefined' ? self : this, function () {\n  return {};\n});"
    ),
    "is there a window": "const inPage = typeof window !== 'undefined' && typeof document !== 'undefined';",
    "is there a global": "if (typeof globalThis === 'object' && 'crypto' in globalThis) api.log('modern');",
    "is there a process": "const onNode = typeof process !== 'undefined' && process.versions && process.versions.node;",
    "is there a fetch": "const online = typeof fetch === 'function' ? 'maybe' : 'no';",
    "a name kept for all scripts": (
        "globalThis.Tidewater = globalThis.Tidewater || {};\nglobalThis.Tidewater.rounds = 1;"
    ),
    "a class by prototype": (
        "function Deck(cards) {\n  if (!(this instanceof Deck)) return new Deck(cards);\n  this.cards = cards;\n}\n"
        "Deck.prototype = {\n  constructor: Deck,\n  open: function () { return this.cards; },\n};\nnew Deck([]);"
    ),
    "inheritance, old style": (
        "function A() {}\nfunction B() { A.call(this); }\nB.prototype = Object.create(A.prototype);\n"
        "B.prototype.constructor = B;\nnew B();"
    ),
    "a mixin": "const Open = (Base) => class extends Base {\n  open() { return super.open?.(); }\n};",
    "a module pattern": (
        "var Game = (function () {\n  var fetch = 0;\n  return { fetch: function () { return fetch++; } };\n})();"
    ),
    "an emitter": (
        "class Emitter {\n  #on = new Map();\n  addEventListener(k, f) { this.#on.set(k, f); }\n"
        "  dispatchEvent(k, v) { this.#on.get(k)?.(v); }\n}\nconst e = new Emitter();\n"
        "e.addEventListener('open', (v) => api.log(v));\ne.dispatchEvent('open', 1);"
    ),
    "a state machine": (
        "const next = { idle: 'open', open: 'close', close: 'idle' };\nlet now = 'idle';\nnow = next[now];"
    ),
    "memory of answers": "const memo = (f, seen = {}) => (n) => (n in seen ? seen[n] : (seen[n] = f(n)));",
    "a seeded random": (
        "function rng(a) {\n  return () => { a |= 0; a = (a + 0x6d2b79f5) | 0; return (a >>> 0) / 4294967296; };\n}"
    ),
    "a shuffle": (
        "const shuffle = (a) => { for (let i = a.length; i--; ) { const j = 0 | (Math.random() * i); [a[i], a[j]] "
        "= [a[j], a[i]]; } };"
    ),
    "a debounce": (
        "const later = (f, ms) => { let t; return (...a) => { clearTimeout(t); t = setTimeout(() => f(...a), ms); }; };"
    ),
    "a poll": "const poll = async () => { api.log('tick'); setTimeout(poll, 1000); };\npoll();",
    "setTimeout with arguments": "setTimeout((a, b) => api.log(a + b), 10, 'fetch', 'eval');",
    "setTimeout with a method": "setTimeout(deck.open, 10);\nsetTimeout(handlers[0], 10);\nsetTimeout(make(), 10);",
    "setTimeout with a bound function": (
        "setTimeout(deck.open.bind(deck), 10);\nsetTimeout(function () {}.bind(null), 1);"
    ),
    "a deep copy": "const copy = structuredClone({ a: [1] });\nconst other = JSON.parse(JSON.stringify(copy));",
    "a currying": "const curry = (f) => (...a) => (a.length >= f.length ? f(...a) : curry(f.bind(null, ...a)));",
    "an error of one's own": (
        "class RuleError extends Error {\n  constructor(m) { super(m); this.name = this.constructor.name; }\n}"
    ),
    "a stack that is read": "try { go(); } catch (e) { api.log(e.stack.split('\\n')[0]); }",
    "a tagged template": (
        "const html = (parts, ...v) => parts.reduce((a, p, i) => a + v[i - 1] + p);\nhtml`<b>${'fetch'}</b>`;"
    ),
    "a method as a tag": "const t = { eval: (s) => s.raw[0] };\nt.eval`document.cookie`;",
    "a generator that is driven": (
        "function* turns() { while (true) { const move = yield 'open'; if (move === 'import') return; } }\n"
        "const t = turns();\nt.next();\nt.return();"
    ),
    "a proxy of one's own": (
        "const seen = new Proxy({}, { get: (o, k) => (k in o ? o[k] : 0), has: () => true });\nseen.x;"
    ),
    "a reflected call": "Reflect.apply(Math.max, null, scores);\nReflect.get(o, key);\nReflect.construct(Map, [[]]);",
    "a reading of all entries": (
        "for (const [k, v] of Object.entries(Object.getOwnPropertyDescriptors(o))) api.log(k, v);"
    ),
    "dates and numbers": "new Intl.DateTimeFormat('en').format(new Date(0));\nnew Intl.NumberFormat('de').format(1e6);",
    "bytes": "const b = new Uint8Array(4);\nnew DataView(b.buffer).setUint32(0, 7);\nnew TextEncoder().encode('x');",
    "base64 of a seed": "const seed = btoa('round-1');\nconst back = atob(seed);\napi.log(back);",
    "an address that is taken apart": "const { searchParams, origin } = new URL(card.url);\nsearchParams.get('id');",
    "a promise of many": "Promise.all([api.getObject('a'), api.getObject('b')]).then(([a, b]) => api.log(a, b));",
    "a weak reference": "const held = new WeakMap(), seen = new WeakSet();\nheld.set(o, 1);\nseen.add(o);",
    "a comma and a void": "var a = (0, Math.floor)(1.5), b = void 0;\nfor (var i = 0, n = 3; i < n; i++, a++);",
    "a function called at once in many ways": (
        "!function () { api.log(1); }();\n+(() => api.log(2))();\nnew (class { x = 1; })();"
    ),
    "minified and short": (
        "var D=function(){function t(t){this.c=t}return t.prototype.fetch=function(){return "
        "this.c.pop()},t}();new D([]);"
    ),
    "compiled classes": (
        "var __extends = (function () {\n  var s = function (d, b) { s = Object.setPrototypeOf; return s(d, b); };\n"
        "  return function (d, b) { s(d, b); function f() { this.constructor = d; } f.prototype = b.prototype;\n"
        "    d.prototype = new f(); };\n})();"
    ),
    "compiled this": (
        "function Deck() {\n  var _this = this;\n  this.open = function () { return _this.fetch; };\n}\nnew Deck();"
    ),
    "compiled spread": "var all = [].concat.apply([], [a, b]);\nvar o = Object.assign({}, a, { fetch: 1 });",
    "compiled exports": (
        "Object.defineProperty(exports, '__esModule', { value: true });\nexports.setup = void 0;\n"
        "exports.setup = function (api) { api.log('x'); };"
    ),
    "compiled exports, in one go": (
        "exports.__esModule = true;\nexports.a = exports.setup = void 0;\n"
        "var setup = function (api) { api.log('x'); };\nexports.setup = setup;"
    ),
    "compiled waiting": (
        "var __awaiter = (this && this.__awaiter) || function (thisArg, _arguments, P, generator) {\n"
        "  return new (P || (P = Promise))(function (resolve) { resolve(generator.apply(thisArg, _arguments || "
        "[])); });\n"
        "};"
    ),
    "compiled enumerations": "var Kind;\n(function (Kind) { Kind[Kind['open'] = 0] = 'open'; })(Kind || (Kind = {}));",
    "what kind, compiled": (
        "function _typeof(o) { return o && typeof Symbol === 'function' && o.constructor === Symbol ? 'symbol' : "
        "typeof o; }"
    ),
    "a wrapper for whichever global there is": (
        "(function (root) {\n  root.Tidewater = { rounds: 0 };\n})(typeof globalThis === 'object' ? globalThis : self);"
    ),
    "a comment for a map": "api.log('x');\n//# sourceURL=main.js\n//# sourceMappingURL=main.js.map",
}

TEXT = {
    "emoji as keys": "const faces = { '\U0001f3b2': 1, '\u2665\ufe0f': 2 };\napi.log(faces['\U0001f3b2']);",
    "names in Greek": "const \u03b1 = 1, \u03b2\u03b7\u03c4\u03b1 = 2;\napi.log(\u03b1 + \u03b2\u03b7\u03c4\u03b1);",
    "names in Hebrew": "const \u05e7\u05dc\u05e3 = 1;\napi.log(\u05e7\u05dc\u05e3);",
    "names in Japanese and Korean": (
        "const \u30ab\u30fc\u30c9 = 1, \uce74\ub4dc = 2;\napi.log(\u30ab\u30fc\u30c9 + \uce74\ub4dc);"
    ),
    "an accent made of two": "const de\u0301tail = 1;\napi.log(de\u0301tail, 'cafe\u0301');",
    "Arabic in a text": "api.log('\u0627\u0644\u0648\u0631\u0642\u0629 (fetch) \u0661');",
    "Thai in a text": "api.log('\u0e44\u0e1e\u0e48\u0e43\u0e1a\u0e19\u0e35\u0e49');",
    "blanks of typography": "api.log('10\u00a0000\u202fpoints \u2013 a\u2009thin one \u3000 wide');",
    "tabs": "function a() {\n\t\t\t\tif (b) {\n\t\t\t\t\t\tapi.log('x');\n\t\t\t\t}\n}",
    "brackets in a text": "const t = '" + "([{" * 600 + "';\nconst r = /[(]+/;",
    "brackets in a comment": "/* " + "(((" * 600 + " */\nconst t = `" + "[[[" * 600 + "`;",
    "a wide table in columns": "const t = [\n  ['ace',      1],\n  ['king',    13],\n];\nconst u =        2;",
    "the line ends of old": "api.log('a');\rapi.log('b');\r",
    "box drawing": "api.log('\u2554\u2550\u2557\\n\u2551 \u2551\\n\u255a\u2550\u255d');",
    "dice faces and suits": "const d = '\u2680\u2681\u2682\u2683\u2684\u2685', s = '\u2660\u2665\u2666\u2663';",
    "a long comment": "// " + "a rule that goes on and on, " * 60 + "\napi.log('x');",
    "a hash": "const art = 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90';",
    "a colour in escapes": "const t = '\\u2660\\u2665\\u2666\\u2663';\nconst esc = '\\x41\\x42';",
}

API = {
    "a plugin by names in each call": (
        "exports.setup = async (api) => {\n"
        "  for (const q of ['a', 'b']) await api.callPlugin('cards', 'search', { q });\n};"
    ),
    "a plugin's answer taken apart": (
        "exports.setup = async (api) => {\n"
        "  const { ok, data, reason } = await api.callPlugin('cards', 'search', { [key]: value, ...more });\n};"
    ),
    "a plugin called from an own function": (
        "const search = (api, q) => api.callPlugin('cards', 'search', { q });\n"
        "exports.setup = (api) => search(api, 'x');"
    ),
    "a handler by a variable": (
        "exports.setup = (api) => {\n  for (const name of hooks) api.on(name, () => api.log(name));\n};"
    ),
    "an element by a variable": "api.setUiElement({ id, type: 'button', props: { label: 'fetch', onPress: hook } });",
    "a member of an answer": "api.listObjects({}).then((all) => all.map((one) => one[field]));",
    "an object with an api of its own": "const robot = { api: { log() {} } };\nrobot.api[verb]?.();\nrobot.api.log();",
    "a key called api": "const versions = { api: 1, callPlugin: 2 };\napi.log(versions.api, versions['callPlugin']);",
    "callPlugin of a class of its own": (
        "class Bus { callPlugin(a, b) { return [a, b]; } }\nnew Bus().callPlugin(x, y);"
    ),
    "an own parameter called callPlugin": "const wrap = (callPlugin) => callPlugin(1);\nwrap((n) => n);",
    "setup as an async method": (
        "exports.setup = async function setup(api, { name, version }) {\n  api.log(name + version);\n};"
    ),
    "setup with a default": "exports.setup = (api, manifest = {}) => api.log(manifest.name);",
    "api compared": (
        "exports.setup = (api) => {\n  if (!api || api === null || api == undefined) return;\n  api.log('x');\n};"
    ),
    "api handed down two steps": (
        "function two(a) { a.log('x'); }\nfunction one(b) { two(b); }\nexports.setup = (api) => one(api);"
    ),
    "listeners that use api": (
        "exports.setup = (api) => {\n  const say = (text) => api.log(text);\n"
        "  api.on('onZoneEnter', ({ zone }) => say(zone));\n"
        "  return () => say('over');\n};"
    ),
    "a message with any name": "exports.setup = (api) => {\n  api.sendToHost(kind, { fetch: 1, eval: [2] });\n};",
}

LOOK_ALIKES = {
    f"{title}: {name}": text
    for title, part in (
        ("words", WORDS),
        ("members", MEMBERS),
        ("names", NAMES),
        ("idioms", IDIOMS),
        ("text", TEXT),
        ("api", API),
    )
    for name, text in part.items()
}
