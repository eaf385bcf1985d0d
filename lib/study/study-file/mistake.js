/** What is wrong with a study file: where, what and what to write instead. */
import { findClosest } from '../../closest.js';
import { showValue } from './show-value.js';

/** @import { Path } from './parse-study-file.js' */

/**
 * @typedef {object} Mistake
 * @property {Path} path of the value, or of the key where `isKey`
 * @property {boolean} isKey it is the key that is wrong
 * @property {string} problem follows the path: `is "x", which is not allowed`
 * @property {string} change what to write
 */

/** @param {Path} path @param {string} problem @param {string} change @returns {Mistake} */
export function makeMistake(path, problem, change) {
  return { path, isKey: false, problem, change };
}

/**
 * @param {Path} path @param {string} what a service, a factor … @param {string} name
 * @param {string[]} known @returns {Mistake}
 */
export function makeUnknown(path, what, name, known) {
  const meant = findClosest(name, known);
  const change = `${meant ? `did you mean ${meant}? ` : ''}known here: ${known.join(', ') || 'none'}`;
  return makeMistake(path, `names ${showValue(name)}, which is no ${what} of this study`, change);
}
