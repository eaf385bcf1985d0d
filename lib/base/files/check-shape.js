/**
 * Checks the data of a file against a JSON schema, and explains what is wrong. In addition to ajv's keywords, a schema
 * may have `exactlyOne: [keys]`, `atMostOne` and `atLeastOne`; a `description` is shown if a key is missing.
 */
import { createRequire } from 'node:module';
import { suggest } from './closest.js';
import { cutText } from './plain-text.js';

/** @import { Path } from './read-yaml.js' */
/** @import { ErrorObject } from 'ajv' */

const require = createRequire(import.meta.url);

/** Loaded only when data is checked: most scripts have none. @returns {typeof import('ajv').Ajv} */
const loadAjv = () => require('ajv').Ajv;

/** @typedef {ErrorObject<string, any, any> & {propertyName?: string}} SchemaError */

/**
 * Formats of texts: a test, and a description for errors.
 * @typedef {Record<string, {test: (text: string) => boolean, allowed: string}>} Formats
 */

/**
 * @typedef {object} Mistake
 * @property {Path} path of the value, or of the key if `isKey`
 * @property {boolean} isKey the key is wrong
 * @property {string} problem follows the path: `is "x", which is not allowed`
 * @property {string} change what to write
 */

/**
 * @param {Path} path
 * @param {string} problem
 * @param {string} change
 * @returns {Mistake}
 */
export const makeMistake = (path, problem, change) => ({ path, isKey: false, problem, change });

/** How many of the keys a map may have. @type {Record<string, [least: number, most: number]>} */
const COUNTS = { exactlyOne: [1, 1], atMostOne: [0, 1], atLeastOne: [1, Infinity] };

/**
 * @param {object} schema
 * @param {object} options
 * @param {string} options.what kind of data: `a study file`
 * @param {string} options.page its documentation: `docs/studies.md`
 * @param {Formats} [options.formats]
 * @returns {(data: unknown) => Mistake | null} the most informative mistake; null if the shape is right
 */
export function compileShape(schema, { what, page, formats = {} }) {
  const create = () => {
    const ajv = new (loadAjv())({ allErrors: true, strict: false, verbose: true });
    for (const [name, { test }] of Object.entries(formats)) ajv.addFormat(name, test);
    for (const [keyword, [least, most]] of Object.entries(COUNTS)) {
      const validate = (/** @type {string[]} */ keys, /** @type {object} */ data) => {
        const count = keys.filter(key => Object.hasOwn(data, key)).length;
        return count >= least && count <= most;
      };
      ajv.addKeyword({ keyword, type: 'object', validate });
    }
    return ajv.compile(schema);
  };
  /** Compiled when first used: most commands check nothing. @type {ReturnType<typeof create> | null} */
  let validate = null;
  return data => {
    validate ??= create();
    if (validate(data)) return null;
    const errors = /** @type {SchemaError[]} */ (validate.errors ?? []).filter(
      ({ keyword }) => keyword !== 'propertyNames',
    );
    // A mistyped key explains better than the required key that it leaves missing.
    const worst = errors.find(({ keyword }) => keyword === 'additionalProperties') ?? errors[0];
    if (!worst) throw new TypeError('a schema that fails without an error');
    const path = splitPointer(worst.instancePath, data);
    if (worst.keyword === 'additionalProperties') path.push(worst.params.additionalProperty);
    if (worst.propertyName !== undefined) path.push(worst.propertyName);
    const isKey = worst.keyword === 'additionalProperties' || worst.propertyName !== undefined;
    const unknown = { problem: `is not allowed: it ${worst.message}`, change: `see ${page}` };
    return { path, isKey, ...(EXPLANATIONS[worst.keyword]?.(worst, { what, formats }) ?? unknown) };
  };
}

/**
 * Checks data that a program wrote, which may be large and which no user edits. To optimize the checks would take longer
 * than it saves in a run.
 * @param {Record<string, object>} schemas that others refer to by these names
 * @returns {(schema: object, data: unknown) => string | null} the first mistake; null if there is none
 */
