/**
 * Mods somebody wants to find again, kept in this browser: what a card shows of each, so that the list needs no network.
 *
 * @import {ModRecord, Registry} from "./registry.js"
 * @typedef {Pick<ModRecord, "owner"|"repo"|"name"|"kind"|"cover"|"summary"|"players"|"bytes"> & {id: string|null}} Card
 */

/** More would only make the page slow to begin. */
const MOST = 500;

/** @param {{owner: string, repo: string}} mod */
export const nameOf = ({ owner, repo }) => `${owner}/${repo}`;

/** @param {{owner: string, repo: string}} mod */
const keyOf = (mod) => nameOf(mod).toLowerCase();

export class Shortlist {
  /** @type {Card[]} the last added first */
  #cards;

  /**
   * @param {string} name of the list in this browser's storage
   * @param {number} [most]
   */
  constructor(name, most = MOST) {
    this.name = name;
    this.most = most;
    this.#cards = this.#read();
  }

  get cards() {
    return this.#cards;
  }

  /** @param {{owner: string, repo: string}} mod */
  has(mod) {
    return this.#cards.some((card) => keyOf(card) === keyOf(mod));
  }

  /** Puts a mod at the head of the list. @param {Card} card */
  put({ id, owner, repo, name, kind, cover, summary, players, bytes }) {
    const card = { id, owner, repo, name, kind, cover, summary, players, bytes };
    this.#write([card, ...this.#cards.filter((other) => keyOf(other) !== keyOf(card))].slice(0, this.most));
  }

  /** Says anew what a card shows, where the mod is on the list. @param {ModRecord[]} records */
  renew(records) {
    const known = new Map(records.map((record) => [keyOf(record), record]));
    if (!this.#cards.some((card) => known.has(keyOf(card)))) return;
    this.#write(this.#cards.map((card) => {
      const { id, owner, repo, name, kind, cover, summary, players, bytes } = known.get(keyOf(card)) ?? card;
      return { id, owner, repo, name, kind, cover, summary, players, bytes };
    }));
  }

  /** @param {{owner: string, repo: string}} mod */
  remove(mod) {
    this.#write(this.#cards.filter((card) => keyOf(card) !== keyOf(mod)));
  }

  /** @returns {Card[]} */
  #read() {
    try {
      const cards = JSON.parse(localStorage.getItem(this.name) ?? "[]");
      return Array.isArray(cards) ? cards.filter((card) => typeof card?.owner === "string" && typeof card.repo === "string") : [];
    } catch {
      // A private window may have no storage, and what another build wrote may be unreadable.
      return [];
    }
  }

  /** @param {Card[]} cards */
  #write(cards) {
    this.#cards = cards;
    try {
      localStorage.setItem(this.name, JSON.stringify(cards));
    } catch {
      // The list lasts as long as this page then.
    }
  }
}

/** Favourites: this browser's until there is an account, then the account's, and what was here goes along. */
export class Favourites extends Shortlist {
  /** @type {Registry | null} where the account's are */
  #registry = null;

  constructor() {
    super("favourites");
  }

  /**
   * Brings this browser's favourites together with those of the account that is signed in.
   *
   * @param {Registry} registry
   */
  async join(registry) {
    const theirs = await registry.favourites();
    const known = new Set(theirs.map(keyOf));
    for (const card of [...theirs].reverse()) if (!this.has(card)) this.put(card);
    this.renew(theirs);
    this.#registry = registry;
    await Promise.all(this.cards.map(({ id, ...mod }) =>
      id && !known.has(keyOf(mod)) ? registry.setFavourite(id, true) : undefined));
  }

  /** Nobody is signed in any more: this browser keeps what it has. */
  leave() {
    this.#registry = null;
  }

  /** Adds a mod or takes it away; answers whether it is a favourite now. @param {Card} card */
  toggle(card) {
    const wanted = !this.has(card);
    if (wanted) this.put(card);
    else this.remove(card);
    // Offline this browser's list alone has it, until both are brought together again.
    if (card.id) void this.#registry?.setFavourite(card.id, wanted).catch(() => undefined);
    return wanted;
  }
}
