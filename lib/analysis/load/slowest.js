/** The slowest requests, whole, from the records of `load/slowest.ndjson`: where the time of each went. */
import { entryOf } from '../../base/files/maps.js';
import { sum } from '../../base/math/summary.js';
import { isAct } from '../../run/acts.js';
import { measureBlockers } from '../../run/blockers.js';
import { createRecordCheck } from '../../run/folder-shapes.js';
import { streamNdjson } from '../../run/ndjson.js';

/** @import { CallName, RecordOf, SlowRecord } from '../../run/facts/records.d.ts' */
/** @import { RequestPart, RequestPartId, SampleCounter, SlowRequest } from '../../run/facts/slow-requests.d.ts' */
/** @import { RunRecords } from '../read/read-run.js' */

const SLOWEST = 10;
/** Names of endpoints are untrusted. */
const MOST_REQUESTS = 600;
/** Of the request's time: a part with less is not why it was slow. */
const LEAST_SHARE = 0.5;
const MOST_CALLS = 20;

/**
 * @param {Pick<RunRecords, 'files' | 'manifest' | 'load'>} records
 * @param {{names: ReadonlyMap<string, CallName>, countSamples: SampleCounter | null}} known names of calls by id
 * @returns {Promise<{slowest: SlowRequest[], torn: number}>} by endpoint, the slowest first; `torn`: lines left out
 */
export async function readSlowest({ files, manifest, load }, { names, countSamples }) {
  let torn = 0;
  /** @type {Map<string, RecordOf<'slowest'>[]>} */
  const slow = new Map();
  /** @type {Map<string, RecordOf<'slowest'>>} */
  const first = new Map();
  const check = createRecordCheck('slowest', manifest.startedAtMs);
  for await (const read of streamNdjson(files.slowest, { check, onTorn: () => torn++ })) {
    if (read.kind !== 'request') continue;
    const record = { ...read, endpoint: load.endpoints.nameOf(read.endpoint) };
    const { endpoint, code, startedAtMs, phases } = record;
    if (!load.covers(startedAtMs + phases.totalMs)) continue;
    if (code !== null) {
      const known = entryOf(first, `${endpoint} ${code}`, () => record);
      if (startedAtMs < known.startedAtMs) first.set(`${endpoint} ${code}`, record);
    }
    const own = entryOf(slow, endpoint, () => []);
    own.push(record);
    own.sort((a, b) => b.phases.totalMs - a.phases.totalMs);
    own.length = Math.min(own.length, SLOWEST);
  }
  const rankOf = new Map([...slow.values()].flatMap(own => own.map((one, at) => [one, at + 1])));
  const all = [...new Set([...rankOf.keys(), ...first.values()])].slice(0, MOST_REQUESTS);
  const slowest = all.map(record => {
    return { rank: rankOf.get(record) ?? null, ...explainRequest(record, names, countSamples) };
  });
  return { slowest, torn };
}

/**
 * @param {RecordOf<'slowest'>} record
 * @param {ReadonlyMap<string, CallName>} names
 * @param {SampleCounter | null} countSamples
 * @returns {Omit<SlowRequest, 'rank'>}
 */
function explainRequest(record, names, countSamples) {
  const { t: _t, kind: _kind, values: _values, captures: _captures, ...own } = record;
  const { checks: _checks, server, calls: reported, ...request } = own;
  const { phases, endpoint } = request;
  const blockers = server ? measureBlockers(server, phases.firstByteMs ?? 0) : [];
  const samples = (server && countSamples?.(endpoint, server)) || null;
  const parts = listParts(record, blockers, samples);
  const calls = (reported?.calls ?? []).flatMap(([id, count, us]) => {
    const name = names.get(id);
    return name && !isAct(name.kind) ? { ...name, count, ms: us / 1000 } : [];
  });
  return {
    ...request,
    parts,
    blockers,
    samples,
    worker: server?.worker ?? null,
    cpuMs: server?.cpuMs ?? null,
    cause: findCause(parts, phases.totalMs),
    calls: calls.sort((a, b) => b.ms - a.ms).slice(0, MOST_CALLS),
  };
}

/** @type {RequestPartId[]} */
const CALLS = ['pool', 'statements', 'calls', 'connect'];
/** @type {RequestPartId[]} */
const HOLDS = ['loop', 'gc'];

