/** What a request of each endpoint costs the server. */
import { createShareEstimator } from '../../math/bootstrap.js';

/** @typedef {import('../report.d.ts').Estimate} Estimate */
/** @typedef {import('../costs.d.ts').EndpointCosts} EndpointCosts */
/** @typedef {import('./attribution.d.ts').Attribution} Attribution */

const MAX_VIEWS = 3;
/** Part of an endpoint's samples below which a function is no view of it. */
const MIN_VIEW = 0.02;

/**
 * @typedef {object} CostLoad
 * @property {import('../report.d.ts').LoadReport['endpoints']} endpoints
 * @property {Map<string, import('../load/endpoints.js').ServerTimes>} serverTimes
 */

/**
 * CPU time of the workers, split by samples: D = U·p ÷ requests; where the workers measured thread CPU
 * inside of requests, that is split instead. The interval is the share's, with its design effect, and that
 * of the tie.
 * @param {object} input
 * @param {Attribution} input.attribution
 * @param {import('../table/tally.js').Tally} input.tally
 * @param {number} input.total samples in the base
 * @param {Float64Array} input.blockTotals samples of each block
 * @param {Float64Array} input.weights how much a sample of each block counts
 * @param {number | null} input.cpuMs of the workers in the window
 * @param {CostLoad | null} input.load
 * @param {readonly {id: string}[]} input.categories as the tally numbers them
 * @param {{function: string, file: string}[]} input.functions
 * @returns {{costs: EndpointCosts | null, order: number[]}} null where no sample is of an endpoint or
 *   view; `order`: the attribution's owners in the order of the rows
 */
export function buildCosts(input) {
  const { attribution, tally, total, load, weights } = input;
  const weigh = (/** @type {Float64Array} */ counts) =>
    counts.map((count, block) => count * (weights[block] ?? 1));
  const estimator = createShareEstimator(weigh(input.blockTotals));
  const estimate = (/** @type {Float64Array} */ counts) => estimator(weigh(counts));
  const estimates = attribution.owners.map((_, index) =>
    estimate(tally.blocks[index] ?? new Float64Array()),
  );
  const shares = estimates.map(({ value }) => value);
  const cpuScale = measureCpuScale(attribution, shares, input.cpuMs, load) ?? 1;
  const cpuMs = input.cpuMs === null ? null : input.cpuMs * cpuScale;
  const rows = attribution.owners
    .map((owner, index) => ({ index, ...buildRow(owner, index, { ...input, cpuMs, estimates }) }))
    .filter(({ samples, requests }) => samples > 0 || (requests ?? 0) > 0)
    .sort(
      (a, b) =>
        (b.cpuMsPerRequest?.value ?? -1) - (a.cpuMsPerRequest?.value ?? -1) ||
        b.samples - a.samples ||
        a.name.localeCompare(b.name),
    );
  if (total === 0 || rows.every(({ samples }) => samples === 0)) return { costs: null, order: [] };
  const count = (/** @type {string} */ basis) => rows.filter(row => row.basis === basis).length;
  return {
    costs: {
      basis: attribution.basis,
      tying: {
        inside: (total - tally.nobody) / total,
        isMeasured: cpuScale !== 1,
        shared: tally.shared / total,
        views: { byName: count('name'), byRate: count('least-squares'), untied: count('view') },
        hasLoad: (load?.endpoints.length ?? 0) > 0,
      },
      cpuScale,
      endpoints: rows.map(({ index: _, ...row }) => row),
      unattributed: {
        samples: tally.nobody,
        share: Math.max(0, 1 - rows.reduce((sum, { shareOfCpu }) => sum + shareOfCpu.value, 0)),
      },
    },
    order: rows.map(({ index }) => index),
  };
}

/**
 * @param {import('./attribution.d.ts').Owner} owner
 * @param {number} index
 * @param {Parameters<typeof buildCosts>[0] & {estimates: Estimate[]}} input
 * @returns {EndpointCosts['endpoints'][number]}
 */
