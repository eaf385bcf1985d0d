/** Why a run is partial: read from its records, because what was killed could not say so itself. */
import { splitLoadTests } from './load-windows.js';

/**
 * @param {import('./read-run.js').RunRecords} records
 * @returns {string[]} each a clause without a full stop; none for a complete run
 */
export function findPartialReasons({ manifest, active, events, metrics, segments }) {
  const reasons = new Set(manifest.reasons);
  if (manifest.status === 'running' && !active) {
    reasons.add('loadflame itself was killed, so what it was about to record is missing');
  }
  for (const { end } of splitLoadTests(metrics)) {
    if (!end) reasons.add(active ? 'a load test is still running' : 'the load test was killed');
    else if (end.reason !== 'complete') reasons.add(`the load test was ${end.reason}`);
  }
  const lost = segments.filter(({ kind }) => kind === 'segment-lost').length;
  if (lost > 0) reasons.add(`${lost} profile ${lost === 1 ? 'segment was' : 'segments were'} lost`);
  for (const { pid } of findEndedWorkers(segments)) {
    reasons.add(`gunicorn worker ${pid} ended in the middle`);
  }
  for (const { kind, message } of events) {
    if (kind === 'recorder-died' || kind === 'target-gone') reasons.add(String(message));
  }
  return [...reasons];
}

/** Workers that ended while the recording went on. @param {Record<string, any>[]} segments */
export function findEndedWorkers(segments) {
  const stop = segments.find(({ kind }) => kind === 'recording-end')?.t ?? Number.POSITIVE_INFINITY;
  return segments.filter(({ kind, t }) => kind === 'worker-end' && t < stop);
}
