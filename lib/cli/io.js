/**
 * The streams and environment of a command (of the process, or of a test), progress and Ctrl+C. All output passes
 * through here, so that text from outside (an error, a log, a name) cannot control the terminal.
 */
import path from 'node:path';
import { plainJson, plainLine, plainText } from '../base/files/plain-text.js';
import { quoteForShell } from '../base/format.js';
import { COMMANDS } from './command-table.js';

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
 * @property {Record<string, string>} flags flags of settings, by the setting's name, and those of `--set`
 * @property {string} command as it was typed
 * @property {Io} io
 */

/** Text with our own control sequences; text from outside in it is already plain. */
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

/** @param {Stream} stream @returns {Output} the same stream; makes all but `Painted` plain text */
export function keepPlain(stream) {
  const write = (/** @type {string | Painted} */ text) =>
    stream.write(typeof text === 'string' ? plainText(text) : `${text}`);
  return Object.create(stream, { write: { value: write } });
}

/** @param {Io} io @param {unknown} value */
export function printJson({ stdout }, value) {
  stdout.write(`${plainJson(JSON.stringify(value, null, 2))}\n`);
}

/**
 * How to lay out text.
 * @param {Io} io
 * @param {{usual: number, most: number}} width `usual`: if the terminal has none
 */
export function describeTerminal({ stdout, env }, { usual, most }) {
  return {
    color: Boolean(stdout.isTTY) && !env.NO_COLOR,
    // A terminal without a known size reports 0.
    width: Math.min(stdout.columns || usual, most),
  };
}

/** For a run. */
export const NARROW = { usual: 80, most: 100 };
/** For a comparison or a study, which have wide tables. */
const WIDE = { usual: 110, most: 140 };

/** Prints a text with wide tables. @param {Io} io @param {(terminal: {color: boolean, width: number}) => string} print */
export function printWide(io, print) {
  io.stdout.write(new Painted(`\n${createNamer(io)(print(describeTerminal(io, WIDE)))}\n`));
}

const LIVE_EVERY_MS = 500;
const PLAIN_EVERY_MS = 5000;

/**
 * @typedef {object} Progress
 * @property {boolean} isLive one line that changes; otherwise each line stays
 * @property {(text: string) => void} update the current activity; printed at the next tick
 * @property {(text: string) => void} say a line that stays
 * @property {() => void} stop removes the live line
 */

/**
 * Progress of work that takes longer than two seconds: one live line on a terminal, plain lines when piped or in CI. It
 * goes to standard error, so that standard output has only results.
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
 * The first Ctrl+C means "stop and keep the data"; further ones must not lose it. Until `release`, SIGINT, SIGTERM and
 * SIGHUP abort the signal instead of ending the process.
 * @param {(text: string) => void} say
 * @param {{first?: string, later?: string}} [texts] printed at the first one, and at all later ones
 * @returns {{signal: AbortSignal, release: () => void}}
 */
export function catchInterrupts(say, texts = {}) {
  const { first = 'stopping; what was measured is kept …' } = texts;
  const { later = 'still writing; nothing is lost' } = texts;
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

/**
 * Runs work that shows progress and that Ctrl+C stops.
 * @template T
 * @param {Io} io
 * @param {(context: {progress: Progress, signal: AbortSignal}) => Promise<T>} work
 * @param {Parameters<typeof catchInterrupts>[1]} [texts]
 */
export async function runWithProgress(io, work, texts) {
  const progress = startProgress(io);
  const { signal, release } = catchInterrupts(progress.say, texts);
  try {
    return await work({ progress, signal });
  } finally {
    progress.stop();
    release();
  }
}

/**
 * @param {string} command as typed
 * @param {string} name of the command
 * @param {string} folder of the measurement
 * @returns {string} what to type to continue
 */
export function continueCommand(command, name, folder) {
  // Before any `--`, after which it would be the script.
  return command
    .replace(/ --continue[ =](?:'[^']*'|\S+)/, '')
    .replace(` ${name}`, () => ` ${name} --continue ${quoteForShell(path.relative('', folder))}`);
}

const NAMES = COMMANDS.map(({ name }) => name).join('|');
const CALL = new RegExp(`(?:npx )?(?<![\\w/.-])loadflame (?=(?:${NAMES})\\b)`, 'g');

/**
 * Replaces the command in advice with the way it was run, so that a user can copy it. npm names the
 * package of its script in the environment.
 * @param {{env: NodeJS.ProcessEnv}} io
 * @returns {(text: string) => string}
 */
export function createNamer({ env }) {
  const isNpm = env.npm_command === 'exec' || env.npm_lifecycle_event !== undefined;
  if (!isNpm) return text => text;
  const isClone = env.npm_command !== 'exec' && env.npm_package_name === 'loadflame';
  return text => text.replace(CALL, isClone ? 'npm run loadflame -- ' : 'npx loadflame ');
}
