/** What is wrong with a value of a study file, in words: from the errors of its schema. */
import { Ajv } from 'ajv';
import { findClosest } from '../../closest.js';
import { splitPointer } from '../../json-pointer.js';
import { showValue } from './show-value.js';
import { STUDY_SCHEMA } from './study-schema.js';
import { FORMATS } from './units.js';

/** @import { Mistake } from './mistake.js' */
/** @typedef {import('ajv').ErrorObject<string, any, any> & {propertyName?: string}} SchemaError */

const ajv = new Ajv({ allErrors: true, strict: false, verbose: true });
for (const [name, { test }] of Object.entries(FORMATS)) ajv.addFormat(name, test);
/** @param {string[]} keys @param {object} data */
const countOf = (keys, data) => keys.filter(key => Object.hasOwn(data, key)).length;
ajv.addKeyword({
  keyword: 'exactlyOne',
  type: 'object',
  validate: (/** @type {string[]} */ keys, /** @type {object} */ data) => countOf(keys, data) === 1,
});
ajv.addKeyword({
  keyword: 'atMostOne',
  type: 'object',
  validate: (/** @type {string[]} */ keys, /** @type {object} */ data) => countOf(keys, data) <= 1,
});
const validate = ajv.compile(STUDY_SCHEMA);

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
 * @type {Record<string, (error: SchemaError) => {problem: string, change: string}>}
 */
const EXPLANATIONS = {
  required: ({ params, parentSchema }) => {
    const about = parentSchema?.properties?.[params.missingProperty]?.description;
    return {
      problem: `lacks ${params.missingProperty}`,
      change: `add ${params.missingProperty}${about ? `: ${about}` : ''}`,
    };
  },
  additionalProperties: ({ params, parentSchema }) => {
    const known = Object.keys(parentSchema?.properties ?? {});
    const meant = findClosest(params.additionalProperty, known);
    return {
      problem: 'is not a key of a study file here',
      change: `${meant ? `did you mean ${meant}? ` : ''}allowed here: ${known.join(', ')}`,
    };
  },
  enum: ({ data, params }) => refuse(data, `one of ${params.allowedValues.join(', ')}`),
  type: ({ data, schema, parentSchema }) => {
    const types = [schema].flat().map(type => TYPES[type]);
    return refuse(data, FORMATS[parentSchema?.format]?.allowed ?? types.join(' or '));
  },
  format: ({ data, params }) => refuse(data, FORMATS[params.format]?.allowed ?? params.format),
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
  minItems: () => ({ problem: 'is empty', change: 'give a list with one entry or more' }),
  minProperties: () => ({ problem: 'is empty', change: 'give a map with one entry or more' }),
};

/**
 * @param {unknown} data of a study file, without `quick`
 * @returns {Mistake | null} the first that explains something; null where the shape is right
 */
export function findSchemaMistake(data) {
  if (validate(data)) return null;
  const errors = /** @type {SchemaError[]} */ (validate.errors ?? []);
  const telling = errors.filter(({ keyword }) => keyword !== 'propertyNames');
  // A mistyped key also makes the right one missing: it is the better explanation.
  const worst = telling.find(({ keyword }) => keyword === 'additionalProperties') ?? telling[0];
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
      ? explain(worst)
      : { problem: `is not allowed: it ${worst.message}`, change: 'see docs/studies.md' }),
  };
}

/** @param {unknown} value @param {string} allowed */
function refuse(value, allowed) {
  return { problem: `is ${showValue(value)}, which is not allowed`, change: `give ${allowed}` };
}
