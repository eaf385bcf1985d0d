import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFlip } from '../../../lib/analysis/load/tokens.js';
import { totalLoad } from '../../helpers/total-load.js';

/** Each letter is a second: `.` all good, `x` all 401, `/` half of them, ` ` no answer at all. @param {string} picture */
function seconds(picture) {
  /** @type {Record<string, Record<string, number>>} */
  const kinds = {
    '.': { 'http.codes.200': 10 },
    x: { 'http.codes.401': 10 },
    '/': { 'http.codes.200': 5, 'http.codes.401': 5 },
    ' ': {},
  };
  return [...picture].map((letter, i) => ({
    kind: 'second',
    fromMs: i * 1000,
    counters: kinds[letter],
  }));
}

/** @type {[string, number | null, string][]} */
const TABLE = [
  ['......', null, 'all good'],
  ['xxxxxx', null, 'refused from the start: no flip'],
  ['...xxx', 3000, 'a flip'],
  ['...  xxx', 5000, 'a flip after a pause'],
  ['.../xxxx', 3000, 'a flip in the middle of a second'],
  ['...x......', null, 'one bad second is no flip'],
  ['..........x.......xxxxxxxxx', 18000, 'an early 401 does not hide the flip'],
  ['//////', null, 'half of the endpoints refuse all the time'],
  ['', null, 'nothing'],
];

for (const [picture, expected, title] of TABLE) {
  test(`responses "${picture}": ${title}`, () =>
    assert.equal(findFlip(totalLoad(seconds(picture)).seconds), expected));
}

test('reads a run of days with constant refusals only once', () => {
  const all = totalLoad(seconds('x....'.padEnd(50_000, '..'))).seconds;
  const before = process.cpuUsage();
  assert.equal(findFlip(all), null);
  assert.ok(process.cpuUsage(before).user < 2e6, 'two seconds of CPU at most');
});
