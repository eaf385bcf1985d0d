/**
 * The one table of errors. A message says what failed and with which value; its hint says what to
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
 * code → [exit, message, hint]; `{name}` is a gap, filled from the data given to `LoadflameError`.
 * @type {Record<string, [number, string, string]>}
 */
export const ERRORS = {
  // -- settings and the command line (lib/config, lib/cli)
  SETTING_INVALID: [
    EXIT.usage,
    '{name} is {value} (from {source}), which is not allowed',
    'give {name} as {allowed}',
  ],
  SETTING_UNKNOWN: [
    EXIT.usage,
    '{name} (from {source}) is not a setting of loadflame',
    'did you mean {close}? `loadflame doctor --print-config` lists all settings',
  ],
  SETTING_MISSING: [
    EXIT.usage,
    '{name} is not set: {about}',
    'set it in envs.sh (copy envs.example.sh), in .env or in the environment; `npm run demo` prints values to try',
  ],
  ENVS_FILE_FAILED: [
    EXIT.usage,
    '{file} can not be read: {reason}',
    'run `sh -c ". ./envs.sh"` to see the shell complain, and mend the file',
  ],

  // -- the run folder (lib/run)
  RUN_FOLDER_UNWRITABLE: [
    EXIT.missing,
    'the run folder {folder} can not be made ({reason})',
    'make the folder writable, free some space, or name another with --profiles <folder>',
  ],
  RUN_FOLDER_NOT_ONE: [
    EXIT.usage,
    '{file} is not the manifest of a run: {reason}',
    'name a folder below profiles/ that holds a run.json',
  ],

  // -- tokens (lib/auth)

  // -- finding the target (lib/target)

  // -- recording a profile (lib/record/profiler)

  // -- driving load (lib/record/load)

  // -- reading profiles (lib/profile)

  // -- rules for hot paths (lib/hotpath)

  // -- building a report (lib/analysis, lib/report)
};

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
    super(fill(message, data), 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'LoadflameError';
    this.code = code;
    this.exitCode = exitCode;
    this.hint = options.hint ?? fill(hint, data);
    this.data = data;
  }
}

/** @param {string} text @param {Record<string, unknown>} data */
function fill(text, data) {
  return text.replace(/\{(\w+)\}/g, (_, key) => {
    if (!(key in data)) throw new TypeError(`error text has a gap "${key}" that was not filled`);
    return String(data[key]);
  });
}
