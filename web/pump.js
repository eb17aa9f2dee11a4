/**
 * The byte pump: fetches, digests and hands bytes to a segment writer, many at once. Mechanism only: which files, in
 * which order, what counts as good and what is tried again is decided in Python, which wakes once a batch, not once a file.
 *
 * @typedef {object} Job see client/ports.py
 * @property {number} id
 * @property {string} url
 * @property {number|null} writer which of the lane's writers takes the bytes; null when they go to Python instead
 * @property {number|null} size
 * @property {string|null} sha256
 * @property {number} most
 * @property {number} stall seconds
 * @property {string|null} refusedType
 *
 * @typedef {{segment: string, offset: number, length: number}} Place
 *
 * @typedef {object} Outcome
 * @property {number} id
 * @property {string|null} fault
 * @property {number} status
 * @property {number} received
 * @property {number} ms
 * @property {string|null} sha256
 * @property {Place|null} place
 * @property {string} mediaType
 * @property {number|null} retryAfter seconds
 * @property {string} detail
 * @property {number|null} writer
 *
 * @typedef {object} Stream a large file on its way into a segment of its own
 * @property {(piece: Uint8Array) => Promise<void>|void} write
 * @property {() => Promise<Place>} finish
 * @property {() => Promise<void>} discard
 *
 * @typedef {object} SegmentWriter
 * @property {(bytes: Uint8Array) => Place} gather takes bytes, which are its own from then on; they are safe once
 *   `commit` has resolved
 * @property {() => Promise<void>} commit
 * @property {() => Promise<Stream>} stream
 *
 * @typedef {{update: (piece: Uint8Array) => void, hexdigest: () => string, destroy?: () => void}} Hasher
 */

import { free, joined } from "./bytes.js";
import { sha256 } from "./digest.js";
import { fetchEarlyOrNow } from "./early.js";

/** Bytes from which a file streams to disk instead of through memory. */
const STREAM_FROM = 4 * 1024 * 1024;
/** Bytes up to which a body is read in one go, where files come in quickly: each piece costs a turn of the event loop. */
const IN_ONE_GO = 256 * 1024;
/** Milliseconds a file took when files come in quickly. In one go nobody sees whether anything moves, and a body that
 * stands still for `stall` seconds is given up: at this pace it would have to become ten times slower for that. */
const QUICK_MS = 2000;
/** Milliseconds between two batches: waking Python costs about half a millisecond whatever it is told. */
const BATCH_MS = 80;
/** Bytes of finished files after which a batch does not wait for that: until Python has recorded them a crash costs them. */
const BATCH_BYTES = 3 * 1024 * 1024;
/** Failures in a row after which no job is started before Python has looked: it may want the host left alone. */
const FUSE = 8;
const LFS_POINTER = "version https://git-lfs";
const LONGEST_POINTER = 1024;

