/** A flow that uses one value of the target everywhere, and what its server got. */
import assert from 'node:assert/strict';
import { runScenario } from '../http-run.js';

const flow = [
  {
    get: {
      url: '/birth',
      capture: [
        { json: '$.value', as: 'value' },
        { json: '$', as: 'whole', multiple: false },
        { json: '$.list', as: 'list', multiple: false },
      ],
    },
  },
  {
    post: {
      url: '/use',
      headers: { 'x-own': '{{ own }}' },
      json: {
        alone: '{{ value }}',
        part: 'a{{ value }}b{{ own }}',
        whole: '{{ whole }}',
        '{{ value }}': 1,
        deep: [{ list: '{{ list }}' }],
        called: '{{ $randomNumber(7, 7) }}{{ value }}{{ $randomNumber(7, 7) }}',
      },
    },
  },
  {
    loop: [
      { post: { url: '/loop', body: '<{{ $loopElement }}>' } },
      { post: { url: '/hooked', json: { own: '{{ own }}' }, beforeRequest: 'write' } },
    ],
    over: 'list',
  },
  { post: { url: '/form', form: { field: 'x{{ value }}' } } },
];

/**
 * @param {{target: string, seen: {url: string, body: string, headers: Record<string, any>}[]}} server responds to
 *   `/birth` with `value`
 * @param {string} value
 */
export async function sendEverywhere({ target, seen }, value) {
  seen.length = 0;
  const { errors } = await runScenario({
    target,
    flow,
    vars: { own: 'mine', $env: process.env, $processEnvironment: process.env },
    processor: {
      write(/** @type {any} */ request, /** @type {any} */ context) {
        request.json.added = context.vars.value;
        request.headers = { 'x-added': encodeURIComponent(context.vars.value) };
        request.url += `?q=${encodeURIComponent(context.vars.value)}`;
      },
    },
  });
  assert.deepEqual(errors, []);
  const whole = { value, list: [value] };
  const [, use, loop, hooked, form] = seen;
  // As text: V8 13.6 reads the key of '{"v\\n":1}' as 'v\\' if it has read one like that before.
  assert.equal(
    use?.body,
    JSON.stringify({
      alone: value,
      part: `a${value}bmine`,
      whole,
      deep: [{ list: [value] }],
      called: `7${value}7`,
      [value]: 1,
    }),
  );
  assert.equal(loop?.body, `<${value}>`);
  assert.deepEqual(JSON.parse(hooked?.body ?? ''), { own: 'mine', added: value });
  assert.equal(hooked?.headers['x-added'], encodeURIComponent(value));
  assert.equal(new URL(hooked?.url ?? '', 'http://any').searchParams.get('q'), value);
  assert.equal(new URLSearchParams(form?.body).get('field'), `x${value}`);
}

/** @param {() => string} value @returns {Parameters<typeof import('../http-run.js').serve>[1]} */
export const giveBirth = value => (request, response) =>
  void response.end(
    request.url === '/birth' ? JSON.stringify({ value: value(), list: [value()] }) : '',
  );
