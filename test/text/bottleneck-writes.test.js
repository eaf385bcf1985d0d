/** Waits that belong together: a lock and the write of its holder, calls and the connections that they open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBottleneck } from '../../lib/analysis/bottleneck/find-bottleneck.js';
import { gatherRunFacts } from '../../lib/analysis/judge/bottleneck/gather-run.js';
import { sayBottleneck } from '../../lib/text/bottleneck.js';
import { PRESSED } from '../analysis/bottleneck/runs-table.js';
import { makeLoad, makeRecorded, makeRunInfo, makeWaits } from '../analysis/facts.js';

/** Shares of 8 requests, each with its places. @param {[string, number, any[]][]} kinds @param {any} [more] of the waits @param {any} [calls] @param {any} [cpu] */
function find(kinds, more = {}, calls = null, cpu = {}) {
  const waits = makeWaits(Object.fromEntries(kinds), { slots: 16, busy: 8, fullest: 8 });
  for (const kind of waits.kinds) kind.where = kinds.find(([id]) => id === kind.id)?.[2] ?? [];
  const recorded = makeRecorded({ waits: { ...waits, ...more }, ...cpu });
  const parts = { run: makeRunInfo(), load: makeLoad(PRESSED), calls, ...recorded };
  const found = findBottleneck(gatherRunFacts(parts));
  return { ...found, ...sayBottleneck(found) };
}

const AT = { function: 'account', file: 'app.py', line: 24, call: 'Logger.info', share: 1 };
const CALL = { function: 'call', file: 'shop.py', line: null, call: null, as: null, share: 1 };
const HOLDERS = { of: 'lock', function: 'account', file: 'app.py', threads: 0.88 };
/** @param {string} id */
const doing = id => ({ holders: { ...HOLDERS, doing: { id, share: 1 } } });

test('a lock around writes to a full pipe is one wait, with its line, whatever else takes more', () => {
  const found = find(
    [
      ['external-call', 0.45, [CALL]],
      ['lock', 0.43, [{ ...AT, as: null }]],
      ['file', 0.11, [{ ...AT, as: 'pipe' }]],
      ['cpu', 0.01, []],
    ],
    doing('file'),
  );
  assert.deepEqual([found.id, found.component, found.orElse], ['lock', 'pipe', null]);
  assert.equal(found.name, 'writes to a full pipe or a slow file');
  assert.match(
    found.title,
    /^Requests wait for the other end of a pipe, or a file 54 % ± \d+ of their time, in account \(app\.py:24\), while .* would wait as well; one of them writes at a time, and the others wait for its lock\.$/,
  );
  assert.match(found.advice ?? '', /^The reader of the pipe, or the disk, is slower than/);
});

test('a lock that is held nearly all the time limits, also where requests wait longer for a service', () => {
  const shares = (/** @type {any[]} */ where) =>
    find(
      [
        ['external-call', 0.55, [CALL]],
        ['lock', 0.35, where],
        ['sleep', 0.1, [{ ...AT, as: null }]],
      ],
      doing('sleep'),
    );
  const found = shares([{ ...AT, as: null }]);
  assert.deepEqual([found.id, found.orElse], ['lock', null]);
  assert.match(
    found.title,
    /^Requests wait for locks 35 % .* in account \(app\.py:24\), .*; account \(app\.py\) holds it and sleeps\.$/,
  );
  const half = { ...AT, as: null, share: 0.5 };
  const two = shares([half, { ...half, function: 'order', line: 40 }]);
  assert.equal(two.id, 'external-call', 'of two locks, none may be held all the time');
});

/** @param {Record<string, any>} opened @param {any} [cpu] */
function ask(opened, cpu = {}) {
  const made = { kind: 'http', text: 'GET people:80/one', count: 500, ms: 100_000, meanMs: 200 };
  const place = { file: 'app.py', line: 19, function: 'ask' };
  const connect = { kind: 'connect', text: 'connect people:80', count: 500, ms: 0, meanMs: 0 };
  const statements = [
    { ...made, ...place },
    { ...connect, ...place, ...opened },
  ];
  const at = { ...place, call: 'requests.get', as: null, share: 1 };
  const kinds = /** @type {[string, number, any[]][]} */ ([
    ['external-call', 0.98, [at]],
    ['cpu', 0.02, []],
  ]);
  return find(kinds, {}, { statements }, cpu);
}

test('calls that open a connection each are advised to keep it first', () => {
  const found = ask({});
  assert.equal(found.id, 'external-call');
  assert.match(
    found.title,
    /: that is the bottleneck\. That includes 1\.0 new connections per call/,
  );
  assert.match(found.advice ?? '', /^Requests open connections: keep them open\./);
  for (const other of [{ count: 300 }, { line: 40 }, { file: 'other.py' }]) {
    const kept = ask(other);
    assert.doesNotMatch(kept.title, /new connections/);
    assert.match(kept.advice ?? '', /^Keep connections open, cache/);
  }
  assert.doesNotMatch(ask({ file: null, line: null }).title, /new connections/);
});

test('no gain to many times the rate is no figure', () => {
  const { fix, detail } = ask({}, { cores: [0.02, 0.02] });
  assert.equal(fix?.isVague, true, JSON.stringify(fix));
  assert.match(
    detail ?? '',
    /^What a fix brings is not known, from nothing to several times the rate: it depends on how many requests the service can serve at a time\.$/,
  );
});

