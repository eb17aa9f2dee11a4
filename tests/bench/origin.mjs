/**
 * The bench's origin: files of git repositories in the shape of GitHub's raw host, over HTTP/2 and TLS, a fixed latency
 * before each answer. Node's core stream interface answers about 3,000 requests a second here, so that the server is
 * not what is measured. Prints its port; each line on standard input asks for the bytes and requests since the last.
 *
 * node origin.mjs FOLDER KEY CERTIFICATE LATENCY_MS [http1]
 */
import { createReadStream, readFileSync, statSync } from "node:fs";
import http2 from "node:http2";
import https from "node:https";
import path from "node:path";
import readline from "node:readline";

const [folder, key, cert, latency, protocol] = process.argv.slice(2);
const IN_MEMORY_BELOW = 1 << 20;
/** @type {Map<string, Buffer>} */
const small = new Map();
let requests = 0;
/** @type {Map<import("node:tls").TLSSocket, number>} bytes written to each connection, as last seen */
const written = new Map();
let told = 0;

/** Bytes that really went out, of answers that were broken off too; a closed connection forgets its own count. */
function look() {
  for (const [socket, bytes] of written) written.set(socket, Math.max(bytes, socket.bytesWritten ?? 0));
}
setInterval(look, 5).unref();

/** @param {string} url @returns {{length: number, bytes?: Buffer, file?: string}|null} */
function find(url) {
  const name = decodeURIComponent(url.split("?")[0]);
  const kept = small.get(name);
  if (kept) return { length: kept.length, bytes: kept };
  const file = path.join(folder, name);
  if (!file.startsWith(folder)) return null;
  const status = statSync(file, { throwIfNoEntry: false });
  if (!status?.isFile()) return null;
  if (status.size >= IN_MEMORY_BELOW) return { length: status.size, file };
  const bytes = readFileSync(file);
  small.set(name, bytes);
  return { length: bytes.length, bytes };
}

const headers = (/** @type {number} */ length) => ({
  "access-control-allow-origin": "*",
  "cache-control": "max-age=300",
  "content-length": length,
  "content-type": "application/octet-stream",
  "x-content-type-options": "nosniff",
});

/** @param {import("node:stream").Writable} out @param {number} status @param {object} head @param {(status: number, head: object) => void} begin */
function answer(url, out, begin) {
  requests += 1;
  setTimeout(() => {
    if (out.destroyed) return;
    const found = find(url);
    begin(found ? 200 : 404, headers(found?.length ?? 0));
    if (found?.file) createReadStream(found.file, { highWaterMark: 1 << 18 }).pipe(out);
    else out.end(found?.bytes);
  }, Number(latency));
}

const credentials = { key: readFileSync(key), cert: readFileSync(cert) };
const server =
  protocol === "http1"
    ? https.createServer(credentials, (request, response) =>
        answer(request.url, response, (status, head) => response.writeHead(status, head)),
      )
    : http2.createSecureServer({ ...credentials, maxSessionMemory: 1000 });
server.on("stream", (stream, asked) => {
  stream.on("error", () => {});
  answer(asked[":path"], stream, (status, head) => stream.respond({ ":status": status, ...head }));
});
server.on("secureConnection", (socket) => written.set(socket, 0));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
readline.createInterface({ input: process.stdin }).on("line", () => {
  look();
  const total = [...written.values()].reduce((sum, bytes) => sum + bytes, 0);
  console.log(JSON.stringify({ requests, bytes: total - told }));
  told = total;
  requests = 0;
});
process.stdin.on("end", () => process.exit(0));
