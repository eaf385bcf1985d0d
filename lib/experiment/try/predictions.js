/** Compares the gain that side A's reports predicted for a fix with the measured one. */
import { foreseeGain, isCpuBound } from '../../analysis/bottleneck/what-if.js';
import { negateEstimate } from '../../base/math/intervals.js';
import { mean, sum } from '../../base/math/summary.js';

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { CauseShare } from '../../run/facts/profile-report.d.ts' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Decision, Prediction } from '../../run/facts/try.d.ts' */

/** A cause is gone if less than this part of its CPU time is left. */
const LEFT = 0.2;
/** A smaller cause may be gone by chance: share of CPU time. */
const LEAST_SHARE = 0.02;
/** A prediction in fewer of the runs does not count: the machine was in another state. */
const LEAST_RUNS = 0.5;

/**
 * Lists predictions for causes and a bottleneck of side A that side B does not have.
 * @param {Report[]} before runs of side A
 * @param {Report[]} after
 * @param {Decision[]} decisions what was measured
 * @param {string} [remedy] of side B; then only its cause counts
 * @returns {Prediction[]}
 */
export function listPredictions(before, after, decisions, remedy) {
  const found = [
    predictCauses(before, after, remedy?.split(':')[0]),
    predictBottleneck(before, after),
  ];
  return found.flatMap(prediction => {
    if (!prediction) return [];
    const figures = decisions.flatMap(({ measure, relative: measured }) => {
      const predicted = prediction.gains[measure];
      return predicted ? [{ measure, predicted, measured }] : [];
    });
    const { gains: _, ...facts } = prediction;
    const isPart = facts.isPart || figures.some(isExceeded);
    return figures.length > 0 ? [{ ...facts, isPart, figures }] : [];
  });
}

/** Whether the measured change is surely larger than the predicted one. @param {Prediction['figures'][0]} figure */
function isExceeded({ predicted: { value, low, high }, measured }) {
  if (value < 0) return (measured.high ?? measured.value) < (low ?? value);
  return (measured.low ?? measured.value) > (high ?? value);
}

/** @typedef {Omit<Prediction, 'figures'> & {gains: Record<string, Estimate | null>}} Gains by measure */

/**
 * Sums up the causes that are gone, each with what lies inside of it once.
 * @param {Report[]} before
 * @param {Report[]} after
 * @param {string} [fixed] a cause
 * @returns {Gains | null}
 */
function predictCauses(before, after, fixed) {
  const causes = new Map(
    before.flatMap(({ profile }) => profile?.causes ?? []).map(cause => [cause.id, cause]),
  );
  const costOf = (/** @type {Report[]} */ reports, /** @type {string} */ id) =>
    mean(reports.map(report => costIn(report, id)));
  const shareOf = (/** @type {string} */ id) =>
    mean(before.map(({ profile }) => findCause(profile, id)?.share.value ?? 0));
  const gone = [...causes.values()].filter(
    ({ id }) =>
      (shareOf(id) >= LEAST_SHARE || id === fixed) && costOf(after, id) < LEFT * costOf(before, id),
  );
  const isUsual = (/** @type {CauseShare} */ { id }) =>
    before.filter(report => costIn(report, id) > 0).length >= LEAST_RUNS * before.length;
  const usual = fixed
    ? [...causes.values()].filter(({ id }) => id === fixed)
    : gone.filter(isUsual);
  const ids = usual.map(({ id }) => id);
  const outer = usual.filter(({ partOf }) => !isWithin(partOf, ids, causes));
  const sums = before.flatMap(report => {
    const share = sumShares(report, outer);
    return share && report.cpu
      ? [{ share, gain: foreseeGain({ ...report, cpu: report.cpu }, share) }]
      : [];
  });
  if (outer.length === 0 || sums.length < LEAST_RUNS * before.length) return null;
  const gains = sums.flatMap(({ gain }) => gain ?? []);
  return {
    causes: outer.map(({ title }) => title),
    bottleneck: null,
    isPart: gone.some(({ id }) => !isWithin(id, ids, causes)),
    gains: {
      cpuMsPerRequest: negateEstimate(meanOf(sums.map(({ share }) => share))),
      throughputPerSec: gains.length >= LEAST_RUNS * before.length ? meanOf(gains) : null,
    },
  };
}

