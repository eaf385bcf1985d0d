/** Is it enough? The objective of the study file against what each variant does. */
import { answerCapacity } from '../model/capacity/answer-capacity.js';
import { nameLimit } from './limit/name-limit.js';
import { findPlateau } from './plateau.js';

/** @import { Study } from '../study-file.d.ts' */
/** @import { CapacityAnswer, VariantReport } from '../study-report.d.ts' */

/**
 * @param {Study} study @param {VariantReport[]} variants @param {string} throughputLabel
 * @returns {CapacityAnswer | null} null where the study asks for nothing
 */
export function judgeCapacity(study, variants, throughputLabel) {
  if (!study.objective) return null;
  return answerCapacity({
    objective: study.objective,
    throughputLabel,
    service: study.throughput ? null : findServiceTime(variants),
    variants: variants.map(variant => ({
      variant: variant.id,
      // a study without factors has one variant, whose label says nothing
      label: study.factors.length > 0 ? variant.label : '',
      size: sizeOf(variant.factors, study.scaleOver),
      points: variant.points,
      saturation: variant.saturation,
      limitText: describeLimit(variant),
    })),
  });
}

/** A worker is full: of its CPU, or of the one core that Python lets its threads have. */
const FULL_WORKERS = ['workers', 'gil'];

/**
 * How long one transaction keeps a worker: workers ÷ throughput where they are what is full; else what it
 * takes where nobody waits, with the variant that gives most.
 * @param {VariantReport[]} variants
 * @returns {import('../model/capacity/count-demand.js').ServiceTime | null}
 */
function findServiceTime(variants) {
  const rateOf = (/** @type {VariantReport} */ { saturation }) =>
    saturation.throughputPerSec?.value ?? 0;
  const strongest = variants.toSorted((a, b) => rateOf(b) - rateOf(a));
  const full = strongest.find(({ limit }) => FULL_WORKERS.includes(limit.id));
  const workers = full?.points
    .flatMap(({ components }) => components)
    .find(({ name }) => name === 'workers');
  if (full && workers) return { seconds: workers.processes / rateOf(full), of: 'worker' };
  const meanMs = strongest[0]?.points.find(({ latency }) => latency)?.latency?.meanMs;
  return meanMs === undefined ? null : { seconds: meanMs / 1000, of: 'slot' };
}

/**
 * Beside the generator on a full machine a capacity is a lower bound.
 * @param {VariantReport} variant
 */
function describeLimit({ limit, points, saturation }) {
  const name = nameLimit(limit);
  if (!name) return null;
  const isShared = findPlateau(points, saturation).some(({ generatorCores }) => generatorCores);
  const shared = ', shared with the load generator: on a machine of its own the target takes more';
  return `the limit is ${name}${limit.id === 'machine' && isShared ? shared : ''}`;
}

/** @param {Record<string, string>} factors @param {string | null} over */
function sizeOf(factors, over) {
  const size = over === null ? Number.NaN : Number(factors[over]);
  return Number.isFinite(size) ? size : null;
}
