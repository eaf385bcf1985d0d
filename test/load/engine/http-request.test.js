import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenario, serve } from './http-run.js';

test('every method is sent, with url or uri, and counted under its status', async t => {
  const { target, seen } = await serve(t);
  const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];
  const { counters } = await runScenario({
    target,
    flow: [...methods.map(method => ({ [method]: { url: '/a?b=1' } })), { get: { uri: '/u' } }],
  });
  assert.deepEqual(
    seen.map(({ method, url }) => `${method} ${url}`),
    [...methods.map(method => `${method.toUpperCase()} /a?b=1`), 'GET /u'],
  );
  assert.equal(counters['http.requests'], 8);
  assert.equal(counters['http.codes.200'], 8);
  assert.equal(counters['http.responses'], 8);
  assert.equal(counters.started, 1);
});

test('all requests of a user go over one connection, HEAD and bodies included', async t => {
  const { target, connections } = await serve(t);
  await runScenario({
    target,
    flow: [
      { head: { url: '/' } },
      { delete: { url: '/', json: { a: 1 } } },
      { parallel: [{ get: { url: '/1' } }, { post: { url: '/2', body: 'x' } }] },
      { get: { url: '/' } },
    ],
  });
  assert.equal(connections.size, 1);
});

test('a body is sent as json, text or form, with the type and length that it has', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    vars: { name: 'Zoë', n: 3, list: [1, 2], empty: '' },
    flow: [
      {
        post: {
          url: '/',
          json: { a: '{{ name }}', n: '{{ n }}', l: '{{ list }}', '{{ name }}': 1 },
        },
      },
      {
        put: { url: '/', body: 'hello {{ name }} {{ n }}', headers: { 'Content-Type': 'text/x' } },
      },
      { post: { url: '/', form: { a: '{{ name }}', b: 'x y' } } },
      { post: { url: '/', json: [1, '{{ n }}'] } },
      { post: { url: '/', json: { e: '{{ empty }}' } } },
      { post: { url: '/' } },
    ],
  });
  assert.deepEqual(
    seen.map(({ body }) => body),
    [
      '{"a":"Zoë","n":3,"l":[1,2],"Zoë":1}',
      'hello Zoë 3',
      'a=Zo%C3%AB&b=x+y',
      '[1,3]',
      '{"e":""}',
      '',
    ],
  );
  assert.deepEqual(
    seen.map(({ headers }) => headers['content-type']),
    [
      'application/json',
      'text/x',
      'application/x-www-form-urlencoded',
      'application/json',
      'application/json',
      undefined,
    ],
  );
  assert.equal(seen[1]?.headers['content-length'], '12');
  assert.equal(seen[5]?.headers['content-length'], '0');
});

test('formData sends fields and files, and the length of it all', async t => {
  const { target, seen } = await serve(t);
  const { counters } = await runScenario({
    target,
    vars: { name: 'bob' },
    flow: [
      {
        post: {
          url: '/',
          setContentLengthHeader: true,
          formData: {
            user: '{{ name }}',
            n: 5,
            doc: { fromFile: './http-run.js', contentType: 'text/special' },
            json: { value: '{"a":1}', contentType: 'application/json' },
          },
        },
      },
      { post: { url: '/', formData: { doc: { fromFile: './not-there.txt' } } } },
    ],
  });
  const [request] = seen;
  assert.match(String(request?.headers['content-type']), /^multipart\/form-data; boundary=/);
  assert.equal(Number(request?.headers['content-length']), Buffer.byteLength(request?.body ?? ''));
  for (const part of [
    'name="user"\r\n\r\nbob',
    'filename="http-run.js"',
    'text/special',
    'application/json\r\n\r\n{"a":1}',
  ]) {
    assert.ok(request?.body.includes(part), part);
  }
  assert.equal(counters['errors.ENOENT'], 1);
  assert.equal(counters['http.requests'], 1);
});

test('qs takes the place of the query of the address, as in got', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    vars: { q: 'a b', list: ['x', 'y'] },
    flow: [
      { get: { url: '/s?old=1#part', qs: { q: '{{ q }}', n: 1, l: '{{ list }}' } } },
      { get: { url: '/s?old=1' } },
    ],
  });
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['/s?q=a+b&n=1&l=x&l=y', '/s?old=1'],
  );
});

