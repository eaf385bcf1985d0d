import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readScript } from '../../lib/load/script/read-script.js';
import { serve } from '../helpers/listen.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('an address is a script: N users request only that address', async t => {
  const target = await serve(t, (_, response) => void setTimeout(() => response.end('ok'), 20));
  const folder = makeTempFolder(t);
  const args = ['test', `${target}/items?page=2`, '--users', '2', '--duration', '1s'];
  const run = await callLoadflame(folder, args, { TARGET: 'http://127.0.0.1:1' });
  assert.equal(run.exit, 0, run.stderr);
  const place = path.dirname(/^report: (.*)$/m.exec(run.stdout)?.[1] ?? '');
  const report = JSON.parse(readFileSync(path.join(folder, place, 'report.json'), 'utf8'));
  assert.equal(report.run.target, target);
  assert.deepEqual(
    report.load.endpoints.map((/** @type {{name: string}} */ { name }) => name),
    ['GET /items'],
  );
  assert.deepEqual(
    report.load.phases.map((/** @type {{name: string}} */ { name }) => name),
    ['users'],
  );
  // The advice is the command that was typed, and what is missing in it.
  const again = `loadflame test '${target}/items?page=2' --users 2 --duration 1s`;
  assert.equal(report.run.command, again);
  assert.match(
    run.stdout.replace(/\s+/g, ' '),
    /type: loadflame test '.*' .*--duration 1s --profile/,
  );
});

test('--header takes a secret from the environment, and keeps it out of all files', async t => {
  /** @type {Set<string>} */
  const asked = new Set();
  const target = await serve(t, ({ headers, url }, response) => {
    // Whether the target responds at all is asked without credentials.
    if (url === '/items')
      asked.add(`${headers['x-api-key']} ${headers.authorization} ${headers.cookie}`);
    response.statusCode = headers['x-api-key'] === 'k3y-of-the-shop' ? 200 : 401;
    setTimeout(() => response.end(JSON.stringify(headers)), 20);
  });
  const folder = makeTempFolder(t);
  const header = ['--header', 'X-Api-Key: $SHOP_KEY'];
  const more = ['--header', 'Authorization: Bearer 5tatic-t0ken', '--header', 'Cookie: sid=$SID'];
  const args = ['test', `${target}/items`, '--users', '1', '--duration', '1s', ...header];
  const env = { SHOP_KEY: 'k3y-of-the-shop', SID: 'c00kie-of-one' };
  const run = await callLoadflame(folder, [...args, ...more], env);
  assert.equal(run.exit, 0, run.stderr);
  assert.deepEqual([...asked], ['k3y-of-the-shop Bearer 5tatic-t0ken sid=c00kie-of-one']);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
  for (const text of [run.stdout, run.stderr, ...files])
    for (const secret of [...Object.values(env), '5tatic-t0ken'])
      assert.ok(!text.includes(secret), `${secret} in ${text.slice(0, 200)}`);
  assert.match(files.join('\n'), /--header 'X-Api-Key: \$SHOP_KEY'/);

  const without = await callLoadflame(folder, args);
  assert.equal(without.exit, 2);
  assert.match(readError(without.stderr).message ?? '', /SHOP_KEY/);
  const refused = await callLoadflame(folder, args, { SHOP_KEY: 'another-key-1' });
  assert.equal(refused.exit, 4, refused.stderr);
});

test('an address with a password is refused: it would be in every report', async t => {
  const run = await callLoadflame(makeTempFolder(t), ['test', 'http://a:secret@127.0.0.1:1/']);
  assert.equal(run.exit, 2);
  assert.equal(readError(run.stderr).code, 'SETTING_INVALID');
});

