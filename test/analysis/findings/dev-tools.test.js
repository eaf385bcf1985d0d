import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDevTools } from '../../../lib/analysis/judge/findings/code.js';
import { wordsOf } from '../../helpers/words.js';
import { makeRecorded, makeRunInfo } from '../facts.js';

/** @param {number} share @param {any[]} [causes] */
function find(share, causes = []) {
  const estimate = { value: share, low: share / 2, high: share * 1.5 };
  const { profile } = makeRecorded({ causes });
  profile.categories = [{ id: 'dev-tools', share: estimate }];
  profile.hotPaths = [
    {
      category: 'dev-tools',
      entry: { function: 'trace', file: 'hunter/__init__.py' },
      share: estimate,
    },
  ];
  return findDevTools({ run: makeRunInfo(), load: null, profile });
}

test('a development tool that no known cause names is told, with where it is entered', () => {
  const [finding] = find(0.08);
  assert.match(wordsOf(finding).title, /^Development tools take 8 % ± 4 of the CPU/);
  assert.equal(wordsOf(finding).evidence[0]?.label, 'trace (hunter/__init__.py)');
});

/** @type {[string, number, any[]][]} */
const SILENT = [
  ['a known cause names it', 0.08, [{ category: 'dev-tools' }]],
  ['there is hardly any', 0.005, []],
];
for (const [what, share, causes] of SILENT)
  test(`${what}: silent`, () => assert.deepEqual(find(share, causes), []));

test('a profile without development tools, or none at all: silent', () => {
  const facts = { run: makeRunInfo(), load: null };
  assert.deepEqual(findDevTools({ ...facts, profile: makeRecorded().profile }), []);
  assert.deepEqual(findDevTools({ ...facts, profile: null }), []);
});
