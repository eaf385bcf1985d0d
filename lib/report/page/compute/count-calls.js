/** Statements and other calls of a selection. Percentiles and extremes are known only for the whole run. */
import { sum } from '../../../base/math/summary.js';
import { cpuOfDatabase } from '../../../text/document/run-calls.js';

/** @import { CallGroup, CallsReport } from '../../../run/facts/calls.d.ts' */
/** @import { SelectedCalls, StatementRow, SumsRow } from '../../../text/document/run-calls.js' */
/** @import { PageState } from '../state.js' */
/** @import { Model } from './compute.js' */
/** @import { EndpointRow } from './count-endpoints.js' */

/** @typedef {CallGroup['rows'][number] & {endpoint: number}} Row */

/**
 * @param {Model} model @param {PageState} state @param {EndpointRow[]} costs of the selection
 * @returns {SelectedCalls | null} null: all of the run, or not unpacked
 */
export function countCalls({ report, calls: all, edgesMs }, state, costs) {
  const { calls } = report;
  if (!calls || !all || !(state.windows || state.workers || state.endpoints)) return null;
  const groups = all.filter(group => isSelected(group, calls, state, edgesMs ?? []));
  // Time in the server is known only for all requests of an endpoint together.
  const isAllOfThem = !state.windows && !state.workers;
  const endpoints = [...Map.groupBy(groups, one => one.endpoint)].map(([at, own]) => {
    const { name = '', serverMs = null } = calls.endpoints[at] ?? {};
    const { cpuMsPerRequest, byCategory } = costs.find(row => row.name === name) ?? {};
    const cpuMs = cpuOfDatabase(byCategory, ({ share }) =>
      cpuMsPerRequest ? share * cpuMsPerRequest.value : null,
    );
    return { name, cpuMs, ...addUp(own, calls, isAllOfThem ? serverMs : null) };
  });
  const rows = groups.flatMap(({ endpoint, rows: own }) => own.map(row => ({ ...row, endpoint })));
  const moreUs = sum(groups.map(one => one.moreUs));
  return {
    endpoints,
    whole: addUp(groups, calls, null),
    more: { count: sum(groups.map(one => one.moreCount)), ms: moreUs / 1000 },
    statements: [...Map.groupBy(rows, one => one.statement).values()]
      .flatMap(own => addStatement(own, calls, endpoints) ?? [])
      .sort((a, b) => b.ms - a.ms),
  };
}

/**
 * @param {CallGroup} group
 * @param {CallsReport} calls
 * @param {PageState} state
 * @param {number[]} edgesMs
 */
function isSelected({ window, worker, endpoint }, { table, endpoints: all }, state, edgesMs) {
  const { windows, workers, endpoints } = state;
  const startMs = table.edgesMs[window] ?? 0;
  const isInTime =
    !windows ||
    (startMs >= (edgesMs[windows.from] ?? 0) && startMs < (edgesMs[windows.to] ?? Infinity));
  const isOfWorker = !workers || workers.includes(table.workers[worker]?.pid ?? Number.NaN);
  return isInTime && isOfWorker && (!endpoints || endpoints.includes(all[endpoint]?.name ?? ''));
}

/**
 * @param {CallGroup[]} groups
 * @param {CallsReport} calls
 * @param {number | null} serverMs
 * @returns {SumsRow}
 */
function addUp(groups, { statements }, serverMs) {
  const requests = sum(groups.map(one => one.requests));
  const mean = (/** @type {number[]} */ amounts) => sum(amounts) / Math.max(1, requests);
  const [sql = [], others = []] = [true, false].map(isSql =>
    groups.flatMap(one =>
      one.rows.filter(row => (statements[row.statement]?.kind === 'sql') === isSql),
    ),
  );
  const queries = mean(
    [...sql, ...groups].map(one => ('count' in one ? one.count : one.moreCount)),
  );
  const databaseUs = mean([...sql, ...groups].map(one => ('us' in one ? one.us : one.moreUs)));
  const poolUs = mean(groups.map(one => one.poolUs));
  return {
    ...{ requests, serverMs },
    queries: { mean: queries, p50: null, p95: null, most: null },
    databaseMs: { mean: databaseUs / 1000, p95: null },
    poolMs: { mean: poolUs / 1000, count: sum(groups.map(one => one.poolCount)) },
    callsMs: { mean: mean(others.map(({ us }) => us)) / 1000 },
  };
}

/**
 * @param {Row[]} rows of one statement
 * @param {CallsReport} calls
 * @param {SelectedCalls['endpoints']} selected
 * @returns {StatementRow | null}
 */
function addStatement(rows, calls, selected) {
  const statement = calls.statements[rows[0]?.statement ?? -1];
  if (!statement) return null;
  const endpoints = [...Map.groupBy(rows, one => one.endpoint)].map(([at, own]) => {
    return { name: calls.endpoints[at]?.name ?? '', ...addRows(own) };
  });
  const sums = addRows(rows);
  const own = selected.filter(({ name }) => endpoints.some(one => one.name === name));
  const insideMs = sum(own.map(({ requests, serverMs }) => requests * (serverMs ?? 0)));
  const ofRequests = sum(own.map(({ requests }) => requests));
  return {
    ...{ ...statement, ...sums, ofRequests, endpoints, most: null, p95Ms: null },
    perRequest: sums.count / ofRequests,
    meanMs: sums.ms / sums.count,
    rows: null,
    shareOfTotalMs: insideMs > 0 ? sums.ms / insideMs : null,
  };
}

/** @param {Row[]} rows */
function addRows(rows) {
  const [requests, count] = [sum(rows.map(one => one.requests)), sum(rows.map(one => one.count))];
  return { requests, count, ms: sum(rows.map(one => one.us)) / 1000 };
}
