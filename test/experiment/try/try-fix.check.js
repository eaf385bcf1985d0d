import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FIXTURES, findFreePort, PYTHON } from '../../helpers/gunicorn.js';
import { COMPANION_FILE } from '../../helpers/joined-companion.js';
import { test } from '../../helpers/quiet.js';
import { readError } from '../../helpers/run-loadflame.js';
import { makeScene } from '../../helpers/scene.js';

test('--fix measures a remedy beside its prediction, and refuses one without effect', async t => {
  const scene = makeScene(t, {}, { cwd: FIXTURES });
  const port = await findFreePort();
  const start = (/** @type {string} */ fix, config = `-c ${COMPANION_FILE}`) => {
    const command = `${PYTHON} -m gunicorn --no-control-socket ${config} -b 127.0.0.1:${port} relation_app:app`;
    const load = ['--users', '2', '--duration', '2', '--warm-up-duration', '1', '--max', '2m'];
    const url = `http://127.0.0.1:${port}/chosen`;
    return scene.start(
      ['try', '--fix', fix, '--command', command, ...load, '--profiles', scene.root, url],
      { env: { PYTHONDONTWRITEBYTECODE: '1' } },
    );
  };
  const reasonOf = async (/** @type {ReturnType<typeof start>} */ run) => {
    assert.equal(await run.ended, 3, run.output());
    const { message, hint } = readError(run.output());
    return `${message} ${hint}`;
  };
  assert.match(await reasonOf(start('access-log')), /never acted, so both sides are the same/);
  assert.match(
    await reasonOf(start('lazy-loading:Order.lines')),
    /Order has no relation lines; its relations: items/,
  );
  assert.match(await reasonOf(start('access-log', '')), /did not start/);

  // 59 of 62 queries go, and requests take a third: more than the noise of a machine.
  const run = start('lazy-loading:Order.items.product');
  assert.equal(await run.ended, 0, run.output());
  assert.match(
    run.output(),
    /lazy-loading:Order\.items\.product: acted \d+ times in place of sqlalchemy\./,
  );
  const folder = scene
    .listRuns()
    .find(name => readdirSync(path.join(scene.root, name)).includes('compare.json'));
  const { tried } = JSON.parse(
    readFileSync(path.join(scene.root, folder ?? '', 'compare.json'), 'utf8'),
  );
  assert.deepEqual(tried.sides.b.env, {
    LOADFLAME: '1',
    LOADFLAME_REMEDY: 'lazy-loading:Order.items.product',
  });
  const [throughput] = tried.decisions;
  assert.ok(throughput.relative.value > 0.5, JSON.stringify(throughput));
  assert.deepEqual(await scene.processes.listLeft(), []);
});
