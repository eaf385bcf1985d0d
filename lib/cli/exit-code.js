/** The exit code of a command, decided only here; `docs/errors.md` explains each. */
import { CommanderError } from 'commander';
import { EXIT, LoadflameError } from '../base/errors.js';

/**
 * The outcome of a command, from the most to the least important.
 * @typedef {object} Ending
 * @property {boolean} [interrupted] by Ctrl+C; what was measured is kept
 * @property {boolean} [missing] something is missing on this machine
 * @property {boolean} [invalid] the measurement is not valid
 * @property {boolean} [failed] a threshold, an `ensure` of Artillery's, or more failures than are allowed
 */

/** @param {Ending} ending @returns {number} */
export function exitCode({ interrupted, missing, invalid, failed }) {
  if (interrupted) return EXIT.interrupted;
  if (missing) return EXIT.missing;
  if (invalid) return EXIT.invalid;
  return failed ? EXIT.threshold : EXIT.good;
}

/** @param {unknown} error that ended a command @returns {number} */
export function exitCodeOfError(error) {
  // Commander ends `--help` and `--version` with an error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.good : EXIT.usage;
  if (error instanceof LoadflameError) return error.exitCode;
  // The demo is not part of the library and throws plain errors; one with a hint is not a bug.
  return /** @type {{hint?: string}} */ (error)?.hint ? EXIT.missing : EXIT.bug;
}
