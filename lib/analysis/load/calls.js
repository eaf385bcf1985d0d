/** Database statements and other calls, from the records of `load/calls.ndjson`. */
import { addTo, entryOf } from '../../base/files/maps.js';
import { hasQuantile, Sketch } from '../../base/math/sketch.js';
import { sum } from '../../base/math/summary.js';
import { isAct } from '../../run/acts.js';
import { createRecordCheck } from '../../run/folder-shapes.js';
import { streamNdjson } from '../../run/ndjson.js';
import { addServer } from '../../run/server-sums.js';
import { findNearestWindow, SECOND_MS } from '../read/load/build-grid.js';
import { packCalls } from '../sample-table/pack.js';

/** @import { Act, CallGroup, CallsReport, EndpointSums, Statement } from '../../run/facts/calls.d.ts' */
/** @import { CallName, CallsRecord } from '../../run/facts/records.d.ts' */
/** @import { Timeline } from '../../run/facts/timeline.d.ts' */
/** @import { RunRecords } from '../read/read-run.js' */
/** @import { Endpoints, ServerTimes } from '../read/load/endpoints.js' */

/** Takes at most 0.4 MB in a page. With more rows, windows are joined. */
const MOST_ROWS = 100_000;
/** Share of a statement's executions. */
const NO_ACCIDENT = 0.15;
/** @typedef {Omit<Statement, 'kind'> & Pick<CallName, 'kind'>} Counted */
/** @type {CallName} of an id whose name no generator received */
const NAMELESS = {
  ...{ kind: 'sql', system: null, text: null },
  ...{ file: null, line: null, function: null, relation: null },
};

const AMOUNTS = /** @type {const} */ (['requests', 'moreCount', 'moreUs', 'poolCount', 'poolUs']);

/** @typedef {ReturnType<typeof createStatement>} StatementSums */
/** @typedef {ReturnType<typeof createPart>} Part requests of an endpoint, or of all */
/** @typedef {[requests: number, count: number, us: number]} Executions */
/** @typedef {Omit<CallGroup, 'worker' | 'endpoint' | 'rows'> & {worker: string, endpoint: string, rows: Map<string, Executions>}} Group `rows` by id */

/**
 * The windows of the table are known only once the run has been read, so its calls are read after that.
 * @param {Pick<RunRecords, 'files' | 'manifest' | 'load'>} records
 * @param {Timeline | null} timeline
 * @returns {Promise<{calls: CallsReport | null, names: Map<string, CallName>, torn: number}>} `names` by id; `torn`: lines that were left out
 */
export async function analyseCalls({ files, manifest, load }, timeline) {
  let torn = 0;
  if (!timeline) return { calls: null, names: new Map(), torn };
  const calls = new Calls(timeline.edgesMs);
  // While a run is active, its calls may be newer than the seconds that were read.
  const endMs = timeline.edgesMs.at(-1) ?? Number.POSITIVE_INFINITY;
  const check = createRecordCheck('loadCalls', manifest.startedAtMs);
  /** Executions by endpoint and id. @type {Map<string, Map<string, number>>} */
  const counts = new Map();
  const nameOf = (/** @type {CallsRecord} */ { endpoint }) => load.endpoints.nameOf(endpoint);
  for await (const record of streamNdjson(files.loadCalls, { check, onTorn: () => torn++ })) {
    if (record.kind === 'calls') {
      const own = entryOf(counts, nameOf(record), () => new Map());
      for (const [id, , count] of record.calls) addTo(own, id, count);
    } else if (!calls.names.has(record.id)) calls.names.set(record.id, record.call);
  }
  const placeOf = new Map([...counts].map(([name, own]) => [name, joinPlaces(own, calls.names)]));
  for (const [name, own] of counts)
    for (const [id, count] of own)
      addTo(
        entryOf(calls.places, placeOf.get(name)?.get(id) ?? id, () => new Map()),
        id,
        count,
      );
  for await (const record of streamNdjson(files.loadCalls, { check }))
    if (record.kind === 'calls' && record.fromMs < endMs && load.covers(record.fromMs))
      calls.add({ ...record, endpoint: nameOf(record) }, placeOf.get(nameOf(record)));
  return { calls: calls.build(load.endpoints, timeline.workers), names: calls.names, torn };
}

/**
 * The companion can find another place for some executions of a statement. In an endpoint, one text is one statement,
 * at the place of most executions. Two relations with the same text are two.
 * @param {Map<string, number>} counts executions by id @param {Calls['names']} names
 * @returns {Map<string, string>} id → id of that place
 */
