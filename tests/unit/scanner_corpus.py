"""Scripts for the scanner, of our own writing: what must be refused, what must be warned of, and what looks alike.

A sign before a piece of code says what is to be found exactly there: ``§`` unsafe-script, ``¶`` dynamic-plugin-call,
``¤`` obfuscated-script, ``¦`` minified-script. What has no sign must pass in silence.
"""

from __future__ import annotations

from tests.unit.scanner_look_alikes import LOOK_ALIKES

SIGNS = {"§": "unsafe-script", "¶": "dynamic-plugin-call", "¤": "obfuscated-script", "¦": "minified-script"}

CODE_OUT_OF_TEXT = {
    "eval": "§eval('1')",
    "eval through a comma": "(0, §eval)('1')",
    "eval by another name": "const run = §eval;\nrun('1');",
    "eval as a tag": "§eval`1`",
    "eval optionally": "§eval?.('1')",
    "eval deep inside": "exports.setup = (api) => {\n  api.on('onPeerJoined', () => {\n    §eval('1');\n  });\n};",
    "Function": "§Function('return 1')()",
    "new Function": "new §Function('return 1')()",
    "Function through Reflect": "Reflect.construct(§Function, ['return 1'])",
    "Function's prototype": "§Function.prototype.call = 1",
    "the constructor of a method": "[].map.§constructor('return 1')()",
    "the constructor twice": "''.§constructor.§constructor('return 1')()",
    "the constructor of an arrow": "(() => 1).§constructor('return 1')()",
    "the constructor by another name": "const Make = (async () => 1).§constructor;\nMake('return 1')();",
    "the constructor in brackets": "(() => 1)[§'constructor']('return 1')",
    "the constructor in parts": "(() => 1)[§'con' + 'structor']('return 1')",
    "the constructor taken apart": "const { §constructor } = () => 1;",
    "the constructor taken apart under a name": "const { §constructor: Make } = () => 1;",
    "the constructor by a computed key": "const { §['const' + 'ructor']: Make } = () => 1;",
    "the constructor in a parameter": "((({ §constructor: Make }) => Make('return 1'))(() => 1))()",
    "the constructor of a generator": "Object.getPrototypeOf(function* () {}).§constructor('yield 1')",
    "the constructor with call": "(() => 1).§constructor.call(null, 'return 1')",
    "the constructor with new": "const f = () => 1;\nnew f.§constructor('return 1');",
    "the constructor through Reflect": "§Reflect.get(() => 1, 'constructor')('return 1')",
    "the constructor's descriptor": "§Object.getOwnPropertyDescriptor(proto, 'constructor').value('1')",
    "the constructor of a class": "class A {\n  static make = this.§constructor;\n}\nA.make('return 1')();",
    "the constructor in a static method": "class A {\n  static go() {\n    return new this.§constructor('1');\n  }\n}",
    "the constructor of an object's this": "const a = {\n  go() {\n    const Make = this.§constructor;\n  },\n};",
    "the constructor among descriptors": "Object.getOwnPropertyDescriptors(proto).§constructor.value('1')",
    "a text for setTimeout": "§setTimeout('play()', 10)",
    "a template for setTimeout": "§setTimeout(`play(${1})`, 10)",
    "a sum for setTimeout": "const n = Date.now();\n§setTimeout('play(' + n + ')', 10);",
    "a constant for setTimeout": "const code = 'play()';\n§setTimeout(code, 10);",
    "a text for a global's setTimeout": "§globalThis.setTimeout('play()', 10)",
    "setTimeout by another name": "const later = §setTimeout;\nlater('play()');",
    "setTimeout with call": "§setTimeout.call(null, 'play()')",
    "setTimeout with a spread": "§setTimeout(...['play()'])",
    "setInterval": "§setInterval(() => 1, 1000)",
    "a global's setInterval": "self.§setInterval(() => 1, 1000)",
    "a dynamic import": "§import('./other.js')",
    "a dynamic import of data": "exports.setup = async () => {\n  await §import('data:text/javascript,1');\n};",
    "importScripts": "§importScripts('other.js')",
    "WebAssembly": "§WebAssembly.compile(bytes)",
    "with": "§with (Math) { floor(1); }",
    "prepareStackTrace": "Error.§prepareStackTrace = (_, frames) => frames;",
    "a getter looked up": "({}).§__lookupGetter__('x')",
}

