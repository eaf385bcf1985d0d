/** The command behind a finding: complete, or it says what is missing; never more than words for a shell. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStart } from '../../lib/analysis/judge/verdict/start-again.js';
import { rankFindings } from '../../lib/analysis/judge/verdict/trust.js';
import { chooseActions } from '../../lib/text/document/actions.js';
import { proveFix } from '../../lib/text/prove-fix.js';
import { makeRunInfo } from '../analysis/facts.js';

const NO_START = { words: [], missing: [] };
const SCRIPT = { name: 'scenarios/my api.yaml', sha256: '' };
const TARGET = { name: 'TARGET', value: 'http://127.0.0.1:8000', source: 'flag' };

/** @param {string} id @param {any} [facts] @param {any} [more] @returns {any} */
const make = (id, facts = {}, more = {}) => ({ id, of: null, severity: 'warn', facts, ...more });

/** @param {any} run */
function proofAfter(run) {
  const rows = make('n-plus-one', { call: { relation: 'Order.items' }, parents: null });
  return proveFix(rows, findStart(/** @type {any} */ ({ ...makeRunInfo(), ...run })));
}

test('the command is complete, or says what the run does not know', () => {
  const start = 'loadflame try --fix lazy-loading:Order.items';
  const serve = "'gunicorn -b :8000 '\\''app:make()'\\'''";
  for (const command of [
    `loadflame test 'scenarios/my api.yaml' --command ${serve}`,
    `loadflame profile --command ${serve} + loadflame test 'scenarios/my api.yaml'`,
    `loadflame test '--command=gunicorn -b :8000 '\\''app:make()'\\''' 'scenarios/my api.yaml'`,
  ]) {
    const proof = proofAfter({ command, script: SCRIPT, settings: [TARGET] });
    const rest = `--command ${serve} --target http://127.0.0.1:8000 'scenarios/my api.yaml'`;
    assert.equal(proof?.command, `${start} ${rest}`);
    assert.equal(proof?.when, 'Before you write it, with SQLAlchemy 2');
  }
  const half = proofAfter({ command: 'loadflame test s.yaml', script: { name: 's.yaml' } });
  assert.equal(half?.command, `${start} s.yaml`);
  assert.match(half?.lacks ?? '', /^with `--command` and what starts your API, which this run/);
  const settings = [{ name: 'TARGET', value: 'a', source: 'demo' }];
  assert.equal(proofAfter({ command: 'loadflame start', settings })?.command, start);
});

test('the version of SQLAlchemy that is installed decides whether a relation can be tried', () => {
  const rows = make('n-plus-one', {
    call: { relation: 'Order.items', system: 'postgresql' },
    endpoints: [],
  });
  const proofOf = (/** @type {string} */ sqlalchemy) => proveFix(rows, NO_START, { sqlalchemy });
  assert.match(proofOf('2.0.36')?.command ?? '', /--fix lazy-loading:Order\.items/);
  assert.equal(proofOf('2.0.36')?.when, 'Before you write it');
  assert.deepEqual(
    [proofOf('1.4.54')?.command, proofOf('1.4.54')?.when],
    ['loadflame try --a HEAD', 'With your change, not committed'],
  );
  assert.equal(proofOf('1\u001b[31m')?.when, 'With your change, not committed');
});

test('words that a shell or a document reads are left out or quoted', () => {
  for (const [command, name] of [
    ["loadflame test --command '`reboot`'", '`reboot`'],
    ["loadflame test --command 'TOKEN=[redacted] ./serve.sh'", '--rules=a'],
    ["loadflame test --command 'a\nreboot'", 'a\u001b[31m'],
  ]) {
    const proof = proofAfter({ command, script: { name } });
    assert.equal(proof?.command, 'loadflame try --fix lazy-loading:Order.items');
    assert.match(proof?.lacks ?? '', /`--command` and what starts your API and your script/);
  }
  const shell = { command: 'loadflame test --command $(reboot)', script: { name: '$(reboot)' } };
  assert.match(proofAfter(shell)?.command ?? '', /--command '\$\(reboot\)' '\$\(reboot\)'$/);
  const named = make('n-plus-one', { call: { relation: 'Order.items;reboot' }, parents: null });
  assert.equal(proveFix(named, NO_START)?.command, 'loadflame try --a HEAD');
});

test('a remedy of the companion is measured before the change, other fixes after it', () => {
  const cause = (/** @type {string} */ of) => make('cause', { cause: {} }, { of });
  const commandOf = (/** @type {any} */ finding) => proveFix(finding, NO_START)?.command;
  assert.equal(
    commandOf(cause('tls-context-per-request')),
    'loadflame try --fix tls-context-per-request',
  );
  assert.equal(commandOf(cause('deep-copy')), 'loadflame try --a HEAD');
  assert.equal(
    commandOf(make('garbage-collection', { isFull: false })),
    'loadflame try --fix gc-threshold:50000',
  );
  assert.equal(commandOf(make('full-machine')), undefined);
});