export function createCheck(schemas) {
  const quick = { validateSchema: false, inlineRefs: false, code: { optimize: false } };
  const ajv = new (loadAjv())({ strict: false, ...quick, schemas });
  return (schema, data) => {
    // Compiled once.
    const validate = ajv.compile(schema);
    if (validate(data)) return null;
    const [{ instancePath = '', message = '' } = {}] = validate.errors ?? [];
    return `${instancePath.slice(1).replaceAll('/', '.') || 'it'} ${message}`;
  };
}

const TYPES = /** @type {Record<string, string>} */ ({
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map (key: value)',
  null: 'nothing',
});

/**
 * By keyword: what is wrong, and what is allowed.
 * @type {Record<string, (error: SchemaError, about: {what: string, formats: Formats}) => {problem: string, change: string}>}
 */
const EXPLANATIONS = {
  required: error => lack(error, 'lacks'),
  dependencies: error => lack(error, `has ${error.params.property}, and lacks`),
  additionalProperties: ({ params, parentSchema }, { what }) => {
    const known = Object.keys(parentSchema?.properties ?? {});
    return {
      problem: `is not a key of ${what} here`,
      change: `${suggest(params.additionalProperty, known)}allowed here: ${known.join(', ')}`,
    };
  },
  enum: ({ data, params }) => refuse(data, `one of ${params.allowedValues.join(', ')}`),
  type: ({ data, schema, parentSchema }, { formats }) => {
    const types = [schema].flat().map(type => TYPES[type]);
    return refuse(data, formats[parentSchema?.format]?.allowed ?? types.join(' or '));
  },
  format: ({ data, params }, { formats }) =>
    refuse(data, formats[params.format]?.allowed ?? params.format),
  pattern: ({ data, schema, parentSchema }) =>
    refuse(data, parentSchema?.description ?? `a text that matches ${schema}`),
  atLeastOne: ({ schema }) => ({
    problem: 'lacks what it needs',
    change: `give at least one of ${schema.join(', ')}`,
  }),
  exactlyOne: ({ schema }) => giveOne('needs exactly one of these keys', schema),
  atMostOne: ({ schema }) => giveOne('has more than one of these keys', schema),
  minimum: ({ data, schema }) => refuse(data, `a number of at least ${schema}`),
  maximum: ({ data, schema }) => refuse(data, `a number of at most ${schema}`),
  exclusiveMinimum: ({ data, schema }) => refuse(data, `a number above ${schema}`),
  minLength: () => ({ problem: 'is empty', change: 'give a text' }),
  uniqueItems: () => ({ problem: 'names a value twice', change: 'name each value once' }),
  minItems: () => ({ problem: 'is empty', change: 'give a list with one entry or more' }),
  minProperties: () => ({ problem: 'is empty', change: 'give a map with one entry or more' }),
};

/** @param {string} problem @param {string[]} keys */
const giveOne = (problem, keys) => ({ problem, change: `give one of ${keys.join(', ')}` });

/** @param {SchemaError} error @param {string} lacks */
function lack({ params: { missingProperty: missing }, parentSchema }, lacks) {
  const about = parentSchema?.properties?.[missing]?.description;
  return { problem: `${lacks} ${missing}`, change: `add ${missing}${about ? `: ${about}` : ''}` };
}

/** @param {unknown} value @param {string} allowed */
function refuse(value, allowed) {
  return { problem: `is ${showValue(value)}, which is not allowed`, change: `give ${allowed}` };
}

/** A value in an error: short, on one line. @param {unknown} value */
export function showValue(value) {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (value !== null && typeof value === 'object') return 'a map';
  const text = JSON.stringify(value) ?? 'missing';
  return text === 'null' ? 'empty' : cutText(text, 60);
}

/**
 * @param {string} pointer RFC 6901: `/services/0/name`; parts may be escaped
 * @param {unknown} data it points into these; indexes of lists become numbers
 * @returns {Path}
 */
function splitPointer(pointer, data) {
  /** @type {any} */
  let at = data;
  const [, ...parts] = pointer.split('/');
  return parts.map(part => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const step = Array.isArray(at) ? Number(key) : key;
    at = at?.[step];
    return step;
  });
}