GLOBALS = {
    "fetch": "§fetch('https://example.org/')",
    "fetch in a handler": (
        "exports.setup = (api) => {\n  api.on('onPeerJoined', async () => {\n    await §fetch('/x');\n  });\n};"
    ),
    "fetch by an escape": "§¤f\\u0065tch('/x')",
    "fetch by a long escape": "§¤\\u{66}etch('/x')",
    "fetch of the global object": "globalThis.§fetch('/x')",
    "fetch of self": "self.§fetch('/x')",
    "fetch of window": "§window.fetch('/x')",
    "fetch in brackets": "globalThis[§'fetch']('/x')",
    "fetch in parts": "globalThis[§'fe' + 'tch']('/x')",
    "fetch from a template": "globalThis[§`fe${'tch'}`]('/x')",
    "fetch backwards": "self[§'hctef'.split('').reverse().join('')]('/x')",
    "fetch from codes": "globalThis[§String.fromCharCode(102, 101, 116, 99, 104)]('/x')",
    "fetch from base64": "globalThis[§atob('ZmV0Y2g=')]('/x')",
    "fetch from a list": "const words = ['fet', 'ch'];\nglobalThis[§words.join('')]('/x');",
    "fetch by a constant": "const word = 'fetch';\nglobalThis[§word]('/x');",
    "a global by an unknown name": "exports.setup = (api, manifest) => {\n  globalThis[§manifest.name]();\n};",
    "a joined name on anything": "const holder = find();\nholder[§'fe' + 'tch']('/x');",
    "a global object handed on": "Reflect.get(§globalThis, 'fetch')",
    "a global object by another name": "const all = §globalThis;",
    "a global object taken apart": "const { fetch } = §globalThis;",
    "a global object listed": "Object.keys(§self)",
    "a global object in a list": "const [all] = [§globalThis];",
    "this outside of functions": "this.§fetch('/x')",
    "this in an arrow outside": "const go = () => this.§fetch('/x');",
    "this by another name": "const self = this;\nself.§fetch('/x');",
    "this by another name, computed": "const all = this;\nall[§pick()]('/x');",
    "this from a function": "const all = (function () {\n  return §this;\n})();",
    "this from a function without an object": "function all() {\n  return §this;\n}\nall.call();",
    "all names in a loop": "for (const name in §globalThis) {\n}",
    "one of two global objects": "(ready ? §globalThis : null).fetch('/x')",
    "this through a comma": "(0, function () {\n  this.§fetch('/x');\n})();",
    "this in a function called by its name": "function go() {\n  this.§fetch('/x');\n}\ngo();",
    "this given to a wrapper": "(function (root) {\n  root.§fetch('/x');\n})(this);",
    "a choice of globals given to a wrapper": (
        "(function (root) {\n  root.§fetch('/x');\n})(typeof self !== 'undefined' ? self : this);"
    ),
    "a choice of globals, computed inside": (
        "(function (root, key) {\n  root[§key]('/x');\n})(typeof globalThis === 'object' ? globalThis : this, 'f');"
    ),
    "one global object or the other": "(function (root) {\n  root.§WebSocket;\n})(globalThis || self);",
    "this among arguments": "(function (root) {\n  arguments[0].fetch('/x');\n})(§this);",
    "this behind a spread": "(function (a, root) {\n  a.fetch('/x');\n})(...[], §this);",
    "this given to a strange function": "run(typeof self !== 'undefined' ? §self : §this);",
    "this kept for a wrapper": "(function () {\n  this.§WebSocket;\n}).call(this);",
    "this handed on": "console.log(§this);",
    "a frame": "§top.location = '/x'",
    "the parent": "§parent.postMessage(1)",
    "XMLHttpRequest": "const ask = new §XMLHttpRequest();",
    "WebSocket": "new §WebSocket('wss://example.org')",
    "EventSource": "new §EventSource('/x')",
    "WebTransport": "new §WebTransport('https://example.org')",
    "RTCPeerConnection": "new §RTCPeerConnection({ iceServers: [] })",
    "sendBeacon": "§navigator.§sendBeacon('/x')",
    "a font from elsewhere": "new §FontFace('x', 'url(https://example.org)')",
    "a picture": "new §Image().src = 'https://example.org/x.png';",
    "document": "§document.title = 'x';",
    "cookies": "const c = §document.cookie;",
    "location": "§location = 'https://example.org';",
    "location's href": "§location.href = 'https://example.org';",
    "open": "§open('https://example.org')",
    "alert": "§alert('hello')",
    "localStorage": "§localStorage.setItem('a', 'b')",
    "indexedDB": "§indexedDB.open('a')",
    "caches": "await_(§caches.open('a'))",
    "a worker": "new §Worker('x.js')",
    "a shared worker": "new §SharedWorker('x.js')",
    "a blob": "const b = new §Blob(['1']);",
    "an address of a blob": "URL.§createObjectURL(thing)",
    "an address of a blob, taken apart": "const { §createObjectURL } = URL;",
    "postMessage": "§postMessage({ a: 1 })",
    "self.postMessage": "self.§postMessage({ a: 1 })",
    "onmessage": "§onmessage = () => 1;",
    "self.onmessage": "self.§onmessage = () => 1;",
    "addEventListener": "§addEventListener('message', () => 1)",
    "a broadcast": "new §BroadcastChannel('x')",
    "a channel": "new §MessageChannel()",
    "a default that is older than the local": "function go(ask = §fetch('/x')) {\n  var fetch;\n}",
    "a block's name outside of it": "{\n  const fetch = 1;\n}\n§fetch('/x');",
    "a function's name outside of it": "function one() {\n  var fetch = 1;\n}\n§fetch('/x');",
    "a strict block's function outside of it": "'use strict';\n{\n  function fetch() {}\n}\n§fetch('/x');",
    "a catch's name outside of it": "try {\n} catch (fetch) {\n}\n§fetch('/x');",
    "in a template": "const t = `${§fetch('/x')}`;",
    "in a class field": "class A {\n  x = §fetch('/x');\n}",
    "in a default": "const { a = §fetch('/x') } = {};",
    "in a shorthand": "const tools = { §fetch };",
    "behind a comment that excuses it": "// eslint-disable-next-line\n/* scanner: ignore */ §fetch('/x');",
}

