/** `npm run test:slow servers`: shares on Python 3.8 to 3.10, beside threads that sleep. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { createThreadClock } from '../../../lib/analysis/profile/threads.js';
import { readRunProfile } from '../../../lib/analysis/read/read-run-profile.js';
import { loadRules } from '../../../lib/hotpath/load-rules.js';
import { nameCalls } from '../../../lib/hotpath/name-calls.js';
import { startChild } from '../../../lib/process/child.js';
import { stackOf } from '../../../lib/profile/node-table.js';
import { findPySpy } from '../../../lib/record/profiler/find-py-spy.js';
import { startProfiler } from '../../../lib/record/profiler/recorder.js';
import { startResourceRecorder } from '../../../lib/record/resources/recorder.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { FIXTURES } from '../../helpers/gunicorn.js';
import { needsOldPython, OLD_PYTHON } from '../../helpers/old-python.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const LENGTH_MS = 12_000;

test('functions have their shares, and threads that sleep none', {
  skip: needsOldPython(),
}, async t => {
  const child = startChild(OLD_PYTHON, [path.join(FIXTURES, 'parts_and_sleepers.py')], {
    stdout: 'pipe',
  });
  t.after(() => child.stop({ signal: 'SIGKILL' }));
  let output = '';
  child.process.stdout?.on('data', text => {
    output += text;
  });
  const files = createRunFolder(makeTempFolder(t), 'profile');
  const { pid } = child;
  const resources = startResourceRecorder({ roles: () => [{ pid, role: 'worker' }], files });
  const server = {
    rootPid: pid,
    masterPid: null,
    kind: 'python',
    workerClass: null,
    threads: null,
  };
  const profiler = await startProfiler({
    ...{ server: /** @type {any} */ (server), pySpy: await findPySpy(), files },
    ...{ segmentMs: 3000, waits: false },
  });
  t.after(() => profiler.stop());
  await sleep(LENGTH_MS);
  await profiler.stop();
  resources.stop();
  child.signal('SIGINT');
  await child.ended;

  const { records: segments } = await readNdjson(files.segments);
  const { records: processes } = await readNdjson(files.processes);
  const start = segments.find(({ kind }) => kind === 'recording-start');
  assert.equal(start?.recorder.pausesTarget, start?.pausing.pauses);
  const { records: calls } = await readNdjson(files.calls);
  const rules = await loadRules();
  const read = await readRunProfile({ files, segments });
  assert.ok(read);
  const profile = nameCalls(read, calls, rules);
  assert.ok(
    profile.threads.every(({ id }) => /^\d+$/.test(id)),
    'native ids',
  );
  const { base } = analyseProfile({
    ...{ profile, rules },
    threadClock: createThreadClock(start, processes),
  });
  /** @param {string} name of a function in the fixture */
  const shareOf = name =>
    base.weights.reduce((sum, weight, node) => {
      const isBelow = stackOf(profile, node).some(id => profile.frames[id]?.name === name);
      return sum + (isBelow ? weight : 0);
    }, 0) / base.total;
  const used = JSON.parse(output);
  for (const name of ['large', 'small']) {
    const truth = used[name] / used.process;
    const told = shareOf(name);
    t.diagnostic(`${name}: ${told} reported, ${truth} true, of ${base.total} samples`);
    assert.ok(Math.abs(told - truth) < 0.15, `${name}: ${told} reported, ${truth} true`);
  }
  for (const name of ['nap', 'sleep_long', 'read_nothing'])
    assert.ok(shareOf(name) < 0.03, `${name}: ${shareOf(name)}`);
});
