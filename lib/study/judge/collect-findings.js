/** What a reader of a study should know beside its figures, worst first. */
import { formatCount, formatNumberOf, formatPercent } from '../../format.js';
import { findErrors, findGeneratorLimited, findLost, findSkipped } from './find-invalid.js';
import { findOthers } from './find-others.js';
import { findPlateau } from './plateau.js';

/** @import { Finding } from '../../analysis/report.d.ts' */
/** @import { StudyReport, VariantReport } from '../study-report.d.ts' */

/** @typedef {Pick<StudyReport, 'study' | 'variants' | 'cells' | 'load' | 'capacity'>} Facts */
/** @typedef {Omit<Finding, 'gain'>} Draft */

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
