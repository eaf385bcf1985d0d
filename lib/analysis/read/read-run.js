/** Reads all records of a run folder. A file that no recorder wrote counts as empty. */
import { existsSync } from 'node:fs';
import { orThrow } from '../../base/errors.js';
import { readRegularJson, statOrNull } from '../../base/files/regular-file.js';
import { isLoadAtWork } from '../../run/active-recording.js';
import { createRecordCheck, findMistake } from '../../run/folder-shapes.js';
import { isRunActive, readManifest } from '../../run/manifest.js';
import { findLinesEnd, ofKind, readNdjson, streamNdjson } from '../../run/ndjson.js';
import { runFiles } from '../../run/run-folder.js';
import { LoadTotals } from './load/load-totals.js';

/** @import { Manifest, RecordFile, RecordOf, RunShapes } from '../../run/facts/records.d.ts' */
/** @import { SecondRecord } from './load/seconds.js' */

/**
 * @typedef {object} RunRecords
 * @property {import('../../run/run-folder.js').RunFiles} files
 * @property {Manifest} manifest
 * @property {boolean} active the loadflame that owns it is still running
 * @property {boolean} isLoadAtWork a load test is sending now
 * @property {RecordOf<'events'>[]} events
 * @property {LoadTotals} load totals of `load/metrics.ndjson`
 * @property {number} metricsBytes bytes of that file read so far; an active run adds to it
 * @property {RecordOf<'errors'>[]} errors
 * @property {RunShapes['artillery'] | null} [artillery] the JSON of a load that Artillery sent
 * @property {RecordOf<'tokens'>[]} tokens
 * @property {RecordOf<'segments'>[]} segments
 * @property {RecordOf<'calls'>[]} calls
 * @property {RecordOf<'source'>[]} source
 * @property {RecordOf<'plans'>[]} plans
 * @property {RecordOf<'processes'>[]} processes
 * @property {RecordOf<'probes'>[]} probes
 * @property {RecordOf<'cluster'>[]} cluster
 * @property {number} torn lines that were cut off
 * @property {boolean} [isProvisional] the caller knows that the run is still going
 */

/**
 * @param {string} folder
 * @param {Parameters<typeof createRunReader>[1]} [options]
 * @returns {Promise<RunRecords>}
 * @throws {LoadflameError} RUN_FOLDER_NOT_ONE, RUN_FILE_UNREADABLE
 */
export const readRun = (folder, options) => createRunReader(folder, options).read();

/**
 * Reads a run folder; each further call reads only what was added.
 * @param {string} folder
 * @param {object} [options]
 * @param {boolean} [options.keepsSeconds] keeps the seconds of a load of a few minutes
 * @param {boolean} [options.isGoingOn] leaves an unfinished last line for the next call
 * @param {(record: SecondRecord) => void} [options.onSecond]
 * @param {(recorded: Pick<RunRecords, 'files' | 'manifest' | 'segments'>) => void} [options.onSegments] before all
 *   other records are read: stacks take longest
 * @returns {{read: () => Promise<RunRecords>}} each call returns the same lists, longer than before
 */
export function createRunReader(
  folder,
  { keepsSeconds = false, isGoingOn = false, onSecond, onSegments } = {},
) {
  const files = runFiles(folder);
  const load = new LoadTotals(keepsSeconds);
  /** @type {Map<string, {bytes: number, records: any[]}>} */
  const known = new Map();
  let metricsBytes = 0;
  let torn = 0;
  const onTorn = () => torn++;
  const endOf = (/** @type {string} */ file, /** @type {number} */ from) =>
    isGoingOn ? findLinesEnd(file, from) : (statOrNull(file)?.size ?? 0);
  const read = async () => {
    const manifest = readManifest(files.manifest);
    load.keepsSeconds ||= manifest.measuredPhase !== undefined;
    /** @template {Exclude<RecordFile, 'logs'>} Name @param {Name} name @returns {Promise<RecordOf<Name>[]>} */
    const readOn = async name => {
      const { bytes: from, records } = known.get(name) ?? { bytes: 0, records: [] };
      const check = createRecordCheck(name, manifest.startedAtMs);
      const bytes = endOf(files[name], from);
      for await (const one of streamNdjson(files[name], { check, from, bytes, onTorn }))
        records.push(one);
      known.set(name, { bytes, records });
      return records;
    };
    const segments = await readOn('segments');
    onSegments?.({ files, manifest, segments });
    const from = metricsBytes;
    metricsBytes = endOf(files.metrics, from);
    for await (const record of streamMetrics({ files, manifest, metricsBytes }, { from, onTorn })) {
      load.add(record);
      if (record.kind === 'second') onSecond?.(record);
    }
    const processes = await readOn('processes');
    // A recording in pods says nothing about the machine that recorded itself meanwhile.
    const isOfPods = ofKind(segments, 'recording-start').some(({ pods }) => pods);
    // Our own recording has ended when we analyse it, even if its end could not be written.
    const active = isRunActive(manifest) && manifest.pid !== process.pid;
    const events = await readOn('events');
    return {
      files,
      manifest,
      active,
      // If a run can't be joined, its owner runs the load itself.
      isLoadAtWork: (active && !manifest.joinable) || isLoadAtWork(events),
      events,
      load,
      metricsBytes,
      errors: await readOn('errors'),
      artillery: existsSync(files.artillery) ? readArtillery(files.artillery) : null,
      tokens: await readOn('tokens'),
      segments,
      calls: await readOn('calls'),
      source: await readOn('source'),
      plans: await readOn('plans'),
      processes: isOfPods ? processes.filter(({ kind }) => kind !== 'host') : processes,
      probes: await readOn('probes'),
      cluster: await readOn('cluster'),
      torn, // counted by all of the above
    };
  };
  return { read };
}

/**
 * The valid records of a file.
 * @template {Exclude<RecordFile, 'logs'>} Name
 * @param {import('../../run/run-folder.js').RunFiles} files
 * @param {Manifest} manifest
 * @param {Name} name
 * @throws {LoadflameError} RUN_FILE_UNREADABLE
 */
export function readRecords(files, { startedAtMs }, name) {
  return readNdjson(files[name], { check: createRecordCheck(name, startedAtMs) });
}

/**
 * Reads again what `readRun` summed up.
 * @param {Pick<RunRecords, 'files' | 'manifest' | 'metricsBytes'>} records
 * @param {{from?: number, onTorn?: () => void}} [options] passed to `streamNdjson`
 */
export function streamMetrics({ files, manifest, metricsBytes: bytes }, options) {
  const check = createRecordCheck('metrics', manifest.startedAtMs);
  return streamNdjson(files.metrics, { ...options, bytes, check });
}

/**
 * @param {string} file that `artillery run --output` wrote
 * @param {string} [code] of the error thrown where it cannot be read
 * @returns {RunShapes['artillery']}
 */
export function readArtillery(file, code = 'RUN_FILE_UNREADABLE') {
  return orThrow(code, { file }, () => {
    const json = readRegularJson(file);
    const mistake = findMistake('artillery', json);
    if (mistake) throw new Error(mistake);
    return json;
  });
}
