/** The exit code of a command, decided here and nowhere else; `docs/errors.md` explains each. */
import { CommanderError } from 'commander';
import { EXIT, LoadflameError } from '../errors.js';

/**
 * What came out of a command, from the most to the least important.
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
  // Asking for help or the version ends a command in the way of an error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.good : EXIT.usage;
  if (error instanceof LoadflameError) return error.exitCode;
  // The demo is no part of the library and throws plain errors; what it has a hint for is no bug.
  return /** @type {{hint?: string}} */ (error)?.hint ? EXIT.missing : EXIT.bug;
}
