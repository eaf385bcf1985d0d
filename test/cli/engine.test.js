import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { serve } from '../helpers/listen.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SCRIPT = `
config:
  phases: [{ duration: 1, arrivalCount: 2 }]
scenarios:
  - flow: [{ get: { url: / } }]
`;

/** @param {import('node:test').TestContext} t @param {string} script */
function writeScript(t, script) {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'script.yaml'), script);
  return folder;
}

describe('the engine of `test`', () => {
  test('a threshold of `ensure` that failed is exit code 5, also from a file of --config', async t => {
    const target = await serve(t, (_, response) => response.end('ok'));
    const folder = writeScript(t, SCRIPT);
    writeFileSync(
      path.join(folder, 'strict.yaml'),
      'config: { plugins: { ensure: { thresholds: [{ http.requests: 1 }] } } }',
    );
    const args = ['test', 'script.yaml', '--target', target, '--workers', '1'];
    const good = await callLoadflame(folder, args);
    assert.equal(good.exit, 0, good.stderr);
    const failed = await callLoadflame(folder, [...args, '--config', 'strict.yaml']);
    assert.equal(failed.exit, 5, failed.stderr);
  });

  test('ends with exit code 5 if most arrivals are dropped, unless that share is allowed', async t => {
    const target = await serve(t, (_, response) => void setTimeout(() => response.end('ok'), 1500));
    const folder = writeScript(
      t,
      SCRIPT.replace('arrivalCount: 2', 'arrivalRate: 20, maxVusers: 2'),
    );
    const args = ['test', 'script.yaml', '--target', target, '--workers', '1'];
    const dropped = await callLoadflame(folder, args);
    assert.match(dropped.stdout, /✖ \d+ of \d+ arrivals were dropped/);
    assert.equal(dropped.exit, 5, dropped.stdout);
    const allowed = await callLoadflame(folder, args, { ALLOWED_FAILURES: '99%' });
    assert.match(allowed.stdout, /✖ \d+ of \d+ arrivals were dropped/);
    assert.equal(allowed.exit, 0, allowed.stdout);
  });

  test('names the first failure of failed users, not other or later ones', async t => {
    const seen = { '/refused': 0, '/draft': 0, '/draft/undefined': 0 };
    const statuses = { '/refused': 401, '/draft': 400, '/draft/undefined': 404 };
    const target = await serve(t, (request, response) => {
      const url = /** @type {keyof typeof seen} */ (request.url);
      if (url in seen) seen[url] += 1;
      response.statusCode = statuses[url] ?? 200;
      response.end('{}');
    });
    const folder = writeScript(
      t,
      `
config:
  phases: [{ duration: 1, arrivalCount: 24 }]
scenarios:
  - { name: other, flow: [{ loop: [{ get: { url: /refused } }], count: 9 }] }
  - name: draft
    flow:
      - post: { url: /draft }
      - loop: [{ delete: { url: /draft/undefined } }]
        count: 2
      - delete: { url: /draft/undefined, capture: { json: $.id, as: id } }
`,
    );
    await callLoadflame(folder, ['test', 'script.yaml', '--target', target, '--profiles', '.']);
    const [run = ''] = readdirSync(folder).filter(name => /^\d/.test(name));
    const { findings, load } = JSON.parse(
      readFileSync(path.join(folder, run, 'report.json'), 'utf8'),
    );
    const failed = findings.find((/** @type {{id: string}} */ { id }) => id === 'failed-users');
    assert.match(
      failed.text.title,
      new RegExp(`, most \\(${seen['/draft']}\\) with POST /draft 400\\.$`),
    );
    const codes = load.failures.kinds.map((/** @type {{code: string}} */ { code }) => code);
    assert.equal(codes.at(-1), '404', 'what follows from another failure comes last');
  });

  test('failed checks of `expect` lead the report, although their requests succeeded', async t => {
    const target = await serve(t, (_, response) => response.end('{}'));
    const expect = '[{ statusCode: 404 }, { notStatusCode: 500 }]';
    const folder = writeScript(
      t,
      `
config:
  phases: [{ duration: 1, arrivalCount: 24 }]
scenarios: [{ flow: [{ get: { url: /, expect: ${expect} } }] }]
`,
    );
    const args = ['test', 'script.yaml', '--target', target, '--profiles', '.'];
    const { stdout } = await callLoadflame(folder, args);
    assert.match(stdout, /^! 24 of 48 checks of `expect` failed\.$/m);
  });

  test('phases with users are not for Artillery, and the error says so', async t => {
    const folder = writeScript(t, SCRIPT.replace('arrivalCount', 'users'));
    const args = ['test', 'script.yaml', '--target', 'http://127.0.0.1:1', '--engine', 'artillery'];
    const { exit, stderr } = await callLoadflame(folder, args);
    assert.equal(exit, 2, stderr);
    assert.equal(readError(stderr).code, 'SCRIPT_USERS_ARTILLERY');
    assert.match(String(readError(stderr).message), /^script\.yaml:3:\d+: phases with `users`/);
  });

  test('an invalid engine or number of workers is wrong use', async t => {
    const folder = writeScript(t, SCRIPT);
    const engine = await callLoadflame(folder, ['test', 'script.yaml', '--engine', 'k6']);
    assert.equal(engine.exit, 2);
    assert.match(engine.stderr, /'k6' is invalid.*loadflame, artillery/);
    const workers = await callLoadflame(folder, ['test', 'script.yaml', '--workers', '0']);
    assert.equal(workers.exit, 2);
    assert.match(workers.stderr, /from 1 to 256/);
  });
});
