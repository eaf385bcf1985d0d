import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { FUNCTIONS } from '../../../../lib/load/engine/flow/functions.js';
import { fillTemplate } from '../../../../lib/load/engine/flow/template.js';
import { runScenario, serve } from '../http-run.js';
import { giveBirth, sendEverywhere } from './hostile-values.js';

const HOSTILE = [
  '{{ $processEnvironment }} {{ $env.PLANTED }}',
  '{{ $env.PLANTED }}',
  'x{{ value }}y{{ value }}',
  '{{ own }}',
  'a{{ value }}b{{ own }}',
  '{{ $randomNumber(1, 9) }}',
  '{{ $randomString(1000000000) }}',
  '{{{ $env.PLANTED }}}',
  '{{ [] }}',
  '{{',
  '}}',
  '$& $1 $$',
  '__proto__',
  'constructor',
  '{{ $loopElement }}',
];

test('a value of the target is never a template, wherever a script uses it', async t => {
  process.env.PLANTED = 'planted-value';
  t.after(() => delete process.env.PLANTED);
  let value = '';
  const server = await serve(
    t,
    giveBirth(() => value),
  );
  for (value of HOSTILE) await sendEverywhere(server, value);
});

test('a script takes values from the environment by name, and never all of it', () => {
  const vars = { $env: { A: 'a' }, $processEnvironment: { A: 'a' }, n: 1 };
  for (const name of ['$env', '$processEnvironment', "['$env']", '$env.', '[]', '.', '$env[]'])
    assert.equal(fillTemplate(`<{{ ${name} }}>`, { vars }), '<undefined>', name);
  assert.equal(fillTemplate('{{ $env.A }}{{ $processEnvironment["A"] }}', { vars }), 'aa');
});

test('functions of templates', () => {
  const context = { vars: { $uuid: 'of the user' }, funcs: FUNCTIONS };
  const fill = (/** @type {string} */ text) => fillTemplate(text, context);
  assert.equal(fill('{{ $uuid }}'), 'of the user');
  assert.match(fill('{{ $uuid() }}'), /^[0-9a-f-]{36}$/);
  assert.notEqual(fill('{{ $uuid() }}'), fill('{{ $uuid() }}'));
  assert.ok(Math.abs(fill('{{ $timestamp }}') - Date.now()) < 60_000);
  assert.match(fill('at-{{ $timestamp() }}'), /^at-\d{13}$/);
  assert.match(fill('{{ $isoTimestamp }}'), /^\d{4}-\d\d-\d\dT.*Z$/);
  const drawn = Array.from({ length: 200 }, () => fill('{{ $pick(red, "dark, blue", 7) }}'));
  assert.deepEqual([...new Set(drawn)].sort(), ['7', 'dark, blue', 'red']);
  const numbers = Array.from({ length: 200 }, () => fill('{{ $randomInt(-1, 1) }}'));
  assert.deepEqual([...new Set(numbers)].sort(), ['-1', '0', '1']);
});

test('the items of a list that a script loops over are templates', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    vars: { a: '{{ b }}', b: 2 },
    flow: [{ loop: [{ get: { url: '{{ $loopElement.to }}' } }], over: [{ to: '/x{{ b }}' }] }],
  });
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['/x2'],
  );
});

test('a captured value is a text in a pattern, a selector and a path', async t => {
  const values = { dots: '.*', id: 'a"]', path: '$..secret', name: "x')] || (1" };
  const { target } = await serve(t, ({ url }, response) => {
    if (url === '/page') return response.end("<p id='a\"]' title=yes>secret .* here</p>");
    return response.end('{"items":[{"id":"a b","n":1}],"secret":"hidden"}');
  });
  const take = (/** @type {any} */ capture, url = '/json') =>
    runScenario({
      ...{ target, vars: { ...values, good: 'a b' } },
      flow: [{ get: { url, capture: { as: 'found', ...capture } } }],
    });
  const page = (/** @type {any} */ capture) => take(capture, '/page');
  assert.equal((await page({ regexp: 'secret {{ dots }}' })).vars.found, 'secret .*');
  assert.equal((await page({ selector: '[id="{{ id }}"]', attr: 'title' })).vars.found, 'yes');
  const good = await take({ json: "$.items[?(@.id=='{{ good }}')].n" });
  assert.equal(good.vars.found, 1);
  for (const json of ['{{ path }}', "$.items[?(@.id=='{{ name }}')].n"]) {
    const { errors, vars } = await take({ json });
    assert.match(errors[0]?.message, /a value in a JSON path may only have letters/);
    assert.equal(vars.found, undefined);
  }
});

test('a value of the target is no file to upload, whatever its fields', async t => {
  const value = { fromFile: import.meta.filename, contentType: 'text/plain' };
  const answer = JSON.stringify({
    value,
    whole: { field: value },
    name: 'file',
    path: '/etc/hostname',
  });
  const { target, seen } = await serve(t, (_, response) => void response.end(answer));
  const capture = ['value', 'whole', 'name', 'path'].map(as => ({
    ...{ json: `$.${as}`, as, multiple: false },
  }));
  for (const formData of [
    { field: '{{ value }}' },
    { field: { value: '{{ value }}' } },
    '{{ whole }}',
    { '{{ name }}': { fromFile: '{{ path }}' } },
    { '{{ name }}': '{{ value }}' },
    { field: { value: 'a', contentType: 'text/plain\r\nX-Planted: 1\r\n\r\n{{ name }}' } },
  ]) {
    const flow = [{ get: { url: '/', capture } }, { post: { url: '/', formData } }];
    const { errors } = await runScenario({ target, flow });
    assert.equal(errors.length, 1, JSON.stringify(formData));
  }
  assert.ok(seen.every(({ method }) => method === 'GET'));
});

test('a value chooses a file to upload only below the folder that the script names', async t => {
  const { target, seen } = await serve(t);
  const folder = mkdtempSync(path.join(import.meta.dirname, '.upload-'));
  t.after(() => import('node:fs').then(fs => fs.rmSync(folder, { recursive: true })));
  writeFileSync(path.join(folder, 'a.txt'), 'an upload');
  const upload = (/** @type {string} */ fromFile, /** @type {string} */ name) =>
    runScenario({
      ...{ target, vars: { name, $env: { FOLDER: folder } } },
      flow: [{ post: { url: '/', formData: { file: { fromFile } } } }],
    });
  assert.deepEqual((await upload(`${folder}/{{ name }}`, 'a.txt')).errors, []);
  assert.deepEqual((await upload('{{ $env.FOLDER }}/{{ name }}', 'a.txt')).errors, []);
  assert.equal(seen.length, 2);
  for (const [written, name] of [
    [`${folder}/{{ name }}`, '../template.test.js'],
    [`${folder}/x{{ name }}`, '/../../template.test.js'],
    ['{{ name }}', '/etc/hostname'],
    ['{{ name }}', '../../../../../../../../../etc/hostname'],
  ]) {
    const { errors } = await upload(String(written), String(name));
    assert.match(errors[0]?.message ?? '', /an upload from outside of the folder/, name);
  }
  assert.equal(seen.length, 2);
});