test('from no gain to some times the rate has its figure', () => {
  const { fix, detail } = ask({}, { cores: [0.5, 0.5] });
  assert.equal(fix?.isVague, undefined);
  assert.match(
    detail ?? '',
    /would get at most \d+\/s instead of 20\/s; .* The gain may be none: it/,
  );
});

test('says the lock of a database also where the bottleneck is in doubt', () => {
  const statements = [
    { kind: 'sql', text: 'BEGIN IMMEDIATE', count: 400, ms: 100_000, meanMs: 250 },
  ];
  const say = (meanMs = 250, isBound = true) => {
    const found = find([['database', 0.6, []]], {}, { statements });
    const { facts } = found;
    for (const kind of facts.waits?.kinds ?? []) kind.isBound = isBound;
    const requestCpu = { cpuMs: 4, queuedMs: 288, responseMs: 439, isInside: true };
    const locking = facts.locking && { ...facts.locking, meanMs };
    const sayAs = (/** @type {any} */ id, /** @type {any} */ why) =>
      sayBottleneck({ ...found, id, facts: { ...facts, why, locking, requestCpu } }).title;
    return [sayAs('generator', null), sayAs('unknown', 'background-load'), sayAs('unknown', null)];
  };
  for (const title of say())
    assert.match(
      title,
      /100\.0 % of the time in statements is a wait of at most 250 ms for SQLite's/,
    );
  for (const title of say(250, false))
    assert.match(title, /is a wait of 250 ms for SQLite's write/);
  for (const title of say(10)) assert.doesNotMatch(title, /SQLite/);
});

test('names the longest wait where nothing is held: pauses after calls that a quota refuses', () => {
  const statements = [
    { kind: 'http', text: 'GET freight:80/quote: 429', count: 70, ms: 100, meanMs: 1 },
    { kind: 'http', text: 'GET freight:80/quote', count: 30, ms: 900, meanMs: 30 },
  ];
  const found = find(
    [
      ['sleep', 0.9, [{ ...CALL, line: 19 }]],
      ['external-call', 0.09, [CALL]],
      ['cpu', 0.01, []],
    ],
    {},
    { statements },
  );
  assert.equal(found.facts.why, 'refused');
  assert.match(found.title, /^Requests wait for a sleep to end 90 %/);
});

test('names the lock that holders of a pool wait for, and the wait for the pool in front of it', () => {
  const holders = { of: 'pool', function: 'account', file: 'app.py', threads: 2 };
  const found = find(
    [
      ['lock', 0.48, [CALL]],
      ['pool', 0.42, [CALL]],
      ['sleep', 0.1, [CALL]],
    ],
    { holders: { ...holders, doing: { id: 'lock', share: 1 } } },
  );
  assert.deepEqual([found.id, found.facts.why], ['lock', 'queued']);
  assert.match(
    found.title,
    /^Requests wait for locks 48 % .*, and in front of that for a free connection of a pool 42 % .*: the first is the bottleneck/,
  );
});

test('of two locks in a row, the title has the place of the one that is named, whatever takes longer', () => {
  const at = (/** @type {string} */ name, /** @type {number} */ line) => {
    return { ...CALL, function: name, file: 'app.py', line, call: 'acquire' };
  };
  const holders = { of: 'lock', function: 'fetch', file: 'app.py', threads: 1, waiting: 4.8 };
  const where = [
    { ...at('index', 15), share: 0.75 },
    { ...at('fetch', 11), share: 0.25 },
  ];
  const found = find(
    [
      ['lock', 0.8, where],
      ['external-call', 0.2, [CALL]],
    ],
    { holders: { ...holders, doing: { id: 'external-call', share: 1 } } },
  );
  assert.match(
    found.title,
    /^Requests wait for locks 20 % .*, in fetch \(app\.py:11\), and in front of that for locks 60 % .*, in index \(app\.py:15\),/,
  );
  assert.match(found.title, /; fetch \(app\.py\) holds it and calls another service\.$/);
});

test('without an idle core, cheaper requests come before more workers, also where threads share the GIL', () => {
  const found = find([['cpu', 1, []]]);
  const say = (/** @type {boolean} */ isMachineFull) =>
    sayBottleneck({ ...found, id: 'gil', facts: { ...found.facts, isMachineFull } }).advice ?? '';
  assert.match(say(true), /^Make requests cheaper/);
  assert.match(say(false), /^Add worker processes, not threads/);
});

test('a future is no lock, whatever requests do beside the wait for it', () => {
  const at = { function: 'print_label', file: 'app.py', line: 32, call: 'Future.result', share: 1 };
  const of = (/** @type {any} */ as) =>
    find([
      ['lock', 0.77, [{ ...at, as }]],
      ['external-call', 0.22, [CALL]],
      ['cpu', 0.01, []],
    ]);
  const found = of('future');
  assert.equal(found.id, 'consumer');
  assert.match(
    found.advice ?? '',
    /^Let more threads or processes do that work: .* behind a queue/,
  );
  assert.equal(of(null).id, 'lock');
});

test('a lock around a call is advised to be held for less, or to have more connections behind it', () => {
  const around = (/** @type {any} */ does) =>
    find(
      [
        ['lock', 0.85, [{ ...AT, as: null }]],
        [does, 0.14, [CALL]],
        ['cpu', 0.01, []],
      ],
      doing(does),
    ).advice ?? '';
  assert.match(around('external-call'), /^Make the call outside of the lock\..* a pool\.$/);
  assert.match(around('sleep'), /^Hold the lock for less of the work: what is done under it sets/);
  assert.doesNotMatch(around('sleep'), /copy/, 'a lock may protect a counter or a file');
});
