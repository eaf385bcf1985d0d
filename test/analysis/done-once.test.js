import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../../lib/analysis/judge/verdict/judge.js';
import { analyseProfile } from '../../lib/analysis/profile/analyse-profile.js';
import { describePath } from '../../lib/text/hot-path.js';
import { build, rules, TLS, VIEW } from './built-profiles.js';

test('work that each worker does once is not a cause per request', () => {
  const steady = [0, 1, 2, 3].flatMap(
    segment =>
      /** @type {[number, number, string[], number][]} */ ([
        [segment, 2, VIEW, 200],
        [segment, 3, VIEW, 200],
      ]),
  );
  const once = analyseProfile({
    profile: build([...steady, [0, 2, TLS, 20], [1, 3, TLS, 20]]),
    rules,
  });
  assert.deepEqual(once.causes, []);
  const always = analyseProfile({
    profile: build([
      ...steady,
      ...[0, 1, 2, 3].map(
        segment => /** @type {[number, number, string[], number]} */ ([segment, 2, TLS, 20]),
      ),
    ]),
    rules,
  });
  assert.deepEqual(
    always.causes.map(({ id }) => id),
    ['tls-context-per-request'],
  );
});

test('what only workers do that have just been started was done once', () => {
  const stretches = [0, 1, 2, 3];
  const steady = stretches.map(
    at => /** @type {[number, number, string[], number]} */ ([at, 2, VIEW, 200]),
  );
  const causesOf = (/** @type {[number, number, string[], number][]} */ rows) =>
    analyseProfile({ profile: build([...steady, ...rows]), rules }).causes.map(({ id }) => id);
  assert.deepEqual(causesOf([[3, 9, TLS, 40]]), []);
  // one that was there all the time does it, too
  const always = stretches.map(
    at => /** @type {[number, number, string[], number]} */ ([at, 2, TLS, 20]),
  );
  assert.deepEqual(causesOf([[3, 9, TLS, 40], ...always]), ['tls-context-per-request']);
});

test('the cost of a request does not include loading the application in a new worker', () => {
  const start = [
    'Worker.load_wsgi (gunicorn/workers/base.py:153)',
    '_find_and_load (<frozen importlib._bootstrap>:1176)',
    '<module> (pandas/__init__.py:3)',
  ];
  const { hotPaths, causes, cpu } = analyseProfile({
    profile: build([
      [0, 2, VIEW, 300],
      [1, 2, VIEW, 300],
      [0, 3, start, 700],
      [1, 3, start, 700],
    ]),
    rules,
    workersMs: 40_000,
    requests: 2000,
  });
  assert.deepEqual(causes, []);
  assert.deepEqual(
    hotPaths.map(({ category, flagged, ofRequest }) => [category, flagged, ofRequest?.cpuMs]),
    [
      ['startup', false, undefined],
      ['business', false, 20],
    ],
  );
  assert.equal(cpu.perRequest?.value, 20);
  assert.match(
    describePath(/** @type {any} */ (hotPaths[0])),
    /^Worker start-up in .* takes .*samples\./,
  );
  const run = /** @type {any} */ ({
    run: {},
    load: null,
    bottleneck: null,
    findings: [],
    whatIf: [],
  });
  const sure = hotPaths.map(path => ({ ...path, share: { ...path.share, low: path.share.value } }));
  const { points } = judge({
    ...run,
    profile: { hotPaths: sure, causes, samples: { active: 2000 } },
  });
  assert.deepEqual(
    points.map(point => point.id === 'hot-path' && point.facts.path.category),
    ['business'],
  );
});

test('work that continues from one short period into the next counts as done once', () => {
  const stretches = [0, 1, 2, 3, 4, 5];
  const causesIn = (/** @type {number[]} */ segments) =>
    analyseProfile({
      profile: build([
        ...stretches.map(
          at => /** @type {[number, number, string[], number]} */ ([at, 2, VIEW, 50]),
        ),
        ...segments.map(at => /** @type {[number, number, string[], number]} */ ([at, 2, TLS, 10])),
      ]),
      rules,
    }).causes.map(({ id }) => id);
  assert.deepEqual(causesIn([2, 3]), []);
  const few = [0, 1, 2, 3].map(
    at => /** @type {[number, number, string[], number]} */ ([at, 2, at % 3 ? TLS : VIEW, 50]),
  );
  assert.deepEqual(analyseProfile({ profile: build(few), rules }).causes, []);
  assert.deepEqual(causesIn([2, 4]), ['tls-context-per-request']);
  assert.deepEqual(causesIn(stretches), ['tls-context-per-request']);
});
