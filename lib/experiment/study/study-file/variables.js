/** The variables that a study gives its commands, and that `{{ $env.STUDY_… }}` inserts into the rest of its file. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { LoadflameError } from '../../../base/errors.js';
import { suggest } from '../../../base/files/closest.js';
import { formatPath } from '../../../base/files/read-yaml.js';
import { findOnlyTemplate, findVariable, replaceTemplates } from '../../../base/files/templates.js';
import { nameVariable } from '../analysis/matrix.js';

/** @import { Path } from '../../../base/files/read-yaml.js' */
/** @import { Study } from '../../../run/facts/study-file.d.ts' */
/** @import { Variant } from '../../../run/facts/study-records.d.ts' */

/** @typedef {Record<string, string>} Variables without prototype: `STUDY_WORKERS`, `STUDY_PORT_API` */

/** Every study has these, so no factor may use their names. */
export const OWN_VARIABLES = Object.freeze(
  ['DIR', 'WORK', 'SEED', 'PASSWORD', 'TARGET', 'TOKEN', 'PORT', 'STEP'].map(
    name => `STUDY_${name}`,
  ),
);

/** For the services of a study, new at each start: a machine has other users. */
export const PASSWORD = randomBytes(16).toString('hex');

/** Names of the ports that a study gets. @param {Pick<Study, 'services' | 'ports'>} study */
export function listPorts({ services, ports }) {
  return [...services.map(({ name }) => name), ...ports];
}

/**
 * @typedef {object} Places
 * @property {number} seed of the order of the blocks
 * @property {Record<string, number>} ports name → a free port
 * @property {string} work temporary folder of the study
 */

/**
 * @param {Pick<Study, 'file' | 'factors' | 'target'>} study
 * @param {Variant | null} variant null: before the first and after the last
 * @param {Places} places
 * @param {{where?: string, locate?: (path: Path) => string}} [options] for errors
 * @returns {Variables}
 * @throws {LoadflameError} STUDY_UNKNOWN_NAME in a field of a factor or in the target's address
 */
export function makeVariables({ file, factors, target }, variant, places, { where, locate } = {}) {
  /** @type {Variables} */
  const variables = Object.create(null);
  Object.assign(variables, {
    STUDY_DIR: path.dirname(file),
    STUDY_WORK: places.work,
    STUDY_SEED: String(places.seed),
    STUDY_PASSWORD: PASSWORD,
  });
  for (const [name, port] of Object.entries(places.ports))
    variables[nameVariable('PORT', name)] = String(port);
  if (variant === null) return variables;
  for (const { name, values } of factors) {
    const { label = '', fields = {} } =
      values.find(one => one.label === variant.factors[name]) ?? {};
    variables[nameVariable(name)] = label;
    for (const [field, value] of Object.entries(fields))
      variables[nameVariable(name, field)] = fill(value, ['factors', name, label, field]);
  }
  variables.STUDY_TARGET = fill(target.url, ['target', 'url']);
  return variables;

  /** What comes before it is known. @param {unknown} value @param {Path} path */
  function fill(value, path) {
    const place = { at: formatPath(path), where, locate: () => locate?.(path) ?? file };
    return String(fillTemplates(value, variables, place));
  }
}

/**
 * Inserts the study's variables into all texts of a value; keys of maps stay as they are. A text that consists of one
 * template becomes a number if the variable looks like one.
 * @template T
 * @param {T} value is not changed
 * @param {Readonly<Record<string, string>>} variables
 * @param {object} options
 * @param {string} options.at name of the value, for errors: `services.api`
 * @param {boolean} [options.keepOthers] keep templates that are not the study's, such as those of a scenario
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
    const filled = replaceTemplates(text, (name, template) => {
      const variable = findVariable(name) ?? '';
      const value = variables[variable];
      if (value !== undefined) return value;
      if (keepOthers && !variable.startsWith('STUDY_')) return template;
      const known = Object.keys(variables);
      const word = findVariable(name) ?? nameVariable(name);
      throw new LoadflameError('STUDY_UNKNOWN_NAME', {
        ...{ at: locate?.(path) ?? at, key: [at, ...path].join('.'), name, where },
        change: `${suggest(word, known, meant => `{{ $env.${meant} }}`)}variables here: ${known.join(', ')}`,
      });
    });
    const isNumber = findOnlyTemplate(text) !== null && String(Number(filled)) === filled;
    return isNumber && Number.isFinite(Number(filled)) ? Number(filled) : filled;
  }
}