function joinPlaces(counts, names) {
  const ids = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const alike = Map.groupBy(ids, id => {
    const { kind, system, text, relation } = names.get(id) ?? NAMELESS;
    return text === null || isAct(kind) ? id : JSON.stringify([kind, system, text, relation]);
  });
  return new Map([...alike.values()].flatMap(all => all.map(id => [id, all[0] ?? id])));
}

class Calls {
  /** By id. @type {Map<string, CallName>} */
  names = new Map();
  /** By id of a statement: how often each place sends it, by the id of that. @type {Map<string, Map<string, number>>} */
  places = new Map();
  /** By id. @type {Map<string, StatementSums>} */
  #statements = new Map();
  /** By endpoint. @type {Map<string, Part>} */
  #parts = new Map();
  #whole = createPart();
  /** @type {Map<string, Group>} */
  #groups = new Map();
  #rows = 0;
  /** Windows of the timeline that make one of the table. */
  #joined = 1;
  #edgesMs;

  /** @param {number[]} edgesMs of the timeline */
  constructor(edgesMs) {
    this.#edgesMs = edgesMs;
  }

  /** @param {CallsRecord} record @param {ReadonlyMap<string, string>} [placeOf] id → id to count it as */
  add(record, placeOf) {
    const { endpoint, worker, responses, more, pool } = record;
    for (const part of [this.#whole, entryOf(this.#parts, endpoint, createPart)])
      addPart(part, record);
    /** @type {Group['rows']} */
    const rows = new Map();
    for (const [from, requests, count, us, ...own] of record.calls) {
      const id = placeOf?.get(from) ?? from;
      // At two places, these are other requests as far as there are others.
      const others = Math.min(requests, responses - (rows.get(id)?.[0] ?? 0));
      addExecutions(rows, id, [others, count, us]);
      const sums = entryOf(this.#statements, id, createStatement);
      addStatement(sums, endpoint, [others, count, us], own);
    }
    // The window that holds the middle of the second, or the nearest one.
    const window = findNearestWindow(this.#edgesMs, record.fromMs + SECOND_MS / 2) / this.#joined;
    this.#addGroup({
      ...{ window: Math.floor(window), worker, endpoint, requests: responses, rows },
      ...{ moreCount: more.count, moreUs: more.us, poolCount: pool.count, poolUs: pool.us },
    });
    while (this.#rows > MOST_ROWS && this.#joined < this.#edgesMs.length) this.#joinWindows();
  }

  /** @param {Endpoints} load @param {Timeline['workers']} recorded @returns {CallsReport | null} */
  build(load, recorded) {
    if (this.#parts.size === 0) return null;
    /** @type {Map<string, ServerTimes>} by endpoint */
    const servers = new Map();
    for (const { name } of load.list()) {
      const { server } = load.of(name);
      if (server) servers.set(name, server);
    }
    const all = [...this.#statements].map(([id, sums]) =>
      describeStatement(id, this.names.get(id) ?? NAMELESS, sums, servers),
    );
    for (const one of all) Object.assign(one, this.#findOtherLines(one));
    const acts = all.flatMap(describeAct).sort((a, b) => b.count - a.count);
    // An act whose name was not received takes no time either.
    const statements = all.flatMap(({ kind, ...own }) =>
      isAct(kind) || (own.text === null && own.ms === 0) ? [] : { kind, ...own },
    );
    statements.sort((a, b) => b.ms - a.ms);
    const others = statements.filter(({ kind }) => kind !== 'sql').flatMap(own => own.endpoints);
    const endpoints = [...servers].map(([name, server]) => {
      const callsMs = sum(others.filter(own => own.name === name).map(({ ms }) => ms));
      return { name, ...describePart(this.#parts.get(name) ?? createPart(), [server], callsMs) };
    });
    endpoints.sort((a, b) => timeOf(b) - timeOf(a));
    const { more, unreadable } = this.#whole;
    return {
      statements,
      ...(acts.length > 0 && { acts }),
      endpoints,
      whole: describePart(this.#whole, [...servers.values()], sum(others.map(({ ms }) => ms))),
      more: { count: more.count, ms: more.us / 1000 },
      unreadable,
      table: this.#pack(statements, endpoints, recorded),
    };
  }

  /** Lines that send it, too. The companion finds another place for few of a line's executions. @param {Counted} one */
  #findOtherLines({ id, line, count }) {
    const alsoFrom = [...(this.places.get(id) ?? [])]
      .filter(([, own]) => own >= count * NO_ACCIDENT)
      .map(([other]) => this.names.get(other) ?? NAMELESS)
      .filter(own => own.line !== null && own.line !== line)
      .map(({ file, line, function: name }) => ({ file, line, function: name }));
    return alsoFrom.length > 0 && { alsoFrom };
  }

  /** @param {Group} group */
  #addGroup(group) {
    const key = `${group.window}\n${group.worker}\n${group.endpoint}`;
    const known = this.#groups.get(key);
    if (!known) this.#groups.set(key, group);
    else {
      this.#rows -= known.rows.size;
      for (const name of AMOUNTS) known[name] += group[name];
      for (const [id, own] of group.rows) addExecutions(known.rows, id, own);
    }
    this.#rows += (known ?? group).rows.size;
  }

  #joinWindows() {
    const groups = [...this.#groups.values()];
    this.#joined *= 2;
    this.#groups.clear();
    this.#rows = 0;
    for (const group of groups) this.#addGroup({ ...group, window: group.window >> 1 });
  }

  /** @param {Statement[]} statements @param {{name: string}[]} endpoints @param {Timeline['workers']} recorded */
  #pack(statements, endpoints, recorded) {
    const place = new Map([...statements.entries()].map(([index, { id }]) => [id, index]));
    const ids = [...new Set([...this.#groups.values()].map(({ worker }) => worker))].sort();
    const lastEdge = this.#edgesMs.length - 1;
    const groups = [...this.#groups.values()].map(group => ({
      ...group,
      worker: ids.indexOf(group.worker),
      endpoint: endpoints.findIndex(({ name }) => name === group.endpoint),
      rows: [...group.rows]
        .filter(([id]) => place.has(id))
        .map(([id, [requests, count, us]]) => {
          return { statement: place.get(id) ?? 0, requests, count, us };
        })
        .sort((a, b) => a.statement - b.statement),
    }));
    groups.sort((a, b) => a.window - b.window || a.worker - b.worker || a.endpoint - b.endpoint);
    return {
      edgesMs: this.#edgesMs.filter((_, at) => at % this.#joined === 0 || at === lastEdge),
      workers: namePids(ids, recorded),
      groups: packCalls(groups.filter(({ endpoint }) => endpoint >= 0)),
    };
  }
}

/** Processes of different instances may have the same pids. @param {string[]} ids `<instance>.<pid>` @param {Timeline['workers']} recorded */
function namePids(ids, recorded) {
  const isOne = new Set(ids.map(id => id.split('.')[0])).size === 1;
  return ids.map(id => {
    const pid = Number(id.split('.')[1]);
    return { id, pid: isOne && recorded.some(own => own.pid === pid) ? pid : null };
  });
}

/** @param {Map<string, Executions>} map @param {string} key @param {Executions} own */
function addExecutions(map, key, [requests, count, us]) {
  const sums = map.get(key) ?? [0, 0, 0];
  map.set(key, [sums[0] + requests, sums[1] + count, sums[2] + us]);
}

function createStatement() {
  return {
    ...{ rows: 0, rowsOf: 0, openUs: 0, most: 0 },
    bins: /** @type {Map<number, number>} */ (new Map()),
    endpoints: /** @type {Map<string, Executions>} */ (new Map()),
  };
}

/** @param {StatementSums} sums @param {string} endpoint @param {Executions} executions @param {[rows: number | null, openUs: number, most: number, bins: [number, number][]]} own */
function addStatement(sums, endpoint, executions, [rows, openUs, most, bins]) {
  addExecutions(sums.endpoints, endpoint, executions);
  sums.rows += rows ?? 0;
  if (rows !== null) sums.rowsOf += executions[1];
  sums.openUs += openUs;
  sums.most = Math.max(sums.most, most);
  for (const [bin, n] of bins) addTo(sums.bins, bin, n);
}

/**
 * @param {string} id @param {CallName} name @param {StatementSums} sums
 * @param {ReadonlyMap<string, ServerTimes>} servers by endpoint
 * @returns {Counted}
 */
function describeStatement(id, name, { rows, rowsOf, openUs, most, bins, endpoints }, servers) {
  const [requests = 0, count = 0, us = 0] = [0, 1, 2].map(at =>
    sum([...endpoints.values()].map(own => own[at] ?? 0)),
  );
  const ms = us / 1000;
  const meanMs = ms / Math.max(1, count);
  const totalMs = sum([...endpoints.keys()].map(endpoint => servers.get(endpoint)?.totalMs ?? 0));
  const ofRequests = sum([...endpoints].map(([of, own]) => servers.get(of)?.count ?? own[0]));
  const means = [...endpoints.values()].map(([own, n]) => Math.ceil(n / Math.max(1, own)));
  return {
    ...{ id, ...name },
    endpoints: [...endpoints]
      .map(([endpoint, own]) => {
        return { name: endpoint, requests: own[0], count: own[1], ms: own[2] / 1000 };
      })
      .sort((a, b) => b.ms - a.ms),
    ...{ requests, ofRequests, count, ms, openMs: openUs / 1000, meanMs },
    most: Math.max(most, ...means),
    // Of an HTTP call its place has µs of the quickest one.
    rows: rowsOf > 0 && name.kind !== 'http' ? rows / rowsOf : null,
    ...(rowsOf > 0 && name.kind === 'http' && { aloneMs: rows / rowsOf / 1000 }),
    perRequest: count / Math.max(1, ofRequests),
    p95Ms: hasQuantile(sum([...bins.values()]), 0.95) ? 1.1 ** quantileOf(bins, 0.95) / 1000 : null,
    shareOfTotalMs: totalMs > 0 ? ms / totalMs : null,
  };
}

/** An act takes no time of its own. @param {Counted} counted @returns {Act[]} none for a call */
const describeAct = ({ rows, openMs, ms, meanMs, p95Ms, shareOfTotalMs, ...act }) =>
  isAct(act.kind) ? [/** @type {Act} */ (act)] : [];

function createPart() {
  return {
    ...{ responses: 0, unreadable: 0, waits: 0 },
    more: { count: 0, us: 0 },
    perRequest: /** @type {Map<number, number>} */ (new Map()),
    databaseMs: new Sketch(),
  };
}

/** @param {Part} part @param {CallsRecord} record */
function addPart(part, { responses, unreadable = 0, pool, more, perRequest, databaseMs }) {
  addServer(part, { responses, unreadable, waits: pool.count, more });
  for (const [n, own] of perRequest) addTo(part.perRequest, n, own);
  part.databaseMs.addJson(databaseMs);
}

/**
 * Responses before the first one with calls have no record: they made no calls.
 * @param {Part} part @param {ServerTimes[]} servers of its endpoints @param {number} callsMs
 * @returns {EndpointSums}
 */
function describePart({ responses, unreadable, waits, perRequest, databaseMs }, servers, callsMs) {
  const requests = sum(servers.map(({ count }) => count));
  const meanOf = (/** @type {string} */ id) =>
    sum(servers.map(({ sums }) => sums?.[id] ?? 0)) / Math.max(1, requests);
  const without = Math.max(0, requests - responses - unreadable);
  addTo(perRequest, 0, without);
  databaseMs.addJson({ count: without, sum: 0, min: 0, max: 0, zero: without, bins: [] });
  return {
    requests,
    queries: {
      p50: quantileOf(perRequest, 0.5),
      p95: hasQuantile(requests, 0.95) ? quantileOf(perRequest, 0.95) : null,
      most: Math.max(0, ...perRequest.keys()),
      mean: meanOf('db.queriesPerRequest'),
    },
    databaseMs: { mean: meanOf('db.msPerRequest'), p95: databaseMs.tailQuantile(0.95) },
    poolMs: { mean: meanOf('db.poolMsPerRequest'), count: waits },
    callsMs: { mean: callsMs / Math.max(1, requests) },
    commitMs: meanOf('db.commitMsPerRequest'),
    heldMs: meanOf('db.heldMsPerRequest'),
    serverMs: requests > 0 ? sum(servers.map(({ totalMs }) => totalMs)) / requests : null,
  };
}

/** Total time in calls. @param {EndpointSums} own */
const timeOf = ({ requests, databaseMs, callsMs }) => requests * (databaseMs.mean + callsMs.mean);

/** @param {ReadonlyMap<number, number>} counts of values @param {number} q */
function quantileOf(counts, q) {
  let left = q * (sum([...counts.values()]) - 1);
  const values = [...counts].filter(([, n]) => n > 0).sort(([a], [b]) => a - b);
  for (const [value, n] of values) {
    left -= n;
    if (left < 0) return value;
  }
  return values.at(-1)?.[0] ?? 0;
}
