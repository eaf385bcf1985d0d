import assert from 'node:assert/strict';
import path from 'node:path';
import { startChild } from '../../../lib/base/process/child.js';
import { findPySpy } from '../../../lib/record/profiler/find-py-spy.js';
import { startProfiler } from '../../../lib/record/profiler/recorder.js';
import { runFiles } from '../../../lib/run/run-folder.js';
import { waitUntil } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { makeFakePySpy, startRecording } from '../../helpers/recording.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** What no py-spy reads need not be Python. @param {import('node:test').TestContext} t @returns {number} its pid */
function startServer(t) {
  const child = startChild('sleep', ['600']);
  t.after(() => child.stop());
  return child.pid;
}

test('a py-spy that fails again and again ends the recording with the reason', async t => {
  const pySpy = makeFakePySpy(
    t,
    '[ "$1" = dump ] && exit 0\necho "py-spy> Sampling process 50 times a second"\nsleep 0.05\necho "Error: no space left" >&2\nexit 1',
  );
  const { profiler, lines, events } = await startRecording(t, startServer(t), { pySpy });
  const { reason } = await profiler.ended;
  assert.match(reason, /py-spy failed 5 times in a row/);
  assert.equal((await lines('segment-lost')).length, 5);
  assert.match((await lines('segment-lost'))[0]?.reason, /code 1: .*no space left/);
  assert.equal((await events('recorder-died')).length, 5);
  assert.equal((await lines('recording-end'))[0]?.reason, reason);
});

test('a kill that meets both recorders of a hand-over loses one segment, up to the kill', async t => {
  const pySpy = makeFakePySpy(
    t,
    `[ "$1" = dump ] && exit 0
all=$(dirname "$0")/pids
echo $$ >> "$all"
if [ $(wc -l < "$all") -gt 2 ]; then trap 'echo "Wrote it. Samples: 1 Errors: 0"; exit 0' INT
else trap 'kill -9 $(tac "$all")' INT; fi
echo "py-spy> Sampling process 50 times a second"
while :; do sleep 0.02; done`,
  );
  const { profiler, lines, events } = await startRecording(t, startServer(t), { pySpy });
  await waitUntil(async () => (await lines('segment')).length > 0, 'a segment after the kill');
  await profiler.stop();
  const [lost, ...more] = await lines('segment-lost');
  const [segment] = await lines('segment');
  assert.deepEqual(more, []);
  assert.equal(lost?.reason, 'py-spy was ended by SIGKILL');
  assert.ok(lost?.endMs > lost?.startMs && lost?.endMs <= segment?.startMs);
  assert.equal((await events('recorder-died')).length, 1);
});

test('a first py-spy that fails to record is an error, and no recording', async t => {
  const pySpy = makeFakePySpy(t, '[ "$1" = dump ] && exit 0\necho "Error: boom" >&2\nexit 1');
  await assert.rejects(startRecording(t, startServer(t), { pySpy }), error => {
    assert.equal(/** @type {any} */ (error).code, 'PYSPY_FAILED');
    assert.match(String(error), /boom/);
    return true;
  });
});

test('a folder that can not be written is found before anything is measured', async t => {
  const files = runFiles(path.join(makeTempFolder(t), 'missing'));
  const { pid } = process;
  const server = {
    rootPid: pid,
    masterPid: null,
    kind: 'python',
    workerClass: null,
    threads: null,
  };
  const options = { server, pySpy: await findPySpy(), files };
  await assert.rejects(startProfiler(options), { code: 'RUN_FOLDER_UNWRITABLE' });
});