/** @param {string|null} header @returns {number|null} seconds */
function retryAfter(header) {
  if (!header) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/** @param {unknown} error @returns {"quota"|"storage"} */
function storageFault(error) {
  return error instanceof Error && error.name === "QuotaExceededError" ? "quota" : "storage";
}

/** What ends an attempt, with the fault it becomes. */
class Fault extends Error {
  /** @param {string} kind @param {string} [detail] */
  constructor(kind, detail = "") {
    super(detail);
    this.kind = kind;
  }
}

class Attempt {
  /** @param {Job} job */
  constructor(job) {
    this.job = job;
    this.controller = new AbortController();
    this.received = 0;
    this.began = performance.now();
    this.moved = this.began;
    /** @type {string|null} why it was ended from outside */
    this.ended = null;
  }

  /** @param {string} fault */
  end(fault) {
    this.ended ??= fault;
    this.controller.abort();
  }
}

/** One pull's share of the pump. */
export class Lane {
  /**
   * @param {number} most jobs at once
   * @param {() => Hasher} newHasher digests in pieces, which crypto.subtle can't
   */
  constructor(most, newHasher) {
    this.most = most;
    this.newHasher = newHasher;
    /** @type {SegmentWriter[]} */
    this.writers = [];
    /** @type {Job[]} */
    this.queue = [];
    /** @type {Map<number, Attempt>} */
    this.running = new Map();
    /** @type {Outcome[]} */
    this.outcomes = [];
    /** Bytes of files among them. */
    this.finished = 0;
    /** @type {Map<number, Uint8Array>} */
    this.bodies = new Map();
    this.failuresInRow = 0;
    /** Whether the file that came last was a matter of moments. */
    this.quick = false;
    this.closed = false;
    this.taken = performance.now();
    /** @type {(() => void)|null} */
    this.wake = null;
    this.watch = setInterval(() => this.endStalled(), 1000);
  }

  /** @param {string} jobs a JSON array of {@link Job} */
  submit(jobs) {
    for (const job of JSON.parse(jobs)) this.queue.push(job);
    this.startNext();
  }

  /**
   * Wait for outcomes, at most `seconds`; their bytes are flushed before they are handed over.
   * @param {number} seconds
   * @returns {Promise<{json: string, bodies: Map<number, Uint8Array>}>}
   */
  async take(seconds) {
    const until = performance.now() + seconds * 1000;
    for (;;) {
      const now = performance.now();
      const idle = this.running.size === 0 && this.queue.length === 0;
      const ripe = this.taken + BATCH_MS;
      const full = this.finished >= BATCH_BYTES;
      if (this.outcomes.length > 0 && (idle || full || now >= ripe || this.failuresInRow >= FUSE)) break;
      if (now >= until || this.closed) break;
      const wait = Math.min(until, this.outcomes.length > 0 ? ripe : until) - now;
      await new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
        const timer = setTimeout(resolve, wait);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.wake = null;
    }
    const outcomes = this.outcomes;
    this.outcomes = [];
    this.finished = 0;
    await this.commit(outcomes);
    const bodies = this.bodies;
    this.bodies = new Map();
    this.taken = performance.now();
    this.failuresInRow = 0;
    this.startNext();
    const running = Array.from(this.running, ([id, attempt]) => [id, attempt.received]);
    return { json: JSON.stringify({ outcomes, running }), bodies };
  }

  abort() {
    for (const job of this.queue.splice(0)) this.report(new Attempt(job), { fault: "aborted" });
    for (const attempt of this.running.values()) attempt.end("aborted");
  }

  close() {
    this.closed = true;
    clearInterval(this.watch);
    this.queue.length = 0;
    for (const attempt of this.running.values()) attempt.end("aborted");
    this.wake?.();
  }

  endStalled() {
    const now = performance.now();
    for (const attempt of this.running.values()) {
      if (now - attempt.moved > attempt.job.stall * 1000) attempt.end("stall");
    }
  }

  startNext() {
    while (this.running.size < this.most && this.failuresInRow < FUSE) {
      const job = this.queue.shift();
      if (!job) return;
      const attempt = new Attempt(job);
      this.running.set(job.id, attempt);
      void this.run(attempt);
    }
  }

  /** @param {Outcome[]} outcomes whose bytes are to be safe */
  async commit(outcomes) {
    for (const [number, writer] of this.writers.entries()) {
      const written = outcomes.filter((outcome) => outcome.place && outcome.writer === number);
      if (written.length === 0) continue;
      try {
        await writer.commit();
      } catch (error) {
        const fault = storageFault(error);
        for (const outcome of written) Object.assign(outcome, { fault, place: null, detail: String(error) });
      }
    }
  }

  /** @param {Attempt} attempt @param {Partial<Outcome>} found */
  report(attempt, found) {
    this.running.delete(attempt.job.id);
    if (this.closed) return;
    const ms = performance.now() - attempt.began;
    this.failuresInRow = found.fault ? this.failuresInRow + 1 : 0;
    this.quick = !found.fault && ms < QUICK_MS;
    this.finished += found.place?.length ?? 0;
    this.outcomes.push({
      id: attempt.job.id,
      fault: null,
      status: 0,
      received: attempt.received,
      ms,
      sha256: null,
      place: null,
      mediaType: "",
      retryAfter: null,
      detail: "",
      writer: attempt.job.writer,
      ...found,
    });
    this.startNext();
    this.wake?.();
  }

  /** @param {Attempt} attempt */
  async run(attempt) {
    let status = 0;
    let mediaType = "";
    let wait = null;
    try {
      const response = await fetchEarlyOrNow(attempt.job.url, {
        cache: "no-store",
        credentials: "omit",
        referrerPolicy: "no-referrer",
        signal: attempt.controller.signal,
      });
      attempt.moved = performance.now();
      status = response.status;
      mediaType = (response.headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();
      wait = retryAfter(response.headers.get("retry-after"));
      if (status !== 200) throw new Fault("status");
      if (mediaType && mediaType === attempt.job.refusedType) throw new Fault("html");
      this.report(attempt, { status, mediaType, ...(await this.receive(attempt, response)) });
    } catch (error) {
      attempt.controller.abort();
      const fault = attempt.ended ?? (error instanceof Fault ? error.kind : "network");
      const detail = error instanceof Error ? error.message : String(error);
      this.report(attempt, { status, mediaType, fault, detail, retryAfter: wait });
    }
  }

  /** @param {Attempt} attempt @param {Response} response @returns {Promise<Partial<Outcome>>} */
  async receive(attempt, response) {
    const { job } = attempt;
    const announced = Number(response.headers.get("content-length") ?? 0);
    const writer = job.writer === null ? null : this.writers[job.writer];
    if (writer && job.size !== null && job.size >= STREAM_FROM) return this.stream(attempt, response, writer, []);
    /** @type {Uint8Array[]} */
    const pieces = [];
    // A length that is announced truly also bounds what a host can make us hold.
    const inOneGo = this.quick && announced > 0 && announced === job.size && announced <= IN_ONE_GO;
    if (inOneGo) {
      pieces.push(new Uint8Array(await response.arrayBuffer()));
      this.count(attempt, pieces[0].byteLength);
    }
    const reader = inOneGo ? undefined : response.body?.getReader();
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      this.count(attempt, value.byteLength);
      pieces.push(value);
      if (writer && attempt.received >= STREAM_FROM) {
        reader?.releaseLock();
        return this.stream(attempt, response, writer, pieces);
      }
    }
    this.refuseCut(attempt, announced);
    const bytes = joined(pieces, attempt.received);
    const digest = await sha256(/** @type {BufferSource} */ (bytes));
    if (attempt.ended) throw new Fault(attempt.ended);
    if (digest !== job.sha256 && isPointer(bytes)) {
      this.bodies.set(job.id, bytes);
      return { fault: "pointer", sha256: digest };
    }
    this.refuseWrong(job, attempt.received, digest);
    if (!writer) {
      this.bodies.set(job.id, bytes);
      return { sha256: digest };
    }
    if (this.closed) throw new Fault("aborted");
    try {
      return { sha256: digest, place: writer.gather(bytes) };
    } catch (error) {
      throw new Fault(storageFault(error), String(error));
    }
  }

  /**
   * A large file goes to disk piece by piece, digested on the way: memory stays flat however large it is.
   * @param {Attempt} attempt @param {Response} response @param {SegmentWriter} writer
   * @param {Uint8Array[]} head pieces read already
   * @returns {Promise<Partial<Outcome>>}
   */
  async stream(attempt, response, writer, head) {
    const { job } = attempt;
    const announced = Number(response.headers.get("content-length") ?? 0);
    const hasher = this.newHasher();
    const stream = await this.storing(() => writer.stream());
    try {
      let held = head;
      let heldBytes = head.reduce((sum, piece) => sum + piece.byteLength, 0);
      const write = async () => {
        const bytes = joined(held, heldBytes);
        held = [];
        heldBytes = 0;
        hasher.update(bytes);
        await this.storing(() => stream.write(bytes));
        free([bytes]);
      };
      const reader = response.body?.getReader();
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) break;
        this.count(attempt, value.byteLength);
        held.push(value);
        heldBytes += value.byteLength;
        if (heldBytes >= 1024 * 1024) await write();
        if (attempt.ended) throw new Fault(attempt.ended);
      }
      if (heldBytes > 0) await write();
      this.refuseCut(attempt, announced);
      const digest = hasher.hexdigest();
      this.refuseWrong(job, attempt.received, digest);
      if (this.closed) throw new Fault("aborted");
      return { sha256: digest, place: await this.storing(() => stream.finish()) };
    } catch (error) {
      await stream.discard().catch(() => undefined);
      throw error;
    } finally {
      hasher.destroy?.();
    }
  }

  /** @template T @param {() => Promise<T>|T} work @returns {Promise<T>} */
  async storing(work) {
    try {
      return await work();
    } catch (error) {
      throw new Fault(storageFault(error), String(error));
    }
  }

  /** @param {Attempt} attempt @param {number} bytes */
  count(attempt, bytes) {
    attempt.received += bytes;
    attempt.moved = performance.now();
    if (attempt.received > attempt.job.most) throw new Fault("too-long");
  }

  /**
   * Firefox hands over a body that ended early as if it were whole. The announced length is of the encoded body,
   * so only a shortfall that no encoding explains is a cut; a known size tells the rest.
   * @param {Attempt} attempt @param {number} announced
   */
  refuseCut(attempt, announced) {
    if (attempt.received + attempt.received / 512 + 64 < announced) throw new Fault("cut");
  }

  /** @param {Job} job @param {number} received @param {string} sha256 */
  refuseWrong(job, received, sha256) {
    if (job.size !== null && job.size !== received) throw new Fault(received < job.size ? "cut" : "size");
    if (job.sha256 !== null && job.sha256 !== sha256) throw new Fault("hash");
  }
}

/** @param {Uint8Array} bytes */
function isPointer(bytes) {
  return bytes.length < LONGEST_POINTER && new TextDecoder().decode(bytes).startsWith(LFS_POINTER);
}
