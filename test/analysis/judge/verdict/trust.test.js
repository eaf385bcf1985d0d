/** In which order findings are listed, and which leads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLead, rankFindings } from '../../../../lib/analysis/judge/verdict/trust.js';

/** @import { Finding } from '../../../../lib/run/facts/findings.d.ts' */

/** @param {Finding['id']} id @param {any} [facts] @param {any} [more] @returns {Finding} */
const make = (id, facts = {}, more = {}) =>
  /** @type {Finding} */ ({ id, severity: 'warn', of: null, facts, ...more });

const call = (/** @type {number} */ msPerRequest) => ({ msPerRequest, serverMs: 100 });
const FULL = make('full-machine');
const UNKNOWN = make('bottleneck', {}, { of: 'unknown' });
const HASHING = make('cause', { cause: { share: { value: 0.9 } } });
const JSON_MADE = make('cause', { cause: { share: { value: 0.1 } } });
const ROWS = make('n-plus-one', { endpoints: [call(40)] });
const act = (/** @type {string} */ kind, /** @type {number} */ perRequest) =>
  make('act-per-request', { act: { kind }, endpoints: [{ perRequest }] });
const CONNECTS = make('repeated-call', { endpoints: [{ msPerRequest: 0, serverMs: null }] });

test('what the API does is listed before the machine, and the costlier before the cheaper', () => {
  const all = [FULL, UNKNOWN, CONNECTS, JSON_MADE, ROWS, HASHING];
  assert.deepEqual(rankFindings(all), [HASHING, ROWS, JSON_MADE, CONNECTS, FULL, UNKNOWN]);
  const errors = make('request-errors');
  const pool = make('bottleneck', {}, { of: 'pool' });
  assert.deepEqual(rankFindings([HASHING, FULL, pool, errors]), [errors, pool, HASHING, FULL]);
  const failed = make('failed-checks', {}, { severity: 'bad' });
  assert.deepEqual(rankFindings([HASHING, failed])[0], failed);
});

test('what a request does many times comes before a small share of the CPU, and what it does once after it', () => {
  const share = { value: 0.03, low: 0.02, high: 0.05 };
  const garbage = make('garbage-collection', { collections: { share } });
  const walks = act('folder', 258);
  const opens = act('file', 1);
  assert.deepEqual(rankFindings([garbage, opens, walks]), [walks, garbage, opens]);
  const few = act('folder', 29); // 0.3 % of the CPU of an application that reads as many
  assert.deepEqual(rankFindings([few, garbage, ROWS]), [ROWS, garbage, few]);
  const [threads, one] = [act('thread', 6), act('thread', 1)];
  assert.deepEqual(rankFindings([garbage, one, threads]), [threads, garbage, one]);
  const unused = make('unused-rows', { rows: 600 });
  assert.deepEqual(rankFindings([CONNECTS, unused]), [unused, CONNECTS]);
});

test('several new connections per request come before a small share, and not those that SQLite opens', () => {
  const of = (/** @type {string} */ system) =>
    make('repeated-call', {
      call: { kind: 'connect', system, count: 900 },
      endpoints: [{ ...call(0), perRequest: 3 }],
    });
  const [remote, file, counted] = [
    of('postgresql'),
    of('sqlite'),
    make('counted-page', { endpoint: call(10) }),
  ];
  assert.deepEqual(rankFindings([file, counted, remote]), [remote, counted, file]);
});

test('the repeated work that the load executed most comes first', () => {
  const of = (/** @type {number} */ perRequest, /** @type {number} */ requests) => ({
    endpoints: [{ perRequest }],
    call: { count: perRequest * requests },
  });
  const rare = make('n-plus-one', of(100, 1));
  const often = make('repeated-call', of(260, 7));
  assert.deepEqual(rankFindings([rare, often]), [often, rare]);
});

test('a doubt stands beside what else was found, and leads where nothing was', () => {
  const doubt = FULL;
  assert.deepEqual(findLead(rankFindings([FULL, HASHING])), { lead: HASHING, doubt });
  const failed = make('request-errors');
  assert.deepEqual(findLead(rankFindings([FULL, failed, HASHING])), { lead: failed, doubt });
  assert.deepEqual(findLead(rankFindings([UNKNOWN, FULL])), { lead: FULL, doubt: null });
  assert.deepEqual(findLead(rankFindings([UNKNOWN, ROWS])), { lead: ROWS, doubt: null });
  const quiet = make('full-machine', { isDoubt: false });
  assert.deepEqual(findLead(rankFindings([quiet, HASHING])).doubt, null);
  assert.deepEqual(findLead([]), { lead: null, doubt: null });
});

