import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEmptyVariables } from '../../../lib/analysis/judge/findings/errors.js';
import { Endpoints } from '../../../lib/analysis/read/load/endpoints.js';
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
  assert.ok(finding?.id === 'empty-variables' && others.length === 0);
  const [post, get] = ['POST /x', 'GET /x/null/0/false'];
  assert.deepEqual(finding.facts.variables, [
    { name: 'id', endpoint: post, count: 6, requests: 6 },
    { name: 'token', endpoint: post, count: 6, requests: 6 },
    { name: '$env.NOT_SET', endpoint: get, count: 3, requests: 3 },
    { name: 'n', endpoint: get, count: 3, requests: 3 },
  ]);
});

test('variables that were empty in other steps are in the same finding', () => {
  const [finding] = findEmptyVariables(
    /** @type {any} */ ({
      load: {
        endpoints: [{ name: 'GET /a', requests: 9, empty: [{ name: 'id', count: 2 }] }],
        counters: { 'empty_variables.token of emit one of two': 3, 'own.of x': 9 },
      },
    }),
  );
  assert.ok(finding?.id === 'empty-variables');
  assert.deepEqual(finding.facts.variables, [
    { name: 'token', endpoint: 'emit one of two', count: 3, requests: null },
    { name: 'id', endpoint: 'GET /a', count: 2, requests: 9 },
  ]);
});
