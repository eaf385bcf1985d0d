/** Who gets the companion's headers, and what a cache may keep of such responses. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import test from 'node:test';
import { promisify } from 'node:util';
import { startAsgi } from '../helpers/asgi.js';
import { PYTHON, startGunicorn } from '../helpers/gunicorn.js';
import { COMPANION, COMPANION_FILE } from '../helpers/joined-companion.js';
import { serve } from '../helpers/listen.js';
import { needsModules } from '../helpers/needs.js';

const KEY = 'correct-horse-battery';

/** @param {import('node:test').TestContext} t @param {string} LOADFLAME @param {string[]} [args] */
const startWsgi = (t, LOADFLAME, args = []) =>
  startGunicorn(t, {
    ...{ workers: 1, args: ['-c', COMPANION_FILE, ...args], app: 'companion_app:app' },
    env: { LOADFLAME, PYTHONDONTWRITEBYTECODE: '1' },
  });

/** @type {Record<string, {skip: string | false, start: (t: import('node:test').TestContext, LOADFLAME: string) => Promise<{url: string}>}>} */
const SERVERS = {
  gunicorn: { skip: false, start: startWsgi },
  uvicorn: {
    skip: needsModules('uvicorn', 'fastapi'),
    start: (t, LOADFLAME) => startAsgi(t, { env: { LOADFLAME } }),
  },
};

/**
 * A proxy on this machine that adds a header, and maybe the key.
 * @param {import('node:test').TestContext} t @param {string} url @param {Record<string, string>} added
 */
