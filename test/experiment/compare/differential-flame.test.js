import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packSampleTable } from '../../../lib/analysis/sample-table/pack.js';
import { buildDifferentialFlame } from '../../../lib/experiment/compare/differential-flame.js';
import { makeRandom } from '../../helpers/make-table.js';
import { smallInput } from '../../helpers/small-table.js';

/** @import { SideRun } from '../../../lib/experiment/compare/differential-flame.js' */

const VIEWS = 30;

/**
 * A run of an API with thirty views under one handler, each of which calls a helper: `cost[view]` CPU-ms
 * per request in the view, as much again in its helper. Samples are drawn by chance.
 * @param {number[]} cost
 * @param {number} samples
 * @param {() => number} random
 * @param {number} [spread] how much the whole run is dearer or cheaper by chance, relative
 * @param {number} [clump] so many samples are taken at one place in a row
 * @param {number} [designEffect] that the run tells; more than the clump where few blocks of time tell it
 * @returns {SideRun}
 */
function drawRun(cost, samples, random, spread = 0, clump = 1, designEffect = 1) {
  const sum = cost.reduce((all, own) => all + 2 * own, 0);
  const counts = new Float64Array(2 * VIEWS);
  for (let sample = 0; sample < samples; sample += clump) {
    let at = random() * sum;
    let view = 0;
    while (view < VIEWS - 1 && at >= 2 * (cost[view] ?? 0)) at -= 2 * (cost[view++] ?? 0);
    const leaf = 2 * view + (random() < 0.5 ? 0 : 1);
    counts[leaf] = (counts[leaf] ?? 0) + clump;
  }
  const nodes = Array.from({ length: VIEWS }, (_, view) => view);
  const noise = (random() + random() + random() + random() - 2) * Math.sqrt(3);
  return {
    cpuMsPerRequest: sum * (1 + spread * noise),
    table: packSampleTable({
      edgesMs: null,
      workers: [1],
      endpoints: [],
      categories: [{ id: 'business', label: 'business logic', color: '#2f6fb8' }],
      paths: [{ category: 0, function: 'handle', file: 'api.py', line: null }],
      causes: [],
      designEffect,
      frames: [
        { function: 'handle', file: 'api.py' },
        { function: 'helper', file: 'api.py' },
        ...nodes.map(view => ({ function: `view_${view}`, file: 'views.py' })),
      ],
      tree: {
        parent: [-1, 0, ...nodes.flatMap(view => [1, 2 + 2 * view])],
        frame: [-1, 0, ...nodes.flatMap(view => [2 + view, 1])],
        line: new Int32Array(2 + 2 * VIEWS),
      },
      stacks: {
        node: counts.map((_, leaf) => 2 + leaf),
        path: new Int32Array(counts.length),
        endpoint: new Int32Array(counts.length).fill(-1),
        causes: new Int32Array(counts.length),
      },
      rows: {
        window: new Int32Array(counts.length),
        worker: new Int32Array(counts.length),
        stack: counts.map((_, leaf) => leaf),
        count: counts,
      },
    }),
  };
}

/** @param {Awaited<ReturnType<typeof buildDifferentialFlame>>} flame */
function nodesByName(flame) {
  assert.ok(flame);
  return new Map(
    flame.frame.map((frame, node) => {
      const above = flame.frames[flame.frame[flame.parent[node] ?? 0] ?? -1]?.function ?? '';
      const name = flame.frames[frame]?.function ?? 'all';
      return [name === 'helper' ? `${above}/helper` : name, node];
    }),
  );
}

const plain = Array.from({ length: VIEWS }, (_, view) => 0.1 + (view % 5) * 0.1);

test('what became dearer is coloured with its callers, per request, and nothing beside it', async () => {
  const random = makeRandom(11);
  const changed = plain.map((cost, view) => (view === 4 ? cost * 2 : cost));
  const flame = await buildDifferentialFlame(
    [drawRun(plain, 20_000, random)],
    [drawRun(changed, 20_000, random)],
  );
  assert.ok(flame);
  const nodes = nodesByName(flame);
  const at = (/** @type {string} */ name) => nodes.get(name) ?? -1;
  assert.equal(flame.unit, 'ms');
  assert.ok(Math.abs((flame.before[at('view_4')] ?? 0) - 1) < 0.05);
  assert.ok(Math.abs((flame.after[at('view_4')] ?? 0) - 2) < 0.05);
  assert.equal(flame.differs[at('view_4')], 1);
  assert.equal(flame.differs[at('view_4/helper')], 1);
  // shares of all others fell, but a request's cost in them did not
  const others = [...nodes].filter(
    ([name]) => name.startsWith('view_') && !name.startsWith('view_4'),
  );
  assert.equal(others.length, 2 * (VIEWS - 1));
  assert.ok(others.filter(([, node]) => flame.differs[node]).length <= 2);
  assert.ok(Math.abs((flame.before[0] ?? 0) - 18) < 1e-9);
  assert.ok(Math.abs((flame.after[0] ?? 0) - 19) < 1e-9);
});

test('in equal runs next to nothing is coloured, one run a side or four', async () => {
  const random = makeRandom(5);
  for (const runs of [1, 4]) {
    let boxes = 0;
    let colored = 0;
    let pictures = 0;
    for (let pair = 0; pair < 40; pair++) {
      const side = () => Array.from({ length: runs }, () => drawRun(plain, 2000, random, 0.02));
      const flame = await buildDifferentialFlame(side(), side());
      assert.ok(flame);
      const differing = flame.differs.filter(Boolean).length;
      boxes += flame.differs.length;
      colored += differing;
      if (differing > 0) pictures++;
    }
    assert.ok(colored / boxes < 0.03, `${runs} a side: ${colored} of ${boxes} boxes`);
    assert.ok(pictures <= 40 * 0.2, `${runs} a side: ${pictures} of 40 pictures have colour`);
  }
});

