/** Checks a response against the script's expectations: `data` (or `args`), `match`, `capture`. */
import { isDeepStrictEqual } from 'node:util';
import { nameError } from '../../metrics/error-samples.js';
import { compileCounted, compileTemplate } from '../flow/template.js';
import { compileLearning, findCaptures } from '../http/captures.js';

/** @import { ScriptConfig } from '../../script.d.ts' */
/** @import { Scope, Services } from '../engine.d.ts' */

/** Captures and matches without a source read the first argument. */
const FIRST_ARGUMENT = '$.0';
const EXTRACTORS = ['json', 'xpath', 'regexp', 'header', 'selector'];

/**
 * @typedef {object} Check
 * @property {(context: any) => (args: any[]) => boolean} expect before the wait: which response `data` describes
 * @property {(args: any[], context: any) => void} judge captures values; throws the error that ends the user
 */

/**
 * @param {any} spec
 * @param {string} step its name where empty variables are counted
 * @param {Pick<Scope, 'services'>} scope
 * @returns {Check}
 */
export function compileCheck(spec, step, { services }) {
  const data = spec?.data || spec?.args;
  const toExpected = compileCounted(data, step, { services });
  const concat = compileTemplate(spec?.concat).fill;
  const capture = [spec?.capture ?? []].flat().map(withDefault);
  const match = [spec?.match ?? []].flat().map(withDefault);
  const learn = compileLearning(capture, services);
  const extracts = capture.length + match.length > 0;
  return {
    expect(context) {
      if (!data) return () => true;
      const [expected, isJoined] = [toExpected(context), concat(context)];
      return args => isExpected(args, expected, isJoined);
    },
    judge: (args, context) =>
      extracts ? extract(args, { capture, match }, context, learn) : undefined,
  };
}

/** @param {any} spec */
function withDefault(spec) {
  return EXTRACTORS.some(name => spec?.[name]) ? spec : { ...spec, json: FIRST_ARGUMENT };
}

/**
 * Artillery's rules: a list must equal all arguments, a text must be part of the last (or, with `concat`, of all
 * joined), anything else must equal the last.
 * @param {any[]} args
 * @param {any} expected
 * @param {any} concat
 */
function isExpected(args, expected, concat) {
  const last = args.at(-1);
  if (typeof expected !== 'string') {
    const answered = Array.isArray(expected) ? args : last;
    return isDeepStrictEqual(answered, expected) || isDeepStrictEqual(round(answered), expected);
  }
  const actual = concat ? args.join('') : last;
  return (typeof actual === 'string' || Array.isArray(actual)) && actual.includes(expected);
}

/** A script cannot write integers beyond 2^53 exactly. @param {any} answered */
const round = answered => JSON.parse(JSON.stringify(answered ?? null));

/**
 * @param {any[]} args
 * @param {Record<string, any>} params
 * @param {any} context
 * @param {ReturnType<typeof compileLearning>} learn
 */
function extract(args, params, context, learn) {
  const { matches = [], captures = {} } = findCaptures(params, { body: args }, context) ?? {};
  if (matches.some(({ success }) => !success)) throw new Error('Failed match');
  for (const [name, { value }] of Object.entries(captures)) {
    context.vars[name] = value;
    learn(name, value);
  }
  context.vars.$ = JSON.stringify(args);
  context._successCount += 1;
}

// -- Keeps the response of a failed step with its error.

/**
 * @param {any[]} sent starts with the event's name; only that for a pushed event
 * @param {unknown} error
 * @param {any[] | null} answer null if none came
 * @param {Services} services
 */
export function addAnswerSample([channel, ...sent], error, answer, { samples }) {
  const endpoint = `socket.io ${channel}`;
  const code = nameError(error);
  if (!samples.wants(endpoint, code)) return;
  const [requestBody, body] = [sent, answer ?? []].map(args =>
    args.length > 0 ? JSON.stringify(args) : '',
  );
  samples.add({ endpoint, code, requestBody, body });
}

const DEFAULT_TIMEOUT_SEC = 10;

/**
 * How long a step waits for a response: its own `timeout`, the script's, or 10 s.
 * @param {any} spec
 * @param {ScriptConfig} config
 */
export function waitLimitMs(spec, config) {
  return (Number(spec?.timeout) || Number(config.timeout) || DEFAULT_TIMEOUT_SEC) * 1000;
}
