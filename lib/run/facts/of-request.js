/** What a report of the companion says of a request. */
import { sum } from '../../base/math/summary.js';

/** @import { ServerTiming } from './whole-request.d.ts' */

/** CPU-ms of collections in requests to the endpoint, since its last report. @param {ServerTiming | null} server */
export function sumCollections(server) {
  const own = Object.entries(server?.gc?.sums ?? {}).filter(([name]) => name.startsWith('r'));
  return sum(own.map(([, { cpuUs }]) => cpuUs)) / 1000;
}
