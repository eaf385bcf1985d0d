/** Errors of the command line, provoked by calling it: exit code, value, hint, and a clean stdout. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';
import { startFakeTarget } from '../helpers/fake-target.js';
import { findFreePort, waitUntil } from '../helpers/gunicorn.js';
import { serve } from '../helpers/listen.js';
import { callLoadflame, LOADFLAME, readError } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SCRIPT = path.resolve(import.meta.dirname, '../../scenarios/csr-http.yaml');

/**
 * @param {string} folder
 * @param {string[]} args
 * @param {{code: string, exit: number, message: RegExp, hint: RegExp}} wanted
 * @param {Record<string, string>} [env]
 */
async function assertError(folder, args, wanted, env) {
  const { exit, stdout, stderr } = await callLoadflame(folder, args, env);
  const { message, hint, code } = readError(stderr);
  assert.equal(code, wanted.code, stderr);
  assert.equal(exit, wanted.exit);
  assert.match(message ?? '', wanted.message);
  assert.match(hint ?? '', wanted.hint);
  assert.equal(stdout, '');
}

test('report without any run', async t => {
  const code = 'NO_RUNS';
  const wanted = { code, exit: 2, message: /in elsewhere\/ yet/, hint: /--profile/ };
  for (const command of ['report', 'open']) {
    await assertError(makeTempFolder(t), [command, '--profiles', 'elsewhere'], wanted);
  }
});

