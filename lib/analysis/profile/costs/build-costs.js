/** What a request of each endpoint costs the server. */
import { heaviestOf } from '../../../base/files/maps.js';
import { scaleEstimate } from '../../../base/math/intervals.js';
import { sum } from '../../../base/math/summary.js';
import { readLoad } from '../fit-to-routes.js';

/** @typedef {import('../../../base/math/estimate.d.ts').Estimate} Estimate */
/** @typedef {import('../../../run/facts/costs.d.ts').EndpointCosts} EndpointCosts */
/** @typedef {import('./attribution.d.ts').Attribution} Attribution */
/** @typedef {import('../../load/load-rates.d.ts').CostLoad} CostLoad */
/** @typedef {import('../fit-to-routes.js').OwnLoad} OwnLoad */

const MAX_VIEWS = 3;
/** Least part of an endpoint's samples for a function to be a view of it. */
const MIN_VIEW = 0.02;
/** With a smaller part of it after the view returned, the view has nearly all of its cost. */
const LEAST_LATER = 0.1;
/** Least share of the CPU that native threads used for unknown requests, for the cost of no request to be known. */
const MUCH_NATIVE = 0.1;

/**
 * Where the workers measured the thread CPU of an endpoint's requests, that is their cost, and samples only split it.
 * py-spy's *active* includes threads that only wait for a core, and each sample stops every thread, which the system
 * counts as CPU time of the process (15 % of it with 33 threads at 100 samples a second and little load). Samples
 * split the rest of the workers' CPU time: D = U·p ÷ requests. Its interval is the share's, with its design effect.
 * @param {object} input
 * @param {Attribution} input.attribution
 * @param {import('../table/tally.js').Tally} input.tally
 * @param {import('../profile-base.js').ProfileBase} input.base
 * @param {ReturnType<typeof import('../../../base/math/bootstrap.js').createShareEstimator>} input.estimator
 * @param {number | null} input.cpuMs of the workers in the window
 * @param {number} input.idleShare of the CPU time: used even without requests
 * @param {CostLoad | null} input.load
 * @param {import('../../../run/facts/rules.d.ts').Classification} input.classes
 * @param {{function: string, file: string}[]} input.functions
 * @returns {{costs: EndpointCosts | null, order: number[]}} null where no sample belongs to an endpoint or
 *   view; `order`: the attribution's owners in the order of the rows
 */
export function buildCosts(input) {
  const { attribution, tally, load, estimator } = input;
  const { total } = input.base;
  const idle = Math.min(1, (input.idleShare * total) / Math.max(1, sum(tally.around)));
  const shares = attribution.owners.map((_, index) => {
    const blocks = tally.blocks[index] ?? new Float64Array();
    // CPU used without requests is among the samples that were shared out.
    const without = 1 - (idle * (tally.around[index] ?? 0)) / Math.max(1, sum(blocks));
    return scaleEstimate(estimator(blocks), without);
  });
  const known = attribution.owners.map(owner => readLoad(owner.endpoint, load));
  const spent = spendCpu(known, shares, input.cpuMs, sumMeasured(load));
  const tiedMs = sum(known.map(({ nativeMs, requests }) => nativeMs * (requests ?? 0)));
  const untiedMs = (load?.allNativeMs ?? 0) - tiedMs;
  const nativeShare = untiedMs / (spent.cpuMs || Infinity) - input.idleShare;
  const part = tally.later / (total - tally.nobody + tally.later || 1);
  const later = part > LEAST_LATER && attribution.basis !== 'companion' ? part : 0;
  const rows = attribution.owners
    .map((owner, index) => ({
      index,
      ...buildRow(owner, index, {
        ...input,
        ...{ ...spent, later, isLeast: nativeShare >= MUCH_NATIVE },
        known: /** @type {OwnLoad} */ (known[index]),
        share: /** @type {Estimate} */ (shares[index]),
      }),
    }))
    .filter(({ samples, requests }) => samples > 0 || (requests ?? 0) > 0)
    .sort(
      (a, b) =>
        (b.cpuMsPerRequest?.value ?? b.leastMsPerRequest ?? -1) -
          (a.cpuMsPerRequest?.value ?? a.leastMsPerRequest ?? -1) ||
        b.samples - a.samples ||
        a.name.localeCompare(b.name),
    );
  if (total === 0 || rows.every(({ samples, isMeasured }) => samples === 0 && !isMeasured))
    return { costs: null, order: [] };
  const count = (/** @type {string} */ basis) => rows.filter(row => row.basis === basis).length;
  return {
    costs: {
      basis: attribution.basis,
      tying: {
        inside: (total - tally.nobody) / total,
        measured: rows.filter(({ isMeasured }) => isMeasured).length,
        shared: sum(tally.around) / total,
        views: { bySource: count('source'), untied: count('view') },
        hasLoad: (load?.endpoints.length ?? 0) > 0,
        later,
      },
      endpoints: rows.map(({ index: _, ...row }) => row),
      unattributed: {
        samples: tally.nobody,
        share: Math.max(0, 1 - sum(rows.map(row => row.shareOfCpu.value))),
        ...(nativeShare >= MUCH_NATIVE && { nativeShare }),
        ...findAside(tally, input.functions),
      },
    },
    order: rows.map(({ index }) => index),
  };
}

