/**
 * What the registry does for people with an account: it lets them in and publishes their mods.
 *
 * @import {ModRecord, Person} from "./registry.js"
 *
 * @typedef {{code: string, path: string, line: number|null, column: number|null, key: string|null, message: string}} Issue
 *
 * @typedef {object} OwnRecord what its author needs beyond a card
 * @property {string} slug
 * @property {string} ref
 * @property {string|null} commitSha
 * @property {string} artifactHash
 * @property {string|null} release
 * @property {Issue[]} issues
 * @property {number} files
 * @property {string} updatedAt
 *
 * @typedef {ModRecord & OwnRecord} OwnMod
 * @typedef {{owner: string, repo: string, mod: OwnMod|null}} Project
 * @typedef {{userCode: string, verificationUri: string, device: string, interval: number, expiresIn: number}} StartedLogin
 */

/** The registry said no, or nothing. */
export class Refusal extends Error {
  /**
   * @param {string} code as in its problem document; `offline` where nothing answered at all
   * @param {{detail?: string, issues?: Issue[], dependants?: string[], commitSha?: string|null, ref?: string}} problem
   * @param {number|null} retryAt when it may be asked again, in milliseconds since the epoch
   */
  constructor(code, problem = {}, retryAt = null) {
    super(problem.detail ?? code);
    this.code = code;
    this.problem = problem;
    this.retryAt = retryAt;
  }
}

export class Author {
  /** @param {URL} base the registry's address */
  constructor(base) {
    this.base = base;
  }

  /** @param {string} token @returns {Promise<Person>} */
  async signIn(token) {
    return (await this.#ask("POST", "api/session", { token })).account;
  }

  /** @param {string} invite @param {string} name @returns {Promise<{account: Person, token: string}>} */
  async accept(invite, name) {
    return this.#ask("POST", "api/accounts", { invite, name });
  }

  /** @returns {Promise<StartedLogin>} */
  async startGitHub() {
    return this.#ask("POST", "api/session/github");
  }

  /** @param {string} device @returns {Promise<{account: Person|null, interval: number|null}>} */
  async finishGitHub(device) {
    return this.#ask("PUT", "api/session/github", { device });
  }

  async signOut() {
    await this.#ask("DELETE", "api/session");
  }

  /** @returns {Promise<string>} */
  async newToken() {
    return (await this.#ask("POST", "api/tokens")).token;
  }

  /** @param {string|null} cursor @returns {Promise<{items: Project[], next: string|null}>} */
  async projects(cursor) {
    return this.#ask("GET", `api/projects?limit=24${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`);
  }

  /** @param {string} repository owner/repo or its address on GitHub @returns {Promise<Project>} */
  async link(repository) {
    return this.#ask("POST", "api/projects", { repository });
  }

  /** @param {Project} project */
  async unlink({ owner, repo }) {
    await this.#ask("DELETE", `api/projects/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`);
  }

  /** @param {Project} project @param {string} sha of a commit, or empty for the newest @returns {Promise<OwnMod>} */
  async publish({ owner, repo }, sha) {
    return this.#ask("POST", "api/mods", { owner, repo, ...(sha ? { commitSha: sha } : {}) });
  }

  /** @param {string} id @param {boolean} hidden @returns {Promise<OwnMod>} */
  async setPrivate(id, hidden) {
    return this.#ask("PATCH", `api/mods/${id}`, { private: hidden });
  }

  /** @param {string} id */
  async remove(id) {
    await this.#ask("DELETE", `api/mods/${id}`);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  async #ask(method, path, body) {
    let response;
    try {
      response = await fetch(new URL(path, this.base), {
        method,
        headers: { accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    } catch {
      throw new Refusal("offline");
    }
    const answer = response.status === 204 ? null : await response.json().catch(() => ({}));
    if (response.ok) return answer;
    const seconds = Number(response.headers.get("retry-after") ?? NaN);
    throw new Refusal(answer.code ?? "unknown", answer, Number.isFinite(seconds) ? Date.now() + seconds * 1000 : null);
  }
}

/** @param {unknown} error @returns {Refusal} */
export const refusalOf = (error) => (error instanceof Refusal ? error : new Refusal("unknown", { detail: String(error) }));
