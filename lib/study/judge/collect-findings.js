/** What a reader of a study should know beside its figures, worst first. */
import { formatCount, formatNumberOf, formatPercent } from '../../format.js';
import { findOthers } from './find-others.js';
import { findPlateau } from './plateau.js';

/** @import { Finding } from '../../analysis/report.d.ts' */
/** @import { StudyReport, VariantReport } from '../study-report.d.ts' */

/** @typedef {Pick<StudyReport, 'study' | 'variants' | 'cells' | 'load' | 'capacity'>} Facts */
/** @typedef {Omit<Finding, 'gain'>} Draft */

/** Share of requests, or arrivals, from which on they are told. */
const ERRORS = 0.01;
const SKIPPED = 0.01;
/** Jain's index of users below which some of them are served much worse than others. */
const UNFAIR = 0.85;
/** A generator with this share of the machine decides what the target gets. */
const CROWDING = 0.15;
const ORDER = { bad: 0, warn: 1, info: 2, good: 3 };

/** @type {((facts: Facts) => Draft[])[]} */
const RULES = [
  findLost,
  findGeneratorLimited,
  findErrors,
  findSkipped,
  findOthers,
  findCrowding,
  findUneven,
  findLittle,
];

/** @param {Facts} facts @returns {Finding[]} */
export function collectStudyFindings(facts) {
  return RULES.flatMap(rule => rule(facts))
    .map(finding => ({ gain: null, ...finding }))
    .sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}

/** @param {Facts} facts @returns {Draft[]} */
function findLost({ study, cells }) {
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
function findGeneratorLimited({ variants }) {
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
function findErrors({ variants }) {
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
function findSkipped({ variants }) {
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

/** The generator on the target's machine. @param {Facts} facts @returns {Draft[]} */
function findCrowding({ variants }) {
  const crowded = variants.flatMap(variant => {
    if (variant.limit.id !== 'machine' && variant.limit.id !== 'workers') return [];
    const part = shareOfGenerator(variant);
    return part !== null && part >= CROWDING
      ? [{ label: variant.label, value: `${formatPercent(part)} of the cores in use` }]
      : [];
  });
  if (crowded.length === 0) return [];
  return [
    {
      id: 'generator-beside',
      severity: 'info',
      title: 'The load generator ran on the machine that it filled.',
      detail:
        'What it used was not there for the target: these throughputs are those of target and generator together, and less than what the target does alone. Variants can be compared with each other all the same, and CPU per transaction holds.',
      evidence: crowded,
      advice: 'Run loadflame on a machine of its own for the capacity of the target alone.',
      link: 'limits',
    },
  ];
}

/** @param {VariantReport} variant */
function shareOfGenerator({ points, saturation }) {
  const point = findPlateau(points, saturation).at(-1);
  return point?.generatorCores && point.hostCores ? point.generatorCores / point.hostCores : null;
}

/** @param {Facts} facts @returns {Draft[]} */
function findUneven({ variants }) {
  const unfair = variants.flatMap(({ label, fairness }) =>
    fairness.flatMap(({ of, jain, text }) =>
      jain !== null && jain < UNFAIR && of !== 'latency' ? [{ label, value: text }] : [],
    ),
  );
  if (unfair.length === 0) return [];
  return [
    {
      id: 'unfair',
      severity: 'info',
      title: `Work spread unevenly in ${formatNumberOf(new Set(unfair.map(({ label }) => label)).size, 'variant')} of ${formatCount(variants.length)}.`,
      detail: 'Some workers, backends or users got much more than others.',
      evidence: unfair,
      advice: null,
      link: 'fairness',
    },
  ];
}

/** Beyond this, times and rates contradict each other. */
const LITTLE = 0.2;

/** @param {Facts} facts @returns {Draft[]} */
function findLittle({ variants }) {
  const broken = variants.filter(
    ({ little, saturation }) => (little.worstShare ?? 0) > LITTLE && saturation.throughputPerSec,
  );
  if (broken.length === 0) return [];
  return [
    {
      id: 'littles-law',
      severity: 'info',
      title: 'Users, throughput and latency do not agree everywhere (N = X·R).',
      detail:
        'Users who think between requests, who wait for a connection or whose requests time out make it so: their waiting is in no latency. Else a figure is wrong.',
      evidence: broken.map(({ label, little }) => ({ label, value: little.text })),
      advice: null,
      link: null,
    },
  ];
}
