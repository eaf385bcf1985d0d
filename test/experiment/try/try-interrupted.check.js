import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { needsModules } from '../../helpers/needs.js';
import { test } from '../../helpers/quiet.js';
import { makeScene } from '../../helpers/scene.js';
import { makeShop } from '../../helpers/shop-repository.js';

const OPTIONS = { skip: needsModules('waitress') };
/** From the start of a try: while it reads, checks out, starts a server, warms up, measures, writes a report. */
const MOMENTS_MS = [150, 500, 1000, 2000, 3500, 5000, 7000, 9000, 12_000, 16_000];

/** @param {import('node:test').TestContext} t */
async function makeTry(t) {
  const shop = await makeShop(t);
  const scene = makeScene(t, {}, { cwd: shop.folder });
  const start = (/** @type {string[]} */ ...args) =>
    scene.start([
      ...['try', '--a', 'main', '--b', 'fast', '--command', shop.command, '--max', '1m'],
      ...['--users', '2', '--duration', '2', '--warm-up-duration', '1', ...args],
      ...['--profiles', scene.root, shop.url],
    ]);
  const assertNothingLeft = async () => {
    assert.deepEqual(await scene.processes.listLeft(), []);
    assert.equal(shop.listWorktrees().length, 1);
    const server = createServer().listen(shop.port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  };
  /** @param {string} name of a try */
  const readRuns = async name => {
    const folder = path.join(scene.root, name);
    const { records } = await readNdjson(path.join(folder, 'journal.ndjson'));
    const runs = records.filter(({ kind }) => kind === 'run').map(run => String(run.folder));
    assert.deepEqual(readdirSync(path.join(folder, 'runs')).sort(), runs.sort());
    return runs;
  };
  return { scene, start, assertNothingLeft, readRuns };
}

test(
  'Ctrl+C at any moment leaves no server, worktree or half run, and the try resumes',
  OPTIONS,
  async t => {
    const { scene, start, assertNothingLeft, readRuns } = await makeTry(t);
    let kept = '';
    for (const moment of MOMENTS_MS) {
      const run = start();
      await sleep(moment);
      run.signal('SIGINT');
      const end = await run.ended;
      // Before it listens for signals nothing is started.
      const isEarly = end === 'SIGINT' && run.output() === '';
      assert.ok(end === 130 || isEarly, `${moment}: ${end} ${run.output()}`);
      await assertNothingLeft();
      for (const name of scene.listRuns()) {
        if (name === kept || (await readRuns(name)).length === 0) continue;
        kept = name;
        assert.match(run.output(), /to continue, type: /);
        assert.doesNotMatch(run.output(), /nothing was kept/);
      }
    }
    assert.ok(kept, 'a run was measured in 16 s');
    const before = await readRuns(kept);
    const again = start('--continue', path.join(scene.root, kept));
    await again.ended;
    await assertNothingLeft();
    const after = await readRuns(kept);
    assert.ok(after.length > before.length, again.output());
    assert.deepEqual(
      before.filter(name => !after.includes(name)),
      [],
    );
    assert.ok(existsSync(path.join(scene.root, kept, 'compare.html')), again.output());
  },
);

test(
  'after kill -9 its server ends, and the next try clears its worktrees away',
  OPTIONS,
  async t => {
    const { scene, start, assertNothingLeft } = await makeTry(t);
    const killed = start();
    await sleep(6000);
    killed.signalAlone('SIGKILL');
    await killed.ended;
    assert.deepEqual(await scene.processes.listLeft(), []);
    const next = start();
    await sleep(3000);
    next.signal('SIGINT');
    await next.ended;
    await assertNothingLeft();
  },
);
