/**
 * Puts the static site together: every file that index.html leads to, under a name that carries its content's hash, and
 * the service worker that keeps them all. What only viewer/ and check/ lead to it keeps once it has been used: the viewers of
 * models and textures come with three.js and decoders, more bytes than the page itself, the check of scripts with a parser,
 * and most visits open neither.
 *
 *   node assemble.mjs SOURCE PACKAGES LOCK SNAPSHOT OUT
 *
 * SOURCE is the folder of index.html, PACKAGES the folder of the wheels that LOCK names. Module specifiers, also those of
 * npm packages, become relative URLs, so that the site needs neither import map nor bundler.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { init, parse } from "es-module-lexer";
import { minify_sync } from "terser";

import { fitted } from "./glue.mjs";

const [source, packages, lockFile, snapshot, out] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(import.meta.url);
const modules = resolve(import.meta.dirname, "../node_modules");
const assets = join(out, "assets");

const sha256 = (/** @type {Buffer|string} */ content) => createHash("sha256").update(content).digest();
const stamp = (/** @type {Buffer|string} */ content) => sha256(content).toString("hex").slice(0, 12);

/** @type {Map<string, string>} source path → name in assets/ */
const named = new Map();
/** @type {Map<string, string[]>} name in assets/ → names of what it imports statically */
const importing = new Map();
/** @type {Map<string, Set<string>>} name in assets/ → names of all it leads to */
const leading = new Map();
/** @type {Set<string>} names in assets/ of what runs as a worker, under the policy in its own headers */
const workers = new Set();
/** Folders of what only some visits need, and the wheels that only such a visit installs. */
const SELDOM = ["viewer", "check"].map((name) => join(source, name));
const SELDOM_WHEELS = /^packages\.\w+\/esprima_fork-/;
/** @type {Set<string>} names in assets/ of what lies in those folders */
const viewers = new Set();

/**
 * @param {string} path whose name is kept
 * @param {Buffer|string} content
 */
function write(path, content) {
  const extension = extname(path).replace(".mjs", ".js");
  const name = `${basename(path, extname(path))}.${stamp(content)}${extension}`;
  writeFileSync(join(assets, name), content);
  return name;
}

/**
 * A folder whose name carries the hash of all it holds, for files whose own names are fixed.
 * @param {string} name
 * @param {Record<string, Buffer|string>} content by file name
 */
function writeFolder(name, content) {
  const digest = stamp(Object.entries(content).map(([file, bytes]) => `${file} ${stamp(bytes)}`).sort().join("\n"));
  const folder = `${name}.${digest}`;
  mkdirSync(join(assets, folder));
  for (const [file, bytes] of Object.entries(content)) writeFileSync(join(assets, folder, file), bytes);
  return `./${folder}/`;
}

