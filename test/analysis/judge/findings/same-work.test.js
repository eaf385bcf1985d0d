/** Which calls are said to do the same work again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFlaggedPaths } from '../../../../lib/analysis/judge/findings/code.js';
import { findSameCalls } from '../../../../lib/analysis/judge/findings/same-work.js';
import { createRecordCheck } from '../../../../lib/run/folder-shapes.js';
import { describeFinding } from '../../../../lib/text/findings.js';

const SHARE = { value: 0.6, low: 0.5, high: 0.7 };
/** @param {any[][]} lines @param {number} [share] */
function findCalls(lines, share = 0.4) {
  const heaviest = [
    { function: 'load', file: 'app.py', line: 3, total: { ...SHARE, value: share } },
  ];
  const profile = { hotPaths: [{ heaviest }], sameWork: { requests: 50, lines } };
  const found = findSameCalls(/** @type {any} */ ({ profile }));
  return found.flatMap(({ facts }) => /** @type {any} */ (facts).lines);
}

test('calls that repeat arguments and results are the same work, if the function takes much of the CPU', () => {
  const line = ['app.py', 'load', 'app.py', 9, 100, 2, 98, 0, 0];
  const [first] = findCalls([line]);
  assert.deepEqual([first.share, first.caller.line, first.kinds, first.same], [0.4, 9, 2, 98]);
  assert.equal(findCalls([['app.py', 'load', 'app.py', 9, 100, 2, 0, 0, 98]]).length, 1);
  for (const [text, other] of /** @type {[string, any[]][]} */ ([
    ['few calls', ['app.py', 'load', 'app.py', 9, 9, 1, 8, 0, 0]],
    ['mostly new arguments', ['app.py', 'load', 'app.py', 9, 100, 60, 40, 0, 0]],
    ['another result', ['app.py', 'load', 'app.py', 9, 100, 2, 97, 1, 0]],
    ['not compared', ['app.py', 'load', 'app.py', 9, 100, 0, 0, 0, 0]],
    ['another function', ['app.py', 'save', 'app.py', 9, 100, 2, 98, 0, 0]],
  ]))
    assert.equal(findCalls([other]).length, 0, text);
  assert.equal(findCalls([line], 0.04).length, 0);
});

test('a path without a cause has what was counted of its calls, and what each takes', () => {
  const share = { value: 0.82, low: 0.7, high: 0.9 };
  const heaviest = [{ function: 'flags_of', file: 'app.py', line: 3, total: SHARE }];
  const path = {
    ...{
      category: 'business',
      label: 'business logic',
      plural: false,
      share,
      causes: [],
      reasons: [],
    },
    ...{ entry: { function: 'create', file: 'app.py', line: 50 }, flagged: true, caller: null },
    ...{ ofRequest: { cpuMs: 4, isUpperBound: false }, heaviest },
  };
  const lines = [
    ['app.py', 'flags_of', 'app.py', 53, 80_000, 900, 0, 0, 0],
    ['app.py', 'flags_of', 'app.py', 60, 10, 1, 0, 0, 0],
    ['app.py', 'other', 'app.py', 70, 80_000, 900, 0, 0, 0],
  ];
  const evidenceOf = (/** @type {any[][]} */ counted) => {
    const profile = { hotPaths: [path], sameWork: { requests: 10, lines: counted } };
    return findFlaggedPaths(/** @type {any} */ ({ profile })).map(
      own => describeFinding(own).evidence,
    );
  };
  assert.deepEqual(evidenceOf(lines), [
    [
      {
        label: 'calls of flags_of at app.py:53',
        value: '8,000 per request, 0.3 µs of CPU each',
      },
    ],
  ]);
  assert.deepEqual(evidenceOf([]), [[]]);
});

test('a path with most of the CPU is a finding although a busy machine makes its share unsure', () => {
  const find = (/** @type {number} */ value) => {
    const path = { category: 'business', causes: [], flagged: false, heaviest: [] };
    const own = {
      ...path,
      share: { value, low: 0.005, high: 0.998 },
      entry: { function: 'orders' },
    };
    return findFlaggedPaths(/** @type {any} */ ({ profile: { hotPaths: [own] } })).length;
  };
  assert.equal(find(0.62), 1);
  assert.equal(find(0.4), 0);
});

test('a record of calls with another shape, as any server may send it, is refused where it is read', () => {
  const check = createRecordCheck('plans');
  const record = (/** @type {unknown} */ lines) =>
    check(/** @type {any} */ ({ t: 1, kind: 'same-work', requests: 3, lines }));
  const line = ['app.py', 'load', 'app.py', 9, 100, 2, 98, 0, 0];
  assert.ok(record([line]));
  for (const wrong of [
    null,
    {},
    'x',
    [1],
    [[]],
    [line.slice(1)],
    [[...line, 1]],
    [line.with(1, 5)],
    [line.with(4, '1')],
  ])
    assert.ok(!record(wrong), JSON.stringify(wrong));
});
