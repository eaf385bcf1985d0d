import { MISSING } from './errors/missing.js';
import { REFUSED } from './errors/refused.js';
import { USAGE } from './errors/usage.js';

/**
 * The one table of errors, by exit code. A message says what failed and with which value; its hint says what to
 * type next in this situation. Match on `code`, never on text.
 */

/** Exit codes, by meaning; `docs/errors.md` explains each. */
export const EXIT = Object.freeze({
  good: 0,
  bug: 1,
  usage: 2,
  missing: 3,
  refused: 4,
  threshold: 5,
  invalid: 6,
  interrupted: 130,
});

/**
 * A hint is for the user in this situation; `{name}` in both is a gap, filled from the data given to `LoadflameError`.
 * @typedef {[message: string, hint: string]} ErrorTexts
 */

/** @type {Record<string, ErrorTexts>} */
const INVALID = {
  // -- driving load (lib/load)
  LOAD_NOT_STARTED: [
    'the load generator exited before the load started (exit code {exitCode}): {reason}',
    'see {log}',
  ],
  LOAD_CRASHED: [
    'the load generator exited before the load was over: {reason}',
    'load/generator.log in the folder of the run has its output',
  ],

  // -- cells of a study (lib/experiment/study/measure)
  STUDY_CELL_EMPTY: [
    'no {what} in the measurement window of {folder}',
    'see load/generator.log in that folder; the window has to last some seconds (`duration`)',
  ],
  STUDY_PROBE_SILENT: [
    'the probe {probe} reported {field} less than twice in the measurement window of {folder}',
    'resources/probes.ndjson in that folder has the reason; poll more often (`every`) or measure longer (`duration`)',
  ],

  BISECT_UNDECIDED: [
    '{commit} is not clearly worse than {against}: {why}',
    '{commits} left: {left}; longer steps decide what is undecided: add `--max 30m --continue {folder}`',
  ],

  // -- services of a study (lib/experiment/study/services)
  STUDY_SERVICE_DIED: [
    'the service {service} exited during the study ({end})\n{tail}',
    'the lines above are the end of its log; what was measured before is kept',
  ],
};

/** @type {Record<string, ErrorTexts>} */
const INTERRUPTED = {
  // -- settings and the command line (lib/base/config, lib/cli)
  INTERRUPTED: [
    'interrupted before anything was measured',
    'nothing was kept; run the command again',
  ],
};

/** code → [exit, message, hint] */
export const ERRORS = Object.fromEntries([
  ...withExit(EXIT.usage, USAGE),
  ...withExit(EXIT.missing, MISSING),
  ...withExit(EXIT.refused, REFUSED),
  ...withExit(EXIT.invalid, INVALID),
  ...withExit(EXIT.interrupted, INTERRUPTED),
]);

/** @param {number} exit @param {Record<string, ErrorTexts>} texts @returns {[string, [number, ...ErrorTexts]][]} */
function withExit(exit, texts) {
  return Object.entries(texts).map(([code, own]) => [code, [exit, ...own]]);
}

/** An error that a user can act on: it has a code, a hint and an exit code. */
export class LoadflameError extends Error {
  /**
   * @param {string} code a key of `ERRORS`
   * @param {Record<string, unknown>} [data] fills the gaps of message and hint
   * @param {{cause?: unknown, hint?: string}} [options] `hint` replaces the table's when the
   *   situation is known better where the error is thrown
   */
  constructor(code, data = {}, options = {}) {
    const entry = ERRORS[code];
    if (!entry) throw new TypeError(`unknown error code ${code}`);
    const [exitCode, message, hint] = entry;
    super(fillGaps(message, data), 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'LoadflameError';
    this.code = code;
    this.exitCode = exitCode;
    this.hint = options.hint ?? fillGaps(hint, data);
    this.data = data;
  }
}

/** @param {string} text @param {Record<string, unknown>} data */
export function fillGaps(text, data) {
  return text.replace(/\{(\w+)\}/g, (_, key) => {
    if (!(key in data)) throw new TypeError(`error text has a gap "${key}" that was not filled`);
    return String(data[key]);
  });
}

/**
 * What an action throws becomes an error with a code, whose texts get the `reason`: `ENOENT`, or the message.
 * @template T
 * @param {string} code
 * @param {Record<string, unknown>} data
 * @param {() => T} action
 * @returns {T}
 * @throws {LoadflameError}
 */
export function orThrow(code, data, action) {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof LoadflameError) throw cause;
    const { code: errno = '', message } = /** @type {NodeJS.ErrnoException} */ (cause);
    const reason = /^E[A-Z]+$/.test(errno) ? errno : message;
    throw new LoadflameError(code, { ...data, reason }, { cause });
  }
}