function buildRow(owner, index, { tally, estimates, cpuMs, load, categories, functions }) {
  const endpoint = load?.endpoints[owner.endpoint] ?? null;
  const requests = endpoint?.codes.reduce((sum, { count }) => sum + count, 0) ?? null;
  const share = widen(/** @type {Estimate} */ (estimates[index]), owner.doubt);
  const own = tally.categories[index] ?? new Float64Array();
  const samples = own.reduce((sum, count) => sum + count, 0);
  const perRequest = (/** @type {number} */ part) =>
    cpuMs === null || !requests ? null : (cpuMs * part) / requests;
  const times = endpoint && load?.serverTimes.get(endpoint.name);
  return {
    name: owner.name,
    basis: owner.basis,
    loadEndpoint: endpoint?.name ?? null,
    views: listViews(owner, tally.views[index] ?? new Map(), samples, functions),
    samples,
    requests,
    shareOfCpu: share,
    cpuMsPerRequest:
      perRequest(1) === null
        ? null
        : {
            value: perRequest(share.value) ?? 0,
            low: share.low === null ? null : perRequest(share.low),
            high: share.high === null ? null : perRequest(share.high),
          },
    byCategory: categories
      .map(({ id }, category) => ({ category: id, samples: own[category] ?? 0 }))
      .filter(item => item.samples > 0)
      .sort((a, b) => b.samples - a.samples)
      .map(item => ({
        category: item.category,
        share: item.samples / samples,
        cpuMsPerRequest: perRequest((share.value * item.samples) / samples),
      })),
    threadCpuMsPerRequest:
      times && times.count > 0 && times.cpuMs !== null ? times.cpuMs / times.count : null,
    serverMsPerRequest: times && times.count > 0 ? times.totalMs / times.count : null,
  };
}

/** The share's interval and the tie's are independent. @param {Estimate} share @param {number} doubt @returns {Estimate} */
function widen({ value, low, high }, doubt) {
  if (doubt === 0 || low === null || high === null) return { value, low, high };
  return {
    value,
    low: Math.max(0, value - Math.hypot(value - low, value * doubt)),
    high: Math.min(1, value + Math.hypot(high - value, value * doubt)),
  };
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

// What requests cost in all, as the workers measured it, beside what samples make of it.

/** Of the answers of an endpoint must have told, or its mean is of others. */
const MIN_TOLD = 0.9;
/** Of the requests must be of such endpoints. */
const MIN_MEASURED = 0.8;

/**
 * A profiler stops every thread of a process for each look, idle ones too, and the system counts that as
 * CPU time of the process: 15 % of it with 33 threads at 100 looks a second and little load. Thread CPU
 * that is measured around the app holds next to nothing of it.
 * @param {import('./attribution.d.ts').Attribution} attribution
 * @param {number[]} shares of CPU by samples, per owner
 * @param {number | null} cpuMs of the workers in the window
 * @param {CostLoad | null} load
 * @returns {number | null} measured ÷ sampled; null where too little was measured
 */
export function measureCpuScale({ basis, owners }, shares, cpuMs, load) {
  if (basis !== 'companion' || !cpuMs || !load) return null;
  const sum = { measuredMs: 0, share: 0, measured: 0, requests: 0 };
  for (const [index, { endpoint: at }] of owners.entries()) {
    const endpoint = load.endpoints[at];
    if (!endpoint) continue;
    const requests = endpoint.codes.reduce((all, { count }) => all + count, 0);
    sum.requests += requests;
    const times = load.serverTimes.get(endpoint.name);
    if (!times || times.cpuMs === null || times.count < MIN_TOLD * requests) continue;
    sum.measuredMs += (times.cpuMs / times.count) * requests;
    sum.share += shares[index] ?? 0;
    sum.measured += requests;
  }
  if (sum.measured < MIN_MEASURED * sum.requests || sum.share === 0 || sum.measuredMs === 0) {
    return null;
  }
  return sum.measuredMs / (cpuMs * sum.share);
}
