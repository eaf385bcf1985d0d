import assert from 'node:assert/strict';
import path from 'node:path';
import { findPySpy } from '../../../lib/record/profiler/find-py-spy.js';
import { startProfiler } from '../../../lib/record/profiler/recorder.js';
import { runFiles } from '../../../lib/run/run-folder.js';
import { startGunicorn } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { makeFakePySpy, startRecording } from '../../helpers/recording.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('a py-spy that fails again and again ends the recording with the reason', async t => {
  const { masterPid } = await startGunicorn(t, { workers: 1 });
  const pySpy = makeFakePySpy(
    t,
    '[ "$1" = dump ] && exit 0\necho "py-spy> Sampling process 50 times a second"\nsleep 0.05\necho "Error: no space left" >&2\nexit 1',
  );
  const { profiler, lines, events } = await startRecording(t, masterPid, { pySpy });
  const { reason } = await profiler.ended;
  assert.match(reason, /py-spy failed 5 times in a row/);
  assert.equal((await lines('segment-lost')).length, 5);
  assert.match((await lines('segment-lost'))[0]?.reason, /code 1: .*no space left/);
  assert.equal((await events('recorder-died')).length, 5);
  assert.equal((await lines('recording-end'))[0]?.reason, reason);
});

test('a first py-spy that fails to record is an error, and no recording', async t => {
  const { masterPid } = await startGunicorn(t, { workers: 1 });
  const pySpy = makeFakePySpy(t, '[ "$1" = dump ] && exit 0\necho "Error: boom" >&2\nexit 1');
  await assert.rejects(startRecording(t, masterPid, { pySpy }), error => {
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
