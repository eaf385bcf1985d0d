import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStuck } from '../../lib/analysis/profile/waits/stall-looks.js';
import { describeFinding } from '../../lib/text/findings.js';

const START = 1_795_211_100_000;
const STALL = { startMs: START + 30_000, endMs: START + 36_000, pids: [11] };
/** Node 0 stands in a query, node 1 waits for no request. */
const CLASSES = /** @type {any} */ ({
  request: [1, 0],
  kindOf: () => 'database',
  placeOf: () => ({ function: 'load_rows', file: 'views.py' }),
});

/** @typedef {{node?: number, pid?: number, beganSec?: number, file?: number, looks: number}} Row */

/** @param {Row[]} rows @param {[startSec: number, endSec: number][]} files */
function find(rows, files = [[20, 40]]) {
  const pids = [11, 12];
  const looks = /** @type {any} */ ({
    rows: {
      node: rows.map(({ node = 0 }) => node),
      process: rows.map(({ pid = 11 }) => pids.indexOf(pid)),
      segment: rows.map(({ file = 0 }) => file),
      weight: rows.map(row => row.looks),
      halfSecond: rows.map(({ beganSec }) =>
        beganSec === undefined ? -1 : (START + beganSec * 1000) / 500,
      ),
    },
    processes: pids.map(pid => ({ pid })),
    segments: files.map(([from, to]) => ({
      startMs: START + from * 1000,
      endMs: START + to * 1000,
    })),
  });
  return findStuck(looks, CLASSES, STALL).map(place => place.looks);
}

test('with the companion looks at requests count that began in the stall, or just before', () => {
  const rows = [
    { beganSec: 29.5, looks: 30 },
    { beganSec: 25, looks: 7 },
    { beganSec: 36, looks: 7 },
    { beganSec: 31, looks: 7, pid: 12 },
    { beganSec: 31, looks: 7, node: 1 },
  ];
  assert.deepEqual(find(rows), [30]);
});

test('else looks count whose file lies in it: a second of our own recorder, and no 20 s of py-spy', () => {
  assert.deepEqual(find([{ looks: 80 }]), []);
  const seconds = /** @type {[number, number][]} */ ([
    [29, 30],
    [30, 31],
    [35, 36],
    [36, 37],
  ]);
  const rows = seconds.map((_, file) => ({ file, looks: 10 ** file }));
  assert.deepEqual(find(rows, seconds), [110]);
  assert.deepEqual(find([{ file: 1, looks: 4 }], seconds), [], 'too few');
});

test('the finding says where they stood, or why that is not known', () => {
  const say = (/** @type {any} */ seen) =>
    describeFinding(
      /** @type {any} */ ({
        id: 'stall',
        facts: {
          ...STALL,
          afterMs: 0,
          workers: 1,
          waited: 2,
          p95Ms: {},
          p99Ms: {},
          line: null,
          seen,
        },
      }),
    ).evidence.find(({ label }) => label === 'its threads in requests')?.value;
  const place = { function: 'load_rows', file: 'views.py', kind: 'database', looks: 30 };
  assert.equal(say([place]), 'waited in load_rows (views.py): the database, 30 samples');
  assert.match(say([]) ?? '', /not known: .* with the companion, or on Python 3\.15$/);
  assert.equal(say(null), undefined, 'nobody looked');
});
