/**
 * Reads textures that no browser shows by itself: KTX 2.0 and Radiance HDR. As pixels to look at, or for a model as what
 * the graphics hardware takes.
 *
 * @import {Form, Transcoded} from "./basis.js"
 * @typedef {{kind: "ktx2"|"hdr", bytes: ArrayBuffer, most: number}} PictureTask `most` pixels a side are wanted
 * @typedef {{kind: "levels", bytes: ArrayBuffer, wanted: Form[]}} LevelsTask
 *
 * @typedef {object} Picture
 * @property {number} width of the file's picture
 * @property {number} height
 * @property {string} format
 * @property {string|null} compression
 * @property {number} levels
 * @property {number} faces
 * @property {number} layers
 * @property {{width: number, height: number, pixels: Uint8ClampedArray<ArrayBuffer>}|null} shown null where only hardware can unpack it
 */
import { ZSTDDecoder } from "three/examples/jsm/libs/zstddec.module.js";

import { transcode } from "./basis.js";
import { serve, Unreadable } from "../decoder.js";
import { readHdr } from "./hdr.js";
import { pixelsOf, readKtx2, turnOver } from "./ktx2.js";

/** Pixels that are unpacked at most; each takes four bytes, and some more while it is done. */
const MOST = 2 ** 25;

/** @param {ArrayBuffer} bytes @param {number} most @returns {Picture} */
function hdr(bytes, most) {
  const { width, height, step, pixels } = readHdr(bytes, most);
  return {
    width, height, format: "Radiance HDR", compression: null, levels: 1, faces: 1, layers: 0,
    shown: { width: Math.ceil(width / step), height: Math.ceil(height / step), pixels },
  };
}

/** @param {ArrayBuffer} bytes @param {number} most @returns {Promise<Picture>} */
async function ktx2(bytes, most) {
  const file = readKtx2(bytes);
  const sides = file.levels.map((_, level) => [Math.max(1, file.width >> level), Math.max(1, file.height >> level)]);
  // The largest level of the chain that is not larger than can be looked at.
  const level = Math.max(0, sides.findIndex(([width, height]) => Math.max(width, height) <= most));
  const [width, height] = sides[level];
  const facts = {
    width: file.width, height: file.height, format: file.format, levels: file.levels.length, faces: file.faces, layers: file.layers,
    compression: file.compression === "none" ? null : file.compression,
  };
  if (width * height > MOST || (!file.basis && !file.plain)) return { ...facts, shown: null };
  const pixels = file.basis ? await transcoded(bytes, level) : await plain(bytes, file, level, width * height);
  if (pixels.length !== width * height * 4) throw new Unreadable("Its pixels are not as many as its header says.");
  if (file.upsideDown) turnOver(pixels, width);
  return { ...facts, shown: { width, height, pixels } };
}

/** @param {ArrayBuffer} bytes @param {number} level */
async function transcoded(bytes, level) {
  const { form, levels: [{ width, height, data }] } = await transcode(bytes, [], { from: level, count: 1 });
  const whole = /** @type {Uint8Array<ArrayBuffer>} */ (data);
  return form === "half" ? pixelsOf({ channels: "rgba", bits: 16 }, whole, width * height) : new Uint8ClampedArray(whole.buffer);
}

/** @param {ArrayBuffer} bytes @param {import("./ktx2.js").Ktx2} file @param {number} level @param {number} count */
async function plain(bytes, file, level, count) {
  const { at, length, unpacked } = file.levels[level];
  let data = new Uint8Array(bytes, at, length);
  if (file.compression === "Zstandard") {
    // What a file claims is not believed: a level has as many bytes as it has pixels.
    if (unpacked > count * 16 * Math.max(1, file.faces) * Math.max(1, file.layers)) throw new Unreadable("Its header makes no sense.");
    const zstd = new ZSTDDecoder();
    await zstd.init();
    data = /** @type {Uint8Array<ArrayBuffer>} */ (zstd.decode(data, unpacked));
  } else if (file.compression !== "none") throw new Unreadable(`Its compression is not known here: ${file.compression}.`);
  return pixelsOf(/** @type {import("./ktx2.js").Plain} */ (file.plain), data, count);
}

serve(async (/** @type {PictureTask|LevelsTask} */ task) => {
  if (task.kind === "levels") {
    const value = await transcode(task.bytes, task.wanted, { from: 0, count: 32 });
    return { value, given: value.levels.map(({ data }) => /** @type {ArrayBuffer} */ (data.buffer)) };
  }
  const value = await (task.kind === "hdr" ? hdr(task.bytes, task.most) : ktx2(task.bytes, task.most));
  return { value, given: value.shown ? [value.shown.pixels.buffer] : [] };
});
