import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContextFactory } from '../../../../lib/record/load/generator/context.js';
import { runScenario, serve } from './http-run.js';

test('paths are below the address that the user took, also those of hooks', async t => {
  const [first, second, other] = await Promise.all([serve(t), serve(t), serve(t)]);
  const targets = [first.target, `${second.target}/shop`];
  const { endpoints } = await runScenario({
    target: first.target,
    config: { loadflame: { targets } },
    vars: { $target: targets[1], target: targets[1], other: other.target },
    tokens: ['token-of-the-run'],
    processor: {
      move: (/** @type {any} */ request, /** @type {any} */ _context, /** @type {any} */ _ee) => {
        request.url = '/moved';
      },
    },
    flow: [
      // A text from outside that is called like it leads nowhere else.
      { get: { url: '/items/1', capture: { json: '$.id', as: 'target' } } },
      { get: { url: '/hook', beforeRequest: 'move' } },
      { get: { url: `${first.target}/shop/items/2` } },
      { get: { url: '{{ other }}/items/3' } },
    ],
  });
  const told = [first, second, other].map(({ seen }) =>
    seen.map(({ url, headers }) => [url, headers.authorization]),
  );
  const token = 'Bearer token-of-the-run';
  assert.deepEqual(told, [
    [['/shop/items/2', token]],
    [
      ['/shop/items/1', token],
      ['/shop/moved', token],
    ],
    [['/items/3', undefined]],
  ]);
  assert.deepEqual(Object.keys(endpoints).sort(), [
    'GET /shop/items/:id',
    'GET /shop/moved',
    `GET ${other.target}/items/:id`,
  ]);
});

test('workers begin with different targets, and each goes round', () => {
  const targets = ['http://a', 'http://b', 'http://c'];
  const taken = [0, 1].map(index => {
    const script = { config: { target: targets[0], loadflame: { targets } }, scenarios: [] };
    const contexts = createContextFactory({ script, testRunId: 't', index });
    return Array.from({ length: 4 }, () => contexts.create({ flow: [] }).vars.target);
  });
  assert.deepEqual(taken, [
    ['http://a', 'http://b', 'http://c', 'http://a'],
    ['http://b', 'http://c', 'http://a', 'http://b'],
  ]);
});
