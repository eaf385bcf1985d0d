import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markDroppedLogs } from '../../../lib/analysis/hotpath/dropped-logs.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { build, REQUEST, rules } from '../built-profiles.js';

const VIEW = [...REQUEST, 'show (shop/views.py:3)'];
const AT = { function: 'query', file: 'shop/chain.py', method: 'debug', from: 8 };
const CALLS = [8, 9].map(line => ({ kind: /** @type {const} */ ('log-call'), t: 0, ...AT, line }));
const LOG = [...VIEW, 'query (shop/chain.py:8)'];
const DUMPS = [
  ...[...VIEW, 'query (shop/chain.py:9)', 'dumps (json/__init__.py:238)'],
  '_iterencode (json/encoder.py:430)',
];
const CHECKED = ['debug (logging/__init__.py:1476)', 'isEnabledFor (logging/__init__.py:1760)'];
const WRITTEN = ['debug (logging/__init__.py:1477)', '_log (logging/__init__.py:1634)'];

/** Causes with their line, where these stacks have so many samples in each of six segments. @param {[string[], number][]} stacks */
function causesOf(stacks, calls = CALLS) {
  const rows = [0, 1, 2, 3, 4, 5].flatMap(segment => [
    [segment, 2, VIEW, 80],
    ...stacks.map(([stack, samples]) => [segment, 2, stack, samples]),
  ]);
  const profile = markDroppedLogs(build(/** @type {any} */ (rows)), calls);
  return analyseProfile({ profile, rules }).causes.map(({ id, partOf, places = [] }) =>
    [id, partOf, places[0]?.line].join(' '),
  );
}

test('arguments of a message that no sample shows in the logger are built for nothing', () => {
  assert.deepEqual(
    causesOf([
      [DUMPS, 20],
      [[...LOG, ...CHECKED], 1],
    ]),
    ['dropped-log  9', 'pure-python-json dropped-log 9'],
  );
});

test('a stack that was read while it changed shows no written message', () => {
  const torn = [...LOG, 'debug (logging/__init__.py:1476)', '_iterencode (json/encoder.py:430)'];
  assert.ok(
    causesOf([
      [DUMPS, 20],
      [torn, 1],
    ]).includes('dropped-log  9'),
  );
});

test('a message that is written, one of few samples, and a line that was not read are no such cause', () => {
  assert.ok(
    !causesOf([
      [DUMPS, 20],
      [[...LOG, ...WRITTEN], 1],
    ])
      .join()
      .includes('dropped-log'),
  );
  assert.ok(
    !causesOf([[DUMPS, 8]])
      .join()
      .includes('dropped-log'),
  );
  assert.ok(
    !causesOf([[DUMPS, 20]], [])
      .join()
      .includes('dropped-log'),
  );
  const wrapped = [...LOG, 'Journal.debug (shop/journal.py:4)', ...WRITTEN];
  assert.ok(
    !causesOf([
      [DUMPS, 20],
      [wrapped, 1],
    ])
      .join()
      .includes('dropped-log'),
  );
  const own = [...LOG, 'Journal.debug (shop/journal.py:4)', 'digest (shop/journal.py:9)'];
  assert.ok(
    !causesOf([
      [DUMPS, 20],
      [own, 20],
    ])
      .join()
      .includes('dropped-log'),
  );
});
