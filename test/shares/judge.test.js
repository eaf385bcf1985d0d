import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadRules } from '../../lib/analysis/hotpath/load-rules.js';
import { readRawSegments } from '../../lib/analysis/stacks/read-raw.js';
import { createRandom } from '../../lib/base/math/random.js';
import { APPS, WORKERS } from '../../research/shares/apps.js';
import { addClocks, parseClock, subtractClocks } from '../../research/shares/clocks.js';
import {
  compareReadings,
  findParts,
  findWorst,
  judgeRecording,
  REST,
} from '../../research/shares/judge.js';
import { measureOthers } from '../../research/shares/others.js';
import { isCalm, pickCalm } from '../../research/shares/record.js';
import {
  listBad,
  renderOverheads,
  renderRecording,
  renderSteps,
  renderWorst,
} from '../../research/shares/render.js';
import { readOverheads, writeRecording } from '../../research/shares/results.js';
import { parseRaw } from '../helpers/parse-raw.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const PARTS = [
  { name: 'big', file: 'app.py' },
  { name: 'small', file: 'app.py' },
];
const MASTER = 'process 10:"gunicorn"';
const WORKER = `${MASTER};process 11:"gunicorn";thread (2): MainThread`;
const [BIG, SMALL, SERVER] = [
  'main (serve.py:3);big (app.py:7)',
  'main (serve.py:4);small (app.py:17);helper (other.py:1)',
  'main (serve.py:9)',
];
const WAITING = 'wait (gunicorn/workers/sync.py:34);select (selectors.py:468)';
const rules = await loadRules();

/**
 * A recording with so many samples of each stack per segment, and clocks that say 60/30/10.
 * @param {import('node:test').TestContext} t
 * @param {Record<string, number>[]} counts per segment: samples per stack
 * @param {{cpuMs?: number}} [more] per segment
 */
async function judge(t, counts, { cpuMs = 1000 } = {}) {
  const folder = makeTempFolder(t);
  const segments = counts.map((stacks, index) => {
    const file = path.join(folder, `${index}.raw`);
    const lines = Object.entries(stacks).map(([stack, count]) => `${stack} ${count}\n`);
    writeFileSync(file, lines.join(''));
    return {
      ...{ file, startMs: index * 1000, endMs: index * 1000 + 1000, samples: 100, errors: index },
      ...{
        round: index,
        lateMs: 0,
        others: 0,
        threads: [{ tid: 1, runMs: 1000, queuedMs: 500, slices: 9 }],
      },
      used: { wholeMs: cpuMs, partMs: [cpuMs * 0.6, cpuMs * 0.3], requests: 5 },
    };
  });
  const profile = await readRawSegments(segments, { rateHz: 100 });
  return judgeRecording({ profile, segments, parts: PARTS, rules, masterPid: 10 });
}

const at = (/** @type {string} */ stack) => `${WORKER};${stack}`;

test('shares of samples stand beside the shares of the clocks, without master and waiting', async t => {
  const segment = {
    [at(BIG)]: 50,
    [at(SMALL)]: 40,
    [at(SERVER)]: 10,
    [at(WAITING)]: 25,
    [`${MASTER};thread (1): MainThread;run (arbiter.py:1)`]: 300,
  };
  const { rows, samples, failed, answersPerSec, samplesToCpu, queuedToCpu } = await judge(t, [
    segment,
    segment,
  ]);
  assert.deepEqual(
    rows.map(({ part, true: share }) => [part, Number(share.toFixed(3))]),
    [
      ['big', 0.6],
      ['small', 0.3],
      [REST, 0.1],
    ],
  );
  const told = rows.map(({ told: { plain, raw } }) => [plain?.value, raw?.value]);
  assert.deepEqual(told, [
    [0.5, 0.4],
    [0.4, 0.32],
    [0.1, 0.28],
  ]);
  assert.ok(Math.abs((rows[0]?.told.plain?.off ?? 0) + 0.1) < 1e-9);
  // 50 of 90 samples against 60 of 90 % of the CPU
  assert.ok(Math.abs((rows[0]?.told.parts?.off ?? 0) + 1 / 9) < 1e-9);
  assert.equal(rows[2]?.told.parts, undefined);
  assert.deepEqual([samples.plain, samples.raw], [200, 250]);
  assert.deepEqual([failed, answersPerSec], [1 / 200, 5]);
  assert.deepEqual([samplesToCpu, queuedToCpu], [1, 0.5]);
});