test('init --url writes the readable requests of an API as a script that runs', async t => {
  /** @param {string} name @param {object} rest */
  const query = (name, rest) => ({ name, in: 'query', required: true, ...rest });
  const paths = {
    '/items': { get: {} },
    '/items/{id}': { get: { parameters: [{ name: 'id', in: 'path', required: true }] } },
    '/rates/{c}': { get: {}, parameters: [{ name: 'c', in: 'path', schema: { enum: ['usd'] } }] },
    '/find': { get: { parameters: [query('q', { example: 'a b' })] } },
    '/report': { get: { parameters: [query('day', {})] } },
    '/orders': { post: {} },
    '/leak/{{ $env.HOME }}': { get: {} },
  };
  /** @type {string[]} */
  const asked = [];
  const target = await serve(t, (request, response) => {
    asked.push(request.url ?? '');
    const api = { openapi: '3.1.0', info: { title: 'Shop API' }, servers: [{ url: '/v1' }], paths };
    if (request.url === '/openapi.json') response.end(JSON.stringify(api));
    else response.end('{}');
  });
  const folder = makeTempFolder(t);
  const made = await callLoadflame(folder, ['init', '--url', target]);
  assert.equal(made.exit, 0, made.stderr);
  assert.match(made.stdout, /wrote {4}scenarios\/shop-api\.yaml[\s\S]*loadflame test scenarios/);
  const file = path.join(folder, 'scenarios', 'shop-api.yaml');
  const { script } = readScript(file);
  assert.equal(script.config.target, target);
  const urls = script.scenarios.flatMap(({ flow }) => flow).flatMap(({ get }) => get?.url ?? []);
  assert.deepEqual(urls, ['/v1/items', '/v1/rates/usd', '/v1/find?q=a%20b']);
  assert.match(readFileSync(file, 'utf8'), /# - get: \{ url: "\/v1\/items\/\{id\}" \}/);
  assert.match(readFileSync(file, 'utf8'), /# - get: \{ url: "\/v1\/report\?day=\{day\}" \}/);
  // What is there is somebody's work.
  // A script that names its target needs no setting.
  const alone = await callLoadflame(folder, ['doctor', 'scenarios/shop-api.yaml']);
  assert.match(alone.stdout, new RegExp(`ok {4}target: ${target} responds`));
  const again = await callLoadflame(folder, ['init', '--url', target]);
  assert.match(again.stdout, /kept {5}scenarios\/shop-api\.yaml/);
  asked.length = 0;
  await callLoadflame(folder, ['doctor', 'scenarios/shop-api.yaml']);
  assert.match(alone.stdout, /ok {4}scenarios\/shop-api\.yaml: .*\/v1\/items: status 200/);
  assert.ok(asked.includes('/v1/items'));

  const other = await serve(t, (_, response) => response.writeHead(404).end('no'));
  await callLoadflame(folder, ['init', '--url', `${other}/items?page=1`]);
  const name = `scenarios/${other.slice('http://'.length).replace(/[.:]/g, '-')}.yaml`;
  assert.deepEqual(readScript(path.join(folder, name)).script.scenarios[0]?.flow[0], {
    get: { url: '/items?page=1' },
  });
  const foreign = await callLoadflame(folder, ['test', name]);
  assert.equal(foreign.exit, 4);
  assert.equal(readError(foreign.stderr).code, 'SCRIPT_FOREIGN');
});

test('init --url leaves out invalid parameters and places of a description', async t => {
  const get = { get: {} };
  const odd = {
    get: { parameters: [null, { name: '\ud800', in: 'query', required: true, example: '\udc00' }] },
  };
  /** @type {Record<string, unknown>} */
  const api = {
    servers: [
      {
        url: '{scheme}://shop/{v}',
        variables: { scheme: { default: 'https' }, v: { default: 'v2' } },
      },
    ],
    paths: { '/a': { ...get, parameters: { in: 'path' } }, '/b': odd, '/c': null },
  };
  const target = await serve(t, (_, response) => response.end(JSON.stringify(api)));
  const folder = makeTempFolder(t);
  const read = async () => {
    const { exit, stdout, stderr } = await callLoadflame(folder, ['init', '--url', target]);
    assert.equal(exit, 0, stderr);
    const file = path.join(folder, /scenarios\S*yaml/.exec(stdout)?.[0] ?? '');
    const { flow = [] } = readScript(file).script.scenarios[0] ?? {};
    rmSync(file);
    return flow.flatMap((/** @type {any} */ step) => step.get?.url ?? []);
  };
  assert.deepEqual(await read(), ['/v2/a', '/v2/b?%EF%BF%BD=%EF%BF%BD']);
  api.servers = [{ url: 'http://[' }];
  assert.deepEqual(await read(), ['/a', '/b?%EF%BF%BD=%EF%BF%BD']);
  api.servers = [{ url: '/{version}/shop' }];
  assert.deepEqual(await read(), ['/'], 'nobody knows the version');
});

test('doctor says what is wrong in a script before a run does', async t => {
  const target = await serve(t, (_, response) => response.end('ok'));
  const folder = makeTempFolder(t);
  const script = 'config: { phases: [{ duration: 8, user: 8 }] }\n';
  writeFileSync(
    path.join(folder, 's.yaml'),
    `${script}scenarios: [{ flow: [{ get: { url: / } }] }]`,
  );
  const { exit, stdout } = await callLoadflame(folder, ['doctor', 's.yaml', '--target', target]);
  assert.equal(exit, 3);
  assert.match(stdout, /FAIL {2}s\.yaml: s\.yaml:1:\d+: "user" is not known here\n.*`users`/);
});

test('profiles the server at the address in the script', async t => {
  const target = await serve(t, (_, response) => response.end('not Python'));
  const folder = makeTempFolder(t);
  const script = `config: { target: "${target}", phases: [{ duration: 1, arrivalRate: 1 }] }\n`;
  writeFileSync(
    path.join(folder, 's.yaml'),
    `${script}scenarios: [{ flow: [{ get: { url: / } }] }]`,
  );
  const { exit, stderr } = await callLoadflame(folder, ['test', 's.yaml', '--profile']);
  assert.equal(exit, 3);
  assert.equal(readError(stderr).code, 'SERVER_NOT_FOUND');
  const { port } = new URL(target);
  assert.match(stderr, new RegExp(`port ${port} belongs to process ${process.pid} .*not Python`));
});