const startProxy = (t, url, added) =>
  serve(t, (request, response) => {
    const { pathname } = new URL(request.url ?? '/', url);
    const headers = { ...request.headers, ...added };
    http.get(new URL(pathname, url), { headers, agent: false }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
  });

/** @param {string | URL} url @param {http.RequestOptions} [options] @returns {Promise<http.IncomingHttpHeaders>} */
async function headersOf(url, options = {}) {
  const request = http.get(url, { agent: false, ...options });
  const [response] = await once(request, 'response');
  response.resume();
  await once(response, 'end');
  assert.equal(response.statusCode, 200);
  return response.headers;
}

/** @param {http.IncomingHttpHeaders} headers */
const isSeen = headers => 'server-timing' in headers || 'loadflame-calls' in headers;

for (const [name, { skip, start }] of Object.entries(SERVERS)) {
  test(`${name}: with LOADFLAME=1 a proxy's clients get no header, and a cache may keep no response that has one`, {
    skip,
  }, async t => {
    const { url } = await start(t, '1');
    const own = await headersOf(`${url}/cached`);
    assert.ok(isSeen(own));
    const { expires, etag } = own;
    assert.deepEqual([own['cache-control'], expires, etag], ['no-store', undefined, '"1"']);
    const caches = ['cdn-cache-control', 'netlify-cdn-cache-control', 'x-accel-expires'];
    assert.deepEqual(
      caches.filter(header => header in own),
      [],
    );
    for (const added of /** @type {Record<string, string>[]} */ ([
      { 'X-Forwarded-For': '127.0.0.1' },
      { via: '1.1 proxy' },
      { Forwarded: 'for=127.0.0.1' },
      { 'x-real-ip': '127.0.0.1' },
      { 'X-Forwarded-Proto': 'https', 'loadflame-key': '1' },
    ])) {
      const proxied = await headersOf(`${await startProxy(t, url, added)}/cached`);
      assert.equal(isSeen(proxied), false, JSON.stringify(added));
      assert.equal(proxied['cache-control'], 'public, max-age=60');
      assert.ok(proxied.expires && proxied['cdn-cache-control']);
    }
    assert.ok(isSeen(await headersOf(`${await startProxy(t, url, {})}/cached`)), 'a plain hop');
  });

  test(`${name}: with a key only requests that carry it get headers, through proxies, too`, {
    skip,
  }, async t => {
    const { url } = await start(t, KEY);
    const proxy = await startProxy(t, url, { 'x-forwarded-for': '192.0.2.7', via: '1.1 proxy' });
    for (const place of [url, proxy]) {
      const keyed = await headersOf(`${place}/cached`, { headers: { 'loadflame-key': KEY } });
      assert.ok(isSeen(keyed), place);
      assert.equal(keyed['cache-control'], 'no-store');
      for (const wrong of ['', '1', `${KEY}x`, KEY.slice(1), KEY.toUpperCase(), 'k\u00e9y'])
        assert.equal(
          isSeen(await headersOf(`${place}/cached`, { headers: { 'loadflame-key': wrong } })),
          false,
        );
      const without = await headersOf(`${place}/cached`);
      assert.deepEqual([isSeen(without), without['cache-control']], [false, 'public, max-age=60']);
    }
  });
}

test('a client over a socket file gets no header: a proxy is before it', async t => {
  const socketPath = `/tmp/loadflame-who-sees-${process.pid}.sock`;
  const { url } = await startWsgi(t, '1', ['-b', `unix:${socketPath}`]);
  assert.ok(isSeen(await headersOf(`${url}/cached`)));
  assert.equal(isSeen(await headersOf('http://a/cached', { socketPath })), false);
});

const ASK = `
import asyncio, json, loadflame_companion as companion
def app(environ, start_response):
    start_response("200 OK", [])
    return []
async def asgi_app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})
wsgi, asgi = companion.Companion(app, "1.1"), companion.wrap(asgi_app)
def ask(peer, protocol, name):
    headers, messages = [], []
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "SERVER_PROTOCOL": "HTTP/" + protocol, "REMOTE_ADDR": peer or ""}
    scope = {"type": "http", "method": "GET", "path": "/", "http_version": protocol, "client": peer and (peer, 1), "headers": []}
    if name:
        environ["HTTP_" + name.upper().replace("-", "_")] = "1"
        scope["headers"] = [(name.encode(), b"1")]
    wsgi(environ, lambda status, all: headers.extend(all))
    async def send(message): messages.append(message)
    asyncio.run(asgi(scope, None, send))
    return [bool(headers), bool(messages[0]["headers"])]
`;

/** @param {string} program @param {Record<string, string>} env */
const python = (program, env) =>
  promisify(execFile)(PYTHON, ['-B', '-c', program], { env: { PYTHONPATH: COMPANION, ...env } });

test('only clients on this machine, by HTTP/1.1 and without a sign of a proxy, get headers', async () => {
  const cases = [
    ...['127.0.0.1', '127.0.1.1', '::1', '::ffff:127.0.0.1'].map(peer => [peer, '1.1', '']),
    ['127.0.0.1', '1.0', ''],
    ...[null, '10.0.0.7', '192.168.1.127', '::2', 'fe80::1', 'localhost.example', '::10'].map(
      peer => [peer, '1.1', ''],
    ),
    ...['x-forwarded-host', 'true-client-ip', 'x-envoy-external-address', 'cdn-loop'].map(name => [
      ...['127.0.0.1', '1.1', name],
    ]),
  ];
  const program = `${ASK}\nprint(json.dumps([ask(*one) for one in json.loads(${JSON.stringify(JSON.stringify(cases))})]))`;
  const { stdout } = await python(program, { LOADFLAME: '1' });
  for (const [index, seen] of JSON.parse(stdout).entries())
    assert.deepEqual(seen, [index < 4, index < 4], JSON.stringify(cases[index]));
});

test('what is neither 1 nor a key leaves it off, and is reported once', async () => {
  const program = `
import importlib.util, json, sys, loadflame_companion as companion
spec = importlib.util.spec_from_file_location("again", companion.__file__)
spec.loader.exec_module(importlib.util.module_from_spec(spec))
app = lambda: None
print(json.dumps(companion.wrap(app) is app))`;
  for (const [value, isSaid] of /** @type {const} */ ([
    ...[
      ['fifteen-letters', true],
      ['yes', true],
      ['sixteen letters..', true],
    ],
    ...[
      ['', false],
      ['0', false],
      ['false', false],
      ['False', false],
    ],
  ])) {
    const { stdout, stderr } = await python(program, { LOADFLAME: value });
    assert.equal(JSON.parse(stdout), true, value);
    assert.equal(stderr.match(/LOADFLAME is neither 1 nor a key/g)?.length ?? 0, Number(isSaid));
    if (value) assert.ok(!stderr.includes(value), stderr);
  }
});

test("what others' requests cost is reported to nobody", async () => {
  const program = `${ASK}
import time
def busy(environ, start_response):
    start_response("200 OK", [])
    def body():
        yield b""
        if "VIA" in str(environ):
            end = time.thread_time() + 0.2
            while time.thread_time() < end: pass
    return body()
wsgi = companion.Companion(busy, "1.1")
def timing(**more):
    headers = []
    body = wsgi({"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1", **more}, lambda _, all: headers.extend(all))
    list(body)
    return dict(headers).get("Server-Timing", "")
print(json.dumps([timing(), timing(HTTP_VIA="1"), timing(), timing()]))`;
  const { stdout } = await python(program, { LOADFLAME: '1' });
  const [first, other, ...later] = JSON.parse(stdout);
  assert.equal(other, '');
  for (const timing of [first, ...later]) {
    const [, cpuMs, aroundMs] = /cpu;dur=([\d.]+), .*around;dur=([\d.]+)/.exec(timing) ?? [];
    assert.ok(Number(cpuMs) < 100 && Number(aroundMs) < 100, timing);
  }
});
