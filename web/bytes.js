/** Bytes on their way from the network to the disk. */

/**
 * One array of all pieces, which are free afterwards.
 * @param {Uint8Array[]} pieces @param {number} length
 */
export function joined(pieces, length) {
  if (pieces.length === 1) return pieces[0];
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.byteLength;
  }
  free(pieces);
  return bytes;
}

const { port1: gone, port2 } = new MessageChannel();
port2.close();

/**
 * Give memory back now. Left to the garbage collector, a fast pull holds hundreds of megabytes that nobody uses: it comes
 * by when it has seen enough of its own heap, and these lie outside. What is transferred to a port that nobody holds is
 * freed on the way; `ArrayBuffer.transfer` would not free it, since Chromium's own end holds on to it (measured in 156).
 * @param {Iterable<Uint8Array>} pieces which own their buffers
 */
export function free(pieces) {
  gone.postMessage(null, Array.from(pieces, ({ buffer }) => /** @type {ArrayBuffer} */ (buffer)));
}
