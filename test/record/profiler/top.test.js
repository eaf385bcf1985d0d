import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPySpyTop } from '../../../lib/record/profiler/top.js';
import { makeFakePySpy } from '../../helpers/recording.js';

test('a view of py-spy that fails is an error of py-spy, and Ctrl+C ends it well', async t => {
  for (const stream of [process.stdin, process.stdout]) {
    const { isTTY } = stream;
    stream.isTTY = true;
    t.after(() => {
      stream.isTTY = isTTY;
    });
  }
  /** @param {string} shell */
  const view = shell => {
    const pySpy = makeFakePySpy(t, `[ "$1" = dump ] && exit 0\n${shell}`);
    return runPySpyTop({ masterPid: process.pid, pySpy, rateHz: 50 });
  };
  await assert.rejects(view('exit 1'), { code: 'PYSPY_FAILED', message: /ended with code 1/ });
  await assert.rejects(view('kill -KILL $$'), { code: 'PYSPY_FAILED', message: /with SIGKILL/ });
  await view('kill -INT $$');
  await view('exit 0');
});
