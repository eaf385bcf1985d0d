/** A server, a recorder or loadflame that ends in the middle of a recording. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../../lib/base/process/child.js';
import {
  isProcessAlive,
  listProcesses,
  readCommandLine,
} from '../../../lib/base/process/process-table.js';
import { findPySpy } from '../../../lib/record/profiler/find-py-spy.js';
import { listWorkers } from '../../../lib/record/target/process-family.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { keepBusy, startGunicorn, waitUntil } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { makeFakePySpy, readSegment, startRecording, sumHoles } from '../../helpers/recording.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('a py-spy that is killed loses its segment only: it is said, and the recording goes on', async t => {
  const { masterPid, url } = await startGunicorn(t);
  keepBusy(t, url);
  const { profiler, lines, events } = await startRecording(t, masterPid, { segmentMs: 1000 });
  await waitUntil(() => profiler.stats().segments >= 1, 'a segment');
  await sleep(300);
  for (const pid of profiler.pids()) process.kill(pid, 'SIGKILL');
  await waitUntil(() => profiler.stats().segments >= 3, 'segments after the kill');
  await profiler.stop();
  const [lost] = await lines('segment-lost');
  assert.match(lost?.reason, /SIGKILL/);
  assert.ok(lost?.endMs > lost?.startMs);
  const [died] = await events('recorder-died');
  assert.equal(died?.source, 'profiler');
  assert.match(died?.message, /SIGKILL/);
  const holesMs = sumHoles(await lines('segment'));
  assert.ok(holesMs > 250, `${holesMs} ms not sampled`);
  assert.ok(listWorkers(masterPid).every(isProcessAlive));
});

test('a master that is killed ends the recording with what there is', async t => {
  const { masterPid, url } = await startGunicorn(t);
  keepBusy(t, url);
  const { profiler, files, lines, events } = await startRecording(t, masterPid, {
    segmentMs: 60_000,
  });
  await sleep(500);
  process.kill(masterPid, 'SIGKILL');
  assert.deepEqual(await profiler.ended, { reason: 'the server is gone' });
  assert.equal((await events('target-gone'))[0]?.pid, masterPid);
  const segments = await lines('segment');
  assert.equal(segments.length, 1);
  assert.match(readSegment(files, segments[0]), /burn \(burn_app/);
  assert.deepEqual(profiler.pids(), []);
  assert.deepEqual(await profiler.stop(), { reason: 'the server is gone' });
});

test('an API that is stopped in an orderly way ends the recording too', async t => {
  const { masterPid, child, url } = await startGunicorn(t, { workers: 1 });
  keepBusy(t, url, 1);
  const { profiler, lines } = await startRecording(t, masterPid, { segmentMs: 60_000 });
  await sleep(400);
  await child.stop();
  assert.deepEqual(await profiler.ended, { reason: 'the server is gone' });
  assert.equal((await lines('segment')).length, 1);
});

test('when loadflame itself is killed, py-spy writes what it has and ends', async t => {
  const { masterPid, url } = await startGunicorn(t);
  keepBusy(t, url);
  const files = createRunFolder(makeTempFolder(t), 'profile');
  const script = path.resolve(import.meta.dirname, '../../fixtures/record-forever.js');
  const recorder = startChild(process.execPath, [script, `${masterPid}`, files.folder]);
  t.after(() => recorder.stop());
  const isOurs = (/** @type {number} */ pid) =>
    readCommandLine(pid)?.includes(path.resolve(files.segment(1)));
  const ours = () => listProcesses().filter(({ pid }) => isOurs(pid));
  await waitUntil(
    async () => (await readNdjson(files.segments)).records[0]?.kind === 'recording-start',
    'the recording',
  );
  await sleep(500);
  assert.equal(ours().length, 1);
  await recorder.stop({ signal: 'SIGKILL' });
  await waitUntil(() => ours().length === 0, 'the end of py-spy');
  // `report` shortens its paths.
  assert.match(readSegment(files, { file: 'segment-00001.raw' }), /burn \(\S*burn_app\.py:/);
});

test('a next py-spy that does not start leaves the present one recording', async t => {
  const { masterPid, url } = await startGunicorn(t, { workers: 1 });
  keepBusy(t, url, 1);
  const { path: real } = await findPySpy();
  const flag = path.join(makeTempFolder(t), 'second');
  const pySpy = makeFakePySpy(
    t,
    `case "$*" in *segment-00002*) touch ${flag}; echo "Error: out of memory" >&2; exit 1;; esac\nexec ${real} "$@"`,
  );
  const { profiler, lines, events } = await startRecording(t, masterPid, { pySpy });
  await waitUntil(() => profiler.stats().segments >= 2, 'two segments');
  await profiler.stop();
  const files = (await lines('segment')).map(({ file }) => file);
  assert.deepEqual(files.slice(0, 2), ['segment-00001.raw', 'segment-00003.raw']);
  assert.match((await events('recorder-died'))[0]?.message, /out of memory/);
  assert.deepEqual(await lines('segment-lost'), []);
});

test('segments that can not be begun end the recording with the reason, and nothing else', async t => {
  const { masterPid } = await startGunicorn(t, { workers: 1 });
  const { profiler, files, lines, events } = await startRecording(t, masterPid);
  await waitUntil(() => profiler.stats().segments >= 1, 'a segment');
  // A folder in the place of its log: as with a full disk, or too many open files, opening fails.
  for (let n = 4; n < 20; n++) mkdirSync(files.segment(n).replace(/raw$/, 'log'));
  const { reason } = await profiler.ended;
  assert.match(reason, /py-spy failed 5 times in a row/);
  assert.match((await events('recorder-died'))[0]?.message, /EISDIR/);
  assert.equal((await lines('recording-end'))[0]?.reason, reason);
});
