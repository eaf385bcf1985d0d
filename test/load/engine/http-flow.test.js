import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from '../../helpers/quiet.js';
import { runScenario, serve } from './http-run.js';

/** Artillery's own, which it exports. */
const { template } = createRequire(import.meta.url)('artillery/util');

/** @param {{url: string}[]} seen */
const urls = seen => seen.map(({ url }) => url);

test('a loop counts, takes a range, a template, or goes over a list', async t => {
  const { target, seen } = await serve(t);
  const { vars } = await runScenario({
    target,
    vars: { list: ['x', 'y'], times: 2, one: ['z'] },
    flow: [
      { loop: [{ get: { url: '/n{{ $loopCount }}' } }], count: 2 },
      { loop: [{ get: { url: '/r{{ $loopCount }}' } }], count: '5-7' },
      { loop: [{ get: { url: '/t{{ i }}' } }], count: '{{ times }}', loopValue: 'i' },
      { loop: [{ get: { url: '/o{{ $loopElement }}{{ $loopCount }}' } }], over: 'list' },
      { loop: [{ get: { url: '/l{{ e }}' } }], over: [1, 2], loopElement: 'e' },
      { loop: [{ get: { url: '/never' } }], over: 'notThere' },
      {
        loop: [{ loop: [{ get: { url: '/in{{ a }}{{ b }}' } }], count: 2, loopValue: 'b' }],
        count: 2,
        loopValue: 'a',
      },
    ],
  });
  assert.deepEqual(urls(seen), [
    '/n0',
    '/n1',
    '/r5',
    '/r6',
    '/t0',
    '/t1',
    '/ox0',
    '/oy1',
    '/l1',
    '/l2',
    '/in00',
    '/in01',
    '/in10',
    '/in11',
  ]);
  assert.equal(vars.i, 2);
});

test('calls whileTrue after each round, whatever its form', async t => {
  const { target, seen } = await serve(t);
  const flow = (/** @type {string} */ whileTrue) => [
    { loop: [{ get: { url: `/${whileTrue}` } }], whileTrue },
  ];
  const processor = {
    calls: (/** @type {any} */ context, /** @type {any} */ done) =>
      done(context.vars.$loopCount < 2),
    returns: async (/** @type {any} */ context) => context.vars.$loopCount < 3,
  };
  await runScenario({ target, processor, flow: [...flow('calls'), ...flow('returns')] });
  assert.deepEqual(urls(seen), ['/calls', '/calls', '/returns', '/returns', '/returns']);
  await assert.rejects(
    runScenario({ target, flow: flow('missing') }),
    /Undefined function "missing"/,
  );
});

test('a loop that waits for nothing leaves room for others', async t => {
  const { target } = await serve(t);
  let ended = false;
  setImmediate(() => {
    ended = true;
  });
  await runScenario({
    target,
    processor: {
      next: (/** @type {any} */ context, /** @type {any} */ _ee, /** @type {any} */ done) => {
        context.vars.rounds = (context.vars.rounds ?? 0) + 1;
        done();
      },
      goOn: (/** @type {any} */ _context, /** @type {any} */ done) => done(!ended),
    },
    flow: [{ loop: [{ function: 'next' }], whileTrue: 'goOn' }],
  });
  assert.equal(ended, true);
});

test('steps in parallel are under way at once, up to the limit', async t => {
  let now = 0;
  let most = 0;
  const { target, seen } = await serve(t, (_request, response) => {
    now += 1;
    most = Math.max(most, now);
    setTimeout(() => {
      now -= 1;
      response.end();
    }, 20);
  });
  const parallel = Array.from({ length: 6 }, (_, index) => ({ get: { url: `/${index}` } }));
  await runScenario({
    target,
    config: { http: { pool: 10 } },
    flow: [{ parallel, limit: 3 }, { get: { url: '/end' } }],
  });
  assert.equal(most, 3);
  assert.equal(seen.at(-1)?.url, '/end');
  assert.equal(seen.length, 7);
});

test('the first failure of parallel steps ends the user, once', async t => {
  const { target } = await serve(t);
  const failing = { get: { url: '/', match: { json: '$.id', value: 'other' } } };
  const { counters, errors } = await runScenario({
    target,
    flow: [{ parallel: [failing, failing, { get: { url: '/' } }] }, { get: { url: '/never' } }],
  });
  assert.equal(counters['errors.Failed capture or match'], 1);
  assert.equal(errors.length, 1);
});

test('think waits as long as it says', async t => {
  const { target } = await serve(t);
  const begin = performance.now();
  await runScenario({
    target,
    vars: { ms: '30ms' },
    flow: [{ think: '50ms' }, { think: '{{ ms }}' }, { think: 0.02 }],
  });
  const tookMs = performance.now() - begin;
  assert.ok(tookMs >= 75 && tookMs < 1000, `${tookMs}`);
  const { counters } = await runScenario({ target, flow: [{ think: 'soon' }] });
  assert.equal(counters['errors.Invalid think time: soon'], 1);
});

