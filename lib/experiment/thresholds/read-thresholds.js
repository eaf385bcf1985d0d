/** Reads a thresholds file (docs/thresholds.md). */
import path from 'node:path';
import { loadRules } from '../../analysis/hotpath/load-rules.js';
import { LoadflameError } from '../../base/errors.js';
import { compileShape } from '../../base/files/check-shape.js';
import { suggest } from '../../base/files/closest.js';
import { formatPath, parseYaml, readSource } from '../../base/files/read-yaml.js';
import { LIMITS, parseLimit } from '../../base/format.js';
import { MEASURES } from '../../run/facts/measures.js';
import SCHEMA from './thresholds-form.schema.json' with { type: 'json' };

/** @import { Path } from '../../base/files/read-yaml.js' */
/** @import { Measure } from '../../run/facts/measures.js' */
/** @import { Threshold } from '../../run/facts/threshold.d.ts' */

/** Names of measures; with `*.` in front, those that every category has. */
export const METRICS = new Map(
  MEASURES.flatMap(measure => {
    const { threshold, of } = measure;
    if (threshold === undefined) return [];
    /** @type {[string, Measure][]} */
    const names = of.overall ? [[threshold, measure]] : [];
    return of.category ? [...names, [`*.${threshold}`, measure]] : names;
  }),
);
/** Shorter names, and names of earlier versions. @type {Record<string, string>} */
export const ALIASES = {
  ...Object.fromEntries(
    [...METRICS.keys()].flatMap(name => (name.startsWith('http.') ? [[name.slice(5), name]] : [])),
  ),
  errorRate: 'errors',
  'users.skipped': 'users.dropped',
};

const findMistake = compileShape(SCHEMA, {
  what: 'a thresholds file',
  page: 'docs/thresholds.md',
  formats: { threshold: { test: () => true, allowed: 'a threshold, e.g. `http.p95 < 400ms`' } },
});

/**
 * @param {string} file
 * @param {{rulesFile: string | null}} options the user's rules may add categories
 * @returns {Promise<Threshold[]>} at least one, those of the run first
 * @throws {LoadflameError} THRESHOLDS_UNREADABLE, THRESHOLDS_INVALID, RULES_…
 */
export async function readThresholds(file, { rulesFile }) {
  const text = readSource(file, 'THRESHOLDS_UNREADABLE');
  const { categories } = await loadRules(rulesFile);
  return parseThresholds(text, path.basename(file), [...categories.values()]);
}

/**
 * @param {string[]} expressions of `--find`, for the whole run
 * @param {{rulesFile: string | null}} options
 * @returns {Promise<Threshold[]>}
 * @throws {LoadflameError} THRESHOLDS_INVALID, RULES_…
 */
export async function readLimits(expressions, { rulesFile }) {
  const { categories } = await loadRules(rulesFile);
  const place = '--find';
  const complain = (/** @type {string} */ problem, /** @type {string} */ change) =>
    new LoadflameError('THRESHOLDS_INVALID', { at: place, problem, change });
  return expressions.map(text => {
    const context = { place, endpoint: null, categories: [...categories.values()], complain };
    const limit = parseThreshold(text, context);
    if (limit.isRegression)
      throw complain(`“${text}” needs a baseline`, 'write a limit, e.g. `http.p95 < 400ms`');
    return limit;
  });
}

/**
 * @param {string} text YAML
 * @param {string} name of the file, for errors
 * @param {readonly CategoryName[]} categories
 * @returns {Threshold[]}
 * @throws {LoadflameError} THRESHOLDS_INVALID
 */
export function parseThresholds(text, name, categories) {
  const { data, locate } = parseYaml(text, name, { code: 'THRESHOLDS_INVALID' });
  /** @param {Path} path */
  const placeOf = path => `${name}:${locate(path).line}`;
  /**
   * @param {Path} path
   * @param {string} problem
   * @param {string} change
   */
  const complain = (path, problem, change) =>
    new LoadflameError('THRESHOLDS_INVALID', { at: placeOf(path), problem, change });
  const ofRun = Array.isArray(data) ? [] : ['thresholds'];
  const form = Array.isArray(data) ? { thresholds: data } : (data ?? {});
  const mistake = findMistake(form);
  if (mistake) {
    const path =
      mistake.path[0] === 'thresholds' ? [...ofRun, ...mistake.path.slice(1)] : mistake.path;
    throw complain(path, `${formatPath(path)} ${mistake.problem}`, mistake.change);
  }
  /**
   * @param {string[]} texts
   * @param {Path} path
   * @param {string | null} endpoint
   */
  const parse = (texts, path, endpoint) =>
    texts.map((one, index) =>
      parseThreshold(one, {
        place: placeOf([...path, index]),
        endpoint,
        categories,
        complain: (problem, change) => complain([...path, index], problem, change),
      }),
    );
  const { thresholds = [], endpoints = {} } = form;
  const found = [
    ...parse(thresholds, ofRun, null),
    ...Object.entries(endpoints).flatMap(([endpoint, texts]) =>
      parse(texts, ['endpoints', endpoint], endpoint),
    ),
  ];
  if (found.length === 0)
    throw complain(
      [],
      'there are no thresholds',
      'write a list below `thresholds:`; docs/thresholds.md has an example',
    );
  return found;
}

