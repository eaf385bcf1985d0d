/** A chain of segments that pauses again and again, so that what profiling costs can be measured. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startChain } from './segment-chain.js';

const STOPPED = 'stopped';
/** Windows in a row in which py-spy would not start. */
const MOST_FAILURES = 3;

/** @typedef {import('./segment-chain.js').Chain} Chain */
/** @typedef {import('./segment-chain.js').ChainOptions} ChainOptions */

/**
 * @typedef {object} Window one of a pair: with the profiler, or without it
 * @property {number} pair 1, 2 …
 * @property {boolean} profiled
 * @property {number} startMs when it sampled, or had ended
 * @property {number} endMs
 * @property {boolean} isWhole false: it was cut short, and can't be compared
 */

/**
 * Samples until the first `roll`, which is the start of the load; from then on windows with and without
 * the profiler come in pairs, each in an order of its own, so that neither a trend of the load nor a
 * rhythm of the target favours one of them.
 * @param {ChainOptions} options
 * @param {object} plan
 * @param {number} plan.windowMs
 * @param {() => number} plan.random 0 … 1
 * @param {(window: Window) => void} plan.onWindow one is over
 * @returns {Chain}
 */
export function startAlternatingChain(options, { windowMs, random, onWindow }) {
  let n = 0;
  /** @type {Chain | null} */
  let chain = null;
  /** @type {string | null} */
  let stopReason = null;
  let failures = 0;
  const stopping = Promise.withResolvers();
  const loadStarted = Promise.withResolvers();

  const open = () => startChain({ ...options, startSegment: () => options.startSegment(++n) });
  const first = open();
  chain = first;

  /** Until then, or until there is nothing left to do. @param {number} untilMs */
  const waitUntil = async untilMs => {
    const timer = new AbortController();
    const { signal } = timer;
    await Promise.race([
      sleep(Math.max(0, untilMs - Date.now()), undefined, { signal }).catch(() => {}),
      stopping.promise,
      ...(chain ? [chain.ended] : []),
    ]);
    timer.abort();
  };

  /** @returns {Promise<string | null>} why it is over; null while it is not */
  const switchOn = async () => {
    if (chain) return null;
    const next = open();
    const failure = await next.started;
    if (!failure) {
      chain = next;
      failures = 0;
      return null;
    }
    options.onDied(failure.reason);
    failures += 1;
    return options.whyOver() ?? (failures >= MOST_FAILURES ? failure.reason : null);
  };

  const switchOff = async () => {
    const running = chain;
    chain = null;
    await running?.stop();
  };

  /** @returns {Promise<string>} */
  const alternate = async () => {
    // Whole seconds, as the load is recorded in.
    let untilMs = Math.ceil(Date.now() / 1000) * 1000;
    await waitUntil(untilMs);
    for (let pair = 1; ; pair++) {
      const isFirst = random() < 0.5;
      for (const profiled of [isFirst, !isFirst]) {
        if (stopReason !== null) return stopReason;
        if (profiled) {
          const why = await switchOn();
          if (why !== null) return why;
        } else await switchOff();
        const startMs = Date.now();
        untilMs += windowMs;
        await waitUntil(untilMs);
        const endMs = Date.now();
        const isWhole = endMs >= untilMs && (chain !== null) === profiled;
        onWindow({ pair, profiled, startMs, endMs, isWhole });
        const over = chain && (await hasEnded(chain));
        if (over) return over;
      }
    }
  };

  const run = async () => {
    const failure = await first.started;
    if (failure) return failure.reason;
    const early = await Promise.race([
      first.ended,
      stopping.promise.then(() => null),
      loadStarted.promise.then(() => null),
    ]);
    const reason = early ?? (stopReason === null ? await alternate() : stopReason);
    await switchOff();
    return stopReason ?? reason;
  };
  const ended = run();

  return {
    started: first.started,
    ended,
    segments: () => chain?.segments() ?? [],
    stop: (reason = STOPPED) => {
      stopReason ??= reason;
      stopping.resolve(undefined);
      return ended;
    },
    roll: async () => {
      loadStarted.resolve(undefined);
    },
  };
}

/** @param {Chain} chain @returns {Promise<string | null>} why; null while it goes on */
function hasEnded(chain) {
  return Promise.race([chain.ended, sleep(0).then(() => null)]);
}