UNREADABLE = {
    "not closed": "exports.setup = (api) => {\n  api.log('x');§",
    "a module": "§import x from './x.js';",
    "an export": "const a = 1;\n§export { a };",
    "typescript": "const a§: number = 1;",
    "markup": "§<script>1</script>",
    "a decorator": "§@sealed class A {}",
    "declared twice": "let a = 1;\nlet §a = 2;",
    "a program for a computer": "§#!/usr/bin/env node\n1;",
    "a comment of HTML": "§<!-- hidden\n1;",
    "the end of a comment of HTML": "1;\n§--> hidden",
    "a NUL": "const a = '§\0';",
}

HIDDEN = {
    "text turned round": "const a = 'x';\n/* §\u202e } if (admin) §\u2066 */",
    "a mark of direction": "const a = 'x§\u200f';",
    "a name with a space of no width": "const a§\u200cb = 1;",
    "a space of no width": "const a = 'ad§\u200bmin';",
    "a byte order mark inside": "const a = 'x§\ufeff';",
    "a soft hyphen": "const a = 'ad§\u00admin';",
    "a filler that is a name": "const §\u3164 = 1;",
    "selectors that carry data": "const a = 'x§\ufe01§\U000e0150';",
    "an emoji's style on a letter": "const a = 'x§\ufe0f';",
    "tags": "const a = 'x§\U000e0041§\U000e0042';",
    "a line end nobody sees": "// harmless §\u2028",
    "an escape for terminals": "// §\x1b[2K",
    "a Cyrillic letter": "const §\u0430pi = 1;",
    "a Greek letter": "const §fetch\u03bf = 1;",
    "a wide letter": "const §\uff46etch = 1;",
    "a mathematical letter": "const §\U0001d41fetch = 1;",
    "all letters Cyrillic": "const §\u0440\u0435\u0435\u0440 = 1;\nconst peep = 2;",
    "code far to the right": "api.log('x');" + " " * 150 + "§api.log('y');",
    "code far to the right by tabs": "api.log('x');" + "\t" * 60 + "§api.log('y');",
    "code far below": "api.log('x');" + "\n" * 250 + "§api.log('y');",
}

