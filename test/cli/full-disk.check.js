import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDemo } from '../../demo/start.js';
import { assertPartial } from '../helpers/check-report.js';
import { test } from '../helpers/quiet.js';
import { makeScene, SCRIPT } from '../helpers/scene.js';
import { fillDisk, mountDisk } from '../helpers/small-disk.js';

test('reports a full disk, and keeps everything written before', async t => {
  const disk = mountDisk(t);
  if (!disk) return t.skip('only root may mount a small disk here');
  const demo = await startDemo({ auth: 'cached' });
  t.after(demo.stop);
  const scene = makeScene(t, { ...demo.env, DURATION: '30' }, { root: path.join(disk, 'runs') });
  const load = scene.test([SCRIPT, '--profile']);
  const run = await scene.waitForRun();
  await run.waitForLoad();
  await run.waitForSegments();
  // Not before a whole second was recorded: the disk fills within one.
  await run.waitForAnswers(10);
  const junk = path.join(disk, 'junk');
  fillDisk(junk);
  await load.waitFor(/cannot write the run folder: ENOSPC/);
  await sleep(1500);
  load.signal('SIGINT');
  assert.equal(await load.ended, 3, load.output());
  assert.match(load.output(), /code: {2}REPORT_UNWRITABLE/);
  // What can't be kept can be read at least, and says why it is not whole.
  assert.match(load.output(), /\d+ requests of \d+ users?/);
  assert.match(load.output(), /killed or could not write/);
  assert.match(load.output(), /No\s+space\s+left\s+on\s+device/);
  assert.doesNotMatch(load.output(), /still running/);
  assert.deepEqual(await scene.processes.listLeft(), []);
  assert.ok(!existsSync(run.files.reportHtml));

  rmSync(junk);
  const report = scene.start(['report', '--profiles', scene.root]);
  assert.equal(await report.ended, 0, report.output());
  assertPartial(run, report.output(), [
    /^loadflame itself was killed or could not write/,
    /^the load test was killed, or its end could not be written$/,
    /^1 profile segment was lost$/,
    'py-spy ended with code 1: No space left on device (os error 28)',
  ]);
  assert.ok((run.readReport().load?.http.responses ?? 0) > 0);
  assert.ok(run.readReport().profile);
});
