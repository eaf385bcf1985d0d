/** Builds a script, and the rows that it reads, from the traffic of a log. */
import { sum } from '../../base/math/summary.js';

/** @import { Traffic } from '../../run/facts/traffic.d.ts' */

/** The sum of all weights. */
const WHOLE = 10_000;
const MOST_ROWS = 2000;

/**
 * @param {Traffic} traffic
 * @param {string} csv name of the file with the rows, in the folder of the script
 * @returns {{script: Record<string, any>, rows: string}} `rows`: '' without
 */
export function buildLogScript({ flows, kept, curve, groups, addresses, redirecting }, csv) {
  const users = sum(flows.map(({ count }) => count));
  /** @type {Map<string, string[]>} */
  const columns = new Map();
  /**
   * A user has one row, so each repetition of an endpoint has its own column.
   * @param {string} name @param {number} nth
   */
  const buildUrl = (name, nth) => {
    const values = (addresses.get(name) ?? []).slice(0, MOST_ROWS).map(({ address }) => address);
    if (values.every(value => value === values[0])) return values[0];
    const words = name.slice('GET /'.length).replace(/\W+/g, '_').slice(-30);
    const column = `address_${[...addresses.keys()].indexOf(name) + 1}_${nth + 1}_${words}`;
    columns.set(column, [...values.slice(nth), ...values.slice(0, nth)]);
    return `{{ ${column} }}`;
  };
  const phases = curve.phases.map(({ seconds, fromPerSec, toPerSec }) => {
    const [arrivalRate, rampTo] = [fromPerSec, toPerSec].map(rate => round((rate * users) / kept));
    if (arrivalRate === 0 && rampTo === 0) return { pause: seconds };
    return { duration: seconds, arrivalRate, ...(rampTo !== arrivalRate && { rampTo }) };
  });
  const scenarios = flows.map(({ names, thinkSec, count }) => ({
    name: names.join(', '),
    weight: Math.max(1, Math.round((WHOLE * count) / users)),
    flow: names.flatMap((name, at) => {
      const think = round(thinkSec[at] ?? 0);
      const nth = names.slice(0, at).filter(one => one === name).length;
      const get = {
        url: buildUrl(name, nth),
        ...(redirecting.has(name) && { followRedirect: false }),
      };
      return [...(think > 0 ? [{ think }] : []), { get }];
    }),
  }));
  const config = {
    target: '{{ $env.TARGET }}',
    ...(groups.length > 0 && {
      loadflame: { variables: { ENDPOINTS: { default: groups.join(', ') } } },
    }),
    mode: 'poisson',
    phases,
    ...(columns.size > 0 && {
      payload: { path: csv, fields: [...columns.keys()], skipHeader: true, cast: false },
    }),
    http: { timeout: 20 },
  };
  return { script: { config, scenarios }, rows: columns.size > 0 ? formatRows(columns) : '' };
}

/** Values of one row are combined by chance; shorter columns start over. @param {Map<string, string[]>} columns */
function formatRows(columns) {
  const length = Math.max(...[...columns.values()].map(values => values.length));
  const rows = Array.from({ length }, (_, at) =>
    [...columns.values()].map(values => `"${values[at % values.length]?.replaceAll('"', '""')}"`),
  );
  return [[...columns.keys()], ...rows].map(row => `${row.join(',')}\n`).join('');
}

/** @param {number} value */
function round(value) {
  return Number(value.toPrecision(4));
}