PLUGINS = {
    "a plugin by a variable": (
        "exports.setup = (api) => {\n  const id = 'cards';\n  api.callPlugin(¶id, 'search', {});\n};"
    ),
    "a function by a variable": "exports.setup = (api) => {\n  api.callPlugin('cards', ¶pick(), {});\n};",
    "a plugin in parts": "api.callPlugin(¶'car' + 'ds', 'search', {});",
    "a plugin from a template": "api.callPlugin(¶`cards-${1}`, 'search', {});",
    "arguments from a list": "api.callPlugin(¶...['cards', 'search']);",
    "a second argument from a list": "api.callPlugin('cards', ¶...rest);",
    "a plugin or another": "api.callPlugin(¶first || 'cards', 'search');",
    "without a function": "api.¶callPlugin('cards');",
    "by another name": "const call = api.¶callPlugin;\ncall('cards', 'search');",
    "taken apart": "const { ¶callPlugin } = api;",
    "taken apart under a name": "const { ¶callPlugin: call, log } = api;",
    "taken apart in a parameter": "exports.setup = ({ log, ¶callPlugin }) => {};",
    "the rest of it": "const { log, ¶...rest } = api;",
    "taken apart by a computed name": "const { ¶[name]: call } = api;",
    "assigned apart": "let call;\n({ ¶callPlugin: call } = api);",
    "with call": "api.¶callPlugin.call(api, 'cards', 'search');",
    "with apply": "api.¶callPlugin.apply(api, ['cards', 'search']);",
    "with bind": "const call = api.¶callPlugin.bind(api, 'cards');",
    "handed on": "run(api.¶callPlugin);",
    "in brackets": "api[¶'callPlugin']('cards', 'search');",
    "by a computed name": "api[¶name]('cards', 'search');",
    "by a computed name of another argument": "exports.setup = (game) => {\n  game[¶name]('cards', 'search');\n};",
    "by a joined name": "const holder = find();\nholder[¶'call' + 'Plugin']('cards', 'search');",
    "api by another name": "const game = ¶api;\ngame.callPlugin(a, b);",
    "api kept in an object": "const tools = { ¶api };",
    "api kept in a class": (
        "class Game {\n  constructor(api) {\n    this.api = ¶api;\n  }\n}\nexports.setup = (api) => new Game(api);"
    ),
    "api given back": "exports.setup = (api) => ¶api;",
    "api handed to a stranger": "exports.setup = (api) => {\n  registry.register(¶api);\n};",
    "api handed to Reflect": "Reflect.get(¶api, name);",
    "api handed to a computed function": (
        "function run(tools, name) {\n  tools[¶name]();\n}\nexports.setup = (api) => run(api, 'log');"
    ),
    "api in a rest": "function run(...tools) {}\nexports.setup = (api) => run(¶api);",
    "api by arguments": "exports.setup = function (api) {\n  ¶arguments[0].callPlugin(a, b);\n};",
    "api by arguments alone": "exports.setup = ¶function () {\n  arguments[0].callPlugin(a, b);\n};",
    "api as a member of globals": "globalThis.¶api.callPlugin(a, b);",
    "setup out of sight": "exports.setup = ¶wrap((api) => 1);",
    "exports out of sight": "Object.assign(¶exports, { setup(a) {} });",
    "setup defined in other words": "Object.defineProperty(¶exports, 'setup', { value: wrap(1) });",
    "setup defined by a computed name": "Object.defineProperty(¶exports, 'set' + 'up', { value: 1 });",
    "setup defined by a getter of no text": "Object.defineProperty(¶exports, `${key}`, { get() {} });",
    "exports for an Object that is none": "const Object = mine;\nObject.defineProperty(¶exports, 'a', {});",
    "setup that is nothing at first": "exports.setup = void 0;\nexports.setup = ¶wrap((api) => 1);",
    "setup of what void runs": "exports.setup = ¶void go();",
    "api spread": "const tools = { ...¶api };",
    "api in a promise": "Promise.resolve(¶api).then((tools) => tools[name]());",
    "api as a default": "function go(tools = ¶api) {}",
    "setup by a computed name": "¶exports['set' + 'up'] = (a) => a[name]();",
    "in setup of module.exports": "module.exports = {\n  setup(game) {\n    game[¶name]();\n  },\n};",
    "in a named setup": "function start(game) {\n  game.callPlugin(¶a, 'search');\n}\nexports.setup = start;",
    "excused by a comment": "// scanner-disable\napi.callPlugin(¶a, 'search'); // trusted",
}

