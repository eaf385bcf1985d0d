/** Runs in which something failed say so, and every output says the same (test/fixtures/runs). */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { formatPercent } from '../../lib/base/format.js';
import { exitCode } from '../../lib/cli/exit-code.js';
import { concludeRun } from '../../lib/cli/gates.js';
import { NO_GATES } from '../../lib/cli/prepare-gates.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { wordReport } from '../../lib/text/index.js';
import { printRun, summarizeRun } from '../helpers/print-documents.js';
import { cloneRun, RECORDED } from '../helpers/recorded-runs.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/**
 * @typedef {object} Case
 * @property {number} exit
 * @property {RegExp} headline
 * @property {[failed: number, tried: number]} failed
 * @property {[failed: number, ended: number]} users
 * @property {string[]} tells ids of findings
 */

/** @type {Record<string, Case>} */
const CASES = {
  'users-fail': {
    exit: 6,
    headline:
      /^Not valid: 32 of 48 users failed, most \(17\) with POST \/api\/appointments\/draft 400 CONFLICT_APPOINTMENT: the slot is taken\.$/,
    failed: [32, 65],
    users: [32, 48],
    tells: ['invalid-load', 'failed-users', 'request-errors', 'idle-scenarios'],
  },
  'last-step-fails': {
    exit: 6,
    headline:
      /^Not valid: GET \/api\/appointments\/undefined\/ never succeeded \(36 of 36 failed\): 404 no appointment\.$/,
    failed: [36, 144],
    users: [0, 36],
    tells: ['invalid-load', 'request-errors'],
  },
  'refused-by-audience': {
    exit: 6,
    headline:
      /GET \/api\/private\/ never succeeded .*: 401 wrong audience: expected api, got web; WWW-Authenticate: invalid_token: The audience is wrong\.$/,
    failed: [41, 185],
    users: [0, 48],
    tells: ['invalid-load', 'token-trouble'],
  },
  'emits-unanswered': {
    exit: 5,
    headline:
      /^24 socket\.io emits, and not one event came back: the log has 24 × .*joinRoom: no cookie/,
    failed: [24, 48],
    users: [0, 24],
    tells: ['unanswered-emits', 'request-errors'],
  },
  'hook-holds-generator': {
    exit: 0,
    headline:
      /^Doubtful: the load generator was starved of CPU: worker 1 had work 92\.6 % of the time, but ran on a core only/,
    failed: [0, 27],
    users: [0, 27],
    tells: ['generator-limit'],
  },
  'worker-stopped': {
    exit: 0,
    headline:
      /^The target gave no response for 5 s or more, 7\.2 s after the start, while 4 requests waited: p99 is 6,187 ms, and 273 ms without it\.$/,
    failed: [0, 239],
    users: [0, 239],
    tells: ['stall'],
  },
};

const io = /** @type {any} */ ({ env: {}, stdout: { write() {} }, stderr: { write() {} } });

test('every recorded run is expected to say something', () => {
  assert.deepEqual(RECORDED.toSorted(), Object.keys(CASES).toSorted());
});

for (const [name, expected] of Object.entries(CASES))
  test(`${name}: headline, exit code and all outputs agree`, async t => {
    const folder = cloneRun(t, name);
    const report = wordReport((await analyseRun(folder)).report);
    const { failures } = report.load ?? {};
    assert.ok(failures);
    assert.match(report.verdict.text.headline, expected.headline);
    assert.deepEqual([failures.failed, failures.tried], expected.failed);
    assert.deepEqual([failures.users.failed, failures.users.ended], expected.users);
    const ids = report.findings.map(({ id }) => id);
    for (const id of expected.tells) assert.ok(ids.includes(/** @type {any} */ (id)), id);

    const junit = path.join(makeTempFolder(t), 'junit.xml');
    const gates = { ...NO_GATES, junit };
    const ending = await concludeRun(gates, { report, files: runFiles(folder), io });
    assert.equal(exitCode(ending), expected.exit);
    const xml = readFileSync(junit, 'utf8');
    assert.equal(/<error /.test(xml), expected.exit === 6);
    assert.equal(/<failure /.test(xml), expected.failed[0] > 0);

    const share = formatPercent(failures.share);
    const terminal = printRun(report);
    assert.match(terminal, new RegExp(`^  Failed +${share.replace('.', '\\.')} \\(`, 'm'));
    const said = failures.share > 0 ? `${share} failed` : 'none failed';
    if (!/^Not valid/.test(report.verdict.text.headline) || failures.share > 0)
      assert.ok(summarizeRun(report).includes(said));
    assert.equal(/none failed/.test(terminal), expected.failed[0] + expected.users[0] === 0);
    assert.equal(/responded to everything/.test(terminal), false);
  });

test('more failures than 1 % are exit code 5, and ALLOWED_FAILURES says another share', async t => {
  const conclude = async (/** @type {string} */ allowed) => {
    const folder = cloneRun(t, 'emits-unanswered');
    const file = path.join(folder, 'run.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    manifest.settings = [{ name: 'ALLOWED_FAILURES', value: allowed, source: 'flag' }];
    writeFileSync(file, JSON.stringify(manifest));
    const report = wordReport((await analyseRun(folder)).report);
    return exitCode(await concludeRun(NO_GATES, { report, files: runFiles(folder), io }));
  };
  assert.equal(await conclude('49%'), 5);
  assert.equal(await conclude('50%'), 0);
});

test('limits of errors or of users in a thresholds file replace those of ALLOWED_FAILURES', async t => {
  const limit = { category: null, isRegression: false, operator: '<', limit: 0.05, unit: 'share' };
  /** @param {string} name of a run @param {string} metric */
  const conclude = async (name, metric) => {
    const folder = cloneRun(t, name);
    const report = wordReport((await analyseRun(folder)).report);
    const threshold = { expression: `${metric} < 5%`, place: 't.yaml:1', endpoint: null };
    const thresholds = /** @type {any} */ ([{ ...threshold, ...limit, metric }]);
    const gates = { ...NO_GATES, thresholds };
    return exitCode(await concludeRun(gates, { report, files: runFiles(folder), io }));
  };
  // No user failed, and nothing that was emitted was answered.
  assert.equal(await conclude('emits-unanswered', 'errors'), 0);
  assert.equal(await conclude('emits-unanswered', 'users.failed'), 5);
});
