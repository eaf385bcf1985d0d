/**
 * What a command talks to: its own process's streams and environment, or those of a test. All that is printed
 * passes through here: text from outside (an error, a log, a name) drives no terminal.
 */
import { plainJson, plainText } from '../files/plain-text.js';

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
