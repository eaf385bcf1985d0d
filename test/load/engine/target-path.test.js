import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenario, serve } from './http-run.js';

test('paths are below the path of the target, and only its origin gets the token', async t => {
  const [target, other] = await Promise.all([serve(t), serve(t)]);
  const { endpoints } = await runScenario({
    target: `${target.target}/shop`,
    vars: { target: `${target.target}/shop`, other: other.target },
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
      { get: { url: '{{ other }}/items/3' } },
    ],
  });
  const told = [target, other].map(({ seen }) =>
    seen.map(({ url, headers }) => [url, headers.authorization]),
  );
  const token = 'Bearer token-of-the-run';
  assert.deepEqual(told, [
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