test('three things to do, and one of the causes inside of another one', () => {
  const text = { advice: 'Do it.', proof: { command: 'loadflame try', place: null, when: '' } };
  const cause = (/** @type {string | null} */ partOfTitle) =>
    make('cause', { cause: {}, partOfTitle }, { text });
  const [whole, client, context, other] = [cause(null), cause('x'), cause('x'), cause('y')];
  const remark = make('hot-path', {}, { text, severity: 'info' });
  const mute = make('hot-path', {}, { text: { ...text, advice: null } });
  const last = make('slow-call', {}, { text });
  const ranked = [remark, mute, whole, client, context, other, last];
  assert.deepEqual(chooseActions(ranked), [whole, client, other]);
  const facts = { cause: {}, partOfTitle: null };
  const much = make(
    'cause',
    { ...facts, cause: { share: { value: 0.5 } }, isMuch: true },
    { text, severity: 'info' },
  );
  const little = make('cause', facts, { text, severity: 'info' });
  assert.deepEqual(chooseActions([little, much]), [much], 'a remark about much of the CPU');
  const choose = (/** @type {any[]} */ ...all) =>
    chooseActions(/** @type {any} */ (rankFindings(all)));
  const workers = make('bottleneck', { id: 'workers' }, { text, of: 'workers' });
  const pool = make('bottleneck', { id: 'pool' }, { text, of: 'pool' });
  assert.deepEqual(choose(workers, much), [much, workers], 'what uses their CPU is first');
  assert.deepEqual(choose(pool, much), [pool, much]);
});

test('what a request does again, such as reading a file, has its line beside the command', () => {
  const act = { file: 'shop/rates.py', line: 13, function: 'read_rates', relation: null };
  assert.equal(proveFix(make('act-per-request', { act }), NO_START)?.place, 'shop/rates.py:13');
});

test('what a request does at a line of a cause is no other thing to do', () => {
  const text = { advice: 'Do it.', proof: { command: 'loadflame try', place: null, when: '' } };
  const places = [
    { function: 'render', file: 'app.py', line: 18 },
    { function: 'root', file: 'zone.html', line: null },
  ];
  const cause = make('cause', { cause: { places }, partOfTitle: null }, { text });
  const act = (/** @type {string} */ file, /** @type {number} */ line) =>
    make('act-per-request', { act: { file, line } }, { text });
  const others = [act('app.py', 13), act('other-zone.html', 1), act('wrapp.py', 18)];
  const inside = [act('app.py', 18), act('pages/zone.html', 1)];
  assert.deepEqual(chooseActions([cause, ...inside, ...others]), [cause, ...others.slice(0, 2)]);
  assert.deepEqual(chooseActions(inside), inside);
});

test('what the bottleneck names already is no other thing to do', () => {
  const text = { advice: 'Do it.', proof: { command: 'loadflame try', place: null, when: '' } };
  const limit = (/** @type {string} */ id, /** @type {any} */ place = null) =>
    make(
      'bottleneck',
      { id, facts: { openedPerCall: 1, longestWait: place && { place } } },
      { text },
    );
  const loop = make('event-loop-blocked', {}, { text });
  assert.deepEqual(chooseActions([limit('loop'), loop]).length, 1);
  assert.deepEqual(chooseActions([limit('gil'), loop]).length, 2);
  const at = { file: 'app.py', line: 19 };
  const call = (/** @type {string} */ kind, line = 19, id = 'slow-call') =>
    make(id, { call: { kind, ...at, line } }, { text });
  const outside = limit('external-call', at);
  assert.deepEqual(chooseActions([outside, call('http'), call('connect', 19, 'repeated-call')]), [
    outside,
  ]);
  const others = [call('http', 20), call('sql'), call('http', 19, 'repeated-call')];
  assert.deepEqual(chooseActions([outside, ...others]).slice(1), others.slice(0, 2));
  assert.equal(chooseActions([limit('slots', at), call('http')]).length, 2);
  const kept = make('bottleneck', { id: 'pool', facts: { longestWait: { place: at } } }, { text });
  assert.equal(chooseActions([kept, call('connect', 19, 'repeated-call')]).length, 2);
  const opened = { longestWait: { place: { ...at, as: 'connect' } } };
  const database = make('bottleneck', { id: 'database', facts: opened }, { text });
  assert.equal(chooseActions([database, call('connect', 19, 'repeated-call')]).length, 1);
});