/**
 * The largest part, if it has at least half of the time. What is as large beside the CPU ran on it: a statement of SQLite.
 * While other requests keep the loop, or a collection the interpreter, no call ends for the app.
 * @param {RequestPart[]} parts @param {number} totalMs @returns {SlowRequest['cause']}
 */
export function findCause(parts, totalMs) {
  const heldMs = sum(parts.map(({ id, ms }) => (HOLDS.includes(id) ? ms : 0)));
  const large = parts
    .map(({ id, ms }) => ({ id, ms: CALLS.includes(id) ? ms - heldMs : ms }))
    .filter(({ id, ms }) => id !== 'other' && ms >= totalMs * LEAST_SHARE)
    .sort((a, b) => b.ms - a.ms);
  const { id = null } = large.find(own => own.id !== 'cpu') ?? large[0] ?? {};
  return /** @type {SlowRequest['cause']} */ (id);
}

/**
 * Calls whose times are upper bounds (`findCallBound`) are no cause together: each may have waited for its worker. A single
 * one that has half of the request's time is.
 * @param {SlowRequest[]} slowest
 * @returns {SlowRequest[]}
 */
export function boundCauses(slowest) {
  return slowest.map(own => {
    const isLong = own.calls.some(
      ({ ms, count }) => ms / count >= own.phases.totalMs * LEAST_SHARE,
    );
    const isBound = own.cause !== null && CALLS.includes(own.cause) && !isLong;
    return isBound ? { ...own, cause: null, isBound } : own;
  });
}

/**
 * The parts of a request's time. Inside the worker only lengths are known, and no more than its time there.
 * @param {SlowRecord} record
 * @param {SlowRequest['blockers']} blockers
 * @param {SlowRequest['samples']} samples
 * @returns {RequestPart[]}
 */
function listParts({ phases, server, calls }, blockers, samples) {
  const { waitMs, opening, firstByteMs, bodyMs, totalMs } = phases;
  const openMs = opening ? (opening.dnsMs ?? 0) + opening.tcpMs + (opening.tlsMs ?? 0) : 0;
  const inWorkerMs = Math.min(server?.totalMs ?? 0, firstByteMs ?? 0);
  const frontMs = server && firstByteMs !== null ? firstByteMs - inWorkerMs : 0;
  const loopMs = Math.min(firstByteMs ?? 0, sum(blockers.map(one => one.waitedMs)));
  const loopInFrontMs = sum(
    (server?.blockers ?? []).map(({ ms, agoMs }) =>
      Math.max(0, Math.min(firstByteMs ?? 0, agoMs + ms) - Math.max(inWorkerMs, agoMs)),
    ),
  );
  const ofKinds = (/** @type {string[]} */ ...kinds) =>
    sum((calls?.calls ?? []).map(([, , us, kind]) => (kinds.includes(kind) ? us : 0)));
  /** @type {[RequestPartId, number][]} */
  const inside = [
    ['gc', server?.pausedMs ?? 0],
    ['lock', samples ? (inWorkerMs * samples.locks) / samples.count : 0],
    ['pool', (calls?.pool[1] ?? 0) / 1000],
    ['statements', (ofKinds('sql') + (calls?.more[1] ?? 0)) / 1000],
    ['calls', ofKinds('redis', 'mongodb', 'http') / 1000],
    ['connect', ofKinds('connect') / 1000],
    // Collections run on the CPU of a request, too.
    ['cpu', Math.max(0, (server?.cpuMs ?? 0) - (server?.pausedMs ?? 0))],
  ];
  const known = inside.map(([id, ms]) => ({ id, ms: Math.min(ms, inWorkerMs), startMs: null }));
  const restMs = inWorkerMs - sum(known.map(({ ms }) => ms)) - (loopMs - loopInFrontMs);
  const unseenMs = server ? Math.max(0, restMs) : (firstByteMs ?? totalMs - waitMs);
  /** @type {RequestPart[]} */
  const parts = [
    { id: 'opening', ms: openMs, startMs: 0 },
    { id: 'queue', ms: Math.max(0, waitMs - openMs), startMs: openMs },
    { id: 'front', ms: Math.max(0, frontMs - loopInFrontMs), startMs: waitMs },
    { id: 'loop', ms: loopMs, startMs: loopInFrontMs > 0 ? waitMs : null },
    ...known,
    { id: 'other', ms: unseenMs, startMs: server ? null : waitMs },
    { id: 'body', ms: bodyMs ?? 0, startMs: totalMs - (bodyMs ?? 0) },
  ];
  return parts.filter(({ ms }) => ms > 0);
}
