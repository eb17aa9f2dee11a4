/**
 * KTX 2.0 textures: what their header says, and the pixels of those that are not packed for graphics hardware.
 * https://registry.khronos.org/KTX/specs/2.0/ktxspec.v2.html
 *
 * @typedef {object} Ktx2
 * @property {number} width
 * @property {number} height
 * @property {number} depth 0 of a flat one
 * @property {number} layers 0 of one that is no array
 * @property {number} faces 6 of a cube
 * @property {{at: number, length: number, unpacked: number}[]} levels the largest first
 * @property {"none"|"BasisLZ"|"Zstandard"|"zlib"|"unknown"} compression of each level on top of the format
 * @property {string} format its name
 * @property {boolean} basis it has to be transcoded
 * @property {Plain|null} plain how its pixels lie, where they do
 * @property {boolean} upsideDown the first row is the lowest
 *
 * @typedef {{channels: "r"|"rg"|"rgb"|"rgba"|"bgr"|"bgra", bits: 8|16|32}} Plain 8: whole numbers; 16 and 32: floats
 */
import { Unreadable } from "../decoder.js";
import { toned } from "./tone.js";

const MAGIC = [0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a];
const LEVELS = 80;
const COMPRESSIONS = /** @type {const} */ (["none", "BasisLZ", "Zstandard", "zlib"]);
/** Colour models of the data format descriptor. */
const MODELS = /** @type {Record<number, string>} */ ({ 163: "Basis ETC1S", 166: "Basis UASTC", 167: "Basis UASTC HDR" });

/** @type {Record<number, [string, Plain]>} Vulkan's numbers of formats whose pixels lie side by side */
const PLAIN = {
  9: ["R8", { channels: "r", bits: 8 }], 15: ["R8 sRGB", { channels: "r", bits: 8 }],
  16: ["RG8", { channels: "rg", bits: 8 }], 22: ["RG8 sRGB", { channels: "rg", bits: 8 }],
  23: ["RGB8", { channels: "rgb", bits: 8 }], 29: ["RGB8 sRGB", { channels: "rgb", bits: 8 }],
  30: ["BGR8", { channels: "bgr", bits: 8 }], 36: ["BGR8 sRGB", { channels: "bgr", bits: 8 }],
  37: ["RGBA8", { channels: "rgba", bits: 8 }], 43: ["RGBA8 sRGB", { channels: "rgba", bits: 8 }],
  44: ["BGRA8", { channels: "bgra", bits: 8 }], 50: ["BGRA8 sRGB", { channels: "bgra", bits: 8 }],
  76: ["R16F", { channels: "r", bits: 16 }], 83: ["RG16F", { channels: "rg", bits: 16 }],
  90: ["RGB16F", { channels: "rgb", bits: 16 }], 97: ["RGBA16F", { channels: "rgba", bits: 16 }],
  100: ["R32F", { channels: "r", bits: 32 }], 103: ["RG32F", { channels: "rg", bits: 32 }],
  106: ["RGB32F", { channels: "rgb", bits: 32 }], 109: ["RGBA32F", { channels: "rgba", bits: 32 }],
};

/** @type {[number, number, string][]} first and last number, and the name, of formats only graphics hardware unpacks */
const BLOCKS = [
  [131, 134, "BC1"], [135, 136, "BC2"], [137, 138, "BC3"], [139, 140, "BC4"], [141, 142, "BC5"], [143, 144, "BC6H"],
  [145, 146, "BC7"], [147, 152, "ETC2"], [153, 156, "EAC"], [157, 184, "ASTC"], [1000054000, 1000054007, "PVRTC"],
  [1000066000, 1000066013, "ASTC HDR"],
];

