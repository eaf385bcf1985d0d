/** Templates of a study file: `{{ name }}` in texts. */

import { LoadflameError } from '../../errors.js';
import { findClosest } from '../../files/closest.js';
import { findOnlyTemplate, replaceTemplates } from '../../files/templates.js';

/** @import { Path } from '../../files/read-yaml.js' */

/** @typedef {Readonly<Record<string, unknown>>} Names flat: `cache`, `cache.url`, `port.api` */

/** A text that templates made longer than this is a mistake. */
const MAX_CHARS = 1_000_000;

/**
 * Fills the templates in all texts of a value; keys of maps are left as they are. A text that is one
 * template and nothing else becomes what the name stands for, a number too.
 * @template T
 * @param {T} value is not changed
 * @param {Names} names
 * @param {object} options
 * @param {string} options.at what the value is, for errors: `services.api`
 * @param {boolean} [options.keepUnknown] leave names that are not the study's: Artillery's own
 * @param {string} [options.where] ` in the variant cache=off`, for errors
 * @param {(path: Path) => string} [options.locate] place of a text inside the value, for errors
 * @returns {T}
 * @throws {LoadflameError} STUDY_UNKNOWN_NAME, STUDY_INVALID
 */
export function fillTemplates(value, names, { at, keepUnknown = false, where = '', locate }) {
  return /** @type {T} */ (fill(value, []));

  /** @param {unknown} part @param {Path} path @returns {unknown} */
  function fill(part, path) {
    if (typeof part === 'string') return fillText(part, path);
    if (Array.isArray(part)) return part.map((item, index) => fill(item, [...path, index]));
    if (part === null || typeof part !== 'object') return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [key, fill(item, [...path, key])]),
    );
  }

  /** @param {string} text @param {Path} path */
  function fillText(text, path) {
    if (!text.includes('{{')) return text;
    const key = [at, ...path].join('.');
    const place = locate?.(path) ?? at;
    const only = findOnlyTemplate(text);
    if (only !== null && Object.hasOwn(names, only)) return names[only];
    let chars = text.length;
    return replaceTemplates(text, (name, template) => {
      if (!Object.hasOwn(names, name)) {
        if (keepUnknown) return template;
        const change = suggest(name, names);
        throw new LoadflameError('STUDY_UNKNOWN_NAME', { at: place, key, name, where, change });
      }
      const filled = String(names[name]);
      chars += filled.length;
      if (chars > MAX_CHARS) {
        const problem = `becomes more than ${MAX_CHARS / 1e6} MB of text`;
        const change = 'use fewer names that stand for long texts';
        throw new LoadflameError('STUDY_INVALID', { at: place, key, problem, change });
      }
      return filled;
    });
  }
}

/** @param {string} name @param {Names} names */
function suggest(name, names) {
  const known = Object.keys(names);
  const meant = findClosest(name, known);
  return `${meant ? `did you mean ${meant}? ` : ''}names here: ${known.join(', ')}`;
}
