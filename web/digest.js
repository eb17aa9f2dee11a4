/** SHA-256 as the browser computes it, outside of Python. */

/** @param {ArrayBuffer} digest */
function hex(digest) {
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {BufferSource} bytes */
export async function sha256(bytes) {
  return hex(await crypto.subtle.digest("SHA-256", bytes));
}

/**
 * Git's name for these bytes as a blob: SHA-1 over a header with their length, and them.
 * @param {ArrayBuffer} bytes
 */
async function gitBlobId(bytes) {
  const whole = await new Blob([`blob ${bytes.byteLength}\0`, bytes]).arrayBuffer();
  return hex(await crypto.subtle.digest("SHA-1", whole));
}

/**
 * The digest of each place in turn, one in memory at a time; null where the bytes are not there.
 * @param {{blob: (segment: string, offset: number, length: number, type: string) => Promise<Blob|null>}} folder
 * @param {string} places a JSON array of [segment, offset, length]
 * @param {"sha256"|"git"} kind
 * @returns {Promise<string>} a JSON array
 */
export async function digestPlaces(folder, places, kind) {
  const digest = kind === "git" ? gitBlobId : sha256;
  const digests = [];
  for (const [segment, offset, length] of JSON.parse(places)) {
    const blob = await folder.blob(segment, offset, length, "");
    digests.push(blob ? await digest(await blob.arrayBuffer()) : null);
  }
  return JSON.stringify(digests);
}
