import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison } from '../../../lib/many/compare/build-comparison.js';
import { findDifferences, findWarnings } from '../../../lib/many/compare/comparability.js';
import { wordComparison } from '../../../lib/text/comparison.js';
import { alternate } from './variant-report.js';

/** @import { Report } from '../../../lib/facts/report.d.ts' */

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
  test(`runs that do not belong together: ${title}`, async () => {
    const sides = alternate(2);
    sides.after.forEach(change);
    const warnings = findWarnings(sides);
    assert.deepEqual(
      warnings.map(({ id }) => id),
      expected,
    );
    const worded = wordComparison(await buildComparison(sides.before, sides.after));
    for (const { text } of worded.warnings) assert.match(text, /^[A-Z1-9].*\.$/);
  });
}

test('settings and versions that differ between the sides are listed, ports and pids are not', () => {
  const sides = alternate(2);
  for (const { run } of sides.after) {
    run.versions.python = '3.14.1';
    run.settings = [
      { name: 'MAX_VIRTUAL_USERS', value: '40', source: 'flag' },
      { name: 'TARGET', value: 'http://127.0.0.1:1234', source: 'flag' },
      ...run.settings.filter(({ name }) => !['MAX_VIRTUAL_USERS', 'TARGET'].includes(name)),
    ];
  }
  assert.deepEqual(findDifferences(sides), [
    { name: 'MAX_VIRTUAL_USERS', before: '20', after: '40' },
    { name: 'python', before: '3.11.2', after: '3.14.1' },
  ]);
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