test('log prints its text, filled in', async t => {
  const { target } = await serve(t);
  const printed = t.mock.method(console, 'log', () => {});
  await runScenario({ target, vars: { name: 'bob' }, flow: [{ log: 'hi {{ name }}' }] });
  assert.deepEqual(printed.mock.calls[0]?.arguments, ['hi bob']);
});

test('templates give what Artillery gives, for every kind of variable', async t => {
  const { target, seen } = await serve(t);
  const vars = {
    text: 'a',
    n: 0,
    no: false,
    nothing: null,
    empty: '',
    list: [1],
    object: { b: { c: 2 } },
  };
  const json = {
    all: '{{ text }} {{ n }} {{ no }} {{ empty }} {{ list }} {{ object }} {{ missing }} {{ nothing }}',
    only: ['{{ n }}', '{{ no }}', '{{ nothing }}', '{{ empty }}', '{{ list }}', '{{ missing }}'],
    path: '{{ object.b.c }} {{ list[0] }}',
    spaces: '{{text}}{{   text   }}',
    three: '{{{ text }}}',
  };
  await runScenario({
    target,
    vars,
    flow: [
      { post: { url: '/', json } },
      ...Object.values(json)
        .flat()
        .map(body => ({ post: { url: '/', body: `[${body}]` } })),
    ],
  });
  const context = { vars: { target, ...vars }, funcs: {} };
  assert.deepEqual(
    JSON.parse(seen[0]?.body ?? ''),
    JSON.parse(JSON.stringify(template(json, context))),
  );
  assert.deepEqual(
    seen.slice(1).map(({ body }) => body),
    Object.values(json)
      .flat()
      .map(body => template(`[${body}]`, context)),
  );
});

test('each user starts with its own context, connection and cookies', async t => {
  const { target, seen, connections } = await serve(t, (_request, response) => {
    response.setHeader('set-cookie', 'a=b');
    response.end();
  });
  await runScenario({ target, users: 3, flow: [{ get: { url: '/1' } }, { get: { url: '/2' } }] });
  assert.equal(connections.size, 3);
  assert.deepEqual(
    seen.map(({ headers }) => headers.cookie),
    [undefined, 'a=b', undefined, 'a=b', undefined, 'a=b'],
  );
});

test('users share connections with http.pool, and closed-loop users keep theirs', async t => {
  const { target, connections } = await serve(t);
  await runScenario({
    target,
    users: 3,
    config: { http: { pool: 1 } },
    flow: [{ get: { url: '/' } }],
  });
  assert.equal(connections.size, 1);
  const slot = { index: 0, connections: /** @type {any} */ (null) };
  await runScenario({ target, users: 3, slot, flow: [{ get: { url: '/' } }] });
  assert.equal(connections.size, 2);
  slot.connections.close();
});

test('connections are closed when their user ends', async t => {
  const { target } = await serve(t);
  const { services } = await runScenario({ target, users: 2, flow: [{ get: { url: '/' } }] });
  for (let tries = 0; tries < 50 && services.sockets.open > 0; tries++) {
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  assert.equal(services.sockets.open, 0);
});

test('values are put in as they are, those with a dollar too', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    vars: { price: '$& $1 $$' },
    flow: [{ post: { url: '/', body: '<{{ price }}>' } }],
  });
  assert.equal(seen[0]?.body, '<$& $1 $$>');
});

test('objects and lists are filled in as by Artillery, whatever they hold', async t => {
  const { target, seen } = await serve(t);
  const vars = { text: 'a', n: 0, no: false, empty: '', list: ['x'], link: '/l/3' };
  const bodies = [
    {
      a: '{{ text }}',
      b: { c: ['{{ n }}', 'x{{ no }}', null, true, 1.5, []] },
      'd-e': '{{ missing }}',
    },
    ['{{ empty }}', { a: '{{ missing }}', b: '{{ text }}{{ n }}' }],
    { a: { walks: '{{ list }}' }, b: '{{ text }}' },
    { 'a.b': '{{ text }}', '{{ text }}': { c: '{{ n }}' } },
  ];
  await runScenario({
    target,
    vars,
    flow: [
      ...structuredClone(bodies).map(json => ({ post: { url: '/', json } })),
      { get: { url: '{{ link }}' } },
    ],
  });
  const expected = bodies.map(body =>
    JSON.stringify(template(body, { vars: structuredClone(vars), funcs: {} })),
  );
  assert.deepEqual(
    seen.slice(0, -1).map(({ body }) => body),
    expected,
  );
  assert.equal(seen.at(-1)?.url, '/l/3');
});
