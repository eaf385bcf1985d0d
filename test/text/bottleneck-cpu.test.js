import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addRequestCpu, describeUsers } from '../../lib/text/bottleneck-cpu.js';

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

test('where calls may have waited for the worker, the rest may also be a wait for what is called', () => {
  const requestCpu = { cpuMs: 2, queuedMs: 19, responseMs: 97, isInside: true };
  const say = (/** @type {boolean} */ isBound) =>
    addRequestCpu(
      /** @type {any} */ ({
        ...{ requestCpu, cpuShare: 1 },
        waits: { kinds: [{ id: 'external-call', isBound }] },
      }),
    );
  assert.match(say(false), /a lock, or a place in a pool\.$/);
  assert.match(
    say(true),
    /a place in a pool; or for what it calls, which samples do not distinguish here\.$/,
  );
});
