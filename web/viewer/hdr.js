/** Radiance HDR pictures (.hdr): a header of lines, then rows of pixels with one exponent for three colours. */
import { Unreadable } from "../decoder.js";
import { toned } from "./tone.js";

/** @typedef {{width: number, height: number, step: number, pixels: Uint8ClampedArray<ArrayBuffer>}} HdrPicture
 *   `pixels` has every `step`th pixel of every `step`th row */

/**
 * @param {ArrayBuffer} buffer
 * @param {number} most pixels a side to answer
 * @returns {HdrPicture}
 */
export function readHdr(buffer, most) {
  const bytes = new Uint8Array(buffer);
  const { width, height, start } = header(bytes);
  const step = Math.ceil(Math.max(width, height) / most);
  const across = Math.ceil(width / step);
  const pixels = new Uint8ClampedArray(across * Math.ceil(height / step) * 4);
  const row = new Uint8Array(width * 4);
  let at = start;
  let to = 0;
  for (let y = 0; y < height; y++) {
    at = fill(row, bytes, at);
    if (y % step) continue;
    for (let x = 0; x < width; x += step, to += 4) {
      const from = x * 4;
      const scale = 2 ** (row[from + 3] - 136);
      pixels[to] = toned(row[from] * scale);
      pixels[to + 1] = toned(row[from + 1] * scale);
      pixels[to + 2] = toned(row[from + 2] * scale);
      pixels[to + 3] = 255;
    }
  }
  return { width, height, step, pixels };
}

/** @param {Uint8Array} bytes */
function header(bytes) {
  // An empty line ends the header, and one more line says how the rows lie. Files have some hundred bytes of it.
  const text = String.fromCharCode(...bytes.subarray(0, 4096));
  const found = /^#\?[^\n]*\n((?:[^\n]+\n)*)\n-Y (\d{1,6}) \+X (\d{1,6})\n/.exec(text);
  if (!found) throw new Unreadable("It is no Radiance picture whose rows run from the top left.");
  if (/^FORMAT=(?!32-bit_rle_rgbe)/m.test(found[1])) throw new Unreadable("Its colours are not red, green and blue.");
  const [height, width] = [Number(found[2]), Number(found[3])];
  if (!width || !height) throw new Unreadable("It has no pixels.");
  return { width, height, start: found[0].length };
}

/**
 * Reads one row, whichever of the format's three ways it is packed in.
 * @param {Uint8Array} row four bytes a pixel
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {number} where the next row begins
 */
function fill(row, bytes, at) {
  const width = row.length / 4;
  const packed = bytes[at] === 2 && bytes[at + 1] === 2 && (bytes[at + 2] << 8 | bytes[at + 3]) === width && width >= 8 && width < 32768;
  return packed ? byChannel(row, bytes, at + 4) : byPixel(row, bytes, at);
}

/** Each of the four channels for itself, as runs and as they are. @param {Uint8Array} row @param {Uint8Array} bytes @param {number} at */
function byChannel(row, bytes, at) {
  for (let channel = 0; channel < 4; channel++) {
    for (let to = channel; to < row.length;) {
      const count = bytes[at++];
      const run = count > 128;
      const length = run ? count - 128 : count;
      if (!length || to + (length - 1) * 4 >= row.length || at + (run ? 1 : length) > bytes.length) throw cutShort();
      for (let each = 0; each < length; each++, to += 4) row[to] = run ? bytes[at] : bytes[at++];
      if (run) at++;
    }
  }
  return at;
}

/** Pixel by pixel; 1, 1, 1 and a count say that the one before is repeated. @param {Uint8Array} row @param {Uint8Array} bytes @param {number} at */
function byPixel(row, bytes, at) {
  let shift = 0;
  for (let to = 0; to < row.length;) {
    if (at + 4 > bytes.length) throw cutShort();
    if (to && bytes[at] === 1 && bytes[at + 1] === 1 && bytes[at + 2] === 1) {
      for (let count = bytes[at + 3] * 2 ** shift; count > 0 && to < row.length; count--, to += 4) row.copyWithin(to, to - 4, to);
      shift += 8;
    } else {
      row.set(bytes.subarray(at, at + 4), to);
      to += 4;
      shift = 0;
    }
    at += 4;
  }
  return at;
}

const cutShort = () => new Unreadable("It ends before its last row.");
