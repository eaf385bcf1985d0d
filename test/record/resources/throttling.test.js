import assert from 'node:assert/strict';
import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findThrottledTarget } from '../../../lib/analysis/judge/findings/machine.js';
import {
  judgeQuality,
  judgeReliability,
  NOTHING_BESIDES,
} from '../../../lib/analysis/judge/quality/index.js';
import { measureThrottling } from '../../../lib/analysis/profile/throttling.js';
import { totalLengthMs } from '../../../lib/analysis/read/load/load-totals.js';
import { startChild } from '../../../lib/base/process/child.js';
import {
  createThrottlingWatch,
  startResourceRecorder,
} from '../../../lib/record/resources/recorder.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { buildLoad } from '../../fixtures/reports/build-load.js';
import { waitUntil } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { recordsOf } from '../../helpers/records.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { wordsOf } from '../../helpers/words.js';

const V2 = '31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw';
const V1 = '32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu';

/** @param {import('node:test').TestContext} t @param {Record<string, string>} files */
function createRoot(t, files) {
  const root = makeTempFolder(t);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

const PROCESSES = [
  { pid: 10, role: 'master' },
  { pid: 11, role: 'worker' },
  { pid: 20, role: 'generator' },
  { pid: 30, role: 'py-spy' },
];

test('every cgroup with a quota is told once, with whose it is, in v2', t => {
  const root = createRoot(t, {
    'proc/self/mountinfo': V2,
    'proc/10/cgroup': '0::/pods/api\n',
    'proc/11/cgroup': '0::/pods/api\n',
    'proc/20/cgroup': '0::/pods/load\n',
    'proc/30/cgroup': '0::/pods/api/spy\n',
    'sys/fs/cgroup/pods/cpu.max': '400000 100000\n',
    'sys/fs/cgroup/pods/cpu.stat':
      'usage_usec 9\nnr_periods 50\nnr_throttled 0\nthrottled_usec 0\n',
    'sys/fs/cgroup/pods/api/cpu.max': '50000 100000\n',
    'sys/fs/cgroup/pods/api/cpu.stat':
      'usage_usec 9\nnr_periods 100\nnr_throttled 30\nthrottled_usec 1500000\n',
    'sys/fs/cgroup/pods/load/cpu.max': 'max 100000\n',
    'sys/fs/cgroup/pods/load/cpu.stat': 'usage_usec 9\n',
  });
  const watch = createThrottlingWatch({ root });
  const told = watch.sample(PROCESSES).map(({ path: folder, ...rest }) => ({
    path: path.relative(root, folder),
    ...rest,
  }));
  assert.deepEqual(told, [
    {
      path: 'sys/fs/cgroup/pods/api',
      roles: ['target'],
      quotaCores: 0.5,
      periods: 100,
      throttled: 30,
      throttledMs: 1500,
    },
    {
      path: 'sys/fs/cgroup/pods',
      roles: ['generator', 'target'],
      quotaCores: 4,
      periods: 50,
      throttled: 0,
      throttledMs: 0,
    },
  ]);
});

test('cgroup v1 counts nanoseconds; a process that has gone and a system without cgroups tell nothing', t => {
  const root = createRoot(t, {
    'proc/self/mountinfo': V1,
    'proc/11/cgroup': '4:cpu:/api\n',
    'sys/fs/cgroup/cpu/api/cpu.cfs_quota_us': '20000',
    'sys/fs/cgroup/cpu/api/cpu.cfs_period_us': '100000',
    'sys/fs/cgroup/cpu/api/cpu.stat': 'nr_periods 11\nnr_throttled 9\nthrottled_time 540906543\n',
  });
  const [only, ...more] = createThrottlingWatch({ root }).sample(PROCESSES);
  assert.equal(more.length, 0);
  assert.deepEqual([only?.quotaCores, only?.throttled, only?.throttledMs], [0.2, 9, 541]);
  assert.deepEqual(createThrottlingWatch({ root: makeTempFolder(t) }).sample(PROCESSES), []);
});

/** @param {number} t @param {number} throttled @param {object} [changes] */
const record = (t, throttled, changes) => ({
  t,
  kind: 'cgroup',
  roles: ['target'],
  path: '/api',
  quotaCores: 0.5,
  periods: t / 100,
  throttled,
  throttledMs: throttled * 60,
  ...changes,
});

test('throttling counts inside the load, of the cgroup that was held back the most', () => {
  const records = [
    ...[0, 10_000, 20_000, 30_000].map((t, n) => record(t, [0, 90, 110, 200][n] ?? 0)),
    ...[0, 10_000, 20_000].map(t => record(t, 0, { path: '/', roles: ['target', 'generator'] })),
  ];
  const { target, generator } = measureThrottling(recordsOf('processes', records), [
    { startMs: 10_500, endMs: 19_500 },
  ]);
  assert.deepEqual(target, { share: 0.2, throttledMs: 1200, quotaCores: 0.5 });
  assert.equal(generator?.share, 0);
  const load = buildLoad(0);
  const [finding] = findThrottledTarget(
    /** @type {any} */ ({ load, throttling: { target, generator } }),
  );
  assert.match(
    wordsOf(finding).title,
    /quota of 0\.50 cores in 20\.0? % of the scheduling periods/,
  );
  assert.deepEqual(
    findThrottledTarget(/** @type {any} */ ({ load, throttling: { target: generator } })),
    [],
  );
  const items = judgeQuality(/** @type {any} */ ({ run: { reasons: [] }, load, profile: null }), {
    ...NOTHING_BESIDES,
    throttling: { target: null, generator: target },
  });
  assert.equal(items.find(({ id }) => id === 'throttled-generator')?.level, 'warn');
});

test('a quota of the generator makes a run doubtful by the time it took, not by how often it ran out', () => {
  const load = buildLoad(0);
  const judged = (/** @type {number} */ part) =>
    judgeReliability(
      judgeQuality(/** @type {any} */ ({ run: { reasons: [] }, load, profile: null }), {
        ...NOTHING_BESIDES,
        throttling: {
          target: null,
          generator: {
            share: 0.03,
            throttledMs: totalLengthMs(load.windows) * part,
            quotaCores: 1,
          },
        },
      }),
    ).reasons.some(({ id }) => id === 'throttled-generator');
  // As recorded: 2 of 62 periods, for 20 ms each.
  assert.equal(judged(0.006), false);
  assert.equal(judged(0.02), true);
});

const CPU_V1 = '/sys/fs/cgroup/cpu';

/** @returns {string | false} why a real one can't be made here */
function whyNoCgroup() {
  try {
    accessSync(path.join(CPU_V1, 'cpu.cfs_quota_us'), constants.W_OK);
    return false;
  } catch {
    return 'no cgroup with a quota can be made here';
  }
}

test('a worker in a real cgroup with a fifth of a core is seen to be throttled', {
  skip: whyNoCgroup(),
}, async t => {
  const folder = path.join(CPU_V1, `loadflame-test-${process.pid}-${performance.now()}`);
  mkdirSync(folder);
  t.after(() => rmdirSync(folder));
  writeFileSync(path.join(folder, 'cpu.cfs_quota_us'), '20000');
  const busy = startChild('sh', ['-c', 'while :; do :; done']);
  t.after(() => busy.stop({ signal: 'SIGKILL' }));
  writeFileSync(path.join(folder, 'cgroup.procs'), `${busy.pid}`);
  const files = createRunFolder(makeTempFolder(t), 'throttled');
  const roles = () => [{ pid: busy.pid, role: 'worker' }];
  const startMs = Date.now();
  const noGroups = { groups: [], helpers: () => [] };
  const recorder = startResourceRecorder({ ...noGroups, roles, files, intervalMs: 200 });
  // A busy machine gives it less to throttle.
  const readThrottledMs = () => {
    const text = readFileSync(path.join(folder, 'cpu.stat'), 'utf8');
    return Number(/throttled_time (\d+)/.exec(text)?.[1]) / 1e6;
  };
  await waitUntil(() => readThrottledMs() > 500, 'half a second of throttling');
  await sleep(400);
  recorder.stop();
  await busy.stop({ signal: 'SIGKILL' });
  const { records } = await readNdjson(files.processes);
  const { target } = measureThrottling(recordsOf('processes', records), [
    { startMs, endMs: Date.now() },
  ]);
  assert.ok(target && target.share > 0.5, JSON.stringify(target));
  assert.equal(target.quotaCores, 0.2);
  assert.ok(target.throttledMs > 300, `${target.throttledMs}`);
});
