/**
 * The worker's end of the port into one script. Whatever comes out of it, Python is handed a text of bearable length or
 * nothing: to look at anything else would cost what its sender likes.
 */
const LONGEST = 256 * 1024;

/** @param {MessagePort} port */
export function lineOf(port) {
  return {
    /** @param {string} text */
    send: (text) => port.postMessage(text),
    /** @param {(message: string | undefined) => void} take */
    listen(take) {
      port.onmessage = ({ data }) => take(typeof data === "string" && data.length <= LONGEST ? data : undefined);
      port.onmessageerror = () => take(undefined);
    },
    close() {
      port.onmessage = port.onmessageerror = null;
      port.close();
    },
  };
}
