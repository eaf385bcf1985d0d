import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFinding } from '../../lib/text/findings.js';
import { describeWaste } from '../../lib/text/findings-code.js';
import { describePath, describePlaces } from '../../lib/text/hot-path.js';
import { listEvidence } from '../../lib/text/say.js';

/** @type {import('../../lib/run/facts/profile-report.d.ts').HotPath} */
const facts = {
  category: 'auth',
  label: 'auth',
  plural: false,
  share: { value: 0.4, low: 0.38, high: 0.42 },
  cpuMsPerRequest: null,
  entry: { function: 'validate_token', file: 'flask_oidc/__init__.py', line: null },
  caller: null,
  flagged: true,
  ofRequest: { cpuMs: 9.5, isUpperBound: false },
  causes: [],
  heaviest: [],
  reasons: [
    {
      share: 0.185,
      phrase: 'builds a TLS context per request',
      fix: 'reuse one client',
      at: '_build_ssl_context (httplib2/__init__.py)',
    },
  ],
};

test('a flagged path has its cost, its cause and advice', () => {
  assert.equal(
    describePath(facts),
    'Auth in `validate_token` (flask_oidc/__init__.py) takes 40 % ± 2 of the CPU (3.8 of 9.5 ms per request); about 45 % of it builds a TLS context per request, in `_build_ssl_context` (httplib2/__init__.py): reuse one client.',
  );
});

test('without CPU time of processes the figures per request are an upper bound', () => {
  assert.match(
    describePath({ ...facts, ofRequest: { cpuMs: 9.5, isUpperBound: true } }),
    /\(at most 3\.8 of 9\.5 ms per request\)/,
  );
});

test('a profile that was imported alone claims no figures per request', () => {
  assert.match(describePath({ ...facts, ofRequest: null }), / takes 40 % ± 2 of the CPU samples; /);
});

test('a call of C code has no file', () => {
  const reasons = facts.reasons.map(reason => {
    return { ...reason, at: 'execute (<C code in a loop>)' };
  });
  const entry = { function: 'fetchall', file: '<C code in a loop>', line: null };
  const sentence = describePath({ ...facts, entry, reasons });
  assert.match(
    sentence,
    /^Auth in `fetchall` \(C code\) takes .* per request, in `execute` \(C code\): reuse/,
  );
});

test('a path without a known cause names the line that most of it is spent in', () => {
  const call = { name: null, part: 0.62, file: 'a.py', line: 7 };
  const sentence = describePath({ ...facts, causes: [], reasons: [], call });
  assert.match(sentence, / ms per request\); about 60 % of it at a\.py:7\.$/);
});

test('a path without a known cause names its caller', () => {
  const sentence = describePath({
    ...facts,
    share: { value: 0.02, low: 0.015, high: 0.025 },
    reasons: [],
    caller: { function: 'get', file: 'a.py', line: 12 },
  });
  assert.equal(
    sentence,
    'Auth in `validate_token` (flask_oidc/__init__.py) takes 2.0 % ± 0.5 of the CPU (0.2 of 9.5 ms per request). It is called mostly from `get` (a.py:12).',
  );
});

test('a cause that is a small part of the path gets no clause', () => {
  const reasons = facts.reasons.map(reason => ({ ...reason, share: 0.03 }));
  assert.doesNotMatch(describePath({ ...facts, reasons }), /TLS/);
});

test('labels in the plural take a verb in the plural', () => {
  assert.match(
    describePath({ ...facts, label: 'templates', plural: true }),
    /^Templates in .* take 40 %/,
  );
});

test('a cause has its share and cost, and what was counted at its places', () => {
  const share = { value: 0.2, low: 0.18, high: 0.22 };
  const cost = { value: 4, low: null, high: null };
  const cause = { title: 'a model built for each request', share, cpuMsPerRequest: cost };
  assert.equal(
    describeWaste(/** @type {any} */ (cause)),
    'a model built for each request: 20 % ± 2 of the CPU, 4.0 ms of every request',
  );
  const at = (/** @type {number} */ line, /** @type {number} */ part, name = 'as_dict') => {
    return { function: name, file: 'app.py', line, view: null, share: part };
  };
  const titleAt = (/** @type {any[]} */ ...places) =>
    describeWaste(/** @type {any} */ ({ ...cause, places }))
      .split(':', 2)
      .join(':');
  assert.match(titleAt(at(33, 0.6)), /, in `as_dict` \(app\.py:33\)$/);
  assert.match(
    titleAt(at(33, 0.4), at(34, 0.3), at(34, 0.2)),
    /, in `as_dict` \(app\.py:33, 34\)$/,
  );
  assert.doesNotMatch(titleAt(at(33, 0.4), at(50, 0.4, 'other')), /as_dict/);
  const acts = [
    { kind: 'compile', perRequest: 2 },
    { kind: 'import', text: 'import dask', perRequest: 1 },
  ];
  assert.deepEqual(listEvidence(describePlaces(/** @type {any} */ ({ acts }))), [
    { label: 'compiles code', value: '2.0 per request, counted' },
    { label: 'imports a module', value: '1.0 per request, counted: import dask' },
  ]);
});

test('a waste names the line that has most of it, unless another cause has that line', () => {
  const share = { value: 0.2, low: 0.18, high: 0.22 };
  const at = { function: 'pay', file: 'shop.py', line: 12, view: null };
  const describe = (/** @type {number} */ part, /** @type {string | null} */ partOf = null) => {
    const places = [{ ...at, share: part }];
    const cause = {
      title: 'TLS context per request',
      share,
      cpuMsPerRequest: null,
      places,
      partOf,
    };
    return describeWaste(/** @type {any} */ (cause));
  };
  assert.equal(
    describe(0.8),
    'TLS context per request, in `pay` (shop.py:12): 20 % ± 2 of the CPU',
  );
  assert.equal(describe(0.4), 'TLS context per request: 20 % ± 2 of the CPU');
  assert.equal(describe(0.8, 'client'), 'TLS context per request: 20 % ± 2 of the CPU');
});

test('a path of the application without a cause says how to find repeated work', () => {
  const adviceOf = (/** @type {string} */ category) =>
    describeFinding(
      /** @type {any} */ ({ id: 'hot-path', facts: { path: { ...facts, category } } }),
    ).advice;
  assert.match(`${adviceOf('business')}`, /`--same-work` shows whether/);
  assert.equal(adviceOf('server'), null);
});
