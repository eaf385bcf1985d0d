/** What of a study is not there, or must not be believed. */
import { formatCount, formatNumberOf, formatPercent } from '../../format.js';

/** @import { Draft, Facts } from './collect-findings.js' */

/** Share of requests, or arrivals, from which on they are told. */
const ERRORS = 0.01;
const SKIPPED = 0.01;

/** @param {Facts} facts @returns {Draft[]} */
export function findLost({ study, cells }) {
  const lost = cells.filter(({ outcome }) => outcome !== 'measured');
  if (lost.length === 0) return [];
  const isAll = lost.length === cells.length;
  return [
    {
      id: 'cells-lost',
      severity: isAll ? 'bad' : 'warn',
      title: `${formatNumberOf(lost.length, 'cell')} of ${formatCount(cells.length)} could not be measured.`,
      detail: study.reasons.join('; '),
      evidence: lost.slice(0, 8).map(({ variant, step, repeat, outcome, reason }) => ({
        label: `${variant}, step ${formatCount(step)}, repeat ${repeat}`,
        value: reason ?? outcome,
      })),
      advice: 'The same command again goes on with what is missing.',
      link: 'cells',
    },
  ];
}

/** @param {Facts} facts @returns {Draft[]} */
export function findGeneratorLimited({ variants }) {
  const limited = variants.flatMap(({ label, points }) => {
    const at = points.filter(({ isGeneratorLimit }) => isGeneratorLimit);
    const [first] = at;
    return first ? [{ label, value: `from step ${formatCount(first.step)} on` }] : [];
  });
  if (limited.length === 0) return [];
  return [
    {
      id: 'generator-limit',
      severity: 'warn',
      title: `The load generator was the limit in ${formatNumberOf(limited.length, 'variant')} of ${formatCount(variants.length)}.`,
      detail:
        'From there on throughput and latency are those of the generator: these steps say nothing of the target but that it takes at least this much.',
      evidence: limited,
      advice:
        'Run loadflame on a machine of its own, with more workers, or with a script that costs it less.',
      link: 'limits',
    },
  ];
}

/** @param {Facts} facts @returns {Draft[]} */
export function findErrors({ variants }) {
  const failing = variants.flatMap(({ label, points }) => {
    const worst = points.toSorted((a, b) => b.errorRate - a.errorRate)[0];
    return worst && worst.errorRate > ERRORS ? [{ label, worst }] : [];
  });
  const [first] = failing.toSorted((a, b) => b.worst.errorRate - a.worst.errorRate);
  if (!first) return [];
  return [
    {
      id: 'request-errors',
      severity: 'bad',
      title: `Requests failed: up to ${formatPercent(first.worst.errorRate)} with ${first.label} at step ${formatCount(first.worst.step)}.`,
      detail:
        'Throughput counts good answers only. An error is often cheaper than an answer, so CPU per transaction and latency of these steps are not those of the work.',
      evidence: failing.map(({ label, worst }) => ({
        label,
        value: `${formatPercent(worst.errorRate)} at step ${formatCount(worst.step)}`,
      })),
      advice: "The report of such a cell's run shows which errors they were.",
      link: 'cells',
    },
  ];
}

/** @param {Facts} facts @returns {Draft[]} */
export function findSkipped({ variants }) {
  const skipping = variants.flatMap(({ label, points }) => {
    const first = points.find(({ skippedRate }) => skippedRate > SKIPPED);
    return first
      ? [{ label, value: `${formatPercent(first.skippedRate)} at step ${formatCount(first.step)}` }]
      : [];
  });
  if (skipping.length === 0) return [];
  return [
    {
      id: 'skipped-arrivals',
      severity: 'warn',
      title: 'Arrivals were skipped, because all users were still at work.',
      detail: 'The target got less than the step says.',
      evidence: skipping,
      advice: null,
      link: 'cells',
    },
  ];
}
