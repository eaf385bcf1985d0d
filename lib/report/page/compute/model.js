/** @import { Report } from '../../../analysis/report.d.ts' */
/** @import { Samples } from '../../../sample-table/sample-table.d.ts' */
/** @import { LatencySketch } from '../../../sample-table/sketches.js' */

/**
 * What selections are counted from.
 * @typedef {object} Model
 * @property {Report} report
 * @property {number[] | null} edgesMs of the windows; null where nothing was measured over time
 * @property {number} windowCount
 * @property {string[]} endpoints names that can be picked: of the load test, then of samples alone
 * @property {number[]} loadIndex per endpoint, its place in `load.endpoints`; −1 for none
 * @property {number[]} tableIndex per endpoint, its place in the sample table; −1 for none
 * @property {Samples | null} samples null until unpacked, and without a profile
 * @property {({timeToFirstByte: LatencySketch | null, total: LatencySketch | null}[])[] | null} latency
 *   per endpoint of the load test, per window
 */

/** @param {Report} report @returns {Model} */
export function makeModel(report) {
  const { timeline = null, load, profile, costs = null } = report;
  const edgesMs = timeline?.edgesMs ?? profile?.table?.edgesMs ?? null;
  const loadNames = load?.endpoints.map(({ name }) => name) ?? [];
  const tableNames = profile?.table?.endpoints ?? [];
  /** @type {Map<string, number>} */
  const tableIndexOf = new Map();
  for (const [index, name] of tableNames.entries())
    tableIndexOf.set(costs?.endpoints[index]?.loadEndpoint ?? name, index);
  const endpoints = [...new Set([...loadNames, ...tableIndexOf.keys()])];
  return {
    report,
    edgesMs,
    windowCount: edgesMs ? edgesMs.length - 1 : 1,
    endpoints,
    loadIndex: endpoints.map(name => loadNames.indexOf(name)),
    tableIndex: endpoints.map(name => tableIndexOf.get(name) ?? -1),
    samples: null,
    latency: null,
  };
}
