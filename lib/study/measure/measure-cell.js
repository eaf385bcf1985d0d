/** From the run folder of a cell to its figures: everything is of the plateau's whole seconds. */
import { countIds, measureBalance, readBackends } from '../../analysis/load/balance.js';
import { summarizeLatency } from '../../analysis/load/counters.js';
import { Endpoints } from '../../analysis/load/endpoints.js';
import { buildGenerator } from '../../analysis/load/generator.js';
import { listThrottled } from '../../analysis/profile/throttling.js';
import { measureHost, measureProcesses } from '../../analysis/read/cpu.js';
import { readRun } from '../../analysis/read/read-run.js';
import { LoadflameError } from '../../errors.js';
import { ofKind } from '../../run/ndjson.js';
import { countResponses } from './count-responses.js';
import { measureBurst } from './measure-burst.js';
import { measureComponents } from './measure-components.js';
import { isInside, measureRise, readProbeSeries } from './measure-probes.js';
import { AFTER, BEFORE, findMeasurementWindow, PLATEAU } from './measurement-window.js';

/** @import { RunRecords } from '../../analysis/read/read-run.js' */
/** @import { CellFigures, SpikeFigures } from '../../facts/study-records.d.ts' */
/** @import { Plateau } from './measurement-window.js' */
/** @import { EndpointRecord } from '../../facts/records.d.ts' */

const SECOND_MS = 1000;

/** @typedef {CellFigures['shares'][number]} Share */

/**
 * @typedef {object} CellOptions
 * @property {Record<string, number | null>} [componentsMost] cores that a component can use at most
 * @property {{probe: string, field: string} | null} [throughput] what counts instead of responses
 * @property {number | null} [burst] how many came at once
 * @property {boolean} [isSpike]
 */

/**
 * @param {string} folder of the run
 * @param {CellOptions} [options]
 * @returns {Promise<CellFigures>}
 * @throws {LoadflameError} STUDY_CELL_EMPTY, STUDY_PROBE_SILENT, RUN_FOLDER_NOT_ONE
 */
export async function measureCell(folder, options = {}) {
  const { componentsMost = {}, throughput = null, burst: size = null, isSpike } = options;
  const records = await readRun(folder, { keepsSeconds: true });
  const { processes, probes, manifest } = records;
  const series = readProbeSeries(probes);
  const counted = throughput && (series[throughput.probe]?.[throughput.field] ?? []);
  const burst = size === null ? null : measureBurst(records, { size, counted });
  if (size !== null && !burst && throughput)
    throw new LoadflameError('STUDY_PROBE_SILENT', { ...throughput, folder });
  const plateau = size === null ? findMeasurementWindow(records) : burst?.plateau;
  if (!plateau) throw new LoadflameError('STUDY_CELL_EMPTY', { folder, what: 'whole second' });
  const parts = isSpike ? measureSpike(records) : null;
  if (isSpike && !parts)
    throw new LoadflameError('STUDY_CELL_EMPTY', {
      folder,
      what: 'request before, in or after the spike',
    });
  const { test, window, seconds } = plateau;
  const { times, answers, ...responses } = countResponses(test.start, seconds);
  if (responses.requests === 0)
    throw new LoadflameError('STUDY_CELL_EMPTY', { folder, what: 'request' });

  const length = (window.endMs - window.startMs) / SECOND_MS;
  const latency = parts ? parts.latency : summarizeLatency(times);
  const dispatchPerSec = burst
    ? (burst.answersPerSec * responses.good) / Math.max(1, answers)
    : responses.good / length;
  const countedPerSec = burst ? burst.perSec : counted && measureRise(counted, window);
  if (throughput && countedPerSec === null)
    throw new LoadflameError('STUDY_PROBE_SILENT', { ...throughput, folder });
  const host = measureHost(processes, [window]);
  return {
    window,
    seconds: length,
    ...responses,
    throughputPerSec: countedPerSec ?? dispatchPerSec,
    dispatchPerSec,
    latency,
    ...(burst && { burst: burst.burst }),
    ...(parts && { spike: parts.spike }),
    inFlightMean: burst ? null : times.sum / SECOND_MS / length,
    components: measureComponents(processes, window, componentsMost),
    host: host && { cores: host.busyCores, cpus: host.cpus },
    throttled: listThrottled(processes, [window]).map(({ roles, quotaCores, share }) => ({
      roles: [...roles].sort(),
      quotaCores,
      share,
    })),
    generator: measureGenerator(plateau, processes, latency?.p50Ms ?? 0, burst !== null),
    shares: measureShares(plateau, { processes, manifest }),
    probes: readProbeSeries(probes.filter(record => isInside(record, window))),
  };
}

