/** What is said of the bottleneck beside programs that are no part of the run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayBottleneck } from '../../lib/text/bottleneck.js';
import { sayFix } from '../../lib/text/resources.js';
import {
  findStarved,
  findTabled,
  findThreadsBeside,
  findWanting,
  measureBeside,
  measureGil,
  measureService,
} from '../analysis/bottleneck/find-by.js';
import { TABLE } from '../analysis/bottleneck/runs-table.js';

for (const [what, id, facts] of TABLE)
  test(`a title is one sentence or more, without a gap: ${what} (${id})`, () => {
    const { title, evidence } = sayBottleneck(findTabled(facts));
    assert.match(title, /^[A-Z0-9].*\.$/);
    assert.doesNotMatch(JSON.stringify([title, evidence]), /undefined|NaN|null|–| {2}/);
  });

test('names the wait of a worker for a core, and that none is left for another worker', () => {
  const { title } = sayBottleneck(findWanting(0.97, { cpu: 1 }));
  assert.match(
    title,
    /used 0\.51 of a core and waited for one at least 46.*: its CPU is the bottleneck/,
  );
  assert.match(title, /No core is left for another worker: .*background load/);
});

test('names the GIL of threads that other programs keep from a core', () => {
  const { title } = sayBottleneck(
    findThreadsBeside({ cores: 0.26, queuedMs: 277, perSec: 16, share: 1 }),
  );
  assert.match(title, /8 threads.* \(GIL\)\. No core is left for another worker.*background load/);
  const kernel = { cores: 0.53, queuedMs: 24, perSec: 65, share: 0.18 };
  assert.equal(findThreadsBeside(kernel).id, 'gil');
  assert.equal(findThreadsBeside({ ...kernel, kind: 'lock' }).id, 'lock');
});

/** @type {[kind: string, kernel: {cpuMs: number, queuedMs: number}, responseMs: number, says: RegExp | null][]} */
const CASES = [
  ['sleep', { cpuMs: 5, queuedMs: 9 }, 125, null],
  ['external-call', { cpuMs: 14, queuedMs: 20 }, 440, null],
  ['lock', { cpuMs: 2, queuedMs: 4 }, 389, null],
  ['database', { cpuMs: 10, queuedMs: 16 }, 155, null],
  [
    'database',
    { cpuMs: 60, queuedMs: 100 },
    400,
    /In doubt, because the CPU is saturated\. A request spent on it 160 ms of 400 ms: 60 ms CPU, 100 ms waiting for a core/,
  ],
  [
    'database',
    { cpuMs: 120, queuedMs: 224 },
    418,
    /Background load .* 344 ms of 418 ms: 120 ms CPU, 224 ms waiting for a core\./,
  ],
  [
    'database',
    { cpuMs: 28, queuedMs: 76 },
    81,
    /spent on it 104 ms, partly outside of its 81 ms: 28 ms CPU, 76 ms waiting for a core/,
  ],
];

for (const [kind, kernel, responseMs, says] of CASES)
  test(`says how much of ${responseMs} ms was spent on the CPU, most samples in ${kind}`, () => {
    const { bottleneck } = measureBeside({ [kind]: 0.6, cpu: 0.4 }, kernel, responseMs);
    const { title, detail } = sayBottleneck(bottleneck);
    if (says) assert.match(`${title} ${detail}`, says);
    else assert.doesNotMatch(`${title} ${detail}`, /saturated|In doubt|Background/);
  });

test('says what a request waits for a core, the GIL included, and the CPU of a service', () => {
  const shares = { 'external-call': 0.63, cpu: 0.21, client: 0.16 };
  const { bottleneck } = measureBeside(shares, { cpuMs: 8, queuedMs: 23 }, 71);
  assert.match(
    sayBottleneck(bottleneck).title,
    /31 ms of 71 ms: 8\.0 ms CPU, 23 ms waiting for a core/,
  );
  const gil = sayBottleneck(measureGil().bottleneck);
  assert.match(
    gil.title,
    /61 ms of 228 ms.* waited for its turn.* the GIL, a lock, or a place in a pool\./,
  );
  const { evidence } = sayBottleneck(measureService().bottleneck);
  assert.match(JSON.stringify(evidence), /60 ms, 1\.20 of 2 cores/);
});

test('a generator that other programs starved is a doubt, where requests are inside the server most of the time', () => {
  const found = findStarved({ sleep: 0.76, inside: 7 });
  assert.deepEqual([found.id, found.facts.why, found.orElse], ['unknown', 'background-load', null]);
  const { title, detail } = sayBottleneck(found);
  assert.match(title, /283 ms of 350 ms inside the server: 3\.0 ms CPU, 280 ms waiting for a core/);
  assert.match(title, /The longest wait in samples, .* a sleep to end 6\d % .*, in list_rows/);
  assert.match(detail ?? '', /^The load generator was held back, too: worker 1 had work 98\.0 %/);
  for (const given of [
    { sleep: 0.76, inside: 2 },
    { sleep: 0.2, inside: 7 },
    { sleep: 0.76, inside: 7, others: false },
  ])
    assert.equal(findStarved(given).id, 'generator', JSON.stringify(given));
});

test('the next limit beside other programs is the CPU that they leave', () => {
  const fix = { nowPerSec: 9, afterPerSec: { value: 15, low: 11, high: 21 }, next: 'workers' };
  const facts = { isMachineFull: true, hasBackgroundLoad: true };
  const sayOf = (/** @type {any} */ more) =>
    sayFix(/** @type {any} */ ({ id: 'lock', component: null, facts: more, fix }));
  assert.match(
    sayOf(facts),
    /then the CPU that other programs leave to the workers sets the limit/,
  );
  assert.match(sayOf({ ...facts, hasBackgroundLoad: false }), /then the CPU of the workers sets/);
  fix.afterPerSec.low = 8;
  assert.match(sayOf(facts), /at most 21\/s .* and on how much CPU other programs leave\.$/);
  assert.doesNotMatch(sayOf({}), /other programs/);
});

test('a saturated CPU comes with the longest wait of requests, and its line', () => {
  const titleOf = (/** @type {any} */ longestWait) =>
    sayBottleneck(
      /** @type {any} */ ({
        ...{ id: 'machine', orElse: null, fix: null, resources: [] },
        facts: { ...findWanting(0.97, { cpu: 1 }).facts, why: 'alone', longestWait },
      }),
    ).title;
  const place = { function: 'enabled', file: 'app.py', line: 25, call: 'get', as: 'message' };
  const share = { value: 0.4, low: 0.37, high: 0.43 };
  assert.match(
    titleOf({ kind: 'child-process', share, place }),
    /with waits for a core: for an item or a message of another process 40 % ± 3 of their time, in enabled \(app\.py:25\)\.$/,
  );
  const short = { ...share, value: 0.1 };
  assert.doesNotMatch(titleOf({ kind: 'child-process', share: short, place }), /longest wait/);
});