/** @param {Parameters<typeof buildCosts>[0]['tally']} tally @param {{function: string, file: string}[]} functions */
function findAside({ aside, nobody }, functions) {
  const most = heaviestOf(aside) ?? -1;
  return most >= 0 && (aside.get(most) ?? 0) > nobody / 2 && { aside: functions[most] };
}

/**
 * Without a profile: what the companion measured in the workers.
 * @param {CostLoad | null} load
 * @param {number | null} workersMs CPU time of the workers; null where unknown
 * @returns {EndpointCosts | null} null where it measured nothing
 */
export function listMeasuredCosts(load, workersMs) {
  const rows = (load?.endpoints ?? []).flatMap(({ name, serverMs }, index) => {
    const { requests, measured, around } = readLoad(index, load);
    return requests && measured ? [{ name, requests, measured, around, serverMs }] : [];
  });
  const measuredMs = sumMeasured(load);
  if (measuredMs === 0) return null;
  const cpuMs = Math.max(measuredMs, workersMs ?? 0);
  const endpoints = rows.map(({ name, requests, measured, around, serverMs }) => ({
    ...{ name, requests, basis: /** @type {const} */ ('companion'), loadEndpoint: name },
    ...{ views: [], samples: 0, byCategory: [], isMeasured: true, cpuMsPerRequest: measured },
    shareOfCpu: scaleEstimate(measured, requests / cpuMs),
    aroundMsPerRequest: around,
    serverMsPerRequest: serverMs,
  }));
  const views = { bySource: 0, untied: 0 };
  return {
    basis: 'companion',
    tying: { inside: 0, measured: rows.length, shared: 0, views, hasLoad: true, later: 0 },
    endpoints: endpoints.sort((a, b) => b.cpuMsPerRequest.value - a.cpuMsPerRequest.value),
    unattributed: workersMs === null ? null : { samples: 0, share: 1 - measuredMs / cpuMs },
  };
}

/** @param {CostLoad | null} load @returns {number} CPU-ms that the companion measured in requests */
export function sumMeasured(load) {
  const known = (load?.endpoints ?? []).map((_, index) => readLoad(index, load));
  return sum(known.map(({ requests, measured }) => (measured?.value ?? 0) * (requests ?? 0)));
}

/**
 * @param {OwnLoad[]} known of each row
 * @param {Estimate[]} shares of samples
 * @param {number | null} cpuMs of the workers
 * @param {number} measuredMs of it, in requests
 * @returns {{cpuMs: number | null, left: number}} `cpuMs`: at least what was measured, so that no share is
 *   above 1; `left`: what a row without a measurement gets of it, ÷ its share of the samples
 */
