import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { listFiles } from '../../../lib/base/files/own-files.js';
import { needsModules } from '../../helpers/needs.js';
import { test } from '../../helpers/quiet.js';
import { readError } from '../../helpers/run-loadflame.js';
import { makeScene } from '../../helpers/scene.js';
import { makeShop } from '../../helpers/shop-repository.js';

/** On a busy machine throughput varies by so much that no time decides it. */
const SHORT = ['--max', '2m', '--users', '2', '--duration', '2', '--warm-up-duration', '1'];
const OPTIONS = { skip: needsModules('waitress') };

/**
 * `loadflame try` in a repository with two versions of an API.
 * @param {import('node:test').TestContext} t
 * @param {Parameters<typeof makeShop>[1]} [costs]
 */
async function makeTry(t, costs) {
  const shop = await makeShop(t, costs);
  const scene = makeScene(t, {}, { cwd: shop.folder });
  const start = (/** @type {string[]} */ ...args) =>
    scene.start([
      'try',
      '--command',
      shop.command,
      ...SHORT,
      ...args,
      '--profiles',
      scene.root,
      shop.url,
    ]);
  const assertNothingLeft = async () => {
    assert.deepEqual(await scene.processes.listLeft(), []);
    assert.equal(shop.listWorktrees().length, 1);
  };
  return { shop, scene, start, assertNothingLeft };
}

test('a faster branch is better than main, and slower the other way round', OPTIONS, async t => {
  const { shop, scene, start, assertNothingLeft } = await makeTry(t);
  const files = {
    junit: path.join(shop.folder, 'junit.xml'),
    markdown: path.join(shop.folder, 'pr.md'),
  };
  const run = start('--a', 'main', '--b', 'fast', '--markdown', files.markdown);
  assert.equal(await run.ended, 0, run.output());
  assert.match(run.output(), /Fast is better than main:[\s\S]*CPU per request −\d/);
  await assertNothingLeft();
  const [name = ''] = scene.listRuns();
  const folder = path.join(scene.root, name);
  const { tried, before, after, verdict } = JSON.parse(
    readFileSync(path.join(folder, 'compare.json'), 'utf8'),
  );
  assert.equal(verdict.level, 'better');
  const [, cpu] = tried.decisions;
  assert.equal(cpu.call, 'better');
  assert.ok(cpu.relative.low < -0.4 && cpu.relative.high > -0.6, JSON.stringify(cpu));
  assert.deepEqual([before.runs.length, after.runs.length], [tried.pairs, tried.pairs]);
  assert.equal(readdirSync(path.join(folder, 'runs')).length, 2 * tried.pairs);
  assert.match(readFileSync(files.markdown, 'utf8'), /Fast is better than main/);

  const secret = ['--b-command', `SHOP_TOKEN=kn0wn-Zebra-17 ${shop.command}`];
  const other = start('--a', 'fast', '--b', 'main', '--junit', files.junit, ...secret);
  assert.equal(await other.ended, 5, other.output());
  assert.doesNotMatch(other.output(), /Zebra/);
  for (const file of listFiles(scene.root))
    assert.doesNotMatch(readFileSync(path.join(scene.root, file), 'latin1'), /Zebra/, file);
  const junit = readFileSync(files.junit, 'utf8');
  assert.match(junit, /name="CPU per request is not worse".*<failure message="CPU per request \+/);
});

test(
  'a side that does not start or fails its requests is named, and what was measured stays',
  OPTIONS,
  async t => {
    const { shop, scene, start, assertNothingLeft } = await makeTry(t);
    const broken = start('--b-command', `${shop.command.replace('app:app', 'shop:app')}`);
    assert.equal(await broken.ended, 3, broken.output());
    const { code, message } = readError(broken.output());
    assert.equal(code, 'TRY_SIDE_FAILED');
    assert.match(
      message ?? '',
      /^shop:app was not measured: the server of --command .* was not started/,
    );
    // The order is drawn: the other side was measured before, or nothing was.
    const isSecond = broken.output().includes('· app:app: ');
    const runs = scene.listRuns().map(name => readdirSync(path.join(scene.root, name, 'runs')));
    assert.deepEqual(
      runs.map(own => own.length),
      isSecond ? [1] : [],
    );

    const failing = start('--b-env', 'STATUS=500 Internal Server Error');
    assert.equal(await failing.ended, 4, failing.output());
    const failed = readError(failing.output());
    assert.equal(failed.code, 'TRY_FAILURES');
    assert.match(
      failed.message ?? '',
      /^100\.0 % of the requests to STATUS=500 \S+ .*fail: 500 × \d+$/,
    );

    const other = createServer((_, response) => response.end('taken'));
    other.listen(shop.port, '127.0.0.1');
    await once(other, 'listening');
    t.after(() => other.close());
    const taken = start('--b-env', 'COST_MS=4');
    assert.equal(await taken.ended, 3, taken.output());
    assert.match(taken.output(), /something already responds at http:/);
    await assertNothingLeft();
  },
);

test('--noise says which changes this machine shows, and decides nothing', OPTIONS, async t => {
  const { shop, scene, start, assertNothingLeft } = await makeTry(t);
  const junit = path.join(scene.root, '../junit.xml');
  const run = start('--a', 'main', '--noise', '--junit', junit);
  assert.equal(await run.ended, 0, run.output());
  assert.match(
    run.output(),
    /a pair takes about 16 s; if runs vary by 5 %, a decision takes about/,
  );
  assert.match(
    run.output(),
    /In 2 min this machine shows changes of throughput from \d+ % and of CPU/,
  );
  assert.doesNotMatch(run.output(), /is better than|is worse than/);
  assert.doesNotMatch(readFileSync(junit, 'utf8'), /is not worse/);
  await assertNothingLeft();
  const [name = ''] = scene.listRuns();
  const { tried } = JSON.parse(readFileSync(path.join(scene.root, name, 'compare.json'), 'utf8'));
  assert.deepEqual([tried.pairs, tried.isNoise, tried.noise.figures.length], [5, true, 2]);

  const secret = ['--a-command', `SHOP_TOKEN=kn0wn-Zebra-17 ${shop.command}`];
  const again = start('--a', 'main', '--noise', '--fail-undecided', '--max', '30s', ...secret);
  assert.equal(await again.ended, 5, again.output());
  assert.match(again.output(), /to continue, type: /);
  assert.doesNotMatch(again.output(), /Zebra/);
  assert.match(again.output(), /as runs of earlier tries varied by \d+ %/);

  const mixed = start('--noise', '--b-env', 'COST_MS=4');
  assert.equal(await mixed.ended, 2, mixed.output());
  assert.match(mixed.output(), /'--noise' cannot be used with option '--b-env/);
});
