/**
 * Data of a file against a JSON schema, and what is wrong with it in words. Beside ajv's keywords a
 * schema may say `exactlyOne: [keys]` and `atMostOne: [keys]`; a `description` is shown where a key is missing.
 */
import { createRequire } from 'node:module';
import { suggest } from './closest.js';

/** @import { Path } from './read-yaml.js' */
/** @import { ErrorObject } from 'ajv' */

const require = createRequire(import.meta.url);

/** Loaded with the first data that is checked: most scripts hold nothing to check. @returns {typeof import('ajv').Ajv} */
const loadAjv = () => require('ajv').Ajv;

/** @typedef {ErrorObject<string, any, any> & {propertyName?: string}} SchemaError */

/**
 * What a text has to be, and how an error says so.
 * @typedef {Record<string, {test: (text: string) => boolean, allowed: string}>} Formats
 */

/**
 * @typedef {object} Mistake
 * @property {Path} path of the value, or of the key where `isKey`
 * @property {boolean} isKey it is the key that is wrong
 * @property {string} problem follows the path: `is "x", which is not allowed`
 * @property {string} change what to write
 */

/** A map with these keys and no other. @param {Record<string, object>} properties @param {object} [rest] of its schema */
export function map(properties, rest) {
  return { type: 'object', additionalProperties: false, properties, ...rest };
}

/** @param {object} items @param {object} [rest] of its schema */
export function list(items, rest) {
  return { type: 'array', items, ...rest };
}

/** @param {Path} path @param {string} problem @param {string} change @returns {Mistake} */
export function makeMistake(path, problem, change) {
  return { path, isKey: false, problem, change };
}

/**
 * @param {object} schema
 * @param {object} options
 * @param {string} options.what the data is: `a study file`
 * @param {string} options.page that explains it: `docs/studies.md`
 * @param {Formats} [options.formats]
 * @returns {(data: unknown) => Mistake | null} the first that explains something; null where the shape is right
 */
export function compileShape(schema, { what, page, formats = {} }) {
  const create = () => {
    const ajv = new (loadAjv())({ allErrors: true, strict: false, verbose: true });
    for (const [name, { test }] of Object.entries(formats)) ajv.addFormat(name, test);
    for (const [keyword, isRight] of Object.entries({
      exactlyOne: (/** @type {number} */ count) => count === 1,
      atMostOne: (/** @type {number} */ count) => count <= 1,
    })) {
      ajv.addKeyword({
        keyword,
        type: 'object',
        validate: (/** @type {string[]} */ keys, /** @type {object} */ data) =>
          isRight(keys.filter(key => Object.hasOwn(data, key)).length),
      });
    }
    return ajv.compile(schema);
  };
  /** Compiled with the first data: most commands read none. @type {ReturnType<typeof create> | null} */
  let validate = null;
  return data => {
    validate ??= create();
    if (validate(data)) return null;
    // What "one of these" is made of explains nothing.
    const errors = /** @type {SchemaError[]} */ (validate.errors ?? []).filter(
      ({ keyword, schemaPath }) => keyword !== 'propertyNames' && !schemaPath.includes('/anyOf/'),
    );
    // A mistyped key also makes the right one missing: it is the better explanation.
    const worst = errors.find(({ keyword }) => keyword === 'additionalProperties') ?? errors[0];
    if (!worst) throw new TypeError('a schema that fails without an error');
    const path = splitPointer(worst.instancePath, data);
    if (worst.keyword === 'additionalProperties') path.push(worst.params.additionalProperty);
    if (worst.propertyName !== undefined) path.push(worst.propertyName);
    const isKey = worst.keyword === 'additionalProperties' || worst.propertyName !== undefined;
    const explain = EXPLANATIONS[worst.keyword];
    return {
      path,
      isKey,
      ...(explain
        ? explain(worst, { what, formats })
        : { problem: `is not allowed: it ${worst.message}`, change: `see ${page}` }),
    };
  };
}

/**
 * Data that a program wrote: much of it, which no person can mend.
 * @param {object} schema
 * @returns {(data: unknown) => string | null} what is wrong first, null where nothing is
 */
export function compileCheck(schema) {
  const validate = new (loadAjv())({ strict: false, validateSchema: false }).compile(schema);
  return data => {
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
 * keyword → what is wrong and what is allowed.
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
  anyOf: ({ schema }) => ({
    problem: 'lacks what it needs',
    change: `give at least one of ${schema.flatMap((/** @type {any} */ { required }) => required).join(', ')}`,
  }),
  exactlyOne: ({ schema }) => ({
    problem: 'needs exactly one of its ways',
    change: `give one of ${schema.join(', ')}`,
  }),
  atMostOne: ({ schema }) => ({
    problem: 'has more than one of its ways',
    change: `give one of ${schema.join(', ')}`,
  }),
  minimum: ({ data, schema }) => refuse(data, `a number of at least ${schema}`),
  maximum: ({ data, schema }) => refuse(data, `a number of at most ${schema}`),
  exclusiveMinimum: ({ data, schema }) => refuse(data, `a number above ${schema}`),
  minLength: () => ({ problem: 'is empty', change: 'give a text' }),
  uniqueItems: () => ({ problem: 'names a value twice', change: 'name each value once' }),
  minItems: () => ({ problem: 'is empty', change: 'give a list with one entry or more' }),
  minProperties: () => ({ problem: 'is empty', change: 'give a map with one entry or more' }),
};

/** @param {SchemaError} error @param {string} lacks */
function lack({ params: { missingProperty: missing }, parentSchema }, lacks) {
  const about = parentSchema?.properties?.[missing]?.description;
  return { problem: `${lacks} ${missing}`, change: `add ${missing}${about ? `: ${about}` : ''}` };
}

/** @param {unknown} value @param {string} allowed */
function refuse(value, allowed) {
  return { problem: `is ${showValue(value)}, which is not allowed`, change: `give ${allowed}` };
}

/** A value as an error shows it: short, on one line. @param {unknown} value */
export function showValue(value) {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (value !== null && typeof value === 'object') return 'a map';
  const text = JSON.stringify(value) ?? 'missing';
  return text === 'null' ? 'empty' : text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/**
 * @param {string} pointer RFC 6901: `/services/0/name`; parts may be escaped
 * @param {unknown} data that it points into: indexes of its lists become numbers
 * @returns {Path}
 */
function splitPointer(pointer, data) {
  /** @type {any} */
  let at = data;
  return pointer
    .split('/')
    .slice(1)
    .map(part => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(at) ? Number(key) : key;
      at = at?.[step];
      return step;
    });
}
