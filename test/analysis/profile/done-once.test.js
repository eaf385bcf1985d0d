import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../../../lib/analysis/judge/verdict/judge.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { describeCpu } from '../../../lib/text/document/run-profile.js';
import { describeWaste } from '../../../lib/text/findings-code.js';
import { build, rules, TLS, VIEW } from '../built-profiles.js';

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

test('templates that are compiled for the first requests to several endpoints were compiled once', () => {
  const template = [...VIEW, 'compile_nodelist (django/template/base.py:200)'];
  const causesOf = (/** @type {string[]} */ stack, /** @type {number[]} */ ...segments) => {
    const rows = Array.from({ length: 9 }, (_, at) => [at, 2, VIEW, 200]);
    const own = segments.map(at => [at, 2, stack, 20]);
    const profile = build(/** @type {[number, number, string[], number][]} */ ([...rows, ...own]));
    return analyseProfile({ profile, rules }).causes.map(({ id }) => id);
  };
  assert.deepEqual(causesOf(template, 0, 1, 2), []);
  assert.deepEqual(causesOf(template, 0, 1, 2, 5), ['template-compilation']);
  assert.deepEqual(causesOf(template, 0, 1, 2, 3), [], 'a worker can need half of a run');
  assert.deepEqual(causesOf(template, 6, 7, 8), [], 'first requests can be late, too');
  // users may do at their start what nothing caches, such as a login
  assert.deepEqual(causesOf(TLS, 0, 1, 2), ['tls-context-per-request']);
});

test('a stretch with most samples of a worker does not put what it repeats into one half of its time', () => {
  const template = [...VIEW, 'compile_nodelist (django/template/base.py:200)'];
  const causesOf = (/** @type {number[]} */ ...own) => {
    const rows = [3, 421, 76].flatMap((all, at) => [
      [at, 2, VIEW, all - (own[at] ?? 0)],
      [at, 2, template, own[at] ?? 0],
    ]);
    const profile = build(/** @type {[number, number, string[], number][]} */ (rows));
    return analyseProfile({ profile, rules }).causes.map(({ id }) => id);
  };
  assert.deepEqual(causesOf(2, 141, 23), ['template-compilation']);
  assert.deepEqual(causesOf(2, 0, 0), []);
  assert.deepEqual(causesOf(0, 0, 23), []);
});