const EXPRESSION = /^(?:(regression)\(\s*([^()<>=]+?)\s*\)|([^()<>=]+?))\s*(<=|>=|<|>)\s*(\S.*)$/;

/**
 * Makes the error from what is wrong with a line and what to write instead.
 * @typedef {(problem: string, change: string) => LoadflameError} Complain
 */

/**
 * A category of work: its id, and its name in reports, which a threshold may use too.
 * @typedef {{id: string, label: string}} CategoryName
 */

/**
 * @param {string} text `http.p95 < 400ms`, `regression(p95) < 10%`
 * @param {{place: string, endpoint: string | null, categories: readonly CategoryName[], complain: Complain}} context
 * @returns {Threshold}
 */
function parseThreshold(text, { place, endpoint, categories, complain }) {
  const match = EXPRESSION.exec(text.trim());
  if (!match)
    throw complain(
      `“${text}” is not a threshold`,
      'write a metric, one of < <= > >= and a limit, e.g. `http.p95 < 400ms` or `regression(p95) < 10%`',
    );
  const [, regression, regressed, plain, operator, limitText = ''] = match;
  const isRegression = regression !== undefined;
  const name = regressed ?? plain ?? '';
  const { metric, measure, category } = findMetric(name, categories, complain);
  if (endpoint !== null && !measure.of.endpoint)
    throw complain(
      `“${name}” has no value per endpoint`,
      `move it to \`thresholds:\`; endpoints have ${listNames(({ of }) => of.endpoint !== undefined)}`,
    );
  if (isRegression) checkRegression(name, measure, operator ?? '', complain);
  if (isRegression && endpoint !== null && category !== null)
    throw complain(
      `regression(${name}) has no value per endpoint`,
      'move it to `thresholds:`, or take cpuMsPerRequest of the endpoint',
    );
  const unit = isRegression ? 'share' : measure.unit;
  const limit = parseLimit(limitText.trim(), unit);
  if (limit === null)
    throw complain(
      `“${limitText}” is not a limit for ${isRegression ? 'a regression' : name}`,
      `write ${LIMITS[unit][0]}`,
    );
  return {
    expression: text.trim(),
    place,
    endpoint,
    metric,
    category,
    isRegression,
    operator: /** @type {Threshold['operator']} */ (operator),
    limit,
    unit,
  };
}

/**
 * @param {string} given
 * @param {readonly CategoryName[]} categories
 * @param {Complain} complain
 */
function findMetric(given, categories, complain) {
  const name = ALIASES[given] ?? given;
  const measure = METRICS.get(name);
  if (measure) return { metric: name, measure, category: null };
  const dot = name.lastIndexOf('.');
  const [category, part] = [name.slice(0, dot), name.slice(dot + 1)];
  const ofCategory = METRICS.get(`*.${part}`);
  if (dot > 0 && ofCategory) {
    const word = category.toLowerCase();
    const found = categories.find(({ id, label }) => id === word || label.toLowerCase() === word);
    if (found) return { metric: part, measure: ofCategory, category: found.id };
    const known = categories.map(({ id, label }) => (id === label ? id : `${id} (${label})`));
    const names = categories.flatMap(({ id, label }) => [`${id}.${part}`, `${label}.${part}`]);
    throw complain(
      `unknown category “${category}” in “${given}”`,
      `${suggest(name, names)}categories are ${known.join(', ')}`,
    );
  }
  const names = [
    ...[...METRICS.keys()].flatMap(key =>
      key.startsWith('*.') ? categories.map(({ id }) => key.replace('*', id)) : key,
    ),
    ...Object.keys(ALIASES),
  ];
  throw complain(
    `unknown metric “${given}”`,
    `${suggest(given, names)}metrics are ${listNames(() => true)}`,
  );
}

/**
 * @param {string} name
 * @param {Measure} measure
 * @param {string} operator
 * @param {Complain} complain
 */
function checkRegression(name, measure, operator, complain) {
  if (!measure.isCompared)
    throw complain(
      `regression(${name}) is not possible`,
      `use one of ${listNames(({ isCompared }) => isCompared === true)}`,
    );
  if (operator.startsWith('>'))
    throw complain(
      `regression(${name}) is how much worse it got, and needs an upper limit`,
      `write \`regression(${name}) < 10%\``,
    );
}

/** @param {(measure: Measure) => boolean} wanted */
function listNames(wanted) {
  return [...METRICS]
    .flatMap(([name, measure]) => (wanted(measure) ? name.replace('*', '<category>') : []))
    .join(', ');
}
