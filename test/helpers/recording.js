/** A recording of a real gunicorn into a run folder of its own. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findPySpy } from '../../lib/record/profiler/find-py-spy.js';
import { startProfiler } from '../../lib/record/profiler/recorder.js';
import { readNdjson } from '../../lib/run/ndjson.js';
import { createRunFolder } from '../../lib/run/run-folder.js';
import { makeTempFolder } from './temp-folder.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {number} masterPid
 * @param {{segmentMs?: number, rateHz?: number, waits?: boolean, workerClass?: string | null, threads?: number | null, pySpy?: import('../../lib/record/profiler/find-py-spy.js').PySpy, profiler?: 'auto' | 'py-spy' | 'remote'}} [options]
 */
export async function startRecording(
  t,
  masterPid,
  { segmentMs = 600, rateHz, pySpy, waits = false, profiler: choice, ...own } = {},
) {
  const files = createRunFolder(makeTempFolder(t), 'profile');
  const options = {
    server: {
      ...{ rootPid: masterPid, masterPid, kind: 'gunicorn' },
      workerClass: own.workerClass ?? null,
      threads: own.threads ?? null,
    },
    pySpy: pySpy ?? (await findPySpy()),
    files,
    segmentMs,
    rateHz,
    waits,
    profiler: choice,
  };
  const profiler = await startProfiler(options);
  t.after(() => profiler.stop());
  const lines = async (/** @type {string} */ kind) =>
    (await readNdjson(files.segments)).records.filter(record => record.kind === kind);
  const events = async (/** @type {string} */ kind) =>
    (await readNdjson(files.events)).records.filter(record => record.kind === kind);
  return { profiler, files, lines, events };
}

/** Text of a segment's file. @param {import('../../lib/run/run-folder.js').RunFiles} files @param {Record<string, any> | undefined} segment */
export function readSegment(files, segment) {
  const file = path.join(path.dirname(files.segments), String(segment?.file));
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** What lies between written segments. @param {Record<string, any>[]} segments @returns {number} ms */
export function sumHoles(segments) {
  let untilMs = segments[0]?.endMs;
  return segments.slice(1).reduce((sum, { startMs, endMs }) => {
    const holeMs = Math.max(0, startMs - untilMs);
    untilMs = Math.max(untilMs, endMs);
    return sum + holeMs;
  }, 0);
}

/**
 * A program in the place of py-spy, for failures that the real one can't be made to show.
 * @param {import('node:test').TestContext} t @param {string} shell its text
 */
export function makeFakePySpy(t, shell) {
  const file = path.join(makeTempFolder(t), 'py-spy');
  writeFileSync(file, `#!/bin/sh\n${shell}\n`);
  chmodSync(file, 0o755);
  return { path: file, version: '0.4.3' };
}
