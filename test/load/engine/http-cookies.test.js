import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenario, serve } from './http-run.js';

test('cookies come back from the first one on, on each hop of a redirect too', async t => {
  const { target, seen } = await serve(t, (request, response) => {
    if (request.url === '/login') {
      response.writeHead(302, { location: '/home', 'set-cookie': ['session=1; Path=/', 'b=2'] });
    } else if (request.url === '/home') response.setHeader('set-cookie', 'session=2; Path=/');
    response.end();
  });
  await runScenario({
    target,
    flow: [{ get: { url: '/before' } }, { get: { url: '/login' } }, { get: { url: '/after' } }],
  });
  assert.deepEqual(
    seen.map(({ url, headers }) => [url, headers.cookie]),
    [
      ['/before', undefined],
      ['/login', undefined],
      ['/home', 'session=1; b=2'],
      ['/after', 'session=2; b=2'],
    ],
  );
});

test('cookies of a request and of the defaults are filled in and kept', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    vars: { id: 'x1' },
    config: { defaults: { cookie: { d: '{{ id }}' } } },
    flow: [{ get: { url: '/', cookie: { own: '{{ id }}2' } } }, { get: { url: '/' } }],
  });
  assert.deepEqual(
    seen.map(({ headers }) => headers.cookie),
    ['d=x1; own=x12', 'd=x1; own=x12'],
  );
});

test('a Cookie header goes with the cookies of responses, which replace those of the same name', async t => {
  const { target, seen } = await serve(t, (request, response) => {
    if (request.url === '/set')
      response.setHeader('set-cookie', ['csrftoken=c1; Path=/', 'lang=de; Path=/']);
    if (request.url === '/hostile')
      response.setHeader('set-cookie', ['__proto__=1; Path=/', '=sessionid; Path=/']);
    if (request.url === '/away') response.writeHead(302, { location: '/end' });
    response.end();
  });
  await runScenario({
    target,
    vars: { id: 's1' },
    config: { defaults: { headers: { Cookie: 'sessionid={{ id }}; lang=en;' } } },
    flow: ['/', '/set', '/away', '/hostile', '/'].map(url => ({ get: { url } })),
  });
  const both = 'sessionid=s1; csrftoken=c1; lang=de';
  assert.deepEqual(
    seen.map(({ url, headers }) => [url, headers.cookie]),
    [
      ['/', 'sessionid=s1; lang=en;'],
      ['/set', 'sessionid=s1; lang=en;'],
      ['/away', both],
      ['/end', both],
      ['/hostile', both],
      ['/', `${both}; __proto__=1`],
    ],
  );
});

test('a cookie for another path or host is not sent', async t => {
  const { target, seen } = await serve(t, (request, response) => {
    if (request.url === '/set')
      response.setHeader('set-cookie', ['p=1; Path=/deep', 's=1; Secure']);
    response.end();
  });
  await runScenario({
    target,
    flow: [{ get: { url: '/set' } }, { get: { url: '/' } }, { get: { url: '/deep/x' } }],
  });
  assert.deepEqual(
    seen.map(({ headers }) => headers.cookie),
    [undefined, undefined, 'p=1'],
  );
});

test('counts and leaves out an unreadable cookie without ending the user', async t => {
  const { target, seen } = await serve(t, (_request, response) => {
    response.setHeader('set-cookie', ['', 'good=1', 'bad=1; Domain=example.com']);
    response.end();
  });
  const { counters, errors } = await runScenario({
    target,
    flow: [{ get: { url: '/' } }, { get: { url: '/' } }],
  });
  assert.equal(seen[1]?.headers.cookie, 'good=1');
  assert.equal(counters['errors.cookie_parse_error_invalid_cookie'], 4);
  assert.deepEqual(errors, []);
});

test('the options of the jar are those of the script', async t => {
  const { target, seen } = await serve(t, (_request, response) => {
    response.setHeader('set-cookie', 'noEquals');
    response.end();
  });
  await runScenario({
    target,
    config: { http: { cookieJarOptions: { looseMode: true } } },
    flow: [{ get: { url: '/' } }, { get: { url: '/' } }],
  });
  assert.equal(seen[1]?.headers.cookie, 'noEquals');
});

test('hooks find the jar where Artillery has it', async t => {
  const { target, seen } = await serve(t);
  await runScenario({
    target,
    processor: {
      before(
        /** @type {any} */ request,
        /** @type {any} */ context,
        /** @type {any} */ _ee,
        /** @type {any} */ next,
      ) {
        context._jar.setCookieSync('hook=1', request.url);
        context._enableCookieJar = true;
        next();
      },
    },
    flow: [{ get: { url: '/', beforeRequest: 'before' } }],
  });
  assert.equal(seen[0]?.headers.cookie, 'hook=1');
});
