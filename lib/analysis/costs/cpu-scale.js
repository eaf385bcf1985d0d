/** What requests cost in all, as the workers measured it, beside what samples make of it. */

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
 * @param {import('./build-costs.js').CostLoad | null} load
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
