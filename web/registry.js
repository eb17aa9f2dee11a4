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
 * @property {string} version
 * @property {string|null} cover absolute URL
 * @property {string|null} summary
 * @property {{min: number, max: number}|null} players
 *
 * @property {{average: number|null, count: number}} rating stars, 1 to 5
 *
 * @typedef {{name: string, member: boolean, admin: boolean}} Person
 * @typedef {"games"|"rooms"|"tables"} Shelf
 * @typedef {"best"|"newest"|"name"|"rating"|"smallest"} Order
 */

/** Mods of one answer: a number of which rows of one, two, three and four make a whole. */
export const PORTION = 24;

export class Registry {
  /** @param {string} base the registry's address */
  constructor(base) {
    this.base = new URL(base.endsWith("/") ? base : `${base}/`, location.href);
  }

  /**
   * @param {{kind: Shelf, query: string, players: number|null, order: Order, cursor: string|null}} wanted
   * @param {AbortSignal} signal
   * @returns {Promise<{items: ModRecord[], next: string|null}>}
   */
  async mods({ kind, query, players, order, cursor }, signal) {
    const wanted = new URLSearchParams({ kind, sort: order, limit: String(PORTION) });
    if (query) wanted.set("q", query);
    if (players) wanted.set("players", String(players));
    if (cursor) wanted.set("cursor", cursor);
    return this.#json(`api/mods?${wanted}`, { signal });
  }

  /** Who is signed in. @returns {Promise<{account: Person|null, github: boolean}>} `github`: people can sign in with it */
  async session() {
    return this.#json("api/session");
  }

  /** @returns {Promise<ModRecord[]>} the account's favourites, the last added first */
  async favourites() {
    /** @type {ModRecord[]} */
    const found = [];
    for (let cursor = ""; ;) {
      /** @type {{items: ModRecord[], next: string|null}} */
      const { items, next } = await this.#json(`api/favourites?limit=100${cursor}`);
      found.push(...items);
      if (next === null) return found;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }

  /** @param {string} id @param {boolean} wanted */
  async setFavourite(id, wanted) {
    const url = new URL(`api/favourites/${encodeURIComponent(id)}`, this.base);
    await fetch(url, { method: wanted ? "PUT" : "DELETE" });
  }

  /** @param {string} path @param {RequestInit} [options] */
  async #json(path, options = {}) {
    const response = await fetch(new URL(path, this.base), { ...options, headers: { accept: "application/json" } });
    if (!response.ok) throw new Error(`The registry answered ${response.status}.`);
    return response.json();
  }
}
