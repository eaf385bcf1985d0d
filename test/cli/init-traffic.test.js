import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readScenarioBlock } from '../../lib/experiment/preflight/scenario-block.js';
import { preparePlan } from '../../lib/load/generator/prepare-plan.js';
import { prepareScript } from '../../lib/load/prepare-script.js';
import { callLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const TARGET = 'http://127.0.0.1:8000';
const T0_MS = Date.UTC(2026, 10, 20, 14);

/** A line of gunicorn. @param {number} second @param {string} request @param {number} [status] */
function writeLine(second, request, status = 200, client = '10.0.0.1') {
  const [, day, month, year, time] = new Date(T0_MS + second * 1000).toUTCString().split(' ');
  return `${client} - - [${day}/${month}/${year}:${time} +0000] "${request} HTTP/1.1" ${status} 9 "-" "curl" 1200\n`;
}

/** @param {string} folder @param {string} name of the script */
const readScript = async (folder, name) => {
  const file = path.join(folder, 'scenarios', name);
  const { script } = prepareScript(file, { env: { TARGET } });
  return (await preparePlan(script, { file })).script;
};

test('init --log writes the mix, the arrivals and the addresses of a log', async t => {
  const folder = makeTempFolder(t);
  // 10 minutes with 60 requests each, then 10 with 120; of ten requests 5, 3, 1 and 1.
  const requests = ['GET /items/1', 'GET /items/2', 'GET /items/3', 'GET /items/4', 'GET /items/5'];
  requests.push('GET /items?page=1', 'GET /items?page=2', 'GET /items?page=3', 'GET /about');
  requests.push('POST /items');
  const lines = Array.from({ length: 1800 }, (_, at) => {
    const second = at < 600 ? at : 600 + (at - 600) / 2;
    return writeLine(second, requests[at % 10] ?? '', 200, `10.0.${at % 250}.${at % 7}`);
  });
  writeFileSync(path.join(folder, 'access.log.1.gz'), gzipSync(lines.slice(0, 900).join('')));
  writeFileSync(path.join(folder, 'access.log'), lines.slice(900).join(''));
  const args = ['init', '--log', 'access.log.1.gz', 'access.log'];
  const { exit, stdout, stderr } = await callLoadflame(folder, args);
  assert.equal(exit, 0, stderr);
  assert.match(stdout, /^left out 10\.0 %: could not decide .*: POST \/items 10\.0 %$/m);
  assert.match(stdout, /^next: loadflame test scenarios\/access\.yaml --target /m);
  const { config, scenarios } = await readScript(folder, 'access.yaml');
  assert.deepEqual(
    scenarios.map(({ name, weight }) => [name, weight]),
    [
      ['GET /items/:id', 5556],
      ['GET /items', 3333],
      ['GET /about', 1111],
    ],
  );
  assert.deepEqual(scenarios[2]?.flow, [{ get: { url: '/about' } }]);
  const phases = /** @type {any[]} */ (config.phases);
  assert.deepEqual(
    phases.map(({ duration, arrivalRate }) => [duration, Math.round(arrivalRate * 10)]),
    [
      [600, 9],
      [600, 18],
    ],
  );
  const { fields, data } = /** @type {any} */ (config.payload)[0];
  assert.equal(fields.length, 2);
  for (const [index, field] of fields.entries()) {
    const pattern = field.endsWith('items') ? /^\/items\?page=\d$/ : /^\/items\/\d$/;
    for (const row of data) assert.match(row[index], pattern);
  }
  for (const name of readdirSync(path.join(folder, 'scenarios')))
    assert.equal(statSync(path.join(folder, 'scenarios', name)).mode & 0o777, 0o600);

  const again = await callLoadflame(folder, args);
  assert.match(again.stdout, /^kept +scenarios\/access\.yaml \(exists already\)$/m);
});

test('init --log writes no secret, whatever a line holds, and a script that can be read', async t => {
  const folder = makeTempFolder(t);
  const secrets = [
    'hunter2hunter2',
    'ann@example.org',
    'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
    'Mozilla',
    '10.66.0.',
  ];
  const [password, email, key] = secrets;
  const lines = [
    `GET /a?password=${password}`,
    `GET /a?q=${email}`,
    `GET /a/${key}`,
    'GET /{{$env.HOME}}/x',
    'GET /a/b:[c,\\"d\\",#e',
    'GET /a/\\"quoted\',|>&*!%25@`',
    'GET /__proto__/constructor',
    'GET /%00%1b%5B2J',
    `GET /${'x'.repeat(40_000)}`,
    'GET /a?b={{$processEnvironment.HOME}}',
    'GET /a,b/-c:d',
  ].map((request, at) => writeLine(at, request, 200, `10.66.0.${at}`).replace('curl', 'Mozilla'));
  lines.push(
    '\u001b[2J\u0000\u0016\u0003 garbage\n',
    `login of ${email} failed\n`,
    '{"time": 1}\n',
  );
  writeFileSync(path.join(folder, 'my log.log'), lines.join(''));
  const { exit, stdout, stderr } = await callLoadflame(folder, ['init', '--log', 'my log.log']);
  assert.equal(exit, 0, stderr);
  assert.match(stdout, /^masked +the values of password/m);
  const { scenarios, config } = await readScript(folder, 'my-log.yaml');
  assert.ok(scenarios.length > 3);
  const written = ['my-log.yaml', 'my-log.csv'].map(name =>
    readFileSync(path.join(folder, 'scenarios', name), 'utf8'),
  );
  for (const secret of secrets) assert.ok(!`${written}${stdout}`.includes(secret), secret);
  const addresses = /** @type {any} */ (config.payload)[0].data.flat();
  const urls = scenarios.flatMap(({ flow }) => flow.flatMap(({ get }) => get?.url ?? []));
  for (const text of [...addresses, ...urls.filter(url => !/^\{\{ \w+ \}\}$/.test(url))])
    assert.match(text, /^\/[!-z|~]*$/);
});

test('init --log explains what is wrong with a log', async t => {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'empty.log'), '\n\n');
  writeFileSync(path.join(folder, 'app.log'), 'INFO started\nINFO token=abcdefgh12345 sent\n');
  writeFileSync(path.join(folder, 'post.log'), writeLine(0, 'POST /items'));
  writeFileSync(path.join(folder, 'torn.log.gz'), gzipSync('x'.repeat(1000)).subarray(0, 20));
  /** @type {[file: string, message: RegExp][]} */
  const cases = [
    ['missing.log', /^error: cannot read missing\.log: ENOENT$/m],
    ['empty.log', /^error: empty\.log has 0 lines, and only 0 of them/m],
    [
      'app.log',
      /has 2 lines, and only 0 of them can be read as requests of an access log; the first of the others is: INFO started$/m,
    ],
    ['post.log', /could not decide .*POST \/items 100\.0 %$/m],
    ['torn.log.gz', /^error: cannot read torn\.log\.gz: its gzip data is damaged/m],
  ];
  for (const [file, message] of cases) {
    const { exit, stderr } = await callLoadflame(folder, ['init', '--log', file]);
    assert.equal(exit, 2, stderr);
    assert.match(stderr, message);
  }
  assert.deepEqual(readdirSync(folder).includes('scenarios'), false);
});

