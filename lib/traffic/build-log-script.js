/** From the traffic of a log to a script, and to the rows that it reads. */
import { sum } from '../math/summary.js';

/** @import { Traffic } from '../facts/traffic.d.ts' */

/** Weights are shares of it. */
const WHOLE = 10_000;
const MOST_ROWS = 2000;

/**
 * @param {Traffic} traffic
 * @param {string} csv name of the file with the rows, beside the script
 * @returns {{script: Record<string, any>, rows: string}} `rows`: '' without
 */
export function buildLogScript({ mix, kept, curve, groups, addresses, redirecting }, csv) {
  const sent = sum([...mix.values()]);
  /** @type {Map<string, string[]>} */
  const columns = new Map();
  /** @param {string} name */
  const buildUrl = name => {
    const values = (addresses.get(name) ?? []).slice(0, MOST_ROWS).map(({ address }) => address);
    if (values.every(value => value === values[0])) return values[0];
    const words = name.slice('GET /'.length).replace(/\W+/g, '_').slice(-30);
    const column = `address_${columns.size + 1}_${words}`;
    columns.set(column, values);
    return `{{ ${column} }}`;
  };
  const phases = curve.phases.map(({ seconds, fromPerSec, toPerSec }) => {
    const [arrivalRate, rampTo] = [fromPerSec, toPerSec].map(rate => round((rate * sent) / kept));
    if (arrivalRate === 0 && rampTo === 0) return { pause: seconds };
    return { duration: seconds, arrivalRate, ...(rampTo !== arrivalRate && { rampTo }) };
  });
  const scenarios = [...mix].map(([name, count]) => ({
    name,
    weight: Math.max(1, Math.round((WHOLE * count) / sent)),
    flow: [
      { get: { url: buildUrl(name), ...(redirecting.has(name) && { followRedirect: false }) } },
    ],
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

/** Columns stand beside each other by chance; a shorter one begins again. @param {Map<string, string[]>} columns */
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
