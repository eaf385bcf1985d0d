/** From the run folder of a cell to its figures: everything is of the plateau's whole seconds. */

import { mergeNamedSketches, sumCounters } from '../../analysis/counters.js';
import { measureHost, measureProcesses } from '../../analysis/cpu.js';
import { findModel } from '../../analysis/describe-phase.js';
import { buildGenerator } from '../../analysis/generator.js';
import { summarizeLatency } from '../../analysis/latency.js';
import { readRun } from '../../analysis/read-run.js';
import { buildSeconds } from '../../analysis/seconds.js';
import { listThrottled } from '../../analysis/throttling.js';
import { LoadflameError } from '../../errors.js';
import { countAnswers } from './count-answers.js';
import { findPlateau } from './find-plateau.js';
import { measureComponents, measureCoresPerSecond } from './measure-components.js';
import { measureRise, pointsInside, readProbeSeries, riseBetween } from './measure-probes.js';
import { measureShares } from './measure-shares.js';

const SECOND_MS = 1000;

/** @typedef {import('../study-records.d.ts').CellFigures} CellFigures */
/** @typedef {import('./find-plateau.js').Plateau} Plateau */

/**
 * @typedef {object} CellOptions
 * @property {Record<string, number | null>} [componentsMost] cores that a component can use at most
 * @property {{probe: string, field: string} | null} [throughput] what counts instead of answers
 */

/**
 * @param {string} folder of the run
 * @param {CellOptions} [options]
 * @returns {Promise<CellFigures>}
 * @throws {LoadflameError} STUDY_CELL_EMPTY, STUDY_PROBE_SILENT, RUN_FOLDER_NOT_ONE
 */
export async function measureCell(folder, options = {}) {
  const { componentsMost = {}, throughput = null } = options;
  const { metrics, processes, probes, manifest } = await readRun(folder);
  const plateau = findPlateau(metrics);
  if (!plateau) throw new LoadflameError('STUDY_CELL_EMPTY', { folder, what: 'whole second' });
  const { window, seconds } = plateau;
  const { times, ...answers } = countAnswers(seconds);
  if (answers.requests === 0)
    throw new LoadflameError('STUDY_CELL_EMPTY', { folder, what: 'request' });

  const edgesMs = listEdges(window);
  const length = edgesMs.length - 1;
  const latency = summarizeLatency(times);
  const series = readProbeSeries(probes);
  const dispatchPerSec = answers.good / length;
  const counter = throughput && readCounter(series, throughput, window, folder);
  return {
    window,
    seconds: length,
    ...answers,
    throughputPerSec: counter ? counter.perSec : dispatchPerSec,
    dispatchPerSec,
    perSecond: counter ? riseBetween(counter.points, edgesMs) : countPerSecond(seconds, edgesMs),
    coresPerSecond: measureCoresPerSecond(processes, edgesMs),
    latency,
    latencyFromIntended:
      findModel(plateau.phase.spec ?? {}) === 'open'
        ? summarizeLatency(mergeNamedSketches(seconds, 'http.total_from_intended'))
        : null,
    users: countUsers(plateau),
    inFlightMean: times.sum / SECOND_MS / length,
    components: measureComponents(processes, window, componentsMost),
    host: measureHostUse(processes, window),
    throttled: listThrottled(processes, [window]).map(({ roles, quotaCores, share }) => ({
      roles: [...roles].sort(),
      quotaCores,
      share,
    })),
    generator: measureGenerator(plateau, processes, latency?.p50Ms ?? 0),
    shares: measureShares(plateau, { processes, manifest }),
    probes: cutProbes(series, window),
  };
}

/** @param {import('../../analysis/report.d.ts').TimeRange} window whole seconds */
function listEdges({ startMs, endMs }) {
  return Array.from(
    { length: (endMs - startMs) / SECOND_MS + 1 },
    (_, n) => startMs + n * SECOND_MS,
  );
}

/** @param {Record<string, any>[]} seconds @param {number[]} edgesMs good answers of each second */
function countPerSecond(seconds, edgesMs) {
  const bySecond = Map.groupBy(seconds, ({ fromMs }) => Number(fromMs));
  return edgesMs.slice(0, -1).map(startMs => countAnswers(bySecond.get(startMs) ?? []).good);
}

/** @param {Plateau} plateau @returns {CellFigures['users']} */
function countUsers(plateau) {
  const counters = sumCounters(plateau.seconds);
  const gauges = buildSeconds(listLoaded(plateau)).flatMap(({ usersActive }) => usersActive ?? []);
  return {
    created: counters['vusers.created'] ?? 0,
    failed: counters['vusers.failed'] ?? 0,
    skipped: counters['vusers.skipped'] ?? 0,
    activeMean: gauges.length > 0 ? gauges.reduce((sum, n) => sum + n, 0) / gauges.length : null,
  };
}

/**
 * Users are counted when the record of a second is written, a little after that second: once the load
 * has ended they are none.
 * @param {Plateau} plateau
 */
function listLoaded({ test, phase, seconds }) {
  const end = test.records.find(({ kind, index }) => kind === 'phase-end' && index === phase.index);
  const late = seconds.filter(({ t }) => t > (end?.t ?? Infinity)).map(({ fromMs }) => fromMs);
  return seconds.filter(({ fromMs }) => !late.includes(fromMs));
}

/**
 * @param {ReturnType<typeof readProbeSeries>} series
 * @param {{probe: string, field: string}} throughput
 * @param {Plateau['window']} window
 * @param {string} folder
 */
function readCounter(series, { probe, field }, window, folder) {
  const points = series[probe]?.[field] ?? [];
  const perSec = measureRise(points, window);
  if (perSec === null) throw new LoadflameError('STUDY_PROBE_SILENT', { probe, field, folder });
  return { points, perSec };
}

/** @param {Record<string, any>[]} processes @param {Plateau['window']} window @returns {CellFigures['host']} */
function measureHostUse(processes, window) {
  const host = measureHost(processes, [window]);
  return host && { cores: host.busyCores, cpus: host.cpus };
}

/**
 * The generator has been warm since the phase before, so that all of the plateau is judged.
 * @param {Plateau} plateau
 * @param {Record<string, any>[]} processes
 * @param {number} typicalMs
 * @returns {CellFigures['generator']}
 */
function measureGenerator({ test, window }, processes, typicalMs) {
  const report = buildGenerator([test], [window], typicalMs, { isWarm: true });
  const [own] = measureProcesses(processes, [window]).filter(({ role }) => role === 'generator');
  const lengthMs = window.endMs - window.startMs;
  return {
    cores: own ? own.cpuMs / lengthMs : (report?.cores ?? null),
    utilization: report && Math.max(...report.workers.map(({ utilization }) => utilization)),
    signs: report?.signs ?? [],
  };
}

/** @param {ReturnType<typeof readProbeSeries>} series @param {Plateau['window']} window @returns {CellFigures['probes']} */
function cutProbes(series, window) {
  return Object.fromEntries(
    Object.entries(series).map(([name, fields]) => [
      name,
      Object.fromEntries(
        Object.entries(fields).map(([field, points]) => [field, pointsInside(points, window)]),
      ),
    ]),
  );
}
