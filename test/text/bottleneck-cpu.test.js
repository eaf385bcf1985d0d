import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeUsers } from '../../lib/text/bottleneck-cpu.js';

/** @param {any} facts */
const usersOf = facts =>
  describeUsers({
    ...{ parts: [], study: null, generatorCores: 0.02, profilerCores: 0.02 },
    ...facts,
  });

test('what is too small to be named is no background load, and a part of everything else', () => {
  const restCores = 1.73;
  assert.equal(
    usersOf({ restCores, hasBackgroundLoad: true }),
    'others of this run 0.04, background load 1.73',
  );
  assert.equal(usersOf({ restCores, hasBackgroundLoad: false }), 'everything else 1.77');
});
