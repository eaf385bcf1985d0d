/** Events that a server pushes to a namespace: passed to waiting steps, or kept for later ones. */
import { entryOf } from '../../../base/files/maps.js';
import { holdsTemplate } from '../flow/template.js';

/** @import { StepSpec } from '../../script.d.ts' */

/** Limit per channel: a channel that is not read keeps its newest. */
const MAX_KEPT = 100;

/**
 * @typedef {object} Push
 * @property {any[]} args
 * @property {((...answer: any[]) => void) | null} acknowledge if the server expects a response
 * @property {number} atMs on the clock of `performance.now()`
 */

/**
 * @typedef {object} Wait
 * @property {string} channel
 * @property {(push: Push) => boolean} offer whether the step accepts it
 * @property {(error: Error) => void} fail
 */

export class Inbox {
  /** @type {Wait[]} */
  #waits = [];
  /** @type {Map<string, Push[]> | null} */
  #kept = null;
  #keeps;

  /** @param {(channel: string) => boolean} keeps whether a step of the flow may ask for such a push later */
  constructor(keeps) {
    this.#keeps = keeps;
  }

  /** @param {string} channel @param {any[]} args */
  receive(channel, args) {
    if (this.#waits.length === 0 && !this.#keeps(channel)) return;
    const acknowledge = typeof args.at(-1) === 'function' ? args.at(-1) : null;
    const push = {
      args: acknowledge ? args.slice(0, -1) : args,
      acknowledge,
      atMs: performance.now(),
    };
    let taken = false;
    for (const wait of [...this.#waits]) {
      if (wait.channel === channel && wait.offer(push)) taken = true;
    }
    if (taken || !this.#keeps(channel)) return;
    this.#kept ??= new Map();
    const kept = entryOf(this.#kept, channel, () => []);
    if (kept.push(push) > MAX_KEPT) kept.shift();
  }

  /**
   * Takes the first kept push that is accepted; drops those before it.
   * @param {string} channel
   * @param {(push: Push) => boolean} accept
   */
  take(channel, accept) {
    const kept = this.#kept?.get(channel) ?? [];
    const index = kept.findIndex(accept);
    return index === -1 ? null : (kept.splice(0, index + 1).at(-1) ?? null);
  }

  /**
   * Waits for the next push that is accepted.
   * @param {string} channel
   * @param {object} options
   * @param {number} options.limitMs
   * @param {(push: Push) => boolean} options.accept
   * @param {() => Error} options.timeout creates the error of a timeout
   * @returns {Promise<Push>}
   */
  wait(channel, { limitMs, accept, timeout }) {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#waits.splice(this.#waits.indexOf(wait), 1);
      };
      const fail = (/** @type {unknown} */ error) => {
        end();
        reject(error);
      };
      const wait = {
        channel,
        fail,
        offer(/** @type {Push} */ push) {
          try {
            if (!accept(push)) return false;
            end();
            resolve(push);
          } catch (error) {
            fail(error);
          }
          return true;
        },
      };
      const timer = setTimeout(() => fail(timeout()), limitMs);
      this.#waits.push(wait);
    });
  }

  /** Drops outdated pushes. */
  forget() {
    this.#kept = null;
  }

  /** Fails all waiting steps: no more pushes will come. @param {Error} error */
  close(error) {
    for (const wait of [...this.#waits]) wait.fail(error);
  }
}

// -- Which pushes a flow may ask for after they have arrived; others are not kept in memory.

/**
 * @param {StepSpec[]} flow
 * @returns {(channel: string) => boolean}
 */
export function compileKeeps(flow) {
  const channels = collect(flow);
  if (channels.some(holdsTemplate)) return () => true;
  const known = new Set(channels);
  return channel => known.has(channel);
}

/** @param {unknown} steps @returns {any[]} */
function collect(steps) {
  if (!Array.isArray(steps)) return [];
  return steps.flatMap(step => {
    const own = step?.on === undefined ? [] : [step.on?.channel ?? step.on];
    return [...own, ...collect(step?.loop), ...collect(step?.parallel)];
  });
}
