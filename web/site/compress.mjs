/**
 * Puts a `.br` and a `.gz` beside each file of a site that gets smaller by it, at the strongest setting.
 *
 *   node compress.mjs SITE CACHE
 *
 * CACHE keeps the outcome by content: the snapshot alone takes half a minute.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const [site, cache] = process.argv.slice(2).map((path) => resolve(path));
const kinds = [".bin", ".css", ".html", ".js", ".json", ".svg", ".txt", ".wasm", ".webmanifest"];
/** Bytes below which a header costs more than is saved. */
const smallest = 512;

/** @type {Record<string, (content: Buffer) => Promise<Buffer>>} */
const encodings = {
  br: (content) =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gz: (content) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
};

mkdirSync(cache, { recursive: true });
const files = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((path) => kinds.includes(extname(path)));
await Promise.all(
  files.flatMap((path) => {
    const content = readFileSync(join(site, path));
    if (content.length < smallest) return [];
    const digest = createHash("sha256").update(content).digest("hex");
    return Object.entries(encodings).map(async ([suffix, encode]) => {
      const kept = join(cache, `${digest}.${suffix}`);
      if (!existsSync(kept)) {
        // Two files may have the same content, and be at it at the same time.
        const part = `${kept}.${randomUUID()}`;
        writeFileSync(part, await encode(content));
        renameSync(part, kept);
        process.stdout.write(`${path}.${suffix}\n`);
      }
      const small = readFileSync(kept);
      if (small.length < content.length) writeFileSync(join(site, `${path}.${suffix}`), small);
    });
  }),
);
