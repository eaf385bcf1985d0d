import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { serve } from '../helpers/listen.js';
import { callLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @param {string} folder @param {string} file */
const read = (folder, file) => readFileSync(path.join(folder, file), 'utf8');

test('init writes a starter script without the demo', async t => {
  const folder = makeTempFolder(t);
  const npx = { npm_command: 'exec', npm_lifecycle_event: 'npx' };
  const { exit, stdout, stderr } = await callLoadflame(folder, ['init'], npx);
  assert.equal(exit, 0, stderr);
  assert.match(stdout, /^next: .*, then npx loadflame doctor$/m);
  assert.match(stdout, /^wrote +scenarios\/my-api\.yaml$/m);
  assert.deepEqual(readdirSync(path.join(folder, 'scenarios')), ['login.yaml', 'my-api.yaml']);
  assert.deepEqual(readdirSync(path.join(folder, 'studies')), ['my-api.yaml']);
  assert.doesNotMatch(read(folder, 'envs.example.sh'), /csr|OFFICE_ID/);
  assert.match(read(folder, 'envs.example.sh'), /# TARGET=[\s\S]*# CHROME_PATH=/);
  for (const line of ['envs.sh', '.env', 'profiles/', 'node_modules/']) {
    assert.ok(read(folder, '.gitignore').split('\n').includes(line), line);
  }
});

test('init --agent writes a skill of at most 60 lines whose commands are called as it was, and keeps yours', async t => {
  const folder = makeTempFolder(t);
  const { exit, stdout } = await callLoadflame(folder, ['init', '--agent'], {
    npm_command: 'exec',
  });
  assert.equal(exit, 0);
  assert.equal(stdout, 'wrote    skills/loadflame/SKILL.md');
  assert.deepEqual(readdirSync(folder), ['skills']);
  const text = read(folder, 'skills/loadflame/SKILL.md');
  assert.match(text, /^---\nname: loadflame\ndescription: .+\n---\n/);
  assert.ok(text.split('\n').length <= 61);
  assert.match(text, /^ +npx loadflame test SCRIPT --profile/m);
  assert.doesNotMatch(text, /(?<!npx )\bloadflame (?:test|try|explain|init|companion) /);
  writeFileSync(path.join(folder, 'skills/loadflame/SKILL.md'), 'mine');
  const again = await callLoadflame(folder, ['init', '--agent']);
  assert.equal(again.stdout, 'kept     skills/loadflame/SKILL.md (exists already)');
  assert.equal(read(folder, 'skills/loadflame/SKILL.md'), 'mine');
});

test('init --url lists what it left out and why, and names the command as it was run', async t => {
  const described = {
    paths: {
      '/items/': { get: {}, post: {}, delete: {} },
      '/items/{id}': { get: { parameters: [{ in: 'path', name: 'id', required: true }] } },
    },
  };
  const api = await serve(t, (request, response) => {
    response.statusCode = request.url === '/openapi.json' ? 200 : 404;
    response.end(JSON.stringify(described));
  });
  const folder = makeTempFolder(t);
  const clone = { npm_lifecycle_event: 'loadflame', npm_package_name: 'loadflame' };
  const { exit, stdout, stderr } = await callLoadflame(folder, ['init', '--url', api], clone);
  assert.equal(exit, 0, stderr);
  assert.match(
    stdout,
    /^left out POST \/items\/ \(it changes data, and its body is yours to write\)$/m,
  );
  assert.match(stdout, /^left out DELETE \/items\/ \(it deletes data\)$/m);
  assert.match(stdout, /^left out GET \/items\/\{id\} \(a parameter without an example\)$/m);
  assert.match(stdout, /^next: npm run loadflame -- test scenarios\/\S+ --profile$/m);
  const [name = ''] = readdirSync(path.join(folder, 'scenarios'));
  assert.match(read(folder, `scenarios/${name}`), /^# Run it: +npm run loadflame -- test /m);
});

test('init --url shows three of the operations that it left out for one reason, and counts the others', async t => {
  const paths = Object.fromEntries(
    Array.from({ length: 95 }, (_, at) => [`/items/${at}`, { post: {}, delete: {} }]),
  );
  const api = await serve(t, (_, response) =>
    response.end(JSON.stringify({ paths: { '/': { get: {} }, ...paths } })),
  );
  const { stdout } = await callLoadflame(makeTempFolder(t), ['init', '--url', api]);
  const lines = stdout.split('\n').filter(line => line.startsWith('left out'));
  assert.deepEqual(
    lines.map(line => line.slice(0, -1).split(' (')),
    [
      ...['POST /items/0', 'POST /items/1', 'POST /items/2', '92 others'].map(one => [
        `left out ${one}`,
        'it changes data, and its body is yours to write',
      ]),
      ...['DELETE /items/0', 'DELETE /items/1', 'DELETE /items/2', '92 others'].map(one => [
        `left out ${one}`,
        'it deletes data',
      ]),
    ],
  );
});

test('init --url without a description says that it wrote one address, and asks for paths', async t => {
  const api = await serve(t, (_, response) => {
    response.statusCode = 404;
    response.end();
  });
  const npx = { npm_command: 'exec', npm_lifecycle_event: 'npx' };
  const { stdout } = await callLoadflame(makeTempFolder(t), ['init', '--url', api], npx);
  assert.match(
    stdout,
    /^only +\/: openapi\.json has status 404, openapi\.yaml has status 404, swagger\.json has status 404\. Add/m,
  );
  assert.match(
    stdout,
    /`npx loadflame init --log access\.log`, `npx loadflame init --har session\.har`$/m,
  );
  assert.match(stdout, /^next: npx loadflame test /m);
});

test('init keeps existing files, and says so', async t => {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, '.gitignore'), '/profiles\nnode_modules\n*.log');
  writeFileSync(path.join(folder, 'envs.example.sh'), '# mine\n');
  mkdirSync(path.join(folder, 'scenarios'));
  writeFileSync(path.join(folder, 'scenarios/my-api.yaml'), 'config: {}\n');
  const { exit, stdout } = await callLoadflame(folder, ['init']);
  assert.equal(exit, 0);
  assert.match(stdout, /^kept +scenarios\/my-api\.yaml \(exists already\)$/m);
  assert.equal(read(folder, 'scenarios/my-api.yaml'), 'config: {}\n');
  assert.equal(read(folder, 'envs.example.sh'), '# mine\n');
  const ignored = read(folder, '.gitignore');
  assert.equal(ignored, '/profiles\nnode_modules\n*.log\nenvs.sh\n.env\n');
  await callLoadflame(folder, ['init']);
  assert.equal(read(folder, '.gitignore'), ignored);
});

test('init --url takes a description whose values are objects as one without them', async t => {
  const odd = { toString: 1 };
  const parameters = [
    { name: 'id', in: 'path', required: true, example: odd },
    { name: odd, in: 'query', required: true, schema: { default: 'a' } },
  ];
  const paths = { '/items/{id}': { get: { parameters } }, '/items': { get: {} } };
  const servers = [{ url: odd }];
  const url = await serve(t, ({ url }, response) => {
    if (url === '/openapi.json') response.end(JSON.stringify({ openapi: '3.1.0', paths, servers }));
    else response.end('{}');
  });
  const folder = makeTempFolder(t);
  const { exit, stderr } = await callLoadflame(folder, ['init', '--url', url]);
  assert.equal(exit, 0, stderr);
  const [file = ''] = readdirSync(path.join(folder, 'scenarios')).filter(name =>
    name.startsWith('127'),
  );
  const script = read(folder, path.join('scenarios', file));
  assert.match(script, /# - get: \{ url: "\/items\/\{id\}/);
});
