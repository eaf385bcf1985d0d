// biome-ignore-all lint/suspicious/noExplicitAny: hooks are whatever scripts make of them
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenario, serve } from './http-run.js';

/** @typedef {(...args: any[]) => any} Hook */

test('a hook before the request may change all of it, for this user alone; what it writes is no template', async t => {
  const { target, seen } = await serve(t);
  /** @type {Hook} */
  const change = (request, context, _ee, next) => {
    context.vars.runs = (context.vars.runs ?? 0) + 1;
    if (context.vars.only === undefined) return next();
    request.url += '/more';
    request.json.b = context.vars.only;
    request.headers['X-Hook'] = `by ${context.vars.only}`;
    request.headers['X-Own'] += '{{ secret }}';
    request.name = 'named';
    return next();
  };
  const flow = [
    {
      post: {
        ...{ url: '/{{ path }}', json: { a: '{{ n }}' }, headers: { 'X-Own': '{{ n }}' } },
        beforeRequest: 'change',
      },
    },
  ];
  const script = { target, flow, processor: { change } };
  const vars = { path: 'x', n: 1, secret: 'no' };
  const { endpoints } = await runScenario({ ...script, vars: { ...vars, only: '{{ secret }}' } });
  await runScenario({ ...script, vars });
  assert.deepEqual(
    seen.map(({ url, body, headers }) => [url, body, headers['x-own'], headers['x-hook']]),
    [
      ['/x/more', '{"a":1,"b":"{{ secret }}"}', '1{{ secret }}', 'by {{ secret }}'],
      ['/x', '{"a":1}', '1', undefined],
    ],
  );
  assert.deepEqual(Object.keys(endpoints), ['named']);
});

test('hooks of scenario and request run in order, their names may be templates', async t => {
  const { target } = await serve(t);
  /** @type {string[]} */
  const ran = [];
  const note =
    (/** @type {string} */ name) =>
    (/** @type {any[]} */ ...args) => {
      ran.push(name);
      args.at(-1)();
    };
  await runScenario({
    target,
    vars: { which: 'Two' },
    processor: Object.fromEntries(
      ['start', 'sb', 'rbTwo', 'sa', 'ra', 'step', 'end'].map(name => [name, note(name)]),
    ),
    scenario: {
      beforeScenario: 'start',
      afterScenario: ['end'],
      beforeRequest: 'sb',
      afterResponse: ['sa'],
    },
    flow: [
      { get: { url: '/', beforeRequest: ['rb{{ which }}'], afterResponse: 'ra' } },
      { function: 'step' },
    ],
  });
  assert.deepEqual(ran, ['start', 'sb', 'rbTwo', 'sa', 'ra', 'step', 'end']);
});

test('an afterResponse hook gets what Artillery gives', async t => {
  const { target } = await serve(t, (_request, response) => {
    response.writeHead(201, {
      'X-Many': ['a', 'b'],
      'set-cookie': ['c=1', 'd=2'],
      'content-type': 'text/plain',
    });
    response.end('höw');
  });
  /** @type {any[]} */
  let got = [];
  await runScenario({
    target,
    processor: {
      see: (/** @type {any[]} */ ...args) => {
        got = args;
        args.at(-1)();
      },
    },
    flow: [
      {
        post: {
          url: '/a?b=1',
          name: 'n {{ target }}',
          json: { t: '{{ target }}' },
          afterResponse: 'see',
          expect: [{ statusCode: 201 }],
        },
      },
    ],
  });
  const [request, answer, context, ee] = got;
  assert.equal(answer.statusCode, 201);
  assert.equal(answer.body, 'höw');
  assert.equal(answer.headers['x-many'], 'a, b');
  assert.deepEqual(answer.headers['set-cookie'], ['c=1', 'd=2']);
  const { phases } = answer.timings;
  for (const phase of ['firstByte', 'total', 'tcp', 'wait', 'download'])
    assert.ok(phases[phase] >= 0, phase);
  assert.ok(phases.total >= phases.firstByte);
  assert.ok(Math.abs(answer.timings.end - Date.now()) < 5000);
  assert.equal(request.url, `${target}/a?b=1`);
  assert.equal(request.name, `n ${target}`);
  assert.deepEqual(request.json, { t: target });
  assert.deepEqual(request.expect, [{ statusCode: 201 }]);
  assert.match(request.uuid, /^[0-9a-f-]{36}$/);
  assert.equal(typeof ee.emit, 'function');
  assert.equal(context.vars.target, target);
});

