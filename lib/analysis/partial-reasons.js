/** Why a run is partial: read from its records, because what was killed could not say so itself. */
import { formatNumberOf } from '../format.js';
import { splitLoadTests } from './load-windows.js';

/** So many workers are named; `--max-requests` can end hundreds. */
const MOST_NAMED = 3;
/** Events whose message is a reason. */
const TELLING = ['recorder-died', 'target-gone', 'session-failed'];

/**
 * @param {import('./read-run.js').RunRecords} records
 * @returns {string[]} each a clause without a full stop; none for a complete run
 */
export function findPartialReasons({ manifest, active, isLoadAtWork, events, metrics, segments }) {
  /** @type {Set<string>} */
  const reasons = new Set();
  if (manifest.status === 'running' && !active) {
    reasons.add(
      'loadflame itself was killed or could not write: what it was about to record is missing',
    );
  }
  const tests = splitLoadTests(metrics);
  for (const loadTest of tests) {
    const reason = describeLoadEnd(loadTest, isLoadAtWork && loadTest === tests.at(-1));
    if (reason) reasons.add(reason);
  }
  const lost = segments.filter(({ kind }) => kind === 'segment-lost').length;
  if (lost > 0) reasons.add(`${lost} profile ${lost === 1 ? 'segment was' : 'segments were'} lost`);
  const workers = findEndedWorkers(segments);
  if (workers.length > MOST_NAMED) {
    reasons.add(`${formatNumberOf(workers.length, 'gunicorn worker')} ended in the middle`);
  } else {
    for (const { pid } of workers) reasons.add(`gunicorn worker ${pid} ended in the middle`);
  }
  for (const { kind, message } of events) {
    if (TELLING.includes(kind)) reasons.add(String(message));
  }
  return [...reasons];
}

/**
 * @param {import('./load-windows.js').LoadTest} loadTest
 * @param {boolean} isAtWork
 * @returns {string | null} null for one that came to its end
 */
function describeLoadEnd({ start, end }, isAtWork) {
  if (!end)
    return isAtWork
      ? 'a load test is still running'
      : 'the load test was killed, or its end could not be written';
  if (end.reason === 'complete') return null;
  if (end.reason === 'interrupted') return 'the load test was interrupted (Ctrl+C or a signal)';
  const how = end.signal ? `was ended by ${end.signal}` : `ended with exit code ${end.exitCode}`;
  const who = start.engine === 'artillery' ? 'Artillery' : 'the load generator';
  return `${who} ${how} before the load test was over`;
}

/** Workers that ended while the recording went on. @param {Record<string, any>[]} segments */
export function findEndedWorkers(segments) {
  const stop = segments.find(({ kind }) => kind === 'recording-end')?.t ?? Number.POSITIVE_INFINITY;
  return segments.filter(({ kind, t }) => kind === 'worker-end' && t < stop);
}
