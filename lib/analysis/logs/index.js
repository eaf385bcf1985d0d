/** Error bursts and the logs of a run, as the Report tells them. */
import { findBursts } from './find-bursts.js';
import { collectIds, groupAlike, matchLogs } from './match-logs.js';
import { readLogs } from './read-logs.js';
import { groupTracebacks } from './tracebacks.js';

const MOST_TRACEBACKS = 20;
const MOST_WORKERS = 20;
const MOST_SAID = 5;
/** A line that was written at the end of the load arrives a moment later. */
const SLACK_MS = 2000;

/** @typedef {import('../report.d.ts').LoadReport} LoadReport */

/**
 * @param {import('../read-run.js').RunRecords} records
 * @param {LoadReport | null} load
 * @returns {Promise<{errorBursts: LoadReport['errorBursts'], logs: import('../logs.d.ts').LogReport | null,
 *   lines: import('./read-logs.js').KeptLine[]}>}
 */
export async function analyseLogs({ files, load: { errors } }, load) {
  const samples = load?.errorSamples ?? [];
  const logs = await readLogs(files, collectIds(samples));
  const errorBursts = findBursts(errors).map(burst =>
    matchLogs(burst, samples, logs?.lines ?? null),
  );
  if (!logs) return { errorBursts, logs: null, lines: [] };
  const { lines } = logs;
  const during = load
    ? lines.filter(
        ({ atMs }) => atMs >= load.window.startMs && atMs <= load.window.endMs + SLACK_MS,
      )
    : lines;
  const told = during.filter(({ isAccess }) => !isAccess);
  return {
    errorBursts,
    lines,
    logs: {
      sources: logs.sources,
      errors: told.filter(({ level }) => level === 'error').length,
      warnings: told.filter(({ level }) => level === 'warn').length,
      said: groupAlike(
        told.flatMap(line =>
          line.level === 'error' || line.level === 'warn' ? { ...line, matchedBy: 'time' } : [],
        ),
        () => 0,
      ).slice(0, MOST_SAID),
      tracebacks: groupTracebacks(
        told.filter(({ isTraceback }) => isTraceback),
        MOST_TRACEBACKS,
      ),
      workers: told
        .filter(({ isWorkerEnd }) => isWorkerEnd)
        .slice(0, MOST_WORKERS)
        .map(({ atMs, source, pid, text }) => ({ atMs, source, pid, text })),
    },
  };
}