test('a failing hook ends only its own user, under a name', async t => {
  const { target, seen } = await serve(t);
  /** @type {Record<string, Hook>} */
  const processor = {
    throws() {
      throw new Error('thrown');
    },
    async rejects() {
      throw Object.assign(new Error('no'), { code: 'E_OWN' });
    },
    plainPromise: () => Promise.reject(new Error('from a plain function')),
    callsBack: (...args) => args.at(-1)(new Error('called back')),
    callsBackText: (...args) => args.at(-1)('just text'),
    never(...args) {
      if (args.length === 9) args.at(-1)();
    },
    twice: (...args) => {
      args.at(-1)();
      args.at(-1)(new Error('late'));
    },
  };
  const cases = {
    throws: 'thrown',
    rejects: 'E_OWN',
    plainPromise: 'from a plain function',
    callsBack: 'called back',
    callsBackText: 'just text',
    never: 'hook never did not call back within 0.05 s',
  };
  const config = { loadflame: { hookTimeout: 0.05 } };
  for (const [name, error] of Object.entries(cases)) {
    for (const kind of ['beforeRequest', 'afterResponse']) {
      const { counters, errors } = await runScenario({
        target,
        config,
        processor,
        flow: [{ get: { url: '/', [kind]: name } }, { get: { url: '/never' } }],
      });
      assert.equal(counters[`errors.${error}`], 1, `${kind} ${name}`);
      assert.equal(errors.length, 1);
    }
  }
  const { errors } = await runScenario({
    target,
    processor,
    flow: [{ get: { url: '/', beforeRequest: 'twice' } }],
  });
  assert.deepEqual(errors, []);
  assert.ok(!seen.some(({ url }) => url === '/never'));
});

test('functions of a flow fail in the same way; a missing one is an error that ends no user', async t => {
  const { target, seen } = await serve(t);
  const processor = {
    async rejects() {
      throw new Error('rejected');
    },
    silent(/** @type {any[]} */ ...args) {
      if (args.length === 9) args.at(-1)();
    },
  };
  const run = async (/** @type {string} */ name) =>
    (
      await runScenario({
        target,
        processor,
        config: { loadflame: { hookTimeout: 0.05 } },
        flow: [{ function: name }, { get: { url: `/after-${name}` } }],
      })
    ).counters;
  assert.equal((await run('rejects'))['errors.rejected'], 1);
  assert.equal((await run('silent'))['errors.hook silent did not call back within 0.05 s'], 1);
  assert.deepEqual(seen, []);
});

test('a function that does not exist is refused before any user, with the closest one', async t => {
  const { target, seen } = await serve(t);
  const processor = { makeKeys() {} };
  const flows = [
    { function: 'makeKey' },
    { get: { url: '/', beforeRequest: 'makeKey' } },
    { get: { url: '/', afterResponse: ['makeKeys', 'makeKey'] } },
    { loop: [{ get: { url: '/' } }], whileTrue: 'makeKey' },
  ];
  for (const step of flows)
    await assert.rejects(
      runScenario({ target, processor, flow: [step] }),
      /Undefined function "makeKey"\. did you mean makeKeys\?/,
    );
  assert.deepEqual(seen, []);
});

test('a hook of a request that a template names wrongly ends the user', async t => {
  const { target, seen } = await serve(t);
  const { counters } = await runScenario({
    target,
    vars: { before: 'x' },
    flow: [{ get: { url: '/', beforeRequest: '{{ before }}' } }],
  });
  assert.match(Object.keys(counters).join(), /errors\.Undefined function "x"/);
  assert.deepEqual(seen, []);
});

test('onError hooks run for requests without a response, not for failed matches', async t => {
  const { target } = await serve(t);
  /** @type {any[]} */
  const told = [];
  const script = {
    target,
    scenario: { onError: ['tell'] },
    processor: {
      tell: (/** @type {any[]} */ ...args) => {
        told.push([args[0].code, args[1].url]);
        args.at(-1)();
      },
    },
  };
  await runScenario({ ...script, flow: [{ get: { url: 'http://127.0.0.1:9/x' } }] });
  await runScenario({
    ...script,
    flow: [{ get: { url: '/', match: { json: '$.id', value: 'no' } } }],
  });
  assert.deepEqual(told, [['ECONNREFUSED', 'http://127.0.0.1:9/x']]);
});

test('a response has the request, its redirects and its address, as hooks know them from Artillery', async t => {
  const { target, seen } = await serve(t, (request, response) => {
    if (request.url === '/old') response.writeHead(302, { location: '/new?a=1' });
    response.end();
  });
  /** @type {any[]} */
  const responses = [];
  const processor = {
    look(/** @type {any} */ _request, /** @type {any} */ response) {
      responses.push(response);
    },
  };
  const { errors } = await runScenario({
    target,
    processor,
    flow: [{ get: { url: '/old', headers: { 'X-Own': '1' }, afterResponse: 'look' } }],
  });
  assert.deepEqual(errors, []);
  const [{ request, ...response }] = responses;
  assert.equal(request.path, '/new?a=1');
  assert.equal(request.method, 'GET');
  assert.equal(request.headers['x-own'], '1');
  assert.equal(request.options.url.href, `${target}/new?a=1`);
  assert.equal(response.requestUrl, `${target}/old`);
  assert.equal(response.url, `${target}/new?a=1`);
  assert.deepEqual(response.redirectUrls.map(String), [`${target}/new?a=1`]);
  assert.equal(response.ip, '127.0.0.1');
  assert.equal(response.isFromCache, false);
  assert.equal(response.retryCount, 0);
  assert.equal(seen.length, 2);
});
