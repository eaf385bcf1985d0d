import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { formatFrame } from '../../../lib/analysis/stacks/frame-text.js';
import { readInThread } from '../../../lib/analysis/stacks/read-in-thread.js';
import { readSamples } from '../../../lib/analysis/stacks/read-samples.js';
import { stackOf } from '../../../lib/analysis/stacks/stack-of.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @import { Profile } from '../../../lib/analysis/stacks/profile.d.ts' */

const HEAD = [
  'P\t7\t0\t"gunicorn app:app"',
  'P\t8\t7\t"gunicorn app:app"',
  'F\t0\t["app.py", "view", 3, "/srv/app.py"]',
  'F\t1\t["app.py", "work; \\n\\t", 9, "/srv/app.py"]',
  'F\t2\t["<loadflame route>", "GET /a/{id}", 1, "<loadflame route>"]',
  'F\t3\t["<loadflame time>", "3590000000", 1, "<loadflame time>"]',
  'F\t4\t["__init__", "__init__", -1, "__init__"]',
  'N\t0\t-1\t0',
  'N\t1\t0\t1',
  'N\t2\t-1\t2',
  'N\t3\t2\t3',
  'N\t4\t3\t0',
  'N\t5\t4\t4',
  'N\t6\t5\t1',
];
/** States: running 2, wants the GIL 8, main thread 32, had a core 64. */
const LOOKS = [
  'L\t1000000\t8',
  'T\t81\t66\t1',
  'T\t82\t10\t1',
  'T\t83\t2\t0',
  'T\t84\t32\t0',
  'L\t1500000\t8',
  'T\t81\t98\t1',
  'T\t82\t8\t1',
  'L\t2000000\t8',
  'T\t81\t66\t6',
];

/** @param {import('node:test').TestContext} t @param {string[]} lines */
function write(t, lines) {
  const file = path.join(makeTempFolder(t), 'samples.txt');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** @param {Profile} profile */
function listRows({ rows, nodes, frames, processes, threads, segments, routes }) {
  return [...rows.node.keys()].map(row => {
    const stack = [];
    for (let node = rows.node[row] ?? -1; node >= 0; node = nodes.parent[node] ?? -1)
      stack.unshift(formatFrame(frames[nodes.frame[node] ?? 0] ?? { name: '', file: '', line: 0 }));
    return {
      pid: processes[rows.process[row] ?? -1]?.pid,
      tid: threads[rows.thread[row] ?? -1]?.id,
      fromMs: segments[rows.segment[row] ?? -1]?.startMs,
      stack: stack.join(' > '),
      n: rows.weight[row],
      route: routes[rows.route[row] ?? -1] ?? null,
    };
  });
}

const SEGMENTS = [
  { startMs: 1000, endMs: 2000 },
  { startMs: 2000, endMs: 3000 },
];

test('rows are what had a core, by second, process and thread; the frames of the companion say the route', async t => {
  const file = write(t, [...HEAD, ...LOOKS]);
  const profile = await readSamples([{ file, segments: SEGMENTS }], { rateHz: 2 });
  const work = 'view (app.py:3) > work; \n\t (app.py:9)';
  assert.deepEqual(listRows(profile), [
    { pid: 8, tid: '81', fromMs: 1000, stack: work, n: 2, route: null },
    { pid: 8, tid: '81', fromMs: 2000, stack: work, n: 1, route: 'GET /a/{id}' },
  ]);
  assert.deepEqual(profile.segments, SEGMENTS);
  assert.deepEqual([profile.source, profile.rateHz, profile.skipped], ['samples', 2, 0]);
  assert.deepEqual(
    profile.processes.map(({ pid, parent }) => [pid, parent]),
    [
      [7, -1],
      [8, 0],
    ],
  );
  assert.deepEqual(
    await readInThread('samples', [{ file, segments: SEGMENTS }], { rateHz: 2 }),
    profile,
  );
});

test('of all threads a last frame says who runs or waits for a core, and who for the GIL', async t => {
  const file = write(t, [...HEAD, ...LOOKS]);
  const profile = await readSamples([{ file, segments: SEGMENTS }], {
    threads: 'all',
    windows: [{ startMs: 1000, endMs: 2000 }],
  });
  const work = 'view (app.py:3) > work; \n\t (app.py:9)';
  assert.deepEqual(
    listRows(profile).map(({ tid, stack, n }) => [tid, stack, n]),
    [
      ['81', `${work} > loadflame running (<loadflame running>)`, 2],
      ['82', `${work} > loadflame GIL (<loadflame GIL>)`, 2],
      ['83', 'view (app.py:3) > loadflame running (<loadflame running>)', 1],
      ['84', 'view (app.py:3)', 1],
    ],
  );
});

test('a call that the companion follows keeps its state, and passes its frames on', async t => {
  const file = write(t, [
    ...HEAD,
    'F\t5\t["loadflame_companion.py", "followed_query", 1745, "/srv/loadflame_companion.py"]',
    'N\t7\t0\t5',
    'N\t8\t7\t1',
    'L\t1000000\t8',
    'T\t81\t66\t7',
    'T\t82\t66\t8',
  ]);
  const profile = await readSamples([{ file, segments: SEGMENTS }], { threads: 'all' });
  assert.deepEqual(
    listRows(profile).map(({ stack }) => stack),
    [
      'view (app.py:3) > execute (<C code of a driver>) > loadflame running (<loadflame running>)',
      'view (app.py:3) > work; \n\t (app.py:9) > loadflame running (<loadflame running>)',
    ],
  );
});

test('looks that the index does not know are a segment of their own, and what is torn is counted', async t => {
  const torn = ['F\t9\t["app.py", "vi', 'N\t7\t', 'what', 'T\t81\t66'];
  const file = write(t, [...HEAD, ...LOOKS, ...torn]);
  const profile = await readSamples([{ file, segments: SEGMENTS.slice(0, 1) }]);
  assert.deepEqual(profile.segments.at(-1), { startMs: 2000, endMs: 2000 });
  assert.deepEqual([profile.totalWeight, profile.skipped], [3, torn.length]);
});

test('requests that are suspended are read where all threads are, and never as running ones', async t => {
  const file = write(t, [
    'P\t8\t0\t"uvicorn app:app"',
    'F\t0\t["loadflame_companion.py", "show_awaits", 3, "/srv/loadflame_companion.py"]',
    'F\t1\t["<loadflame await>", "4\\tGET /a\\tview (app.py:3)", 1, "<loadflame await>"]',
    'F\t2\t["<loadflame await>", "\\tsleep (asyncio/tasks.py:9)", 1, "<loadflame await>"]',
    'N\t0\t-1\t0',
    'N\t1\t0\t1',
    'N\t2\t1\t2',
    'L\t1000000\t8',
    'T\t81\t0\t2',
    'T\t82\t66\t2',
  ]);
  const files = [{ file, segments: [] }];
  const { rows, nodes, frames, routes } = await readSamples(files, { threads: 'all' });
  const [node = -1] = rows.node;
  assert.deepEqual([rows.weight[0], routes[rows.route[0] ?? -1]], [4, 'GET /a']);
  const stack = stackOf({ nodes }, node).map(id => formatFrame(frames[id] ?? assert.fail()));
  assert.deepEqual(stack, [
    'await (<loadflame await>)',
    'view (app.py:3)',
    'sleep (asyncio/tasks.py:9)',
  ]);
  assert.equal((await readSamples(files)).totalWeight, 0);
});
