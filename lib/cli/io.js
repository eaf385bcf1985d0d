/**
 * What a command talks to: its own process's streams and environment, or those of a test; progress and Ctrl+C. All
 * that is printed passes through here: text from outside (an error, a log, a name) drives no terminal.
 */
import { plainJson, plainLine, plainText } from '../files/plain-text.js';

/**
 * @typedef {object} Stream as the process has it
 * @property {(text: string) => unknown} write
 * @property {boolean} [isTTY]
 * @property {number} [columns]
 */

/**
 * A stream to print to.
 * @typedef {Omit<Stream, 'write'> & {write: (text: string | Painted) => unknown}} Output
 */

/**
 * @typedef {object} Io
 * @property {Output} stdout results
 * @property {Output} stderr progress and errors
 * @property {NodeJS.ProcessEnv} env
 */

/**
 * A command as it was typed.
 * @typedef {object} Call
 * @property {any[]} args
 * @property {any} options by their names in camel case, as the command table has them
 * @property {Record<string, string | undefined>} flags those that stand for settings, by the setting's name
 * @property {string[]} typed everything behind the program's name, as it was typed
 * @property {Io} io
 */

/** Text with control sequences of our own; what is in it from outside was made plain before. */
export class Painted {
  #text;

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  toString() {
    return this.#text;
  }
}

/** @param {Stream} stream @returns {Output} the same, for all but `Painted` in plain text */
export function keepPlain(stream) {
  return {
    write: text => stream.write(typeof text === 'string' ? plainText(text) : `${text}`),
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.columns;
    },
  };
}

/** @param {Io} io @param {unknown} value */
export function printJson({ stdout }, value) {
  stdout.write(`${plainJson(JSON.stringify(value, null, 2))}\n`);
}

/**
 * How to lay out text.
 * @param {Io} io
 * @param {{usual: number, most: number}} width where the terminal does not know its own, and at most
 */
export function describeTerminal({ stdout, env }, { usual, most }) {
  return {
    color: Boolean(stdout.isTTY) && !env.NO_COLOR,
    // A terminal that does not know its size says 0.
    width: Math.min(stdout.columns || usual, most),
  };
}

/** Of a run. */
export const NARROW = { usual: 80, most: 100 };
/** Of a comparison or a study, whose tables are wide. */
export const WIDE = { usual: 110, most: 140 };

const LIVE_EVERY_MS = 500;
const PLAIN_EVERY_MS = 5000;

/**
 * @typedef {object} Progress
 * @property {boolean} isLive one line that changes; else each one stays
 * @property {(text: string) => void} update what is going on now; printed at the next tick
 * @property {(text: string) => void} say a line that stays
 * @property {() => void} stop removes the live line
 */

/**
 * Progress of whatever takes longer than two seconds: one live line on a terminal, plain lines when piped or in CI. It
 * goes to standard error, so that standard output holds results only.
 * @param {Pick<Io, 'stderr' | 'env'>} io
 * @returns {Progress}
 */
export function startProgress({ stderr: stream, env }) {
  const live = Boolean(stream.isTTY) && !env.CI && env.TERM !== 'dumb';
  let text = '';
  let shown = '';
  const clear = () => {
    if (live && shown) stream.write(new Painted('\r\x1b[2K'));
    shown = '';
  };
  const tick = () => {
    if (text === '' || (!live && text === shown)) return;
    if (live) {
      clear();
      stream.write(plainLine(text).slice(0, Math.max(20, (stream.columns || 80) - 1)));
    } else {
      stream.write(`${text}\n`);
    }
    shown = text;
  };
  const timer = setInterval(tick, live ? LIVE_EVERY_MS : PLAIN_EVERY_MS);
  timer.unref();
  return {
    isLive: live,
    update: next => {
      text = next;
    },
    say: line => {
      clear();
      stream.write(`${line}\n`);
    },
    stop: () => {
      clearInterval(timer);
      clear();
      text = '';
    },
  };
}

/**
 * The first Ctrl+C means "stop and keep what there is"; more must not lose it. Until `release`, SIGINT, SIGTERM and
 * SIGHUP abort the signal instead of ending the process.
 * @param {(text: string) => void} say
 * @param {{first?: string, later?: string}} [texts] said at the first one, and at all that follow
 * @returns {{signal: AbortSignal, release: () => void}}
 */
export function catchInterrupts(
  say,
  {
    first = 'stopping; what was measured is kept …',
    later = 'still writing; nothing is lost',
  } = {},
) {
  const controller = new AbortController();
  const press = () => {
    say(controller.signal.aborted ? later : first);
    controller.abort();
  };
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  for (const name of signals) process.on(name, press);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of signals) process.off(name, press);
    },
  };
}