test('the report leaves out the surplus over the CPU clock where the GIL is given up', async t => {
  const sending = 'main (serve.py:8);sendall (socket.py:5)';
  const segment = { [at(BIG)]: 60, [at(SMALL)]: 30, [at(sending)]: 90 };
  const { rows } = await judge(t, [segment, segment]);
  assert.ok(Math.abs((rows[0]?.told.plain?.off ?? 0) + 0.267) < 0.001);
  assert.ok(Math.abs(rows[0]?.told.report?.off ?? 1) < 0.04);
});

test('95 % intervals hold what is true in about 95 of 100 recordings, though samples hang together', async t => {
  const random = createRandom(7);
  const rounds = 60;
  let held = 0;
  for (let round = 0; round < rounds; round++) {
    // within a second the share wanders between 45 and 75 %
    const segments = Array.from({ length: 12 }, () => {
      const share = 0.45 + 0.3 * random();
      let big = 0;
      for (let sample = 0; sample < 100; sample++) if (random() < share) big++;
      return { [at(BIG)]: big, [at(SMALL)]: 100 - big };
    });
    const { rows } = await judge(t, segments);
    const { low = 1, high = 0 } = rows[0]?.told.plain ?? {};
    if (low <= 0.6 && high >= 0.6) held++;
  }
  assert.ok(held / rounds >= 0.88, `${held} of ${rounds}`);
});

test('a stack belongs to the innermost of its parts', () => {
  const profile = parseRaw('small (/x/app.py:1);big (app.py:2);f (g.py:1) 1\nbig (wrapp.py:1) 1');
  const parts = findParts(profile, PARTS);
  assert.deepEqual(
    [...profile.rows.node].map(node => parts[node]),
    [0, 2],
  );
});

test('clocks of threads are added, the CPU of their process is the latest', () => {
  const bytes = Buffer.alloc(64 * 16 * 8);
  const put = (/** @type {number} */ row, /** @type {number[]} */ values) =>
    values.forEach((value, column) => {
      bytes.writeDoubleLE(value, (row * 16 + column) * 8);
    });
  put(0, [2.5, 3, 1, 0.25]);
  put(1, [2, 4, 0.5, 0]);
  const clocks = parseClock(bytes, 2);
  assert.deepEqual(clocks, { wholeMs: 2500, partMs: [1500, 250], requests: 7 });
  assert.deepEqual(subtractClocks(addClocks(clocks, clocks), clocks), clocks);
});

test('only seconds in which others left the machine alone count, where there are enough', () => {
  const make = (/** @type {number[]} */ all) =>
    all.map(
      others =>
        /** @type {import('../../research/shares/record.js').RecordedSegment} */ ({ others }),
    );
  assert.equal(pickCalm(make([0, 0, 0.1, 1.5, 0, 0.2])).length, 5);
  assert.equal(pickCalm(make([0, 0, 1, 1.5, 0, 0.2])).length, 6);
  assert.equal(isCalm(make([0, 0, 1])), false);
  const [before, after] = [
    { busyMs: 1000, ownMs: 500, ms: 0 },
    { busyMs: 2500, ownMs: 1500, ms: 1000 },
  ];
  assert.equal(measureOthers(before, after), 0.5);
});

