/** Compares the gain that side A's reports predicted for a fix with the measured one. */
import { negateEstimate } from '../math/intervals.js';
import { mean } from '../math/summary.js';

/** @import { WhatIf } from '../facts/bottleneck.d.ts' */
/** @import { Estimate } from '../facts/estimate.d.ts' */
/** @import { CauseShare } from '../facts/profile-report.d.ts' */
/** @import { Report } from '../facts/report.d.ts' */
/** @import { Decision, Prediction } from '../facts/try.d.ts' */

/** A cause is gone if less than this part of its CPU time is left. */
const LEFT = 0.2;
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
    return figures.length > 0 ? [{ ...facts, figures }] : [];
  });
}

/** @typedef {Omit<Prediction, 'figures'> & {gains: Record<string, Estimate | null>}} Gains by measure */

/** @param {Report[]} before @param {Report[]} after @param {string} [fixed] a cause @returns {Gains | null} */
function predictCauses(before, after, fixed) {
  const causes = new Map(
    before.flatMap(({ profile }) => profile?.causes ?? []).map(cause => [cause.id, cause]),
  );
  const costOf = (/** @type {Report[]} */ reports, /** @type {string} */ id) =>
    mean(reports.map(report => costIn(report, id)));
  const gone = [...causes.values()].filter(
    ({ id }) => costOf(after, id) < LEFT * costOf(before, id),
  );
  const isGone = (/** @type {string} */ id) => gone.some(cause => cause.id === id);
  // Causes of severity `info` have no what-if.
  const all = before.flatMap(({ whatIf, profile }) => [
    ...whatIf,
    ...(profile?.causes ?? [])
      .filter(({ id, severity }) => severity === 'info' && id === fixed)
      .map(({ id, title, share }) => ({ causes: [id], titles: [title], share, gain: null })),
  ]);
  const [largest] = [...Map.groupBy(all, whatIf => [...whatIf.causes].sort().join())]
    .filter(([, items]) => items.length >= LEAST_RUNS * before.length)
    .filter(([ids, items]) => (fixed ? ids === fixed : items[0]?.causes.every(isGone)))
    .map(([, items]) => items)
    .toSorted(
      (a, b) => meanOf(b.map(one => one.share)).value - meanOf(a.map(one => one.share)).value,
    );
  const [first] = largest ?? [];
  if (!largest || !first) return null;
  const share = meanOf(largest.map(one => one.share));
  const gains = largest.flatMap((/** @type {Pick<WhatIf, 'gain'>} */ { gain }) => gain ?? []);
  return {
    causes: first.titles,
    bottleneck: null,
    isPart: gone.some(cause => !isCovered(cause, first.causes, causes)),
    gains: {
      cpuMsPerRequest: negateEstimate(share),
      throughputPerSec: gains.length >= LEAST_RUNS * before.length ? meanOf(gains) : null,
    },
  };
}

/** CPU-ms per request, or the share if that is not known. @param {Report} report @param {string} id */
function costIn({ profile }, id) {
  const cause = profile?.causes.find(own => own.id === id);
  return cause ? (cause.cpuMsPerRequest ?? cause.share).value : 0;
}

/**
 * @param {CauseShare} cause @param {string[]} fixed @param {Map<string, CauseShare>} causes
 * @returns {boolean} whether it is one of `fixed`, or part of one
 */
function isCovered({ id, partOf, severity }, fixed, causes) {
  if (fixed.includes(id) || severity === 'info') return true;
  const outer = partOf === null ? undefined : causes.get(partOf);
  return outer ? isCovered(outer, fixed, causes) : false;
}

/** @param {Report[]} before @param {Report[]} after @returns {Gains | null} */
function predictBottleneck(before, after) {
  const known = before.flatMap(({ bottleneck }) =>
    bottleneck?.fix && !bottleneck.fix.isMost ? [bottleneck] : [],
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
