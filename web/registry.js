/**
 * The part of the registry that the catalogue reads, before and without Python.
 *
 * @typedef {object} ModRecord what a card shows of a mod; the registry says more
 * @property {string} id
 * @property {string} kind game|room|table
 * @property {string} name
 * @property {string} owner
 * @property {string} repo
 * @property {boolean} compatible
 * @property {boolean} private
 * @property {boolean} available
 * @property {number} bytes
 * @property {string|null} cover absolute URL
 * @property {string|null} summary
 * @property {{min: number, max: number}|null} players
 *
 * @typedef {"games"|"packs"} Shelf
 */

export class Registry {
  /** @param {string} base the registry's address */
  constructor(base) {
    this.base = new URL(base.endsWith("/") ? base : `${base}/`, location.href);
  }

  /**
   * @param {{kind: Shelf, query: string, cursor: string|null}} wanted
   * @param {AbortSignal} signal
   * @returns {Promise<{items: ModRecord[], next: string|null}>}
   */
  async mods({ kind, query, cursor }, signal) {
    const url = new URL("api/mods", this.base);
    url.searchParams.set("kind", kind);
    if (query) url.searchParams.set("q", query);
    if (cursor) url.searchParams.set("cursor", cursor);
    const response = await fetch(url, { signal, headers: { accept: "application/json" } });
    if (!response.ok) throw new Error(`The registry answered ${response.status}.`);
    return response.json();
  }

  /**
   * Trades the token of a sign-in link for a session cookie.
   *
   * @param {string} token
   * @returns {Promise<string>} the account's name
   */
  async signIn(token) {
    const response = await fetch(new URL("api/session", this.base), {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }),
    });
    if (!response.ok) throw new Error(`The registry answered ${response.status}.`);
    /** @type {{account: {name: string}}} */
    const { account } = await response.json();
    return account.name;
  }
}
