/** Error bursts and the logs of a run, as the Report shows them. */

import { addTo } from '../../../base/files/maps.js';
import { sum } from '../../../base/math/summary.js';
import { findBursts } from './find-bursts.js';
import { collectIds, groupAlike, matchLogs } from './match-logs.js';
import { findOutages } from './outages.js';
import { readLogs } from './read-logs.js';
import { groupTracebacks } from './tracebacks.js';

const MOST_TRACEBACKS = 20;
const MOST_WORKERS = 20;
const MOST_SAID = 5;
/** A line written at the end of the load arrives a moment later. */
const SLACK_MS = 2000;

/** @typedef {import('../../../run/facts/load-report.d.ts').LoadReport} LoadReport */

/**
 * @param {import('../../read/read-run.js').RunRecords} records
 * @param {LoadReport | null} load
 * @param {{podOf?: ReadonlyMap<string, string>, skipsLogs?: boolean}} [options] `podOf`: id of an instance → pod
 * @returns {Promise<{errorBursts: LoadReport['errorBursts'], logs: import('../../../run/facts/logs.d.ts').LogReport | null}>}
 */
export async function analyseLogs(
  { files, manifest, load: { errors } },
  load,
  { podOf = new Map(), skipsLogs = false } = {},
) {
  const samples = load?.errorSamples ?? [];
  const logs = skipsLogs ? null : await readLogs(files, collectIds(samples));
  const needed = new Set(manifest?.modules?.needed);
  const errorBursts = findBursts(errors).map(burst =>
    matchLogs(
      burst,
      samples,
      logs?.lines ?? null,
      namePods(burst, errors.answeredBy(burst), podOf),
      needed,
    ),
  );
  if (!logs) return { errorBursts, logs: null };
  const { lines } = logs;
  const during = load
    ? lines.filter(
        ({ atMs }) => atMs >= load.window.startMs && atMs <= load.window.endMs + SLACK_MS,
      )
    : lines;
  const plain = during.filter(({ isAccess }) => !isAccess);
  return {
    errorBursts,
    logs: {
      sources: logs.sources,
      errors: plain.filter(({ level }) => level === 'error').length,
      warnings: plain.filter(({ level }) => level === 'warn').length,
      said: groupAlike(
        plain.flatMap(line =>
          line.level === 'error' || line.level === 'warn' ? { ...line, matchedBy: 'time' } : [],
        ),
        () => 0,
      ).slice(0, MOST_SAID),
      tracebacks: groupTracebacks(
        plain.filter(({ isTraceback }) => isTraceback),
        MOST_TRACEBACKS,
        needed,
      ),
      outages: findOutages(
        plain.filter(({ level, isTraceback }) => isTraceback || level === 'error'),
      ),
      workers: plain
        .filter(({ isWorkerEnd }) => isWorkerEnd)
        .slice(0, MOST_WORKERS)
        .map(({ atMs, source, pid, text }) => ({ atMs, source, pid, text })),
    },
  };
}

/** @param {import('./find-bursts.js').Burst} burst @param {Map<string, number>} counts @param {ReadonlyMap<string, string>} podOf */
function namePods({ errors }, counts, podOf) {
  /** @type {Map<string, number>} */
  const pods = new Map();
  for (const [id, count] of counts) {
    const pod = podOf.get(id);
    if (pod) addTo(pods, pod, count);
  }
  const lines = [...pods].map(([pod, own]) => ({ pod, errors: own }));
  if (sum(lines.map(one => one.errors)) !== errors) return null;
  return lines.sort((a, b) => b.errors - a.errors);
}