/** @param {ArrayBuffer} buffer @returns {Ktx2} */
export function readKtx2(buffer) {
  const view = new DataView(buffer);
  if (view.byteLength < LEVELS || MAGIC.some((byte, index) => view.getUint8(index) !== byte)) throw new Unreadable("It is no KTX 2.0 file.");
  const word = (/** @type {number} */ at) => view.getUint32(at, true);
  const long = (/** @type {number} */ at) => word(at) + word(at + 4) * 2 ** 32;
  const [vulkan, width, height, depth, layers, faces] = [word(12), word(20), Math.max(1, word(24)), word(28), word(32), word(36)];
  const count = Math.max(1, word(40));
  if (!width || count > 32 || LEVELS + count * 24 > view.byteLength) throw new Unreadable("Its header makes no sense.");
  const levels = Array.from({ length: count }, (_, index) => {
    const entry = LEVELS + index * 24;
    const level = { at: long(entry), length: long(entry + 8), unpacked: long(entry + 16) };
    if (level.at + level.length > view.byteLength) throw new Unreadable("It ends before its pixels do.");
    return level;
  });
  const descriptor = word(48);
  const model = descriptor + 13 <= view.byteLength ? view.getUint8(descriptor + 12) : 0;
  const basis = model in MODELS && (vulkan === 0 || model === 167);
  const [name, plain] = (!basis && PLAIN[vulkan]) || [basis ? MODELS[model] : named(vulkan), null];
  return {
    width, height, depth, layers, faces, levels, basis, plain, format: name,
    compression: COMPRESSIONS[word(44)] ?? "unknown",
    upsideDown: orientation(buffer, word(56), word(60))[1] === "u",
  };
}

/** @param {number} vulkan */
const named = (vulkan) => BLOCKS.find(([first, last]) => vulkan >= first && vulkan <= last)?.[2] ?? `Vulkan format ${vulkan}`;

/**
 * How rows and columns run, as two letters: `rd` is right and down.
 * @param {ArrayBuffer} buffer @param {number} from @param {number} length of the file's pairs of key and value
 */
function orientation(buffer, from, length) {
  if (from + length > buffer.byteLength) return "rd";
  const pairs = new TextDecoder("latin1").decode(new Uint8Array(buffer, from, length));
  return /KTXorientation\0([lr][ud])/.exec(pairs)?.[1] ?? "rd";
}

/**
 * @param {Plain} plain
 * @param {Uint8Array<ArrayBuffer>} bytes of one level
 * @param {number} count pixels
 * @returns {Uint8ClampedArray<ArrayBuffer>} red, green, blue and opacity of each
 */
export function pixelsOf({ channels, bits }, bytes, count) {
  const size = channels.length;
  if (bytes.length < count * size * (bits / 8)) throw new Unreadable("It ends before its pixels do.");
  const pixels = new Uint8ClampedArray(count * 4);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** @type {(index: number) => number} */
  const float = bits === 16 ? (index) => half(view.getUint16(index * 2, true)) : (index) => view.getFloat32(index * 4, true);
  // One channel is a grey picture; of two, the second is no blue.
  const order = channels === "r" ? [0, 0, 0, -1] : ["r", "g", "b", "a"].map((channel) => channels.indexOf(channel));
  for (let pixel = 0; pixel < count; pixel++) {
    for (let channel = 0; channel < 4; channel++) {
      const index = order[channel] < 0 ? -1 : pixel * size + order[channel];
      const to = pixel * 4 + channel;
      if (index < 0) pixels[to] = channel === 3 ? 255 : 0;
      else if (bits === 8) pixels[to] = bytes[index];
      else pixels[to] = channel === 3 ? 255 * float(index) : toned(float(index));
    }
  }
  return pixels;
}

/** @param {number} bits of a half float (IEEE 754) */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = bits >> 10 & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

/**
 * Turns a picture over in place, so that its first row is the uppermost.
 * @param {Uint8ClampedArray} pixels @param {number} width
 */
export function turnOver(pixels, width) {
  const length = width * 4;
  const rows = pixels.length / length;
  for (let row = 0; row < rows >> 1; row++) {
    const other = (rows - 1 - row) * length;
    const kept = pixels.slice(row * length, (row + 1) * length);
    pixels.copyWithin(row * length, other, other + length);
    pixels.set(kept, other);
  }
}
