import assert from 'node:assert/strict';
import { callHook } from '../../lib/load/engine/flow/hooks.js';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { declareTargetOnly } from './declare-engines.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

/** Each shape sets a header; the server says which arrived. Names are those of the functions. */
const SHAPES = `
export function withCallback(request, context, ee, next) {
  setTimeout(() => { request.headers = { ...request.headers, a: 1 }; next(); }, 10);
}
export async function withPromise(request) {
  await wait();
  request.headers = { ...request.headers, b: 1 };
}
export async function withPromiseAndCallback(request, context, ee, next) {
  await wait();
  request.headers = { ...request.headers, c: 1 };
  return next();
}
export async function withUnusedCallback(request, context, ee, next) {
  await wait();
  request.headers = { ...request.headers, d: 1 };
}
export function returnsPromise(request) {
  return wait().then(() => { request.headers = { ...request.headers, e: 1 }; });
}
export const returns = request => { request.headers = { ...request.headers, f: 1 }; };
export async function step(context, events, done) {
  await wait();
  context.vars.path = 'from-step';
  done();
}
export function after(request, response, context, events, next) {
  context.vars.answer = response.body;
  next();
}
export async function setUp(context, events, done) {
  context.vars.prefix = 'from-before';
  done();
}
const wait = () => new Promise(resolve => setTimeout(resolve, 10));
`;
const SCRIPT = `
config:
  target: "{{ $env.TARGET }}"
  processor: ./PROCESSOR
  phases: [{ duration: 1, arrivalCount: 2 }]
before: { flow: [{ function: setUp }] }
scenarios:
  - beforeRequest: [withCallback, withPromise, withPromiseAndCallback]
    afterResponse: after
    flow:
      - - function: step
      - - get:
            url: "/{{ prefix }}/{{ path }}"
            beforeRequest: [withUnusedCallback, returnsPromise, returns]
        - get: { url: "/{{ answer }}" }
`;
const TYPED = SHAPES.replace('returns = request', 'returns = (request: any): void');

for (const [kind, file, text] of /** @type {const} */ ([
  ['an ES module', 'hooks.mjs', SHAPES],
  [
    'CommonJS',
    'hooks.cjs',
    `${SHAPES.replace(/export (const|(?:async )?function) (\w+)/g, '$1 $2')}
module.exports = { withCallback, withPromise, withPromiseAndCallback, withUnusedCallback, returnsPromise, returns, step, after, setUp };`,
  ],
  ['TypeScript', 'hooks.ts', TYPED],
])) {
  test(`hooks of every shape work as meant, in ${kind}`, async t => {
    /** @type {Record<string, string[]>} */
    const headers = {};
    const target = await serve(t, (request, response) => {
      const arrived = Object.keys(request.headers).filter(name => name.length === 1);
      headers[String(request.url)] = arrived.sort();
      response.end('answered');
    });
    const { running, files } = await startTestLoad(makeFolder(t), {
      script: SCRIPT.replace('PROCESSOR', file),
      files: { [file]: text },
      settings: { TARGET: target },
    });
    const end = await running.ended;
    const { counters } = await readLoad(files);
    assert.equal(end.reason, 'complete', end.logTail);
    assert.equal(counters['vusers.completed'], 2, JSON.stringify(counters));
    assert.deepEqual(headers, {
      '/from-before/from-step': ['a', 'b', 'c', 'd', 'e', 'f'],
      '/answered': ['a', 'b', 'c'],
    });
  });
}

const CONFIG = { target: '', http: {} };

/** @param {(...args: any[]) => any} hook @param {any[]} args */
const call = async (hook, ...args) => callHook('hook', hook, args, { config: CONFIG });

test('a hook that fails ends its user with that error, however it fails', async () => {
  const boom = new Error('boom');
  const throws = () => {
    throw boom;
  };
  await assert.rejects(call(throws, {}, {}), boom);
  await assert.rejects(
    call(async () => throws(), {}, {}),
    boom,
  );
  await assert.rejects(
    call((_a, _b, done) => done(boom), {}, {}),
    boom,
  );
  await assert.rejects(
    call(() => Promise.reject('text'), {}, {}),
    { message: 'text' },
  );
});

test('a hook is over once, and an async one at the latest when its promise settles', async () => {
  const late = async (
    /** @type {any} */ _context,
    /** @type {any} */ _events,
    /** @type {any} */ done,
  ) => {
    done();
    done(new Error('late'));
  };
  assert.equal(await call(late, {}, {}), undefined);
  assert.equal(await call(async (_context, _events, _done) => {}, {}, {}), undefined);
});

test('a condition of `whileTrue` calls back with its value, or returns it', async () => {
  const ask = async (/** @type {any} */ hook) =>
    callHook('hook', hook, [{ n: 2 }], { config: CONFIG }, { givesValue: true });
  assert.equal(await ask((/** @type {any} */ vars) => vars.n > 1), true);
  assert.equal(await ask((/** @type {any} */ _vars, /** @type {any} */ done) => done(true)), true);
  assert.equal(await ask(async () => false), false);
  assert.equal(
    await ask((/** @type {any} */ _vars, /** @type {any[]} */ ...rest) => rest[0](1)),
    1,
  );
});

declareTargetOnly('loadflame');