test('the worst share is found among those of 5 % or more, and judged by what chance leaves', () => {
  const told = (/** @type {number} */ value, /** @type {number} */ share) => ({
    plain: { value, low: value - 0.02, high: value + 0.02, off: value - share },
    report: { value, low: value - 0.02, high: value + 0.02, off: value - share },
  });
  const rows = [
    { part: 'big', true: 0.6, told: told(0.52, 0.6), interval: { low: 0.4, high: 0.7 } },
    { part: 'small', true: 0.04, told: told(0.4, 0.04), interval: { low: 0.3, high: 0.5 } },
  ];
  const worst = findWorst([{ name: 'app', rows }], 'plain');
  assert.equal(worst?.where, 'app:big');
  assert.ok(
    Math.abs((worst?.off ?? 0) + 0.08) < 1e-9 && Math.abs((worst?.surely ?? 0) - 0.06) < 1e-9,
  );
  assert.deepEqual([worst?.held, worst?.count], [1, 1]);
  assert.equal(findWorst([{ name: 'app', rows }], 'raw'), null);
  const judged = {
    rows,
    samples: { plain: 10 },
    failed: 0.1,
    answersPerSec: 5,
    cpuMs: 1,
    samplesToCpu: 1,
    queuedToCpu: null,
  };
  const result = /** @type {import('../../research/shares/results.js').Result} */ (
    /** @type {unknown} */ ({
      ...{ app: 'app', worker: 'sync', way: 'blocking', hz: 50, burner: false, heldOut: true },
      ...{ isCalm: true, judged },
    })
  );
  assert.equal(listBad([result]).length, 1);
  assert.equal(listBad([{ ...result, burner: true }]).length, 1);
  rows[0] = { part: 'big', true: 0.6, told: told(0.56, 0.6), interval: { low: 0.5, high: 0.58 } };
  assert.equal(listBad([result]).length, 0);
  assert.match(renderRecording(result), /10\.0 % of looks failed/);
  assert.match(renderWorst([result]), /sync\s+held out.*big, 0 of 1 shares inside the intervals/);
  assert.match(renderSteps([result]), /rules\/gil\.yaml\s+held out\s+0 of 1 shares nearer/);
});

test('a reading brings a share nearer, or farther away', () => {
  const told = (/** @type {number} */ off) => ({ value: 0, low: 0, high: 1, off });
  const interval = { low: 0, high: 1 };
  const rows = [
    { part: 'a', true: 0.5, told: { plain: told(-0.2), report: told(0.05) }, interval },
    { part: 'b', true: 0.3, told: { plain: told(0.01), report: told(0.03) }, interval },
    { part: 'c', true: 0.1, told: { plain: told(0.01), report: told(-0.012) }, interval },
    { part: 'd', true: 0.04, told: { plain: told(0.01), report: told(0.9) }, interval },
  ];
  const { nearer, farther, count, gain } = compareReadings([{ rows }], 'plain', 'report');
  assert.deepEqual([nearer, farther, count], [1, 1, 3]);
  assert.ok(Math.abs(gain - (0.15 - 0.02 - 0.002) / 3) < 1e-9);
});

test('measures overhead by pairs of calm seconds of one round', t => {
  const root = makeTempFolder(t);
  const write = (/** @type {string} */ way, /** @type {[number, number, number?][]} */ seconds) => {
    mkdirSync(path.join(root, way));
    const segments = seconds.map(([round, requests, others = 0]) => ({
      ...{ round, others, startMs: 0, endMs: 1000, used: { requests } },
    }));
    const recording = { app: 'app', worker: 'sync', way, hz: 50, burner: false, segments };
    writeRecording(path.join(root, way), /** @type {any} */ (recording));
  };
  write('none', [
    [0, 100],
    [1, 80],
    [2, 50, 1],
  ]);
  write('nonblocking', [
    [0, 97],
    [1, 72],
    [2, 50],
    [3, 10],
  ]);
  const [overhead, ...more] = readOverheads(root);
  assert.deepEqual(more, []);
  assert.deepEqual(
    overhead?.ratios.map(ratio => ratio.toFixed(6)),
    ['0.900000', '0.970000'],
  );
  assert.match(renderOverheads([/** @type {any} */ (overhead)]), /throughput 0\.935 ×/);
});

test('each second app is held out, and every worker class has both kinds', () => {
  const heldOut = APPS.filter(app => app.heldOut).length;
  assert.ok(Math.abs(heldOut - APPS.length / 2) <= 1);
  for (const { name } of WORKERS)
    for (const kind of [true, false])
      assert.ok(APPS.some(app => app.heldOut === kind && (!app.only || app.only.includes(name))));
});