/**
 * Causes may overlap without one being part of the other. What causes have together bounds their sum on both sides.
 * Ends of the intervals add up as in G. Zou and A. Donner, Statistics in Medicine 27 (2008).
 * @param {Report} report @param {CauseShare[]} wanted none is part of another
 * @returns {Estimate | null}
 */
function sumShares({ profile }, wanted) {
  const all = profile?.causes ?? [];
  const isWanted = (/** @type {CauseShare} */ { id }) => wanted.some(own => own.id === id);
  const own = all.filter(isWanted).map(({ share }) => share);
  if (own.length < 2) return own[0] ?? null;
  const known = new Map(all.map(cause => [cause.id, cause]));
  const ids = wanted.map(({ id }) => id);
  const total = sum(own.map(share => share.value));
  const { causes = ids, share: union = { value: total } } = profile?.causesTogether ?? {};
  const shareOf = (/** @type {(id: string) => boolean} */ isOf) =>
    sum(all.flatMap(({ id, share }) => (isOf(id) ? share.value : [])));
  const value = Math.min(
    total,
    union.value + shareOf(id => ids.includes(id) && !causes.includes(id)),
  );
  const rest = shareOf(id => causes.includes(id) && !isWithin(id, ids, known));
  const least = Math.max(...own.map(share => share.value), Math.min(value, union.value - rest));
  return {
    value,
    low: Math.max(
      0,
      least - Math.hypot(...own.map(share => share.value - (share.low ?? share.value))),
    ),
    high: Math.min(
      1,
      value + Math.hypot(...own.map(share => (share.high ?? share.value) - share.value)),
    ),
  };
}

/** @param {Report['profile']} profile @param {string} id */
const findCause = (profile, id) => profile?.causes.find(own => own.id === id);

/** CPU-ms per request, or the share if that is not known. @param {Report} report @param {string} id */
function costIn({ profile }, id) {
  const cause = findCause(profile, id);
  return cause ? (cause.cpuMsPerRequest ?? cause.share).value : 0;
}

/**
 * @param {string | null} id @param {string[]} ids @param {Map<string, CauseShare>} causes
 * @returns {boolean} whether a cause is one of `ids`, or part of one
 */
function isWithin(id, ids, causes) {
  if (id === null) return false;
  return ids.includes(id) || isWithin(causes.get(id)?.partOf ?? null, ids, causes);
}

/** Of a full CPU the fix is more workers, which side B may not have. @param {Report[]} before @param {Report[]} after @returns {Gains | null} */
function predictBottleneck(before, after) {
  const known = before.flatMap(({ bottleneck }) =>
    bottleneck?.fix && !bottleneck.fix.isMost && !bottleneck.fix.isVague && !isCpuBound(bottleneck)
      ? [bottleneck]
      : [],
  );
  const [first] = known;
  const own = known.filter(({ id }) => id === first?.id);
  const left = after.filter(({ bottleneck }) => bottleneck?.id === first?.id);
  if (!first || own.length < LEAST_RUNS * before.length) return null;
  if (left.length >= LEAST_RUNS * after.length) return null;
  return {
    causes: [],
    bottleneck: { id: first.id, component: first.component },
    isPart: false,
    gains: { throughputPerSec: meanOf(own.flatMap(({ fix }) => fix?.gain ?? [])) },
  };
}

/** @param {Estimate[]} estimates of one figure, from several runs */
function meanOf(estimates) {
  const end = (/** @type {'low' | 'high'} */ name) => {
    const ends = estimates.map(estimate => estimate[name]);
    return ends.every(one => one !== null) ? mean(ends) : null;
  };
  return { value: mean(estimates.map(({ value }) => value)), low: end('low'), high: end('high') };
}