test('addresses are written as a browser writes them', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    vars: { path: 'ä b', dots: '../c' },
    flow: [
      { get: { url: '/{{ path }}?x={{ path }}' } },
      { get: { url: '/a/{{ dots }}' } },
      { get: { url: `${target}/abs` } },
      { get: { url: '{{ target }}/{{ path }}' } },
    ],
  });
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['/%C3%A4%20b?x=%C3%A4%20b', '/c', '/abs', '/%C3%A4%20b'],
  );
});

test('headers are lower-cased, filled in, and come on top of the defaults', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    vars: { name: 'bob', n: 4 },
    config: { defaults: { headers: { 'X-Default': '{{ name }}', 'X-Other': 'default' } } },
    flow: [
      { get: { url: '/', headers: { 'X-OTHER': 'own {{ n }}', 'X-N': '{{ n }}' } } },
      { get: { url: '/', gzip: false } },
    ],
  });
  const [first, second] = seen.map(({ headers }) => headers);
  assert.equal(first?.['x-default'], 'bob');
  assert.equal(first?.['x-other'], 'own 4');
  assert.equal(first?.['x-n'], '4');
  assert.equal(first?.['user-agent'], 'Artillery (https://artillery.io)');
  assert.match(first?.['accept-encoding'], /^gzip, deflate, br/);
  assert.equal(second?.['x-other'], 'default');
  assert.equal(second?.['accept-encoding'], undefined);
});

test('auth and a password in the address become an authorization header', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    vars: { user: 'bob' },
    flow: [
      { get: { url: '/', auth: { user: '{{ user }}', pass: 'secret' } } },
      { get: { url: `${target.replace('//', '//al:b%20c@')}/` } },
    ],
  });
  assert.deepEqual(
    seen.map(({ headers }) => Buffer.from(headers.authorization.slice(6), 'base64').toString()),
    ['bob:secret', 'al:b c'],
  );
});

test('ifTrue and probability decide which requests are sent', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    vars: { n: 5 },
    processor: { isBig: (/** @type {any} */ vars) => vars.n > 100 },
    flow: [
      { get: { url: '/yes', ifTrue: 'n == 5' } },
      { get: { url: '/no', ifTrue: 'n == 6' } },
      { get: { url: '/hook', ifTrue: 'isBig' } },
      { get: { url: '/never', probability: 0 } },
      { get: { url: '/broken', ifTrue: 'n ==' } },
    ],
  });
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['/yes', '/broken'],
  );
});

test('requests that got would refuse end the user and are not counted as sent', async t => {
  const { target, seen } = await serve(t);
  const fails = async (/** @type {any} */ request) =>
    (await runScenario({ target, flow: [request, { get: { url: '/after' } }] })).counters;
  assert.equal((await fails({ get: { url: '{{ none }}' } }))['errors.Invalid URL - undefined'], 1);
  assert.equal((await fails({ get: { url: 'http://' } }))['errors.ERR_INVALID_URL'], 1);
  assert.equal(
    (await fails({ get: { url: '/', json: { a: 1 } } }))['errors.ERR_GOT_REQUEST_ERROR'],
    1,
  );
  assert.equal(
    (await fails({ post: { url: '/', json: {}, form: {} } }))['errors.ERR_GOT_REQUEST_ERROR'],
    1,
  );
  const odd = await fails({ get: { url: '/', headers: { a: 'x\r\ny: z' } } });
  assert.equal(odd['errors.ERR_INVALID_CHAR'], 1);
  assert.equal(odd['http.requests'], undefined);
  assert.equal(seen.length, 0);
});

test('a request to an address without a listener has no response', async () => {
  const { counters, endpoints, samples } = await runScenario({
    target: 'http://127.0.0.1:9',
    flow: [{ get: { url: '/x' } }],
  });
  assert.equal(counters['http.requests'], 1);
  assert.equal(counters['errors.ECONNREFUSED'], 1);
  assert.equal(endpoints['GET /x'].errors, 1);
  assert.equal(samples[0].code, 'ECONNREFUSED');
});
