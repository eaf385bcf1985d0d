/** One line of a thresholds file. */
import { findClosest } from '../closest.js';
import { ALIASES, METRICS } from './metrics.js';
import { LIMIT_EXAMPLES, parseLimit } from './parse-limit.js';

/** @import { Metric } from './metrics.js' */
/** @import { Threshold } from './threshold.d.ts' */

/** What is wrong with a line, and what to write instead. */
export class ThresholdMistake extends Error {
  /** @param {string} problem @param {string} change */
  constructor(problem, change) {
    super(problem);
    this.change = change;
  }
}

const SHAPE = /^(?:(regression)\(\s*([^()\s]+)\s*\)|([^()\s<>=]+))\s*(<=|>=|<|>)\s*(\S.*)$/;

/**
 * @param {string} text `http.p95 < 400ms`, `regression(p95) < 10%`
 * @param {{place: string, endpoint: string | null, categories: string[]}} context
 * @returns {Threshold}
 * @throws {ThresholdMistake}
 */
export function parseThreshold(text, { place, endpoint, categories }) {
  const match = SHAPE.exec(text.trim());
  if (!match)
    throw new ThresholdMistake(
      `“${text}” is no threshold`,
      'write a metric, one of < <= > >= and a limit, e.g. `http.p95 < 400ms` or `regression(p95) < 10%`',
    );
  const [, regression, regressed, plain, operator, limitText = ''] = match;
  const isRegression = regression !== undefined;
  const name = regressed ?? plain ?? '';
  const { metric, category } = findMetric(name, categories);
  if (endpoint !== null && !metric.ofEndpoint)
    throw new ThresholdMistake(
      `“${name}” is not known per endpoint`,
      `move it to \`thresholds:\`; endpoints have ${listNames(({ ofEndpoint }) => ofEndpoint)}`,
    );
  if (isRegression) checkRegression(name, metric, operator ?? '');
  if (isRegression && endpoint !== null && category !== null)
    throw new ThresholdMistake(
      `regression(${name}) is not known per endpoint`,
      'move it to `thresholds:`, or take cpuMsPerRequest of the endpoint',
    );
  const unit = isRegression ? 'share' : metric.unit;
  const limit = parseLimit(limitText.trim(), unit);
  if (limit === null)
    throw new ThresholdMistake(
      `“${limitText}” is no limit for ${isRegression ? 'a regression' : name}`,
      `write ${LIMIT_EXAMPLES[unit]}`,
    );
  return {
    text: text.trim(),
    place,
    endpoint,
    metric: metric.name,
    category,
    isRegression,
    operator: /** @type {Threshold['operator']} */ (operator),
    limit,
    unit,
  };
}

/**
 * @param {Pick<Threshold, 'metric' | 'category'>} threshold
 * @returns {Metric}
 */
export function metricOf({ metric, category }) {
  return /** @type {Metric} */ (
    METRICS.find(
      ({ name, ofCategory }) => name === metric && Boolean(ofCategory) === (category !== null),
    )
  );
}

/** @param {string} given @param {string[]} categories */
function findMetric(given, categories) {
  const name = ALIASES[given] ?? given;
  const metric = METRICS.find(item => !item.ofCategory && item.name === name);
  if (metric) return { metric, category: null };
  const dot = name.lastIndexOf('.');
  const [category, part] = [name.slice(0, dot), name.slice(dot + 1)];
  const ofCategory = METRICS.find(item => item.ofCategory && item.name === part);
  if (dot > 0 && ofCategory) {
    if (categories.includes(category)) return { metric: ofCategory, category };
    const meant = findClosest(
      name,
      categories.map(id => `${id}.${part}`),
    );
    throw new ThresholdMistake(
      `“${category}” in “${given}” is no category of work`,
      `${meant ? `did you mean ${meant}? ` : ''}there are ${categories.join(', ')}`,
    );
  }
  const meant = findClosest(given, [
    ...METRICS.filter(item => !item.ofCategory).map(item => item.name),
    ...Object.keys(ALIASES),
    ...categories.flatMap(id =>
      METRICS.filter(item => item.ofCategory).map(item => `${id}.${item.name}`),
    ),
  ]);
  throw new ThresholdMistake(
    `“${given}” is no metric`,
    `${meant ? `did you mean ${meant}? ` : ''}there are ${listNames(() => true)}`,
  );
}

/** @param {string} name @param {Metric} metric @param {string} operator */
function checkRegression(name, metric, operator) {
  if (metric.measure === null)
    throw new ThresholdMistake(
      `regression(${name}) is not known`,
      `use one of ${listNames(({ measure }) => measure !== null)}`,
    );
  if (operator.startsWith('>'))
    throw new ThresholdMistake(
      `regression(${name}) is how much worse it got, and needs an upper limit`,
      `write \`regression(${name}) < 10%\``,
    );
}

/** @param {(metric: Metric) => boolean} wanted */
function listNames(wanted) {
  return METRICS.filter(wanted)
    .map(({ name, ofCategory }) => (ofCategory ? `<category>.${name}` : name))
    .join(', ');
}
