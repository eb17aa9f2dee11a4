/** Light of any strength as pixels of a screen: a filmic curve (Narkowicz's fit of ACES), then sRGB's. */

const STEPS = 4096;

/** sRGB's curve (IEC 61966-2-1) for so many steps from dark to white. */
const encoded = Uint8ClampedArray.from({ length: STEPS + 1 }, (_, step) => {
  const light = step / STEPS;
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
});

/**
 * @param {number} light linear, 1 is white paper
 * @returns {number} 0–255
 */
export function toned(light) {
  if (!(light > 0)) return 0;
  const strong = Math.min(light, 1e4);
  const mapped = (strong * (2.51 * strong + 0.03)) / (strong * (2.43 * strong + 0.59) + 0.14);
  return encoded[Math.round(Math.min(mapped, 1) * STEPS)];
}
