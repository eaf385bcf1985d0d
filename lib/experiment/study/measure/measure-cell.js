/** Turns the run folder of a cell into its figures: all of them cover the plateau's whole seconds. */
import { analyse } from '../../../analysis/analyse-run.js';
import { findMeasurementWindow } from '../../../analysis/load/measurement-window.js';
import { Endpoints } from '../../../analysis/read/load/endpoints.js';
import { readFolder } from '../../../analysis/read/read-folder.js';
import { LoadflameError } from '../../../base/errors.js';
import { ofKind } from '../../../run/ndjson.js';
import { MEASURED } from '../../choose-load.js';
import { measureBurst } from './measure-burst.js';
import { isInside, measureRise, readProbeSeries } from './measure-probes.js';

/** @import { RunRecords } from '../../../analysis/read/read-run.js' */
/** @import { Report } from '../../../run/facts/report.d.ts' */
/** @import { CellFigures, SpikeFigures } from '../../../run/facts/study-records.d.ts' */
/** @import { Plateau } from '../../../analysis/load/measurement-window.js' */
/** @import { EndpointRecord } from '../../../run/facts/records.d.ts' */

const SECOND_MS = 1000;

/** @typedef {CellFigures['shares'][number]} Share */

/**
 * @typedef {object} CellOptions
 * @property {Record<string, number | null>} [componentsMost] most cores that a component can use
 * @property {{probe: string, field: string} | null} [throughput] what counts instead of responses
 * @property {number | null} [burst] number of requests at once
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
  const read = await readFolder(folder, { keepsSeconds: true });
  const { records } = read;
  const series = readProbeSeries(records.probes);
  const counted = throughput && (series[throughput.probe]?.[throughput.field] ?? []);
  const burst = size === null ? null : measureBurst(records, { size, counted });
  if (size !== null && !burst && throughput)
    throw new LoadflameError('STUDY_PROBE_SILENT', { ...throughput, folder });
  const plateau = size === null ? findMeasurementWindow(records, MEASURED) : burst?.plateau;
  if (!plateau) throw new LoadflameError('STUDY_CELL_EMPTY', { folder, what: 'whole second' });
  const parts = isSpike ? measureSpike(records) : null;
  if (isSpike && !parts)
    throw new LoadflameError('STUDY_CELL_EMPTY', {
      folder,
      what: 'request before, in or after the spike',
    });
  const { report } = await analyse(read, { part: plateau });
  const { load, resources } = report;
  const { failures, users, responses } = load ?? {};
  const requests = (failures?.tried ?? 0) + (failures?.unknown ?? 0);
  if (!failures || !users || !responses || requests === 0)
    throw new LoadflameError('STUDY_CELL_EMPTY', { folder, what: 'request' });

  const { window } = plateau;
  const length = (window.endMs - window.startMs) / SECOND_MS;
  const { count = 0, meanMs = 0 } = responses.latency ?? {};
  const dispatchPerSec = burst
    ? (burst.answersPerSec * responses.good) / Math.max(1, responses.count)
    : responses.good / length;
  const countedPerSec = burst ? burst.perSec : counted && measureRise(counted, window);
  if (throughput && countedPerSec === null)
    throw new LoadflameError('STUDY_PROBE_SILENT', { ...throughput, folder });
  return {
    window,
    seconds: length,
    requests,
    good: responses.good,
    errors: failures.failed,
    errorNames: failures.kinds.map(({ code, isStatus, count: n }) => ({
      name: isStatus ? `HTTP ${code}` : code,
      count: n,
    })),
    throughputPerSec: countedPerSec ?? dispatchPerSec,
    dispatchPerSec,
    latency: parts ? parts.latency : responses.latency,
    ...(burst && { burst: burst.burst }),
    ...(parts && { spike: parts.spike }),
    users: { created: users.created, skipped: users.skipped },
    inFlightMean: burst ? null : (count * meanMs) / SECOND_MS / length,
    components: (resources?.components ?? []).map(component => ({
      ...component,
      mostCores: componentsMost[component.name] ?? null,
    })),
    host: resources?.host ?? null,
    throttled: resources?.throttled ?? [],
    generator: {
      cores: resources?.generatorCores ?? load?.generator?.cores ?? null,
      // No generator can start a burst on time: whether it was busy says more.
      signs: (load?.generator?.signs ?? []).filter(({ id }) => !burst || id === 'busy'),
    },
    shares: listShares(report.balance, plateau),
    probes: readProbeSeries(records.probes.filter(record => isInside(record, window))),
  };
}

/**
 * How evenly the work spread over workers, instances and users.
 * @param {Report['balance']} balance
 * @param {Plateau} plateau
 * @returns {Share[]} only for groups of more than one
 */
function listShares(balance, { test, phase }) {
  const groups = /** @type {('workers' | 'backends')[]} */ (['workers', 'backends']).map(of => {
    const { basis, members = [] } = balance?.[of] ?? {};
    /** @type {Share['unit']} */
    const unit = basis === 'process-cpu' ? 'cpuMs' : 'answers';
    return { of, unit, counts: members.map(({ requests, cpuMs }) => requests ?? cpuMs ?? 0) };
  });
  // Scenarios that each closed-loop user completed in the whole phase.
  const records = ofKind(test.records, 'users').filter(({ index }) => index === phase.index);
  const completed = records.flatMap(({ ended, failed }) =>
    ended.map((n, at) => n - (failed?.[at] ?? 0)),
  );
  /** @type {Share} */
  const ofUsers = { of: 'users', unit: 'scenarios', counts: completed };
  return [...groups, ofUsers].filter(({ counts }) => counts.length > 1);
}

/**
 * Response times of each endpoint before, during and after a spike. The spike is on the endpoint whose requests rose
 * most.
 * @param {RunRecords} records
 * @returns {Pick<CellFigures, 'spike' | 'latency'> | null} `latency`: of all other endpoints during the
 *   spike; null where a phase has no whole second or no request
 */
function measureSpike(records) {
  const [before = [], during = [], after = []] = ['before', MEASURED, 'after'].map(name => {
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