test('init --har writes the flow of a session, with secrets as variables', async t => {
  const folder = makeTempFolder(t);
  const entry = (/** @type {string} */ path, more = {}, data = {}) => ({
    startedDateTime: '2026-11-20T14:00:00Z',
    time: 10,
    request: { method: 'GET', url: `http://localhost:8000${path}`, headers: [], ...more },
    response: {
      status: 200,
      headers: [],
      content: { mimeType: 'application/json', text: JSON.stringify(data) },
    },
  });
  const text = 'user=ann%40example.org&password=hunter2hunter2';
  const postData = { mimeType: 'application/x-www-form-urlencoded', text };
  const entries = [
    entry('/login', { method: 'POST', postData }, { token: 'a1b2c3d4e5' }),
    entry('/me', { headers: [{ name: 'Authorization', value: 'Bearer a1b2c3d4e5' }] }),
  ];
  writeFileSync(path.join(folder, 'My session.har'), JSON.stringify({ log: { entries } }));
  const { exit, stdout, stderr } = await callLoadflame(folder, ['init', '--har', 'My session.har']);
  assert.equal(exit, 0, stderr);
  assert.match(stdout, /^secret +set RECORDED_PASSWORD in envs\.sh/m);
  assert.match(stdout, /^next: loadflame test scenarios\/my-session\.yaml /m);
  const file = path.join(folder, 'scenarios/my-session.yaml');
  const written = readFileSync(file, 'utf8');
  for (const secret of ['hunter2', 'ann@', 'a1b2c3'])
    assert.ok(!`${written}${stdout}`.includes(secret));
  const { variables } = readScenarioBlock(file);
  assert.deepEqual(
    variables.map(({ name, secret }) => [name, secret]),
    [
      ['RECORDED_USER', true],
      ['RECORDED_PASSWORD', true],
    ],
  );
  const env = {
    TARGET,
    WARM_UP_DURATION: '1',
    RAMP_DURATION: '1',
    DURATION: '1',
    ARRIVAL_RATE: '1',
  };
  const prepared = prepareScript(file, { env: { ...env, MAX_VIRTUAL_USERS: '1' } });
  assert.deepEqual(prepared.scenarios, ['My session.har']);
  assert.equal(statSync(file).mode & 0o777, 0o600);

  writeFileSync(path.join(folder, 'other.har'), '{"log": {"entries": [{}]}}');
  writeFileSync(path.join(folder, 'none.har'), 'GET /');
  for (const [name, message] of [
    [
      'other.har',
      /^error: other\.har is no usable HTTP Archive: it has 1 entries, and 1 cannot be read: entry 1 has no request$/m,
    ],
    ['none.har', /^error: cannot read none\.har: /m],
    ['missing.har', /^error: cannot read missing\.har: ENOENT$/m],
  ]) {
    const failed = await callLoadflame(folder, ['init', '--har', `${name}`]);
    assert.equal(failed.exit, 2, failed.stderr);
    assert.match(failed.stderr, /** @type {RegExp} */ (message));
  }
});
