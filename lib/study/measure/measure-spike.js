/** A spike of one endpoint: how long every endpoint's answers took before it, in it, and after it. */
import { Endpoints } from '../../analysis/load/endpoints.js';
import { AFTER, BEFORE, findMeasurementWindow, PLATEAU } from './measurement-window.js';

/** @import { RunRecords } from '../../analysis/read/read-run.js' */
/** @import { EndpointRecord } from '../../facts/records.d.ts' */
/** @import { CellFigures, SpikeFigures } from '../../facts/study-records.d.ts' */

/**
 * The endpoint whose requests rose most is the one that there was a spike of.
 * @param {RunRecords} records
 * @returns {Promise<Pick<CellFigures, 'spike' | 'latency'> | null>} `latency`: of all other endpoints in the
 *   spike; null where a phase has no whole second or no request
 */
export async function measureSpike(records) {
  const [before = [], during = [], after = []] = await Promise.all(
    [BEFORE, PLATEAU, AFTER].map(async name => {
      const seconds = (await findMeasurementWindow(records, name))?.seconds ?? [];
      return seconds.flatMap(second => Object.entries(second.endpoints ?? {}));
    }),
  );
  if ([before, during, after].some(({ length }) => length === 0)) return null;
  const names = [...new Set([...before, ...during, ...after].map(([name]) => name))];
  const endpoints = names.map(name => {
    const ofName = (/** @type {Part[]} */ parts) => addUp(parts.filter(([own]) => own === name));
    return { name, before: ofName(before), during: ofName(during), after: ofName(after) };
  });
  const riseOf = (/** @type {SpikeFigures['endpoints'][number]} */ one) =>
    one.during.requests - one.before.requests;
  const [{ name: endpoint = '' } = {}] = endpoints.toSorted((a, b) => riseOf(b) - riseOf(a));
  const { latency } = addUp(during.filter(([name]) => name !== endpoint));
  return { spike: { endpoint, endpoints }, latency };
}

/** @typedef {[name: string, part: EndpointRecord]} Part of a `second` record */

/** @param {Part[]} parts @returns {SpikeFigures['endpoints'][number]['before']} of all of them together */
function addUp(parts) {
  const sums = new Endpoints();
  for (const [, part] of parts) sums.add({ endpoints: { all: part } });
  const [all] = sums.list();
  const { requests = 0, errors = 0, totalTime = null, timeToFirstByte = null } = all ?? {};
  return { requests, errors, latency: totalTime ?? timeToFirstByte };
}