test('while nothing shows what limits, a count that is a small part of a request is no headline', () => {
  const leadOf = (/** @type {Finding[]} */ ...all) => findLead(rankFindings(all)).lead;
  const starved = make('generator-limit');
  for (const small of [CONNECTS, act('file', 1), make('n-plus-one', { endpoints: [call(4)] })]) {
    assert.deepEqual(leadOf(UNKNOWN, small), UNKNOWN);
    assert.deepEqual(leadOf({ ...UNKNOWN, severity: 'info' }, FULL, small), FULL);
    assert.deepEqual(leadOf({ ...UNKNOWN, severity: 'info' }, small), null);
    assert.deepEqual(leadOf(starved, small), starved);
    assert.deepEqual(leadOf(FULL, small), small, 'something else limits');
  }
  for (const large of [ROWS, act('process', 1), act('thread', 2.6), HASHING])
    assert.deepEqual(leadOf(UNKNOWN, large), large);
});

test('a remark about much of the CPU comes after warnings about costs and before the machine, unless it is unsure or expected', () => {
  const share = { value: 0.5, low: 0.4, high: 0.6 };
  const remark = { severity: 'info' };
  const path = make('hot-path', { path: { share } }, remark);
  const unsure = make('hot-path', { path: { share: { ...share, low: 0.01 } } }, remark);
  const cause = make('cause', { cause: { share }, isMuch: true }, remark);
  const login = make('cause', { cause: { share, isExpected: true } }, remark);
  assert.deepEqual(rankFindings([FULL, path, JSON_MADE]), [JSON_MADE, path, FULL]);
  assert.deepEqual(rankFindings([FULL, cause]), [cause, FULL]);
  assert.deepEqual(rankFindings([unsure, FULL]), [FULL, unsure]);
  assert.deepEqual(rankFindings([login, FULL]), [FULL, login]);
  const most = make('hot-path', { path: { share: { value: 0.62, low: 0.01, high: 1 } } }, remark);
  assert.deepEqual(rankFindings([FULL, most]), [most, FULL], 'the machine makes its share unsure');
  const served = make('hot-path', { path: { share, category: 'server' } }, remark);
  assert.deepEqual(rankFindings([served, FULL]), [FULL, served], 'the server serves each request');
});

test('a cause stands before the state of the CPU, however unsure its share is, and a small remark after it', () => {
  const cause = (/** @type {number} */ value) =>
    make(
      'cause',
      { cause: { share: { value, low: 0.001, high: 0.9 } }, isMuch: value > 0.1 },
      { severity: 'info' },
    );
  const [large, small] = [cause(0.2), cause(0.02)];
  for (const of of ['workers', 'gil', 'machine', 'unknown']) {
    const state = make('bottleneck', {}, { of });
    assert.deepEqual(rankFindings([state, FULL, small, large]), [large, FULL, state, small]);
  }
  const wait = make('bottleneck', {}, { of: 'external-call' });
  assert.deepEqual(rankFindings([large, wait]), [wait, large], 'less CPU would not help');
});

test('a cause comes before what is a part of it, although that seems to be larger', () => {
  const share = (/** @type {number} */ value) => ({ value, low: 0.2, high: 0.9 });
  const whole = make('cause', { cause: { share: share(0.55) } }, { of: 'whole' });
  const part = make('cause', { cause: { share: share(0.57), partOf: 'whole' } });
  const other = make('cause', { cause: { share: share(0.56) } });
  assert.deepEqual(rankFindings([whole, part, other]), [other, whole, part]);
  const inner = make('cause', { cause: { share: share(0.58), partOf: 'part' } }, { of: 'inner' });
  const found = [whole, { ...part, of: 'part' }, inner];
  assert.deepEqual(rankFindings([...found, other]), [other, ...found]);
});

test('costs are in the order of their part of a request, whether a warning or a remark', () => {
  const [less, more] = [0.1, 0.3].map(value => ({ value, low: 0.001, high: 0.9 }));
  const warning = make('cause', { cause: { share: less } });
  const remark = make('cause', { cause: { share: more }, isMuch: true }, { severity: 'info' });
  assert.deepEqual(rankFindings([warning, remark]), [remark, warning]);
});

test('a warning about a small part of the CPU comes after a remark about far more, and many parts come first', () => {
  const share = { value: 0.7, low: 0.4, high: 0.9 };
  const small = { value: 0.08, low: 0.05, high: 0.11 };
  const cause = make('cause', { cause: { share }, isMuch: true }, { severity: 'info' });
  const garbage = make('garbage-collection', { collections: { share: small } });
  const parts = make('small-parts', { parts: 600 });
  assert.deepEqual(rankFindings([FULL, garbage, cause, parts]), [parts, cause, garbage, FULL]);
  const more = make('garbage-collection', { collections: { share: { ...small, value: 0.6 } } });
  assert.deepEqual(rankFindings([more, cause]), [cause, more], 'what makes objects, first');
  const most = make('garbage-collection', { collections: { share: { ...small, value: 0.8 } } });
  assert.deepEqual(rankFindings([cause, most]), [most, cause]);
  const path = make('hot-path', { path: { share } }, { severity: 'info' });
  assert.deepEqual(rankFindings([FULL, path, garbage]), [garbage, path, FULL], 'no known cause');
});
