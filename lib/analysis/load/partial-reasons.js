/** Why a run is partial: read from its records, because a killed process could not report it. */

import { listPresent } from '../../base/files/maps.js';
import { hasKind, ofKind } from '../../run/ndjson.js';

/** @import { LoadTest } from '../read/load/load-totals.js' */
/** @import { RunRecords } from '../read/read-run.js' */
/** @import { PartialReason, PartialTable } from '../../run/facts/validity.d.ts' */

/** Events whose message is a reason. */
const TELLING = /** @type {const} */ ([
  'recorder-died',
  'target-gone',
  'session-failed',
  'load-worker-lost',
  'load-lines-lost',
]);

/**
 * @param {RunRecords} records
 * @returns {PartialReason[]} none for a complete run
 */
export function findPartialReasons({ manifest, active, isLoadAtWork, events, load, segments }) {
  const lost = ofKind(segments, 'segment-lost').length;
  const workers = findEndedWorkers(segments);
  const messages = events.flatMap(event =>
    TELLING.some(kind => hasKind(event, kind)) && 'message' in event ? String(event.message) : [],
  );
  const ends = load.tests.map(test =>
    judgeLoadEnd(test, isLoadAtWork && test === load.tests.at(-1)),
  );
  const pids = workers.map(({ pid, name = pid }) => name);
  return listPresent(
    manifest.status === 'running' && !active && reason('session-killed', {}),
    // Several load tests may have ended the same way.
    ...new Map(ends.map(one => [JSON.stringify(one), one])).values(),
    lost > 0 && reason('segments-lost', { segments: lost }),
    pids.length > 0 && reason('workers-ended', { pids }),
    ...[...new Set(messages)].map(message => reason('event', { message })),
  );
}

/**
 * @param {LoadTest} loadTest
 * @param {boolean} isAtWork
 * @returns {PartialReason | null} null for one that finished
 */
function judgeLoadEnd({ start, end }, isAtWork) {
  if (!end) return reason(isAtWork ? 'load-running' : 'load-killed', {});
  if (end.reason === 'complete') return null;
  if (end.reason === 'interrupted') return reason('load-interrupted', {});
  return reason('load-failed', {
    engine: start.engine ?? 'loadflame',
    signal: end.signal ?? null,
    exitCode: end.exitCode ?? null,
  });
}

/**
 * @template {PartialReason['id']} Id
 * @param {Id} id
 * @param {PartialTable[Id]} facts
 */
const reason = (id, facts) => /** @type {PartialReason} */ ({ id, facts });

/** Workers that ended during the recording. @param {RunRecords['segments']} segments */
export function findEndedWorkers(segments) {
  const stop = ofKind(segments, 'recording-end')[0]?.t ?? Number.POSITIVE_INFINITY;
  return ofKind(segments, 'worker-end').filter(({ t }) => t < stop);
}
