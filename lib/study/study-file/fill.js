/** Templates of a study file: `{{ $env.STUDY_WORKERS }}` in texts. */

import { LoadflameError } from '../../errors.js';
import { findClosest } from '../../files/closest.js';
import { findOnlyTemplate, findVariable, replaceTemplates } from '../../files/templates.js';

/** @import { Path } from '../../files/read-yaml.js' */

/**
 * Fills the study's variables into all texts of a value; keys of maps are left as they are. A text that is one
 * template and nothing else becomes a number where the variable reads like one.
 * @template T
 * @param {T} value is not changed
 * @param {Readonly<Record<string, string>>} variables
 * @param {object} options
 * @param {string} options.at what the value is, for errors: `services.api`
 * @param {boolean} [options.keepOthers] leave templates that are not the study's: those of a scenario
 * @param {string} [options.where] ` in the variant cache=off`, for errors
 * @param {(path: Path) => string} [options.locate] place of a text inside the value, for errors
 * @returns {T}
 * @throws {LoadflameError} STUDY_UNKNOWN_NAME
 */
export function fillTemplates(value, variables, { at, keepOthers = false, where = '', locate }) {
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
    const only = findOnlyTemplate(text);
    const filled = replaceTemplates(text, (name, template) => {
      const variable = findVariable(name) ?? '';
      const value = variables[variable];
      if (value !== undefined) return value;
      if (keepOthers && !variable.startsWith('STUDY_')) return template;
      const key = [at, ...path].join('.');
      const change = suggest(name, Object.keys(variables));
      throw new LoadflameError('STUDY_UNKNOWN_NAME', {
        ...{ at: locate?.(path) ?? at, key, name, where, change },
      });
    });
    return only === null ? filled : asNumber(filled);
  }
}

/** @param {string} name in a template @param {string[]} known */
function suggest(name, known) {
  const written = findVariable(name) ?? `STUDY_${name.replace(/\W+/g, '_').toUpperCase()}`;
  const meant = findClosest(written, known);
  return `${meant ? `did you mean {{ $env.${meant} }}? ` : ''}variables here: ${known.join(', ')}`;
}

/** @param {string} text */
function asNumber(text) {
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}