test('open for a run that has no profile', async t => {
  const code = 'NOTHING_TO_OPEN';
  const message = /^R\/profile\.speedscope\.json does not exist/;
  const wanted = { code, exit: 2, message, hint: /loadflame report R`; a run without a profile/ };
  await assertError(makeTempFolder(t), ['open', 'R'], wanted);
});

test('--find for a script without a phase to repeat', async t => {
  const folder = makeTempFolder(t);
  writeFileSync(
    path.join(folder, 'pause.yaml'),
    'config: {target: "http://127.0.0.1:9", phases: [{pause: 1}]}\nscenarios: [{flow: [{get: {url: /}}]}]',
  );
  const message = /^pause\.yaml has no phase with users or arrivals to repeat$/;
  const wanted = { code: 'LOAD_NOT_REPEATABLE', exit: 2, message, hint: /arrivalRate/ };
  await assertError(folder, ['test', 'pause.yaml', '--find', 'http.p95 < 400ms'], wanted);
});

test('test with an option that another one is missing for', async t => {
  const folder = makeTempFolder(t);
  writeFileSync(
    path.join(folder, 'a.yaml'),
    'config: {target: "http://127.0.0.1:9", phases: [{duration: 1, arrivalRate: 1}]}\nscenarios: [{flow: [{get: {url: /}}]}]',
  );
  for (const [option, other, ...values] of /** @type {[string, string, ...string[]][]} */ ([
    ['--continue', '--find', 'last'],
    ['--same-work', '--profile'],
    ['--scenario', '--once', 'a'],
  ])) {
    const message = new RegExp(`^${option} needs ${other}$`);
    const hint = new RegExp(`add ${other}, or remove ${option}`);
    const wanted = { code: 'OPTION_NEEDS', exit: 2, message, hint };
    await assertError(folder, ['test', 'a.yaml', option, ...values], wanted);
  }
});

test('report for a folder and a file together', async t => {
  const folder = makeTempFolder(t);
  mkdirSync(path.join(folder, 'R'));
  const wanted = {
    code: 'REPORT_MIXED',
    exit: 2,
    message: /^R is a run folder/,
    hint: /only loose files/,
  };
  await assertError(folder, ['report', 'R', 'a.raw'], wanted);
});

test("report for a file that only looks like Artillery's JSON", async t => {
  const folder = makeTempFolder(t);
  const half = '{"aggregate": {"counters": {"vusers.created": 3}, "rates": {}}, "intermediate": [';
  writeFileSync(path.join(folder, 'half.json'), half);
  const code = 'ARTILLERY_JSON_BROKEN';
  const wanted = { code, exit: 2, message: /^half\.json .*JSON/, hint: /artillery run --output/ };
  await assertError(folder, ['report', 'half.json'], wanted);
});

test('report for two load tests', async t => {
  const folder = makeTempFolder(t);
  const json = JSON.stringify({ aggregate: { counters: {}, rates: {} }, intermediate: [] });
  for (const name of ['a.json', 'b.json']) writeFileSync(path.join(folder, name), json);
  const code = 'REPORT_TWO_LOADS';
  const wanted = { code, exit: 2, message: /^b\.json is a second load test/, hint: /one JSON/ };
  await assertError(folder, ['report', 'a.json', 'b.json'], wanted);
});

test('options that have to be JSON objects', async t => {
  for (const [option, value] of [
    ['--variables', '{office: 7}'],
    ['--overrides', '[1]'],
  ]) {
    const message = new RegExp(`^${option} is not a JSON object: ${value?.replace('[', '\\[')}`);
    const wanted = { code: 'OPTION_NOT_JSON', exit: 2, message, hint: /single quotes/ };
    await assertError(makeTempFolder(t), ['test', SCRIPT, String(option), String(value)], wanted);
  }
});

test('a target that does not respond', async t => {
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const code = 'TARGET_UNREACHABLE';
  const wanted = { code, exit: 4, message: new RegExp(`^${url}.*ECONNREFUSED`), hint: /TARGET/ };
  await assertError(makeTempFolder(t), ['test', SCRIPT, '--target', url], wanted);
});

test('a target that refuses the token', async t => {
  for (const status of [401, 403]) {
    const url = await startFakeTarget(t, { '/api/v1/offices/': { status } });
    const message = new RegExp(`^${url}/api/v1/offices/ rejects .* ${status}`);
    const wanted = {
      code: 'TARGET_REFUSED',
      exit: 4,
      message,
      hint: /issuer string.*OIDC_AUDIENCE/,
    };
    await assertError(makeTempFolder(t), ['test', SCRIPT, '--target', url], wanted);
  }
});

test('an office, or a service, that the target does not have', async t => {
  const url = await startFakeTarget(t, {
    '/api/v1/offices/': { json: { offices: [{ office_id: 3 }, { office_id: 7 }] } },
    '/api/v1/services/?office_id=3': { json: { services: [{ service_id: 11 }] } },
  });
  const office = /^office 1 does not exist on this target; it has 3, 7$/;
  const wanted = { code: 'CHECK_VALUE_MISSING', exit: 2, message: office, hint: /OFFICE_ID/ };
  const args = ['test', SCRIPT, '--target', url];
  await assertError(makeTempFolder(t), args, wanted);
  const service = /^service 5 of office 3 does not exist on this target; it has 11$/;
  const env = { OFFICE_ID: '3', SERVICE_ID: '5' };
  const other = { code: 'CHECK_VALUE_MISSING', exit: 2, message: service, hint: /SERVICE_ID/ };
  await assertError(makeTempFolder(t), args, other, env);
});

test('Ctrl+C before anything is measured', async t => {
  let asked = false;
  const target = await serve(t, () => {
    asked = true;
  });
  const args = [LOADFLAME, 'test', SCRIPT, '--target', target];
  const running = execa(process.execPath, args, { cwd: makeTempFolder(t), reject: false });
  await waitUntil(() => asked, 'the first request');
  running.kill('SIGINT');
  const { exitCode, stdout, stderr } = await running;
  assert.equal(exitCode, 130);
  assert.equal(stdout, '');
  const { code, hint } = readError(stderr);
  assert.equal(code, 'INTERRUPTED');
  assert.ok(hint);
});

test('a setting of a flag that is not allowed', async t => {
  const message = /^PROFILE_RATE is "0" \(from flag\)/;
  const wanted = { code: 'SETTING_INVALID', exit: 2, message, hint: /from 1 to 500/ };
  await assertError(makeTempFolder(t), ['profile', '--profile-rate', '0'], wanted);
});

test('doctor reports everything that is missing and what to do, with exit code 3', async t => {
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const args = ['doctor', '--target', url];
  const { exit, stdout } = await callLoadflame(makeTempFolder(t), args, { PYSPY: '/no/py-spy' });
  assert.equal(exit, 3);
  assert.match(stdout, /^FAIL {2}target: .*ECONNREFUSED.*\n {6}→ check that the API is running/m);
  assert.match(stdout, /^FAIL {2}py-spy: .*\/no\/py-spy.*\n {6}→ /m);
  const json = await callLoadflame(makeTempFolder(t), [...args, '--json']);
  assert.equal(json.exit, 3);
  const target = JSON.parse(json.stdout).find((/** @type {any} */ item) => item.id === 'target');
  assert.equal(target.level, 'bad');
});

test('`--junit` holds the error of a command that ended before its run', async t => {
  const url = `http://127.0.0.1:${await findFreePort()}`;
  /** @type {[string[], number, RegExp][]} */
  const mistakes = [
    [['test', SCRIPT, '--target', url, '--junit', 'out.xml'], 4, /ECONNREFUSED/],
    [['test', 'none.yaml', '--junit=out.xml'], 2, /none\.yaml/],
    [['test', SCRIPT, '--junit', 'out.xml', '--no-such-option'], 2, /unknown option/],
    [['test', SCRIPT, '--junit', 'no-folder/out.xml'], 3, /^$/],
  ];
  for (const [args, wanted, message] of mistakes) {
    const folder = makeTempFolder(t);
    const { exit, stderr } = await callLoadflame(folder, args);
    assert.equal(exit, wanted, stderr);
    const file = path.join(folder, 'out.xml');
    const xml = existsSync(file) ? readFileSync(file, 'utf8') : '';
    assert.match(/<error message="([^"]*)"/.exec(xml)?.[1] ?? '', message);
    assert.equal(xml.includes('errors="1"'), xml !== '');
  }
});
