import assert from 'node:assert/strict';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readConfig } from '../../lib/base/config/read-config.js';
import { readStartTicks } from '../../lib/base/process/process-table.js';
import { runSession } from '../../lib/experiment/session.js';
import { readManifest } from '../../lib/run/manifest.js';
import { createNdjsonWriter, readNdjson } from '../../lib/run/ndjson.js';
import { findRunFolders, runFiles } from '../../lib/run/run-folder.js';
import { serve } from '../helpers/listen.js';
import { test as testWhenQuiet } from '../helpers/quiet.js';
import { makeFakePySpy } from '../helpers/recording.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** Is it being read by this process? @param {string} file */
function isOpen(file) {
  return readdirSync('/proc/self/fd').some(descriptor => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === file;
    } catch {
      return false;
    }
  });
}

/** A session without load. @param {import('node:test').TestContext} t */
function prepareSession(t) {
  const folder = makeTempFolder(t);
  const root = path.join(folder, 'runs');
  /** @param {Partial<import('../../lib/experiment/session.js').SessionOptions>} [more] */
  const run = more =>
    runSession({
      config: readConfig({ flags: {}, env: {}, folder }),
      command: 'profile',
      root,
      signal: new AbortController().signal,
      load: null,
      profile: null,
      onProgress: () => {},
      onNote: () => {},
      ...more,
    });
  return { root, run };
}

test('Ctrl+C while py-spy attaches is an interrupt, whatever py-spy says of it', async t => {
  const { root, run } = prepareSession(t);
  const pySpy = makeFakePySpy(t, 'sleep 0.5\necho "Error: interrupted" >&2\nexit 1');
  const { pid } = process;
  const server = {
    rootPid: pid,
    masterPid: pid,
    kind: 'gunicorn',
    workerClass: null,
    threads: null,
  };
  const profile = { server, pySpy };
  const signal = AbortSignal.timeout(100);
  await assert.rejects(run({ profile, signal }), { code: 'INTERRUPTED' });
  assert.deepEqual(readdirSync(root), []);
});

test('a load that leaves while a recording is closed does not leave it partial', async t => {
  const { root, run } = prepareSession(t);
  const session = run();
  const files = runFiles(findRunFolders(root)[0] ?? '');
  const events = createNdjsonWriter(files.events);
  const { pid } = process;
  events.append('load-joined', { pid, pidStartTicks: readStartTicks(pid) });
  const metrics = createNdjsonWriter(files.metrics);
  metrics.append('load-start', { script: 'x', scenarios: [], phases: [], workers: 1 });
  // A large file holds up the reading of the records, once the events are read.
  const line = `${JSON.stringify({ t: Date.now(), kind: 'none', rest: 'x'.repeat(900) })}\n`;
  writeFileSync(files.segments, line.repeat(30_000));
  while (!isOpen(files.segments)) await nextTurn();
  metrics.append('load-end', { reason: 'complete', exitCode: 0, signal: null, counters: {} });
  events.append('load-left', { pid });
  assert.ok(isOpen(files.segments), 'it was still being read');
  await session;
  const { status, reasons } = readManifest(files.manifest);
  assert.deepEqual([status, reasons], ['complete', []]);
});

testWhenQuiet(
  'the generator starts while the idle server is measured, for 1.5 s before the load',
  async t => {
    const { root, run } = prepareSession(t);
    const target = await serve(t, (_, response) => void setTimeout(() => response.end('{}'), 20));
    const { pid } = process;
    const server = {
      ...{ rootPid: pid, masterPid: null, kind: 'http.server' },
      ...{ workerClass: null, threads: null },
    };
    let askedMs = 0;
    const { files } = await run({
      config: readConfig({ flags: { TARGET: target }, env: {}, folder: root }),
      servers: [server],
      load: {
        script: target,
        options: { overrides: { config: { phases: [{ duration: 1, users: 1 }] } } },
      },
      onProgress: text => {
        if (text === 'starting the load …') askedMs = Date.now();
      },
    });
    const load = await readNdjson(files.metrics);
    const startMs = load.records.find(({ kind }) => kind === 'load-start')?.t ?? 0;
    const { records } = await readNdjson(files.processes);
    const sinceMs = records.find(({ kind }) => kind === 'host')?.t ?? 0;
    assert.ok(askedMs - sinceMs < 1000, `${askedMs - sinceMs} ms`);
    assert.ok(startMs - sinceMs >= 1500, `${startMs - sinceMs} ms`);
  },
);
