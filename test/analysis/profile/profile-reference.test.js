import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { readProfile } from '../../../lib/analysis/stacks/read-profile.js';

const REFERENCE = join(
  import.meta.dirname,
  '../../../../shared/reference/queue-management-2020.svg',
);

describe('the flamegraph of 2020 that people read by hand', {
  skip: existsSync(REFERENCE) ? false : 'the reference flamegraph is not here',
}, () => {
  /** @type {import('../../../lib/analysis/profile/analyse-profile.js').ProfileAnalysis} */
  let analysis;
  before(async () => {
    analysis = analyseProfile({ profile: await readProfile(REFERENCE), rules: await loadRules() });
  });
  /** In percent, to two digits. @param {string} id */
  const category = id => percent(analysis.categories.find(item => item.id === id)?.share.value);
  /** @param {string} id */
  const cause = id => percent(analysis.causes.find(item => item.id === id)?.share.value);
  const percent = (/** @type {number | undefined} */ share) =>
    Math.round((share ?? Number.NaN) * 10_000) / 100;

  // the base is all 6,496 samples of the picture: a file tells neither roles nor waiting
  test('has 6,496 samples, all of them in the base', () => {
    assert.deepEqual(analysis.samples, {
      recorded: 6496,
      inWindow: 6496,
      active: 6496,
      waiting: 0,
      waitingForCore: 0,
      failedShare: 0,
      unseenShare: 0,
      skew: 1,
      master: 0,
    });
  });

  test('spends 40.76 % on auth, without the views that pass through its decorators', () => {
    assert.equal(category('auth'), 40.76);
  });

  test('shows what auth does: a TLS context per request 18.41 %, name look-up 6.63 %, handshake 2.54 %', () => {
    assert.equal(cause('tls-context-per-request'), 18.41);
    assert.equal(cause('name-lookup-per-request'), 6.63);
    assert.equal(cause('tls-handshake-per-request'), 2.54);
    assert.equal(cause('remote-introspection'), 36.53);
  });

  test('spends 10 % on JSON, by the slow encoder', () => {
    assert.equal(category('serialization'), 10.02);
    assert.equal(cause('pure-python-json'), 9.85);
  });

  test('holds 7.4 % of development tools, and says so with a warning', () => {
    assert.equal(category('dev-tools'), 7.4);
    assert.equal(cause('auto-reloader'), 4.48);
    assert.equal(cause('debugger-attached'), 2.92);
    for (const id of ['auto-reloader', 'debugger-attached'])
      assert.equal(analysis.causes.find(item => item.id === id)?.severity, 'warn');
    assert.ok(analysis.hotPaths.some(path => path.category === 'dev-tools' && path.flagged));
  });

  test('has categories that sum to 100 %, with nearly nothing left over', () => {
    const sum = analysis.categories.reduce((total, { share }) => total + share.value, 0);
    assert.ok(Math.abs(sum - 1) < 1e-12, `${sum}`);
    assert.ok(category('unknown') < 1.1);
  });

  test('has views that cost, with what they call, about 28 %', () => {
    assert.ok(
      Math.abs(category('business') + category('database') + category('schema') - 28.67) < 0.01,
    );
  });

  test('has a path that names the fix', () => {
    const [path] = analysis.hotPaths;
    const [reason] = path?.reasons ?? [];
    assert.deepEqual([path?.category, path?.entry.function], ['auth', 'validate_token']);
    assert.deepEqual(
      [path?.share.value.toFixed(4), reason?.share.toFixed(4), reason?.at, reason?.fix],
      ['0.3675', '0.1841', '_build_ssl_context (httplib2/__init__.py)', 'reuse one client'],
    );
  });
});
