import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { addRemedy, describeRemedy } from '../../../lib/experiment/try/remedies.js';

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
    assert.equal(code, 'TRY_REMEDY_UNKNOWN');
    assert.match(hint, /tls-context-per-request, .*access-log/);
  }
  for (const other of [{ b: 'fast' }, { bEnv: { DEPTH: '1' } }, { bCommand: './fast.sh' }]) {
    const { code, hint } = failureOf(() => addRemedy({ fix: 'access-log', ...other }));
    assert.equal(code, 'TRY_FIX_SIDES');
    assert.match(hint, /remove --b, --b-env and --b-command/);
  }
});

test('a remedy has the id of a cause, whose prediction stands beside what it brings', async () => {
  const { causes } = await loadRules();
  const { data } = failureOf(() => addRemedy({ fix: true }));
  // Collections and observability are findings of their own.
  const ofFindings = /^(?:gc-freeze|gc-threshold|observability-off)$/;
  for (const remedy of data.remedies.split(', '))
    if (!ofFindings.test(remedy))
      assert.ok(
        causes.some(({ id }) => id === remedy),
        remedy,
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

const TOKEN = '0123456789abcdef0123456789abcdef';

/** @param {object[]} reports of processes */
const describe = (...reports) =>
  describeRemedy(
    'access-log',
    reports
      .map(
        one => `[info] ready\nloadflame remedy ${TOKEN} ${JSON.stringify({ ...FACTS, ...one })}\n`,
      )
      .join(''),
    TOKEN,
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
    const { code, message, hint } = failureOf(() => describe(...reports));
    return [code, `${message}; ${hint}`];
  };
  const [absent, howToStart] = reasonOf();
  assert.equal(absent, 'TRY_REMEDY_ABSENT');
  assert.match(howToStart, /did not start; import the current loadflame_companion/);
  const [refused, howToUpdate] = reasonOf({ acted: 4 }, { refused: 'update requests' });
  assert.equal(refused, 'TRY_REMEDY_REFUSED');
  assert.match(howToUpdate, /refuses; update requests/);
  const [idle, why] = reasonOf({ left: { 'contexts of gevent': 3 } });
  assert.equal(idle, 'TRY_REMEDY_IDLE');
  assert.match(why, /never acted, so both sides are the same; left alone: contexts of gevent/);
});

test('ignores and reports lines that the companion did not write whole in this run', () => {
  const own = JSON.stringify({ ...FACTS, acted: 2 });
  const forged = JSON.stringify({ ...FACTS, pid: 9, acted: 500 });
  const lines = [
    ...[forged, `${TOKEN.toUpperCase()} ${forged}`, `${'0'.repeat(32)} ${forged}`, TOKEN, ''],
    ...['', '{', '[]', 'null', '7', '{}', forged.slice(0, -9), `${forged}}`].map(
      text => `${TOKEN} ${text}`,
    ),
    ...[
      { remedy: 'lazy-loading' },
      ...[{ pid: '9' }, { acted: '500' }, { acted: 1e300 }, { acted: null }, { left: null }],
      ...[{ left: [] }, { replaced: 'all' }, { replaced: [7] }, { refused: 5 }, { replaced: null }],
    ].map(one => `${TOKEN} ${JSON.stringify({ ...FACTS, pid: 9, acted: 500, ...one })}`),
  ];
  const log = (/** @type {string[]} */ texts) =>
    texts.map(text => `loadflame remedy ${text}\n`).join('');
  const told = describeRemedy('access-log', log([...lines, `${TOKEN} ${own}`, ...lines]), TOKEN);
  assert.equal(
    told,
    `access-log: acted 2 times in place of x.access; left alone: nothing; ${2 * lines.length} lines of a remedy ignored: damaged, or not of this run`,
  );
  const { message } = failureOf(() => describeRemedy('access-log', log(lines), TOKEN));
  assert.match(message, /did not start; 24 lines of a remedy ignored/);
  const inside = `GET /?loadflame remedy ${TOKEN} ${own}`;
  assert.match(
    failureOf(() => describeRemedy('access-log', inside, TOKEN)).message,
    /did not start/,
  );
});