test('connections that a pool opens for the first requests are no cost per request', () => {
  const connect = [...VIEW, '_ConnectionRecord.__connect (sqlalchemy/pool/base.py:900)'];
  const causesOf = (/** @type {number[]} */ ...segments) => {
    const rows = Array.from({ length: 9 }, (_, at) => [at, 2, VIEW, 200]);
    const own = segments.map(at => [at, 2, connect, 20]);
    const profile = build(/** @type {[number, number, string[], number][]} */ ([...rows, ...own]));
    return analyseProfile({ profile, rules }).causes.map(({ id }) => id);
  };
  assert.deepEqual(causesOf(0, 1, 2), []);
  assert.deepEqual(causesOf(0, 2, 4, 6, 8), ['database-connection-per-request']);
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
  const run = /** @type {any} */ ({
    run: { settings: [] },
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

test('work in the only stretches with many samples is not known to be done once', () => {
  const causesOf = (/** @type {number[]} */ samples, /** @type {number[]} */ own) => {
    const rows = [
      ...samples.map((count, at) => /** @type {const} */ ([at, 2, VIEW, count])),
      ...own.map((count, at) => /** @type {const} */ ([at, 2, TLS, count])),
    ];
    const profile = build(rows.map(([at, pid, stack, count]) => [at, pid, [...stack], count]));
    return analyseProfile({ profile, rules }).causes.map(({ id }) => id);
  };
  // The load begins late in the first stretch and ends early in the last one.
  assert.deepEqual(causesOf([9, 120, 110, 2], [2, 60, 55, 0]), ['tls-context-per-request']);
  assert.deepEqual(causesOf([9, 120, 110, 100, 90, 2], [0, 60, 55, 0, 0, 0]), []);
});

test('with few requests, what first requests may have done is not said to be per request', () => {
  const rows = [0, 1, 2, 3, 4].map(
    at => /** @type {[number, number, string[], number]} */ ([at, 2, VIEW, 20]),
  );
  const endpoints = [0, 1, 2].map(at => ({
    ...{ name: `GET /${at}`, requests: 5, answers: 5, perWindow: [5] },
    ...{ serverMs: null, measured: null },
  }));
  const load = /** @type {any} */ ({ endpoints });
  const analyse = (/** @type {number[]} */ stretches, requests = 15) => {
    const own = stretches.map(
      at => /** @type {[number, number, string[], number]} */ ([at, 2, TLS, 30]),
    );
    const profile = build([...rows, ...own]);
    const { causes, hotPaths } = analyseProfile({
      profile,
      rules,
      load,
      requests,
      workersMs: 9000,
    });
    const [cause, path] = [causes[0], hotPaths.find(own => own.causes.length > 0)];
    assert.ok(cause && path);
    assert.equal(path.ofRequest === null, cause.mayBeOnce === true);
    return { severity: cause.severity, text: describeWaste(cause) };
  };
  const unknown = analyse([0, 2, 4]);
  assert.equal(unknown.severity, 'info');
  assert.match(
    unknown.text,
    /^TLS context, in `show` \(shop\/views\.py:3\): 47 % .*of few requests: later ones may not do so$/,
  );
  assert.doesNotMatch(unknown.text, /of every request|per request/);
  for (const seen of [analyse([0, 1, 2, 3, 4]), analyse([0, 2, 4], 600)]) {
    assert.notEqual(seen.severity, 'info');
    assert.match(
      seen.text,
      /^TLS context per request, in `show` \(shop\/views\.py:3\): .* of every request/,
    );
  }
});

test('imports have no cost per request, unless requests import all the time', () => {
  const load = [...VIEW, '_find_and_load (<frozen importlib._bootstrap>:1360)'];
  const costsOf = (/** @type {number[]} */ ...segments) => {
    const rows = Array.from({ length: 9 }, (_, at) => [at, 2, VIEW, 200]);
    const own = segments.map(at => [at, 2, load, 20]);
    const profile = build(/** @type {[number, number, string[], number][]} */ ([...rows, ...own]));
    const analysis = analyseProfile({ profile, rules, workersMs: 9000, requests: 900 });
    const category = analysis.categories.find(({ id }) => id === 'import');
    const path = analysis.hotPaths.find(own => own.category === 'import');
    return [category, path].map(part => part && part.cpuMsPerRequest !== null);
  };
  assert.deepEqual(costsOf(0, 1), [false, false]);
  assert.deepEqual(costsOf(0, 1, 2, 4, 6, 8), [true, true]);
});

test('what a module does while a request imports it is not done per request', () => {
  const module = [
    '_find_and_load (<frozen importlib._bootstrap>:1360)',
    '<module> (shop/late.py:3)',
  ];
  const idsOf = (/** @type {string[]} */ ...stack) => {
    const rows = Array.from({ length: 9 }, (_, at) => [at, 2, [...VIEW, ...stack], 200]);
    const profile = build(/** @type {any} */ (rows));
    return analyseProfile({ profile, rules }).causes.map(({ id }) => id);
  };
  const compile = 'compile (re/_compiler.py:743)';
  assert.deepEqual(idsOf(compile), ['regex-compilation']);
  assert.deepEqual(idsOf(...module, compile), idsOf(...module));
});

test('the table of categories says that workers import once', () => {
  const load = [...VIEW, '_find_and_load (<frozen importlib._bootstrap>:1360)'];
  const rows = Array.from({ length: 9 }, (_, at) => [at, 2, VIEW, 200]);
  const profile = build(/** @type {any} */ ([...rows, [0, 2, load, 90]]));
  const analysis = analyseProfile({ profile, rules, workersMs: 9000, requests: 900 });
  const document = describeCpu(/** @type {any} */ ({ profile: analysis, cpu: null, run: {} }));
  assert.match(JSON.stringify(document), /"text":"imports, once per worker"/);
});

test('a remark needs some of its share for sure', () => {
  const fields = [...VIEW, 'ListSerializer.to_representation (rest_framework/serializers.py:700)'];
  const remarks = (/** @type {number[]} */ ...own) => {
    const rows = [7, 36, 3].flatMap((others, at) => [
      [at, 2, VIEW, others],
      [at, 2, fields, own[at]],
    ]);
    const profile = build(/** @type {[number, number, string[], number][]} */ (rows));
    return analyseProfile({ profile, rules }).causes.map(({ id, share }) => [
      id,
      share.value > 0.2,
    ]);
  };
  assert.deepEqual(remarks(6, 3, 9), [], 'its interval begins at 1 %');
  assert.deepEqual(remarks(6, 30, 9), [['serializer-fields', true]]);
});