function spendCpu(known, shares, cpuMs, measuredMs) {
  if (cpuMs === null) return { cpuMs, left: 1 };
  const sampled = sum(shares.map(({ value }, index) => (known[index]?.measured ? value : 0)));
  const spentMs = Math.max(cpuMs, measuredMs);
  return { cpuMs: spentMs, left: sampled < 1 ? (1 - measuredMs / spentMs) / (1 - sampled) : 0 };
}

/**
 * @param {import('./attribution.d.ts').Owner} owner
 * @param {number} index
 * @param {Parameters<typeof buildCosts>[0] & ReturnType<typeof spendCpu> & {known: OwnLoad, share: Estimate, later: number, isLeast: boolean}} input
 *   `share`: of the samples
 * @returns {EndpointCosts['endpoints'][number]}
 */
function buildRow(owner, index, input) {
  const { tally, known, share, left, cpuMs, classes, functions, later } = input;
  const { endpoint, requests, measured, around } = known;
  const isLeast = input.isLeast && measured !== null;
  const perShare = cpuMs && requests ? cpuMs / requests : null;
  const shareOfCpu =
    measured && perShare ? scaleEstimate(measured, 1 / perShare) : scaleEstimate(share, left);
  const cost = isLeast
    ? null
    : (measured ?? (perShare === null || later > 0 ? null : scaleEstimate(shareOfCpu, perShare)));
  const own = tally.categories[index] ?? new Float64Array();
  const samples = sum(own);
  const split = { cost, around, categories: classes.categories };
  return {
    name: owner.name,
    basis: owner.basis,
    loadEndpoint: endpoint?.name ?? null,
    views: listViews(owner, tally.views[index] ?? new Map(), samples, functions),
    samples,
    requests,
    isMeasured: measured !== null,
    shareOfCpu,
    cpuMsPerRequest: cost,
    ...(isLeast && { leastMsPerRequest: measured.value }),
    aroundMsPerRequest: around,
    byCategory: splitByCategory(own, tally.around[index] ?? 0, split),
    serverMsPerRequest: endpoint?.serverMs ?? null,
  };
}

/**
 * Samples split the cost; the server's work around requests was measured, where possible.
 * @param {Float64Array} own samples per category
 * @param {number} dealt samples that were shared out
 * @param {{cost: Estimate | null, around: Estimate | null, categories: readonly {id: string}[]}} known
 */
function splitByCategory(own, dealt, { cost, around, categories }) {
  const aroundShare = cost && around ? around.value / cost.value : null;
  const ofServer = own[categories.findIndex(({ id }) => id === 'server')] ?? 0;
  const outside = Math.min(dealt, ofServer);
  const inside = sum(own) - outside;
  return categories
    .map(({ id }, category) => {
      const samples = own[category] ?? 0;
      const isServer = id === 'server';
      if (aroundShare === null || inside <= 0) return { category: id, share: samples / sum(own) };
      const share = ((samples - (isServer ? outside : 0)) / inside) * (1 - aroundShare);
      return { category: id, share: share + (isServer ? aroundShare : 0) };
    })
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share)
    .map(item => ({ ...item, cpuMsPerRequest: cost && cost.value * item.share }));
}

/**
 * @param {import('./attribution.d.ts').Owner} owner
 * @param {Map<number, number>} seen function → samples of the endpoint below it
 * @param {number} samples
 * @param {{function: string, file: string}[]} functions
 */
function listViews({ views }, seen, samples, functions) {
  const known =
    views.length > 0
      ? views
      : [...seen]
          .filter(([, own]) => own >= MIN_VIEW * samples)
          .sort(([, a], [, b]) => b - a)
          .map(([id]) => id);
  return known.slice(0, MAX_VIEWS).flatMap(id => functions[id] ?? []);
}