WARNED = {
    "names made by a program": "const ¤_0x1a2b = 1, _0x1a2c = 2, _0x1a2d = 3, _0x1a2e = 4, _0x1a2f = 5;",
    "a text in escapes": "const a = '¤" + "\\x61" * 20 + "';",
    "a packed text": "const a = '¤" + "QUJD" * 300 + "';",
    "a name in escapes": "const ¤\\u0061b = 1;",
    "everything on one line": "¦" + "function a(b){return b?c(b):d(b)}" * 60,
}

_INNOCENT = {
    # Words, not names
    "fetch in a comment": "// fetch the deck, then eval the score\n/* new Function, importScripts, document */\n1;",
    "fetch in a text": 'const help = \'fetch("x") and eval("y")\';',
    "fetch in a template": "const help = `window.fetch ${1} document.cookie`;",
    "fetch in a regex": "const r = /fetch\\(|eval|<!--|-->/;",
    "a key called fetch": "const actions = { fetch: 1, eval: 2, document: 3, constructor: 4 };",
    "a method called fetch": "class Deck {\n  fetch() {\n    return this.open();\n  }\n  open() {}\n}",
    "a call of such a method": "const deck = makeDeck();\ndeck.fetch('ace');\ndeck.open();\ndeck.close();",
    "a member in brackets": "actions['fetch']('ace');\nactions['document'] = 1;",
    "a label called top": "top: for (;;) {\n  break top;\n}",
    "a private name": "class Deck {\n  #fetch = 1;\n  get fetch() {\n    return this.#fetch;\n  }\n}",
    "typeof": "const can = typeof fetch === 'function' || typeof window !== 'undefined';",
    "instanceof Function": "const is = (x) => x instanceof Function;",
    # Names of the script's own
    "a local fetch": "const fetch = (x) => x;\nfetch('ace');",
    "a function fetch": "function fetch(x) {\n  return x;\n}\nfetch('ace');",
    "a function used above": "fetch('ace');\nfunction fetch(x) {\n  return x;\n}",
    "a parameter": "const go = (fetch, document) => fetch(document);",
    "a parameter taken apart": "const go = ({ fetch, location: { top } }) => fetch(top);",
    "a default of a local": "function go(open, close = open) {\n  return close();\n}",
    "a variable history": "var history = [];\nhistory.push(1);",
    "a variable parent": "let parent = null;\nparent = { top: 1 };",
    "an undeclared word": "top = 5;\nscore = top + 1;",
    "a location on the board": "const location = { x: 1 };\nlocation.x = 2;",
    "a class Image": "class Image {}\nnew Image();",
    "a class Node": "class Node {\n  constructor(next) {\n    this.next = next;\n  }\n}\nnew Node(null);",
    "a caught open": "try {\n  go();\n} catch (open) {\n  console.log(open);\n}",
    "a loop's name": "for (const screen of [1, 2]) {\n  console.log(screen);\n}",
    "a named function expression": "const go = function fetch(n) {\n  return n ? fetch(n - 1) : 0;\n};",
    "self for this": (
        "function Deck() {\n  const self = this;\n  self.cards = [];\n  self.fetch = () => self.cards;\n}\nnew Deck();"
    ),
    # this
    "this in a class": (
        "class Deck {\n  draw() {\n    this.fetch(1);\n    this[this.name]();\n    return this;\n  }\n}"
    ),
    "this in an object": (
        "const deck = {\n  fetch() {\n    return this.open();\n  },\n  go: function () {\n    return this;\n  },\n};"
    ),
    "this in a constructor": ("function Deck(size) {\n  this.open = size;\n  return this;\n}\nconst d = new Deck(3);"),
    "this on a prototype": (
        "function Deck() {}\nDeck.prototype.fetch = function () {\n  this.open();\n  return this;\n};"
    ),
    "this in a field": "class Deck {\n  draw = () => this.fetch();\n}",
    "this in a callback": "cards.forEach(function (card) {\n  this.total += card.value;\n}, totals);",
    "a wrapper with call": "(function () {\n  this.counter = 1;\n}).call(this);",
    "a wrapper": "(function () {\n  'use strict';\n  api.log('x');\n})();",
    # constructor
    "one's own class": "class Deck {\n  copy() {\n    return new this.constructor(this.cards);\n  }\n}",
    "one's own class by a name": "class A {\n  copy() {\n    const Own = this.constructor;\n    new Own();\n  }\n}",
    "one's own class, old style": "function A() {}\nA.prototype.copy = function () {\n  new this.constructor();\n};",
    "a class's name": "const nameOf = (x) => x.constructor.name;",
    "a comparison of classes": "const same = a.constructor === b.constructor;",
    "a class put right": "Deck.prototype.constructor = Deck;",
    "super": "class A extends B {\n  constructor(x) {\n    super(x);\n  }\n}",
    # Globals that are harmless
    "a counter kept globally": "globalThis.rounds = (globalThis.rounds || 0) + 1;",
    "harmless globals": "globalThis.Math.floor(1.5);\nself.console.log('x');",
    "is there a global": "const has = 'structuredClone' in globalThis;",
    "what every script uses": (
        "const m = new Map([[1, JSON.stringify({})]]);\nMath.random();\nDate.now();\nObject.keys({});"
    ),
    "waiting": "const wait = (ms) => new Promise((done) => setTimeout(done, ms));",
    "a function for setTimeout": "const t = setTimeout(() => api.log('x'), 10);\nclearTimeout(t);",
    "a function by name for setTimeout": (
        "function turn() {}\nsetTimeout(turn, 10);\nglobalThis.setTimeout(turn, 10);"
    ),
    "an address": "const u = new URL('https://example.org/x?y');\nu.searchParams.get('y');",
    "Reflect": "Reflect.ownKeys({});\nReflect.get(settings, 'colour');\nReflect.has(settings, name);",
    "Math by name": "const rounded = Math[mode](1.5);",
    "members by name": "const hand = hands[seat];\nhand[index].play();\nscores[`${seat}-total`] = 1;",
    "joined keys": "state['seat-' + colour] = 1;\nstate['fetch' + 'ed'] = 1;",
    # Modern syntax
    "modern syntax": (
        "class A {\n  static #n = 0;\n  static {\n    A.#n ??= 1;\n  }\n  async *walk() {\n"
        "    yield* [1n, 2n];\n  }\n}\nconst a = b?.c?.[d] ?? e;"
    ),
    "an async setup": (
        "exports.setup = async (api, manifest) => {\n  api.log(manifest.name);\n"
        "  for await (const x of y()) await x;\n};"
    ),
    "a regex of letters": "const r = /\\p{L}+(?<n>x)(?<=y)/gu;",
    "labels and loops": "outer: for (const a of b) {\n  for (const c in a) {\n    if (!c) continue outer;\n  }\n}",
    "old style": "var i, n = 0;\nfor (i = 0; i < 10; i++) {\n  n += i;\n}\ncount = n;",
    "nothing": "",
    "only a comment": "// nothing yet",
    "windows' line ends": "api.log('a');\r\napi.log('b');\r\n",
    # Text
    "a byte order mark in front": "\ufeffapi.log('x');",
    "emoji": (
        "api.log('\U0001f3b2 \u2764\ufe0f \U0001f468\u200d\U0001f469\u200d\U0001f467 1\ufe0f\u20e3"
        " \U0001f44d\U0001f3fd \u2660\ufe0e');"
    ),
    "flags": "api.log('\U0001f1e9\U0001f1ea \U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f "
    "\U0001f3f3\ufe0f\u200d\U0001f308');",
    "Chinese": "const \u724c\u5806 = ['\u4e00\u70b9'];\napi.log(\u724c\u5806[0]);",
    "Russian": (
        "const \u043a\u0430\u0440\u0442\u0430 = '\u043a\u043e\u0440\u043e\u043b\u044c';\nconst \u043e\u0441\u0430 = 1;"
    ),
    "Persian": "api.log('\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0628\u0627\u0632\u06cc');",
    "Hindi": "api.log('\u0915\u094d\u200d\u0937');",
    "Turkish": "const kap\u0131 = 1, say\u0131lar = [];",
    "French": "const d\u00e9tail = '\u00e9t\u00e9\u00a0!';",
    "Greek in a formula": "const \u0394x = 1, d\u03b8 = 2, \u03c0r2 = 3;",
    "a wide drawing": "const board = `\n#" + " " * 200 + "#\n`;",
    "a wide comment": "/* x" + " " * 200 + "y */\n1;",
    "trailing blanks": "api.log('x');" + " " * 200 + "\napi.log('y');",
    "a table of cards": "const cards = [" + ", ".join(f"'card number {n} of the long deck'" for n in range(80)) + "];",
    "a table of numbers": "const heights = [" + ", ".join(str(n) for n in range(300)) + "];",
    "a short line of code": "".join(f"const f{n}=(a,b)=>{{let c=a;while(c<b)c++;return c}};" for n in range(3))
    + "\napi.log('x');",
    "deep nesting": "const a = " + "[" * 900 + "]" * 900 + ";",
    "a long sum": "const a = " + " + ".join(["1"] * 3000) + ";",
    "a long chain": "deck" + ".add(1)" * 1500 + ";",
    # Plugins
    "a plugin": (
        "exports.setup = async (api) => {\n  const found = await api.callPlugin('cards', 'search', { q: x });\n};"
    ),
    "a plugin from a template without parts": "api.callPlugin(`cards`, `search`, {});",
    "a plugin optionally": "api?.callPlugin?.('cards', 'search');",
    "is there a plugin": (
        "if (api.callPlugin) {\n  api.callPlugin('cards', 'search');\n}\nconst can = typeof api.callPlugin;"
    ),
    "another's callPlugin": "const mine = { callPlugin(id) {} };\nmine.callPlugin(name);",
    "callPlugin in a text": "api.log('use api.callPlugin(id, name)'); // api[name] = callPlugin",
    "parts of api": "exports.setup = ({ log, on }, manifest) => {\n  on('onPeerJoined', log);\n};",
    "parts of api in a constant": (
        "exports.setup = (api) => {\n  const { log, on: listen } = api;\n  listen('x', log);\n};"
    ),
    "a method of api": (
        "exports.setup = (api) => {\n  const log = api.log;\n  const bound = api.log.bind(api);\n"
        "  api.on('x', log);\n};"
    ),
    "api handed to own functions": (
        "function draw(api, text) {\n  api.setUiElement({ id: 'a', props: { text } });\n}\n"
        "const say = (tools) => tools.log('x');\nexports.setup = (api) => {\n  draw(api, 'x');\n  say(api);\n};"
    ),
    "api handed to an own object": (
        "const game = {\n  start(tools) {\n    tools.log('x');\n  },\n};\nexports.setup = (api) => game.start(api);"
    ),
    "api handed to an own class": (
        "class Game {\n  constructor(tools) {\n    tools.log('x');\n  }\n}\nexports.setup = (api) => new Game(api);"
    ),
    "api in a closure": (
        "exports.setup = (api) => {\n  class Game {\n    say() {\n      api.log('x');\n    }\n  }\n"
        "  new Game().say();\n};"
    ),
    "is there an api": "if (typeof api !== 'undefined' && api && api.log) {\n  api.log('x');\n}",
    "the global api": "api.on('onPeerJoined', function (peer) {\n  api.log(peer.name);\n});",
    "another api": (
        "const api2 = { run: 1 };\napi2[name]();\nfunction go() {\n  const api = makeApi();\n  api[name]();\n}"
    ),
    "a setup by name": "function setup(api, manifest) {\n  api.log(manifest.name);\n}\nexports.setup = setup;",
    "a setup in an object": "module.exports = { setup(api) {\n  api.log('x');\n} };",
}

INNOCENT = _INNOCENT | LOOK_ALIKES

REFUSED = {
    f"{title}: {name}": text
    for title, part in (
        ("code", CODE_OUT_OF_TEXT),
        ("globals", GLOBALS),
        ("unreadable", UNREADABLE),
        ("hidden", HIDDEN),
        ("plugins", PLUGINS),
    )
    for name, text in part.items()
}
