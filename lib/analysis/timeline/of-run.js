/** The timeline of a run folder, and what costs per endpoint take from it. */
import { isSegmentInside } from '../../profile/is-segment-inside.js';
import { sumRoutes, sumServerTimes } from '../costs/server-times.js';
import { splitLoadTests } from '../load-windows.js';
import { buildTimeline, chooseGrid } from './build-timeline.js';

/**
 * @typedef {object} RunOverTime
 * @property {import('./build-timeline.js').Grid | null} grid
 * @property {import('../timeline.d.ts').Timeline | null} timeline
 * @property {import('../costs/attribution.d.ts').LoadRates | null} rates
 * @property {import('../costs/build-costs.js').CostLoad | null} load
 */

/**
 * @param {import('../read-run.js').RunRecords} records
 * @param {object} known
 * @param {import('../../profile/profile.d.ts').Profile | null} known.profile
 * @param {import('../report.d.ts').LoadReport | null} known.load
 * @param {import('../report.d.ts').TimeRange | null} known.range what the figures cover
 * @param {import('../report.d.ts').TimeRange[]} known.windows in which samples count
 * @returns {RunOverTime}
 */
export function followRun({ metrics, processes }, { profile, load, range, windows }) {
  const grid = chooseGrid({
    range,
    profile,
    counts: segment =>
      windows.length === 0 || windows.some(window => isSegmentInside(segment, window)),
  });
  const routes = sumRoutes(metrics);
  const timeline = grid && buildTimeline(grid, { metrics, processes }, load);
  return {
    grid,
    timeline,
    rates: timeline?.load
      ? {
          endpoints: timeline.load.endpoints.map(({ name, requests }) => ({
            name,
            requests: requests.reduce((sum, n) => sum + n, 0),
            perWindow: requests,
            ...(routes.has(name) && { routes: routes.get(name) }),
          })),
        }
      : null,
    load: load && {
      endpoints: load.endpoints,
      serverTimes: sumServerTimes(splitLoadTests(metrics).flatMap(test => test.records)),
    },
  };
}
