/** A run as two machines would have recorded it, each by its own clock. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runFiles } from '../../lib/run/run-folder.js';
import { writeRun } from './synthetic-run/index.js';

/** @import { SyntheticRun } from './synthetic-run/synthetic-run.d.ts' */

const TIMES = ['t', 'fromMs', 'startMs', 'endMs', 'startedAtMs', 'endedAtMs'];
const CLOCK_EVERY_MS = 10_000;

/**
 * Writes two folders: the recording with the times of the run, and the load by a clock that is behind.
 * @param {string} root
 * @param {SyntheticRun} run
 * @param {{behindMs: (t: number) => number, widthMs?: number, from?: 'companion' | 'date' | null, name?: string}} options
 *   `widthMs`: how well answers told the clock; `from`: who told, null for nobody
 * @returns {{load: string, recording: string}}
 */
export function splitRun(root, run, { behindMs, widthMs = 8, from = 'companion', name = 'a' }) {
  const { manifest, events, processes, segments, raw, truth, ...load } = run;
  const ofGenerator = (/** @type {Record<string, any>} */ { role, kind, roles }) =>
    role === 'generator' || (kind === 'cgroup' && roles.includes('generator'));
  const recording = writeRun(path.join(root, `${name}-recording`), {
    ...{ ...run, metrics: [], errors: [], tokens: [] },
    processes: processes.filter(record => !ofGenerator(record)),
    manifest: { ...manifest, id: `${name}-recording`, kind: 'profile', target: null, script: null },
  });
  const back = (/** @type {Record<string, any>} */ record) => moveBack(record, behindMs);
  // A machine of its own, whose processes have the same numbers.
  const elsewhere = processes.flatMap(record => {
    if (record.kind === 'host') return { ...record, busyMs: record.totalMs / 2 };
    const { t, role, pid } = record;
    return role === 'loadflame' ? { ...record, pid: 4200 + (pid % 3), cpuMs: t % 1e6 } : [];
  });
  const sent = writeRun(path.join(root, `${name}-load`), {
    ...{ truth, segments: [], raw: [], events: [], tokens: load.tokens.map(back) },
    errors: load.errors.map(back),
    metrics: [...addClocks(load.metrics, { behindMs, widthMs, from })].map(back),
    processes: elsewhere.map(back),
    manifest: /** @type {typeof manifest} */ ({
      ...back(manifest),
      ...{ id: `${name}-load`, kind: 'load', profile: null },
      host: { ...manifest.host, cpus: 2 },
    }),
  });
  return { load: sent, recording };
}

/** @param {Record<string, any>} record @param {(t: number) => number} behindMs */
function moveBack(record, behindMs) {
  const times = TIMES.filter(name => typeof record[name] === 'number');
  const moved = times.map(name => [name, record[name] - behindMs(record[name])]);
  return { ...record, ...Object.fromEntries(moved) };
}

/** @param {Record<string, any>[]} metrics @param {Required<Pick<Parameters<typeof splitRun>[2], 'behindMs' | 'widthMs' | 'from'>>} options */
function* addClocks(metrics, { behindMs, widthMs, from }) {
  let nextMs = (metrics[0]?.t ?? 0) + CLOCK_EVERY_MS;
  for (const record of metrics) {
    yield record;
    if (from === null || (record.t < nextMs && record.kind !== 'phase-end')) continue;
    nextMs = record.t + CLOCK_EVERY_MS;
    // Where in the interval the truth is differs.
    const lowMs = Math.floor(behindMs(record.t) - widthMs * ((record.t / 7) % 1));
    const highMs = lowMs + widthMs;
    yield { t: record.t, kind: 'clock', worker: 1, from, lowMs, highMs, answers: 100 };
  }
}

const PERIOD_MS = 10_000;

/** Makes the load of a run one that Artillery sent, which writes its own file. @param {string} folder */
export function asArtillery(folder) {
  const { metrics, artillery } = runFiles(folder);
  /** @type {Record<string, any>[]} */
  const records = readFileSync(metrics, 'utf8')
    .split('\n')
    .flatMap(line => (line ? JSON.parse(line) : []));
  const seconds = records.filter(({ kind }) => kind === 'second');
  const sumUp = (/** @type {Record<string, any>[]} */ own) => {
    const count = own.reduce((sum, { counters }) => sum + (counters['http.requests'] ?? 0), 0);
    return {
      counters: {
        ...{ 'vusers.created': count, 'vusers.completed': count, 'http.requests': count },
        ...{ 'http.responses': count, 'http.codes.200': count },
      },
      summaries: {},
    };
  };
  const periods = Map.groupBy(seconds, ({ fromMs }) => fromMs - (fromMs % PERIOD_MS));
  const [firstCounterAt, lastCounterAt] = [seconds[0]?.fromMs, seconds.at(-1)?.fromMs + 1000];
  const file = {
    aggregate: { ...sumUp(seconds), firstCounterAt, lastCounterAt, period: firstCounterAt },
    intermediate: Array.from(periods, ([at, own]) => ({ period: String(at), ...sumUp(own) })),
  };
  writeFileSync(artillery, JSON.stringify(file));
  const others = records.filter(({ kind }) => !['second', 'generator', 'clock'].includes(kind));
  writeFileSync(metrics, others.map(record => `${JSON.stringify(record)}\n`).join(''));
}