const withoutMap = (/** @type {string} */ text) => text.replace(/^\/\/# sourceMappingURL=.*$/m, "");

/**
 * A module without comments and with short names. Ours keep those of functions and classes, for whoever reads a stack.
 * @param {string} path
 */
function minified(path) {
  const keep = !path.startsWith(modules);
  const { code } = minify_sync(fitted(path.replaceAll("\\", "/"), withoutMap(readFileSync(path, "utf8"))), {
    module: true, keep_fnames: keep, keep_classnames: keep, format: { comments: /^!|@license|@preserve/ },
  });
  if (!code) throw new Error(`${relative(source, path)} came out empty`);
  return code;
}

/** Modules that are written here, by their names. @type {Record<string, () => string>} */
const written = { "runtime-files.js": runtimeFiles, "sandbox-page.js": sandboxPage };

/** @returns {string} source of the module that tells the runtime where its files are */
function runtimeFiles() {
  const core = join(modules, "pyodide");
  const archive = readFileSync(join(core, "python_stdlib.zip"));
  const image = readFileSync(snapshot);
  const lock = JSON.parse(readFileSync(lockFile, "utf8"));
  const files = {
    config: "../config.json",
    // Some hosts know no type for .mjs, and a module of unknown type is refused.
    pyodide: writeFolder("pyodide", {
      "pyodide.js": withoutMap(readFileSync(join(core, "pyodide.mjs"), "utf8")),
      "pyodide.asm.js": readFileSync(join(core, "pyodide.asm.mjs")),
      "pyodide.asm.wasm": readFileSync(join(core, "pyodide.asm.wasm")),
      "python_stdlib.zip": archive,
    }),
    packages: writeFolder(
      "packages",
      Object.fromEntries(readdirSync(packages).map((name) => [name, readFileSync(join(packages, name))])),
    ),
    snapshot: `./${write("snapshot.bin", image)}`,
    integrity: `sha256-${sha256(image).toString("base64")}`,
    package: "diceytable-peer",
    lock,
    archiveSha256: sha256(archive).toString("hex"),
  };
  return `export const files = ${JSON.stringify(files)};\n`;
}

/**
 * @param {unknown} entry of a package's `exports`
 * @returns {string|undefined}
 */
function conditional(entry) {
  if (typeof entry === "string") return entry;
  if (typeof entry !== "object" || entry === null) return undefined;
  for (const [condition, target] of Object.entries(entry)) {
    if (["browser", "import", "module", "default"].includes(condition)) {
      const found = conditional(target);
      if (found) return found;
    }
  }
  return undefined;
}

/**
 * @param {string|Record<string, unknown>} exports of a package
 * @param {string} subpath
 * @returns {string|undefined}
 */
function exported(exports, subpath) {
  if (typeof exports === "string" || subpath === "." && !("." in exports)) return conditional(exports);
  if (subpath in exports) return conditional(exports[subpath]);
  for (const [pattern, entry] of Object.entries(exports)) {
    const [before, after] = pattern.split("*");
    if (after === undefined || !subpath.startsWith(before) || !subpath.endsWith(after)) continue;
    return conditional(entry)?.replaceAll("*", subpath.slice(before.length, subpath.length - after.length));
  }
  return undefined;
}

/**
 * @param {string} specifier
 * @param {string} importer
 */
function locate(specifier, importer) {
  if (/^\.{0,2}\//.test(specifier)) {
    const path = resolve(dirname(importer), specifier);
    if (!(basename(path) in written) && !(existsSync(path) && statSync(path).isFile())) {
      throw new Error(`${relative(source, importer)} names ${specifier}, and there is no such file`);
    }
    return path;
  }
  const parts = specifier.split("/");
  const name = parts.splice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  const folder = join(modules, name);
  const manifest = require(join(folder, "package.json"));
  const subpath = ["." , ...parts].join("/");
  const target = manifest.exports ? exported(manifest.exports, subpath) : parts.length > 0 ? subpath : manifest.module ?? manifest.main;
  if (!target) throw new Error(`the npm package ${name} offers no ${subpath}`);
  return join(folder, target);
}

/**
 * @param {string} text
 * @param {{from: number, to: number, by: string}[]} changes
 */
function changed(text, changes) {
  return changes.sort((a, b) => b.from - a.from).reduce((all, { from, to, by }) => all.slice(0, from) + by + all.slice(to), text);
}

/**
 * @param {string} path
 * @param {string[]} chain of importers, to name a circle
 * @returns {string} the file's name in assets/
 */
function place(path, chain = []) {
  const known = named.get(path);
  if (known) return known;
  if (chain.includes(path)) {
    throw new Error(`these modules import each other, so none can be named after its content: ${[...chain, path].map((one) => relative(source, one)).join(" → ")}`);
  }
  const name = write(path, content(path, [...chain, path]));
  named.set(path, name);
  importing.set(name, [...(imported.get(path) ?? [])]);
  leading.set(name, led.get(path) ?? new Set());
  if (SELDOM.includes(dirname(path))) viewers.add(name);
  return name;
}

/** @type {Map<string, Set<string>>} source path → names in assets/ of its static imports */
const imported = new Map();
/** @type {Map<string, Set<string>>} source path → names in assets/ of all it names */
const led = new Map();

/**
 * @param {string} path
 * @param {string[]} chain
 * @returns {Buffer|string}
 */
function content(path, chain) {
  const own = written[basename(path)];
  if (own) return own();
  if (/\.m?js$/.test(path)) return script(path, chain);
  if (path.endsWith(".css")) return style(path, chain);
  if (path.endsWith(".webmanifest")) return manifest(path);
  return readFileSync(path);
}

/**
 * @param {string} path
 * @param {string[]} chain
 */
function script(path, chain) {
  const text = minified(path);
  const statics = new Set();
  const all = new Set();
  imported.set(path, statics);
  led.set(path, all);
  /** @type {{from: number, to: number, by: string}[]} */
  const changes = [];
  for (const one of parse(text, path)[0]) {
    if (one.type === "import-meta") {
      const literal = /new URL\(\s*(["'])([^"']+)\1\s*,\s*$/.exec(text.slice(0, one.importStart));
      // Files of npm packages are named like their modules.
      const named = literal && (/^\.{1,2}\//.test(literal[2]) || existsSync(join(modules, literal[2])));
      if (named && /\.\w+$/.test(literal[2])) {
        const from = literal.index + literal[0].indexOf(literal[1]) + 1;
        const name = place(locate(literal[2], path), chain);
        all.add(name);
        if (/\bnew Worker\(\s*$/.test(text.slice(0, literal.index))) workers.add(name);
        changes.push({ from, to: from + literal[2].length, by: `./${name}` });
      }
    } else if (one.specifier !== undefined && !(one.type === "dynamic" && one.glob)) {
      const name = place(locate(one.specifier, path), chain);
      all.add(name);
      if (one.type !== "dynamic") statics.add(name);
      const quoted = /["'`]/.test(text[one.start]);
      changes.push({ from: one.start, to: one.end, by: quoted ? `"./${name}"` : `./${name}` });
    }
  }
  return changed(text, changes);
}

/**
 * @param {string} path
 * @param {string[]} chain
 */
function style(path, chain) {
  const text = readFileSync(path, "utf8").replace(/\/\*[^]*?\*\//g, "");
  return text.replace(/(url\(\s*["']?|@import\s+["'])(?!data:|https?:|#)([^"')]+)/g, (_, before, url) => `${before}./${place(locate(`./${url.replace(/^\.\//, "")}`, path), chain)}`);
}

/**
 * The web app manifest; what it says of the page is relative to itself, and it moves into a folder.
 * @param {string} path
 */
function manifest(path) {
  const values = JSON.parse(readFileSync(path, "utf8"));
  /** @type {{src: string}[]} */
  const icons = values.icons;
  const moved = icons.map((icon) => ({ ...icon, src: `./${place(locate(`./${icon.src}`, path))}` }));
  return JSON.stringify({ ...values, start_url: "../", scope: "../", icons: moved });
}

/** @param {string} name */
function preloads(name, seen = new Set()) {
  for (const next of importing.get(name) ?? []) {
    if (seen.has(next)) continue;
    seen.add(next);
    preloads(next, seen);
  }
  return seen;
}

/** @param {string} path */
function page(path) {
  /** @type {string[]} */
  const scripts = [];
  const text = readFileSync(path, "utf8").replace(/(\s(?:src|href)=")(?![a-z]+:|#|\/\/)([^"]+\.\w+)"/g, (_, before, url) => {
    const name = place(locate(`./${url.replace(/^\.?\//, "")}`, path));
    if (name.endsWith(".js")) scripts.push(name);
    return `${before}assets/${name}"`;
  });
  const links = [...new Set(scripts.flatMap((name) => [...preloads(name)]))];
  return text.replace("</head>", `${links.map((name) => `<link rel="modulepreload" href="assets/${name}">`).join("\n")}\n</head>`);
}

/**
 * The page of the frame that scripts run in. Its one script is pinned by its digest in the frame's headers; it holds, as
 * a text, the first line of every script's worker.
 */
function sandbox() {
  const whole = (/** @type {string} */ name) => {
    const { code } = minify_sync(readFileSync(join(source, "sandbox", name), "utf8"), { compress: false, mangle: true });
    return (code ?? "").replace(/;$/, "");
  };
  const bootstrap = `${whole("bootstrap.js")}(function(exports,module){return(function(){`;
  if (/[\n\r\u2028\u2029]/.test(bootstrap)) throw new Error("bootstrap.js has to come out as one line");
  const text = JSON.stringify(bootstrap).replaceAll("<", "\\u003c");
  const script = `const BOOTSTRAP=${text};${whole("supervisor.js")};`;
  return `<!doctype html>\n<meta charset="utf-8">\n<title>Script</title>\n<script>${script}</script>\n`;
}

/**
 * The page of the frame by an address of its own for each build: it can be kept for good, headers and all. A service worker
 * can't keep it, because what it gives a frame whose origin is opaque nobody asks for.
 */
function sandboxPage() {
  const digest = stamp(sandbox() + readFileSync(join(source, "headers.json"), "utf8"));
  return `export const SANDBOX = "sandbox.html?${digest}";\n`;
}

const integrity = (/** @type {Buffer|string} */ content) => `sha256-${sha256(content).toString("base64")}`;

/**
 * What only viewer/ and check/ lead to.
 * @returns {Set<string>} names in assets/
 */
function onDemand() {
  const reached = (/** @type {Iterable<string>} */ from, /** @type {(name: string) => boolean} */ goes) => {
    const seen = new Set(from);
    for (const name of seen) for (const next of leading.get(name) ?? []) if (goes(next)) seen.add(next);
    return seen;
  };
  // Nobody names what index.html begins with, nor viewers but by way of a page that can do without them.
  const named = new Set([...leading.values()].flatMap((names) => [...names]));
  const first = [...leading.keys()].filter((name) => !named.has(name) && !viewers.has(name));
  const always = reached(first, (name) => !viewers.has(name));
  return new Set([...reached(viewers, () => true)].filter((name) => !always.has(name)));
}

/**
 * Writes index.html and the service worker, both of which know the build by a digest of all that it is made of.
 * @param {string} html
 */
function finish(html) {
  const paths = readdirSync(assets, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
  const demanded = new Set([...onDemand(), ...paths.filter((path) => SELDOM_WHEELS.test(path))]);
  const all = paths.filter((path) => statSync(join(assets, path)).isFile()).sort();
  const proven = (/** @type {string[]} */ some) =>
    Object.fromEntries(some.map((path) => [`assets/${path}`, integrity(readFileSync(join(assets, path)))]));
  const files = proven(all.filter((path) => !demanded.has(path)));
  const later = proven(all.filter((path) => demanded.has(path)));
  const worker = readFileSync(join(source, "service-worker.js"), "utf8");
  const build = stamp(JSON.stringify([files, later, html, worker]));
  const content = html.replace("<html ", `<html data-build="${build}" `);
  // A viewer's workers talk to nobody but this site: what else their headers allow may be out of date.
  const policed = ["./", ...[...workers].filter((name) => !demanded.has(name)).map((name) => `assets/${name}`)];
  const site = { build, files: { "./": integrity(content), ...files }, later, policed };
  writeFileSync(join(out, "index.html"), content);
  writeFileSync(join(out, "sandbox.html"), sandbox());
  writeFileSync(join(out, "service-worker.js"), `const SITE = ${JSON.stringify(site)};\n${worker}`);
}

try {
  await init;
  mkdirSync(assets, { recursive: true });
  const html = page(join(source, "index.html"));
  // The registry's own pages name it; nothing here does.
  place(join(source, "game-page.js"));
  finish(html);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
