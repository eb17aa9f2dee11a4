/**
 * Basis Universal: textures that are kept in one form and unpacked into whatever the graphics hardware takes.
 *
 * @typedef {"bptc"|"astc"|"etc2"|"s3tc"|"rgba"|"half"} Form `half`: four half floats a pixel, of textures brighter than white
 * @typedef {{width: number, height: number, data: Uint8Array}} Level
 * @typedef {{form: Form, alpha: boolean, levels: Level[]}} Transcoded the largest level first
 */
import BASIS from "three/examples/jsm/libs/basis/basis_transcoder.js";

import { Unreadable } from "../decoder.js";

/** The transcoder's number of each form, without and with transparency. */
const TARGETS = /** @type {const} */ ({
  bptc: [6, 6], astc: [10, 10], etc2: [0, 1], s3tc: [2, 3], rgba: [13, 13], half: [25, 25],
});

/** @type {Promise<any> | undefined} */
let starting;

function started() {
  starting ??= (async () => {
    const response = await fetch(new URL("three/examples/jsm/libs/basis/basis_transcoder.wasm", import.meta.url));
    if (!response.ok) throw new Error(`The transcoder for Basis answers ${response.status}.`);
    const basis = await BASIS({ wasmBinary: await response.arrayBuffer() });
    basis.initializeBasis();
    return basis;
  })();
  return starting;
}

/**
 * @param {ArrayBuffer} bytes a KTX 2.0 file
 * @param {Form[]} wanted forms that can be used, the best first; pixels always can
 * @param {{from: number, count: number}} which levels
 * @returns {Promise<Transcoded>} of the first layer and face
 */
export async function transcode(bytes, wanted, { from, count }) {
  const basis = await started();
  const file = new basis.KTX2File(new Uint8Array(bytes));
  try {
    if (!file.isValid() || !file.startTranscoding()) throw new Unreadable("Its Basis data is broken.");
    const alpha = Boolean(file.getHasAlpha());
    // Blocks are four pixels wide and high: hardware takes no level of other sizes unless it is a small one of a chain.
    const whole = file.getWidth() % 4 === 0 && file.getHeight() % 4 === 0;
    const form = file.isHDR() ? "half" : (whole && wanted[0]) || "rgba";
    const target = TARGETS[form][alpha ? 1 : 0];
    const levels = Array.from({ length: Math.min(count, file.getLevels() - from) }, (_, index) => {
      const info = file.getImageLevelInfo(from + index, 0, 0);
      const data = new Uint8Array(file.getImageTranscodedSizeInBytes(from + index, 0, 0, target));
      if (!file.transcodeImage(data, from + index, 0, 0, target, 0, -1, -1)) throw new Unreadable("Its Basis data is broken.");
      return { width: info.origWidth, height: info.origHeight, data };
    });
    return { form, alpha, levels };
  } finally {
    file.close();
    file.delete();
  }
}
