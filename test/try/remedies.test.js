import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addRemedy, describeRemedy } from '../../lib/try/remedies.js';

/** @param {() => unknown} call @returns {any} */
function failureOf(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('no failure');
}

test('side B is side A with the companion and a remedy', () => {
  const given = { a: 'main', b: '.', aEnv: { DEPTH: '2' }, aCommand: './serve.sh' };
  const { a, b, aEnv, bEnv, bCommand } = addRemedy({ ...given, fix: 'lazy-loading:Order.items' });
  assert.deepEqual([a, b, bCommand], ['main', 'main', './serve.sh']);
  assert.deepEqual(aEnv, { DEPTH: '2', LOADFLAME: '1' });
  assert.deepEqual(bEnv, { ...aEnv, LOADFLAME_REMEDY: 'lazy-loading:Order.items' });
  assert.deepEqual(addRemedy(given), given);
});

test('refuses a cause without a remedy, no cause, and another side B', () => {
  for (const fix of [/** @type {const} */ (true), 'password-hash-per-request']) {
    const { code, hint } = failureOf(() => addRemedy({ fix }));
    assert.equal(code, 'TRY_SIDES');
    assert.match(hint, /tls-context-per-request, .*access-log/);
  }
  for (const other of [{ b: 'fast' }, { bEnv: { DEPTH: '1' } }, { bCommand: './fast.sh' }])
    assert.match(
      failureOf(() => addRemedy({ fix: 'access-log', ...other })).hint,
      /remove --b, --b-env and --b-command/,
    );
});

const FACTS = {
  remedy: 'access-log',
  pid: 7,
  acted: 0,
  replaced: ['x.access'],
  left: {},
  refused: null,
};

/** @param {object[]} reports of processes */
const describe = (...reports) =>
  describeRemedy(
    'access-log',
    reports
      .map(one => `[info] ready\nloadflame remedy ${JSON.stringify({ ...FACTS, ...one })}\n`)
      .join(''),
  );

test('the last report of each process counts', () => {
  const told = describe(
    { acted: 3 },
    { acted: 40 },
    { pid: 8, acted: 2, left: { 'own pools': 1 } },
  );
  assert.equal(told, 'access-log: acted 42 times in place of x.access; left alone: own pools');
});

test('refuses a remedy that did not start, refused, or never acted', () => {
  const reasonOf = (/** @type {object[]} */ ...reports) => {
    const { message, hint } = failureOf(() => describe(...reports));
    return `${message}; ${hint}`;
  };
  assert.match(reasonOf(), /did not start; import the current loadflame_companion/);
  assert.match(reasonOf({ acted: 4 }, { refused: 'update requests' }), /refuses; update requests/);
  assert.match(
    reasonOf({ left: { 'contexts of gevent': 3 } }),
    /never acted, so both sides are the same; left alone: contexts of gevent/,
  );
});
