import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison } from '../../../lib/experiment/compare/build-comparison.js';
import {
  countPackages,
  findDifferences,
  findWarnings,
} from '../../../lib/experiment/compare/comparability.js';
import { alternate } from './variant-report.js';

/** @import { Report } from '../../../lib/run/facts/report.d.ts' */

/** What is changed in the reports of the side after → the ids of the warnings. @type {[string, (report: Report) => void, string[]][]} */
const CASES = [
  ['nothing', () => {}, []],
  [
    'another script',
    ({ run }) => Object.assign(run, { script: { name: 'x.yaml', sha256: 'ab'.repeat(32) } }),
    ['other-script'],
  ],
  ['another load', ({ load }) => load?.phases.pop(), ['other-load']],
  [
    'another engine',
    ({ load }) => Object.assign(load ?? {}, { engine: 'artillery' }),
    ['other-engine'],
  ],
  ['no profile', ({ run }) => Object.assign(run, { kind: 'load' }), ['other-kind']],
  [
    'more samples a second',
    ({ profile }) => Object.assign(profile ?? {}, { rateHz: 10 }),
    ['other-rate'],
  ],
  [
    'samples taken with pauses',
    ({ profile }) => Object.assign(profile?.profiler ?? {}, { pausesTarget: true }),
    ['other-sampling'],
  ],
  [
    'names for C code',
    ({ profile }) => Object.assign(profile ?? {}, { unreadShare: 0 }),
    ['other-names'],
  ],
  [
    'without the companion',
    ({ costs }) => {
      const isMeasured = !costs?.endpoints.some(endpoint => endpoint.isMeasured);
      for (const endpoint of costs?.endpoints ?? []) Object.assign(endpoint, { isMeasured });
    },
    ['other-costs'],
  ],
  ['without stacks', report => Object.assign(report, { profile: null }), ['other-kind']],
  ['a worker less', ({ cpu }) => cpu?.workers.pop(), ['other-workers']],
  [
    'another machine',
    ({ run }) => Object.assign(run.host ?? {}, { cpuModel: 'other' }),
    ['other-host'],
  ],
  ['ended early', ({ run }) => Object.assign(run, { status: 'partial' }), ['partial-runs']],
  [
    'half as long',
    ({ load }) => load && Object.assign(load.window, { endMs: load.window.endMs - 40_000 }),
    ['other-length'],
  ],
  [
    'made later',
    ({ run }) => Object.assign(run, { startedAtMs: (run.startedAtMs ?? 0) + 1e7 }),
    ['not-alternated'],
  ],
];

for (const [title, change, expected] of CASES) {
  test(`runs that do not belong together: ${title}`, () => {
    const sides = alternate(2);
    sides.after.forEach(change);
    const warnings = findWarnings(sides);
    assert.deepEqual(
      warnings.map(({ id }) => id),
      expected,
    );
  });
}

test('packages, versions, kernel and settings that differ are listed, ports and pids are not', () => {
  const sides = alternate(2);
  for (const { run } of [...sides.before, ...sides.after])
    run.packages = { flask: '3.0.0', sqlalchemy: '2.0.30' };
  for (const { run } of sides.after) {
    run.versions.python = '3.14.1';
    run.packages = { flask: '3.0.0', sqlalchemy: '2.0.31' };
    Object.assign(run.host ?? {}, { kernel: '6.9' });
    run.settings = [
      { name: 'MAX_VIRTUAL_USERS', value: '40', source: 'flag' },
      { name: 'TARGET', value: 'http://127.0.0.1:1234', source: 'flag' },
      ...run.settings.filter(({ name }) => !['MAX_VIRTUAL_USERS', 'TARGET'].includes(name)),
    ];
  }
  assert.deepEqual(findDifferences(sides), [
    { of: 'package', name: 'sqlalchemy', before: '2.0.30', after: '2.0.31' },
    { of: 'program', name: 'python', before: '3.11.2', after: '3.14.1' },
    { of: 'machine', name: 'kernel', before: '–', after: '6.9' },
    { of: 'setting', name: 'MAX_VIRTUAL_USERS', before: '20', after: '40' },
  ]);
  assert.equal(countPackages(sides), 2);
  delete sides.after[0]?.run.packages;
  assert.equal(countPackages(sides), null);
  assert.ok(findDifferences(sides).every(({ of }) => of !== 'package'));
});

test('CPU time of an endpoint from samples is not compared with measured CPU time', async () => {
  const measured = async (/** @type {boolean} */ isMeasured) => {
    const sides = alternate(2);
    for (const { costs } of sides.after)
      for (const endpoint of costs?.endpoints ?? [])
        if (isMeasured) endpoint.isMeasured = !endpoint.isMeasured;
    const { changes } = await buildComparison(sides.before, sides.after);
    return changes.filter(
      ({ scope, measure }) => scope === 'endpoint' && measure === 'cpuMsPerRequest',
    ).length;
  };
  assert.ok((await measured(false)) > 0);
  assert.equal(await measured(true), 0);
});

test('rows of paths that are part of a row by route are neither gone nor new', () => {
  const hostile = 'GET /weather/<img src=x>\u001b[31m`|';
  const sides = alternate(2);
  const rename = (/** @type {Report[]} */ runs, /** @type {string[]} */ names) => {
    for (const { load } of runs)
      for (const [at, name] of names.entries()) Object.assign(load?.endpoints[at] ?? {}, { name });
  };
  rename(sides.before, ['GET /weather/oslo', 'GET /weather/rome', hostile]);
  rename(sides.after, ['GET /weather/:weather', 'GET /a', 'GET /b']);
  const found = (/** @type {typeof sides} */ of) =>
    findWarnings(of).filter(({ id }) => id === 'other-rows');
  const paths = ['GET /weather/oslo', 'GET /weather/rome', hostile];
  const facts = { row: 'GET /weather/:weather', paths, isAfter: true };
  assert.deepEqual(found(sides), [{ id: 'other-rows', severity: 'warn', facts }]);
  const [back] = found({ before: sides.after, after: sides.before });
  assert.deepEqual(back?.facts, { ...facts, isAfter: false });
});