test('a change of a quarter is seen with four runs a side, against a spread of 2 %', async () => {
  const random = makeRandom(8);
  const changed = plain.map((cost, view) => (view === 9 ? cost * 1.25 : cost));
  let seen = 0;
  for (let time = 0; time < 5; time++) {
    const side = (/** @type {number[]} */ cost) =>
      Array.from({ length: 4 }, () => drawRun(cost, 20_000, random, 0.02));
    const flame = await buildDifferentialFlame(side(plain), side(changed));
    seen += flame?.differs[nodesByName(flame).get('view_9') ?? -1] ?? 0;
  }
  assert.ok(seen >= 4, `seen ${seen} times of 5`);
});

test('samples that hang together within a run are noise, and hide no large change between five runs a side', async () => {
  const random = makeRandom(21);
  const changed = plain.map((cost, view) => (view === 9 ? cost * 3 : cost));
  let [colored, boxes, seen] = [0, 0, 0];
  for (let time = 0; time < 20; time++) {
    const side = (/** @type {number[]} */ cost) =>
      Array.from({ length: 5 }, () => drawRun(cost, 8000, random, 0.02, 40, 1000));
    const equal = await buildDifferentialFlame(side(plain), side(plain));
    colored += equal?.differs.filter(Boolean).length ?? 0;
    boxes += equal?.differs.length ?? 0;
    const flame = await buildDifferentialFlame(side(plain), side(changed));
    seen += flame?.differs[nodesByName(flame).get('view_9') ?? -1] ?? 0;
  }
  assert.ok(colored / boxes < 0.01, `${colored} of ${boxes} boxes`);
  assert.ok(seen >= 14, `seen ${seen} times of 20`);
});

test('a machine on which runs cost a quarter more or less hides no change by a factor', async () => {
  const random = makeRandom(13);
  const changed = plain.map((cost, view) => (view === 9 ? cost * 6 : cost));
  let [pictures, seen] = [0, 0];
  for (let time = 0; time < 20; time++) {
    const side = (/** @type {number[]} */ cost) =>
      Array.from({ length: 5 }, () => drawRun(cost, 400, random, 0.25));
    const equal = await buildDifferentialFlame(side(plain), side(plain));
    if (equal?.differs.includes(1)) pictures++;
    const flame = await buildDifferentialFlame(side(plain), side(changed));
    seen += flame?.differs[nodesByName(flame).get('view_9') ?? -1] ?? 0;
  }
  assert.ok(seen >= 18, `seen ${seen} times of 20`);
  assert.ok(pictures <= 3, `${pictures} of 20 pictures of equal runs have colour`);
});

test('runs that differ among themselves by as much as the sides are noise', async () => {
  const random = makeRandom(3);
  const run = (/** @type {number} */ factor) =>
    drawRun(
      plain.map((cost, view) => (view === 4 ? cost * factor : cost)),
      20_000,
      random,
    );
  const flame = await buildDifferentialFlame([run(1), run(2)], [run(1.6), run(2.4)]);
  assert.equal(flame?.differs[nodesByName(flame).get('view_4') ?? -1], 0);
});

test('code of one side is in both, with nothing on the other', async () => {
  const random = makeRandom(4);
  const gone = plain.map((cost, view) => (view === 14 ? 0 : cost));
  const flame = await buildDifferentialFlame(
    [drawRun(plain, 20_000, random)],
    [drawRun(gone, 20_000, random)],
  );
  assert.ok(flame);
  const node = nodesByName(flame).get('view_14') ?? -1;
  assert.ok((flame.before[node] ?? 0) > 0.9);
  assert.equal(flame.after[node], 0);
  assert.equal(flame.differs[node], 1);
});

test('without CPU time it compares shares, and without samples there is nothing to compare', async () => {
  const random = makeRandom(6);
  const known = drawRun(plain, 3000, random);
  const unknown = { ...drawRun(plain, 3000, random), cpuMsPerRequest: null };
  const flame = await buildDifferentialFlame([known], [unknown]);
  assert.equal(flame?.unit, 'share');
  assert.deepEqual([flame?.before[0], flame?.after[0]], [1, 1]);
  const empty = { cpuMsPerRequest: 1, table: { ...known.table, totalSamples: 0 } };
  assert.equal(await buildDifferentialFlame([known], [empty]), null);
});

test('a run with the companion is laid over one without it', async () => {
  const bare = smallInput();
  const accompanied = smallInput();
  // all → handle → companion → what handle calls without it
  accompanied.frames = [
    ...bare.frames,
    { function: 'Companion.__call__', file: 'conf/loadflame_gunicorn.py' },
  ];
  accompanied.tree = {
    parent: [-1, 0, 1, 2, 3, 2, 5],
    frame: [-1, 0, 4, 1, 2, 3, 2],
    line: new Int32Array(7),
  };
  accompanied.stacks.node = Array.from(bare.stacks.node, node => node + 1);
  const flame = await buildDifferentialFlame(
    [{ table: packSampleTable(bare), cpuMsPerRequest: 10 }],
    [{ table: packSampleTable(accompanied), cpuMsPerRequest: 10 }],
  );
  assert.deepEqual(flame?.before, [10, 10, 3, 2, 7, 4]);
  assert.deepEqual(flame?.after, flame?.before);
  assert.deepEqual(flame?.differs, [0, 0, 0, 0, 0, 0]);
});
