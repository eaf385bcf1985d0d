/** One variant of a study: its saturation, the fitted law, the spread of work, why its steps ended. */
import { listPresent } from '../base/files/maps.js';
import {
  formatCount,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
  formatRoughShare,
} from '../base/format.js';
import { describeFinding } from './findings.js';
import { formatChosenShare, joinWords, MOST_NAMED } from './words.js';

/** @import { StopRule } from '../run/facts/study-file.d.ts' */
/** @import { StopTable } from '../run/facts/study-records.d.ts' */
/** @import { SpikeAnswer, UslFit, Why } from '../run/facts/study-report.d.ts' */
/** @import { Catalogue } from './text.d.ts' */

/** @param {UslFit} fit */
export function describeUsl({ state, points, leastPoints, largestN, nMax, xMax, sigma, validToN }) {
  if (state === 'too-few-points')
    return `no curve is fitted: it needs at least ${leastPoints} steps of load that the generator kept up with, and there are ${points}`;
  if (state === 'no-fit') return 'the universal scalability law does not describe these points';
  const measured = formatN(largestN ?? 0);
  const serial =
    sigma && sigma.value > 0.0005
      ? ` (σ: ${formatPercent(sigma.value)} of the work is serial)`
      : '';
  if (!nMax)
    return `no peak seen up to N = ${measured}${serial}; no prediction past N = ${formatN(validToN ?? 0)}`;
  const { low, high } = nMax;
  const range = low === null ? '' : ` (${formatN(low)}–${high === null ? '∞' : formatN(high)})`;
  const where = `N = ${formatN(nMax.value)}${range}`;
  const height = formatRate(xMax?.value ?? null);
  return nMax.value <= (largestN ?? 0)
    ? `throughput peaks at ${where} with ${height}; higher concurrency lowers it`
    : `a peak is expected at ${where} with ${height}, past the measured N = ${measured}`;
}

/** Measured concurrency is not a whole number. @param {number} n */
const formatN = n => (n < 9.95 && !Number.isInteger(n) ? n.toFixed(1) : formatCount(n));

/** Endpoints that a spike slowed and from which step on, and spikes that slowed none. @param {SpikeAnswer} answer */
export function describeSpike({ endpoint, variants }) {
  const slower = variants.flatMap(({ label, felt }) => {
    const [worst] = felt?.victims ?? [];
    if (!felt || !worst) return [];
    const { before, during } = worst.p95Ms;
    return `${beside(label)}from ${formatRate(felt.step)} on (p95 of ${worst.name} ${formatMs(before)} → ${formatMs(during)})`;
  });
  const rest = variants.filter(({ felt }) => !felt);
  const calm = rest.flatMap(({ label, isJudged, mostStep }) =>
    isJudged ? `${beside(label)}up to ${formatRate(mostStep)}` : [],
  );
  const unknown = rest.flatMap(({ label, isJudged }) => (isJudged ? [] : beside(label).trim()));
  const parts = listPresent(
    slower.length > 0 && `makes other endpoints slower ${joinWords(slower)}`,
    calm.length > 0 && `makes no other endpoint clearly slower ${joinWords(calm)}`,
  );
  return listPresent(
    parts.length > 0 && `A spike of ${endpoint} ${parts.join('; it ')}.`,
    unknown.length > 0 &&
      `Which endpoints a spike of ${endpoint} slows${unknown.join('') && ` ${joinWords(unknown)}`} is not known.`,
  ).join(' ');
}

/** @param {string | null} label of a variant */
const beside = label => (label === null ? '' : `with ${label} `);

/** Sentences of the profile at the plateau. @param {Why} why @returns {string[]} */
export function describeWhy({ categories, cause }) {
  const biggest = categories
    .toSorted((a, b) => b.share.value - a.share.value)
    .slice(0, MOST_NAMED)
    .map(
      ({ label, share, cpuMs }) =>
        `${label} ${formatRoughShare(share)}${cpuMs === null ? '' : ` (${formatMs(cpuMs)} per request)`}`,
    );
  return [
    ...(biggest.length > 0 ? [`CPU of the workers: ${biggest.join(', ')}.`] : []),
    ...(cause === null ? [] : [describeFinding(cause).title]),
  ];
}

/** @type {Catalogue<StopTable, string>} */
export const STOPS = {
  generator: () => 'the load generator was the bottleneck, not the target',
  errors: ({ errorRate, most }) =>
    `${formatPercent(errorRate)} of requests failed, more than ${formatChosenShare(most)}`,
  skipped: ({ skippedRate, most }) =>
    `${formatPercent(skippedRate)} of arrivals were dropped, more than ${formatChosenShare(most)}`,
  p95: ({ p95Ms, mostMs }) => `p95 was ${formatMs(p95Ms)}, above ${formatMs(mostMs)}`,
  gain: ({ change, steps, least, isPerStep }) => {
    const changed =
      change < 0 ? `fell by ${formatPercent(-change)}` : `rose by ${formatPercent(change)}`;
    const wanted = isPerStep ? `${formatChosenShare(least)} a step` : formatPercent(least);
    return `throughput ${changed} over the last ${formatNumberOf(steps, 'step')}, less than ${wanted}`;
  },
  most: ({ step }) => `${step} is the most that the study tries`,
};

/** The rule that ends the steps of a variant, in words that follow "until". @param {StopRule} rule */
export function describeStopRule({ gain, p95Ms, errors, skipped }) {
  return `${listPresent(
    `throughput rises by less than ${formatChosenShare(gain)} in two steps in a row`,
    p95Ms === null ? null : `p95 is above ${formatMs(p95Ms)}`,
    `more than ${formatChosenShare(errors)} of requests fail`,
    `more than ${formatChosenShare(skipped)} of arrivals are dropped`,
  ).join(', ')}, or the load generator is the bottleneck`;
}
