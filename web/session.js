/**
 * Who is signed in, for whatever shows it.
 *
 * @import {Person, Registry} from "./registry.js"
 */
export class Session {
  /** @type {Person|null} */
  account = null;
  /** People can sign in with GitHub here. */
  github = false;
  /** @type {"asking"|"known"|"unreachable"|"nowhere"|"elsewhere"} `elsewhere`: cookies never cross origins */
  standing;

  /**
   * @param {Registry|null} registry
   * @param {() => void} changed
   */
  constructor(registry, changed) {
    this.registry = registry;
    this.changed = changed;
    this.standing = registry === null ? "nowhere" : registry.base.origin === location.origin ? "asking" : "elsewhere";
  }

  async load() {
    if (!this.registry || this.standing === "elsewhere") return;
    try {
      const { account, github } = await this.registry.session();
      this.github = github;
      this.standing = "known";
      this.account = account;
    } catch {
      this.standing = "unreachable";
    }
    this.changed();
  }

  /** @param {Person|null} account who has just signed in, or nobody any more */
  become(account) {
    this.account = account;
    this.standing = "known";
    this.changed();
  }
}
