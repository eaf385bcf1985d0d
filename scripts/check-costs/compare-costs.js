/** Costs of a report by samples beside the thread CPU that the companion measured. */

/** Fewer samples than this say too little about an endpoint. */
export const MIN_SAMPLES = 300;

/**
 * @typedef {object} CostRow
 * @property {string} name
 * @property {number} samples
 * @property {number} requests
 * @property {number} measuredMs thread CPU per request
 * @property {import('../../lib/analysis/report.d.ts').Estimate} estimatedMs
 * @property {string} basis
 * @property {number} off estimated ÷ measured − 1
 * @property {boolean} isJudged has samples enough
 * @property {boolean} isGood within the tolerance, or not judged
 */

/**
 * @param {import('../../lib/analysis/report.d.ts').Report} report
 * @param {Map<string, number>} measured thread CPU per request of each endpoint, ms
 * @param {number} tolerance relative
 * @returns {CostRow[]}
 */
export function compareCosts({ costs }, measured, tolerance) {
  return (costs?.endpoints ?? []).flatMap(endpoint => {
    const { name, loadEndpoint, samples, requests, cpuMsPerRequest, basis } = endpoint;
    const measuredMs = measured.get(loadEndpoint ?? '');
    if (measuredMs === undefined || !cpuMsPerRequest) return [];
    const off = cpuMsPerRequest.value / measuredMs - 1;
    const isJudged = samples >= MIN_SAMPLES;
    return [
      {
        name,
        samples,
        requests: requests ?? 0,
        measuredMs,
        estimatedMs: cpuMsPerRequest,
        basis,
        off,
        isJudged,
        isGood: !isJudged || Math.abs(off) <= tolerance,
      },
    ];
  });
}

/** @param {import('../../lib/analysis/report.d.ts').Report} report @returns {Map<string, number>} */
export const readThreadCpu = ({ costs }) =>
  new Map(
    (costs?.endpoints ?? []).flatMap(({ loadEndpoint, isMeasured, cpuMsPerRequest }) =>
      loadEndpoint && isMeasured && cpuMsPerRequest ? [[loadEndpoint, cpuMsPerRequest.value]] : [],
    ),
  );

/** @param {CostRow[]} rows @returns {string} lines */
export function renderCosts(rows) {
  return rows
    .map(({ name, samples, requests, measuredMs, estimatedMs, basis, off, isJudged, isGood }) => {
      const { value, low, high } = estimatedMs;
      const figures = [
        `${samples} samples`.padStart(14),
        `${requests} req`.padStart(10),
        `${measuredMs.toFixed(2)} ms measured`.padStart(18),
        `${value.toFixed(2)} (${low?.toFixed(2)}–${high?.toFixed(2)}) estimated by ${basis}`.padEnd(
          48,
        ),
        `${off >= 0 ? '+' : ''}${(off * 100).toFixed(1)} %`.padStart(8),
      ];
      return `${isGood ? (isJudged ? '✔' : '·') : '✖'} ${name.padEnd(40)} ${figures.join('  ')}`;
    })
    .join('\n');
}