/**
 * The generator has been warm since the phase before, so that all of the plateau is judged.
 * @param {Plateau} plateau
 * @param {RunRecords['processes']} processes
 * @param {number} typicalMs
 * @param {boolean} isBurst which no generator can begin on time: whether it was busy says more
 * @returns {CellFigures['generator']}
 */
function measureGenerator({ test, window }, processes, typicalMs, isBurst) {
  const report = buildGenerator([test], [window], typicalMs, { isWarm: true });
  const [own] = measureProcesses(processes, [window]).filter(({ role }) => role === 'generator');
  const lengthMs = window.endMs - window.startMs;
  return {
    cores: own ? own.cpuMs / lengthMs : (report?.cores ?? null),
    signs: (report?.signs ?? []).filter(({ id }) => !isBurst || id === 'busy'),
  };
}

/**
 * How evenly the work spread over workers, instances and users.
 * @param {Plateau} plateau
 * @param {Pick<RunRecords, 'processes' | 'manifest'>} records
 * @returns {Share[]} only of what is more than one
 */
function measureShares(plateau, { processes, manifest }) {
  const { seconds, window } = plateau;
  const workers = measureProcesses(processes, [window])
    .filter(({ role }) => role === 'worker')
    .map(({ pid, cpuMs, livedMs }) => {
      const endedInRun = livedMs < window.endMs - window.startMs;
      return { pid, cpuMs, startedInRun: false, endedInRun };
    });
  // Backends that answered nothing are known only if the user said how many there are.
  const backends = readBackends(manifest.settings);
  const counts = { workers: new Map(), backends: new Map() };
  for (const second of seconds) {
    countIds(counts.workers, second.workers);
    countIds(counts.backends, second.backends);
  }
  const balance = measureBalance({ counts, workers, backends });
  const groups = /** @type {('workers' | 'backends')[]} */ (['workers', 'backends']).map(of => {
    const { basis, members = [] } = balance?.[of] ?? {};
    /** @type {Share['unit']} */
    const unit = basis === 'process-cpu' ? 'cpuMs' : 'answers';
    return { of, unit, counts: members.map(({ requests, cpuMs }) => requests ?? cpuMs ?? 0) };
  });
  return [...groups, countScenarios(plateau)].filter(({ counts }) => counts.length > 1);
}

/** Scenarios that each closed-loop user completed in the whole phase. @param {Plateau} plateau @returns {Share} */
function countScenarios({ test, phase }) {
  const records = ofKind(test.records, 'users').filter(({ index }) => index === phase.index);
  const counts = records.flatMap(({ ended, failed }) =>
    ended.map((n, at) => n - (failed?.[at] ?? 0)),
  );
  return { of: 'users', unit: 'scenarios', counts };
}

/**
 * How long responses of each endpoint took before a spike, in it and after it. The spike is of the endpoint whose
 * requests rose most.
 * @param {RunRecords} records
 * @returns {Pick<CellFigures, 'spike' | 'latency'> | null} `latency`: of all other endpoints in the
 *   spike; null where a phase has no whole second or no request
 */
function measureSpike(records) {
  const [before = [], during = [], after = []] = [BEFORE, PLATEAU, AFTER].map(name => {
    const { seconds = [] } = findMeasurementWindow(records, name) ?? {};
    return seconds.flatMap(second => Object.entries(second.endpoints ?? {}));
  });
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
