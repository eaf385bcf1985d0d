import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEmptyVariables } from '../../../../lib/analysis/judge/findings/errors.js';
import { Endpoints } from '../../../../lib/analysis/load/endpoints.js';
import { describeFinding } from '../../../../lib/text/findings.js';
import { runScenario, serve } from './http-run.js';

test('requests whose variables are empty are counted per endpoint, and are a finding', async t => {
  const { target } = await serve(t, (_, response) => response.end('{"id":"","n":null}'));
  const { seconds } = await runScenario({
    ...{ target, users: 3, vars: { n: null, zero: 0, no: false } },
    flow: [
      { get: { url: '/a', capture: { json: '$.id', as: 'id', strict: false } } },
      {
        post: {
          url: '/x',
          json: { id: '{{ id }}', again: 'x{{ id }}', n: '{{ n }}', token: '{{ token }}' },
        },
      },
      {
        post: {
          url: '/x',
          json: { id: '{{ id }}', again: 'x{{ id }}', n: '{{ n }}', token: '{{ token }}' },
        },
      },
      { get: { url: '/x/{{ n }}/{{ zero }}/{{ no }}', headers: { a: '{{ $env.NOT_SET }}' } } },
    ],
  });
  const endpoints = new Endpoints();
  for (const record of seconds) endpoints.add(record);
  const list = endpoints.list();
  const of = (/** @type {string} */ name) => list.find(one => one.name === name)?.empty;
  assert.equal(of('GET /a'), undefined);
  assert.deepEqual(of('POST /x'), [
    { name: 'id', count: 6 },
    { name: 'token', count: 6 },
  ]);
  const [finding, ...others] = findEmptyVariables(
    /** @type {any} */ ({ load: { endpoints: list } }),
  );
  assert.ok(finding && others.length === 0);
  const { title, evidence } = describeFinding(finding);
  assert.equal(title, '`id` was empty in 6 of 6 requests of POST /x.');
  assert.deepEqual(
    evidence.map(({ label, value }) => [label, value]),
    [
      ['`token` of POST /x', 'empty in 6 of 6 requests'],
      ['`$env.NOT_SET` of GET /x/null/:id/false', 'empty in 3 of 3 requests'],
      ['`n` of GET /x/null/:id/false', 'empty in 3 of 3 requests'],
    ],
  );
});
