/** What a reader of a study should know besides its figures, worst first. */
import { THRESHOLDS } from '../../../analysis/bottleneck/thresholds.js';

/** @import { Point, StudyFinding, StudyReport, VariantReport } from '../../../run/facts/study-report.d.ts' */

/** @typedef {Pick<StudyReport, 'study' | 'factors' | 'variants' | 'cells'>} Facts */

/** Shares of requests, and of arrivals, that make a finding. */
const ERRORS = 0.01;
const DROPPED = 0.01;
const MOST_LOST = 8;
const ORDER = { bad: 0, warn: 1, info: 2, good: 3 };

/**
 * A finding from observations of some variants; null without any.
 * @type {((facts: Facts) => StudyFinding | null)[]}
 */
const RULES = [
  function findLost({ study, cells }) {
    const lost = cells.filter(({ outcome }) => outcome !== 'measured');
    if (lost.length === 0) return null;
    const first = lost.slice(0, MOST_LOST).map(({ variant, step, repeat, outcome, reason }) => {
      return { variant, step, repeat, outcome, reason };
    });
    const facts = { lost: lost.length, cells: cells.length, reasons: study.reasons, first };
    return make('cells-lost', lost.length === cells.length ? 'bad' : 'warn', facts);
  },

  function findGeneratorLimited({ variants }) {
    const limited = listSeen(variants, ({ points }) => {
      const first = points.find(({ isGeneratorLimit }) => isGeneratorLimit);
      return first && { step: first.step };
    });
    return limited && make('generator-limit', 'warn', { of: variants.length, variants: limited });
  },

  function findErrors({ variants }) {
    const failing = listSeen(variants, ({ points }) => {
      const [worst] = points.toSorted((a, b) => b.errorRate - a.errorRate);
      const { step, errorRate } = worst ?? { step: 0, errorRate: 0 };
      return errorRate > ERRORS && { step, errorRate };
    });
    failing?.sort((a, b) => b.errorRate - a.errorRate);
    return failing && make('request-errors', 'bad', { variants: failing });
  },

  function findDropped({ variants }) {
    const dropping = listSeen(variants, ({ points }) => {
      const first = points.find(({ skippedRate }) => skippedRate > DROPPED);
      return first && { step: first.step, droppedRate: first.skippedRate };
    });
    return dropping && make('dropped-arrivals', 'warn', { variants: dropping });
  },

  function findBackgroundLoad({ variants }) {
    const busy = listSeen(variants, ({ points }) => {
      const cores = Math.max(0, ...points.map(point => countBackground(point)));
      return cores >= THRESHOLDS.backgroundCores && { cores };
    });
    busy?.sort((a, b) => b.cores - a.cores);
    return busy && make('background-load', 'warn', { variants: busy });
  },

  function findSpikeVictims({ variants, factors }) {
    const seen = variants.flatMap(({ label: own, spikes = [] }) => {
      // A study without factors has one variant, whose label says nothing.
      const label = factors.length > 0 ? own : null;
      const last = spikes.at(-1);
      if (!last) return [];
      const first = spikes.find(({ endpoints }) => endpoints.some(({ isVictim }) => isVictim));
      const isJudged = spikes.every(step => step.isJudged);
      const victims = first?.endpoints.filter(({ isVictim }) => isVictim) ?? [];
      victims.sort((a, b) => (b.p95Ms.during ?? 0) - (a.p95Ms.during ?? 0));
      const felt = first ? { step: first.step, victims } : null;
      return [{ endpoint: last.endpoint, label, mostStep: last.step, felt, isJudged }];
    });
    const [first] = seen;
    if (!first) return null;
    const all = seen.map(({ endpoint: _, ...one }) => one);
    const severity = seen.some(({ felt }) => felt) ? 'warn' : 'info';
    return make('spike', severity, { endpoint: first.endpoint, variants: all });
  },
];

/** @param {Facts} facts @returns {StudyFinding[]} */
export function findStudyFindings(facts) {
  return RULES.flatMap(rule => rule(facts) ?? []).sort(
    (a, b) => ORDER[a.severity] - ORDER[b.severity],
  );
}

/**
 * Observations of each variant, with its label.
 * @template {object} Seen
 * @param {VariantReport[]} variants @param {(variant: VariantReport) => Seen | false | undefined} see
 * @returns {({label: string} & Seen)[] | null} null without any
 */
function listSeen(variants, see) {
  const seen = variants.flatMap(variant => {
    const own = see(variant);
    return own ? [{ label: variant.label, ...own }] : [];
  });
  return seen.length > 0 ? seen : null;
}

/**
 * @template {StudyFinding['id']} Id
 * @param {Id} id @param {StudyFinding['severity']} severity @param {Extract<StudyFinding, {id: Id}>['facts']} facts
 */
function make(id, severity, facts) {
  return /** @type {StudyFinding} */ ({ id, of: null, severity, facts });
}

/**
 * Cores that neither the target's components nor the generator used.
 * @param {Point} point
 * @returns {number} 0 where the target's own use is unknown
 */
function countBackground({ components, hostCores, generatorCores }) {
  if (hostCores === null || components.length === 0) return 0;
  const own = components.reduce((sum, { cores }) => sum + cores, generatorCores ?? 0);
  return Math.max(0, hostCores - own);
}
