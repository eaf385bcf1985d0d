import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveLivePage } from '../../../lib/report/live/serve-page.js';

const PAGE = '<p>page';

/** @param {import('node:test').TestContext} t */
async function serve(t) {
  const server = await serveLivePage(PAGE);
  t.after(() => server.close());
  return { ...server, place: new URL(server.url) };
}

/**
 * @param {URL} place @param {Record<string, string>} [headers] @param {string} [method]
 * @returns {Promise<{status: number | undefined, headers: http.IncomingHttpHeaders, text: string}>}
 */
async function ask(place, headers = {}, method = 'GET') {
  const request = http.request(place, { headers, method, agent: false }).end();
  const [response] = await new Promise((resolve, reject) => {
    request.once('response', one => resolve([one]));
    request.once('error', reject);
  });
  let text = '';
  for await (const part of response) text += part;
  return { status: response.statusCode, headers: response.headers, text };
}

/** Messages of a page that is open, as they come. @param {URL} place */
function listen(place) {
  /** @type {{type: string, data: string}[]} */
  const messages = [];
  let text = '';
  const request = http.get(new URL('events', place), { agent: false }, response => {
    response.setEncoding('utf8').on('data', part => {
      text += part;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, type = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
        messages.push({ type, data });
        text = text.slice(end + 2);
      }
    });
  });
  const ended = new Promise(resolve => request.once('close', resolve));
  request.on('error', () => {});
  return { messages, ended, request };
}

/** @param {() => boolean} isTrue */
async function until(isTrue) {
  for (const endMs = Date.now() + 20_000; !isTrue(); await sleep(10))
    assert.ok(Date.now() < endMs, 'it did not come');
}

test('the page is on a loopback address, behind a key of 256 bits, and is kept by no cache', async t => {
  const { place } = await serve(t);
  assert.equal(place.hostname, '127.0.0.1');
  assert.match(place.pathname, /^\/[\w-]{43}\/$/);
  const { status, headers, text } = await ask(place);
  assert.deepEqual([status, text], [200, PAGE]);
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['content-security-policy'], "frame-ancestors 'none'");
  assert.equal(headers['access-control-allow-origin'], undefined);
});

test('a foreign host, a foreign origin, a wrong key and other methods are refused', async t => {
  const { place } = await serve(t);
  const events = new URL('events', place);
  for (const at of [place, events])
    for (const headers of /** @type {Record<string, string>[]} */ ([
      { host: `rebound.example:${place.port}` },
      { host: `127.0.0.1.example:${place.port}` },
      { origin: 'http://rebound.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${Number(place.port) + 1}` },
    ]))
      assert.deepEqual(
        { headers, ...pick(await ask(at, headers)) },
        { headers, status: 403, text: '' },
      );
  assert.deepEqual(pick(await ask(place, {}, 'POST')), { status: 405, text: '' });
  const wrong = place.pathname.replace(/.\/$/, end => (end === 'A/' ? 'B/' : 'A/'));
  for (const pathname of ['/', wrong, `${place.pathname}other`, `${place.pathname}../events`])
    assert.deepEqual(pick(await ask(new URL(pathname, place))), { status: 404, text: '' });
});

/** @param {Awaited<ReturnType<typeof ask>>} response */
const pick = ({ status, text }) => ({ status, text });

test('only a page with the key changes the load, with a short JSON of its own origin', async t => {
  /** @type {unknown[]} */
  const asked = [];
  const { url, close } = await serveLivePage(PAGE, request => {
    asked.push(request);
    return true;
  });
  t.after(close);
  const place = new URL('control', url);
  /** @param {Record<string, string>} headers @param {string | null} body @param {URL} [at] */
  const post = async (headers, body, at = place) => {
    const length = body === null ? {} : { 'content-length': `${body.length}` };
    const own = { headers: { ...length, ...headers }, method: 'POST', agent: false };
    const request = http.request(at, own).on('error', () => {});
    if (body === null) request.write('{}');
    else request.end(body);
    const [response] = await once(request, 'response');
    return response.resume().statusCode;
  };
  const own = { origin: place.origin };
  const wrong = new URL(
    place.href.replace(/.\/control$/, end => (end[0] === 'A' ? 'B' : 'A') + end.slice(1)),
  );
  for (const [
    headers,
    body,
    status,
    at,
  ] of /** @type {[Record<string, string>, string | null, number, URL?][]} */ ([
    [{}, '{}', 403],
    [{ origin: 'http://rebound.example' }, '{}', 403],
    [{ origin: 'null' }, '{}', 403],
    [{ ...own, host: `rebound.example:${place.port}` }, '{}', 403],
    [own, '{}', 404, wrong],
    [own, '{}', 404, new URL('/control', url)],
    [own, '{}', 404, new URL('other/control', url)],
    [own, '{}', 405, new URL('events', url)],
    [own, 'x'.repeat(2001), 413],
    [own, 'x'.repeat(1e6), 413],
    [own, null, 413],
    [own, 'NaN', 400],
    [own, '{"to":NaN}', 400],
    [own, '', 400],
    [own, 'null', 400],
    [own, '['.repeat(2000), 400],
  ]))
    assert.deepEqual(
      [headers, body?.slice(0, 20), await post(headers, body, at)],
      [headers, body?.slice(0, 20), status],
    );
  assert.deepEqual(asked, []);
  assert.equal(await post(own, '{"index":0,"to":3}'), 204);
  assert.deepEqual(asked, [{ index: 0, to: 3 }]);
  const slow = http.request(place, { headers: { ...own, 'content-length': '9' }, method: 'POST' });
  slow.on('error', () => {}).write('{');
  await new Promise(resolve => slow.once('close', resolve));
});

test('through a forwarded port, own origins are those of the port that the browser sees', async t => {
  const { place } = await serve(t);
  const headers = { host: 'localhost:4321', origin: 'http://localhost:4321' };
  assert.equal((await ask(place, headers)).status, 200);
});

test('two pages get each message, and one that comes late the newest of each type', async t => {
  const { place, send } = await serve(t);
  const first = listen(place);
  send('load', '0');
  await until(() => first.messages.length > 0);
  for (const [type, data] of [
    ['report', 'A'],
    ['load', '1'],
    ['report', 'B'],
    ['load', '2'],
  ])
    send(`${type}`, `${data}`);
  const late = listen(place);
  await until(() => first.messages.at(-1)?.data === '2' && late.messages.length > 1);
  assert.deepEqual(late.messages, [
    { type: 'report', data: 'B' },
    { type: 'load', data: '2' },
  ]);
  send('load', '3');
  await until(() => [first, late].every(({ messages }) => messages.at(-1)?.data === '3'));
});

test('a page that does not read costs one message, and then gets the newest', async t => {
  const { place, send } = await serve(t);
  const socket = net.connect(Number(place.port), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write(`GET ${place.pathname}events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await new Promise(resolve => socket.once('readable', resolve));
  const before = process.memoryUsage().rss;
  for (let n = 0; n < 300; n++) {
    send('load', `${n} ${'x'.repeat(4e6)}`);
    await sleep(1);
  }
  const grownMb = (process.memoryUsage().rss - before) / 1e6;
  assert.ok(grownMb < 400, `${grownMb} MB for 300 messages of 4 MB`);
  let text = '';
  socket.setEncoding('latin1').on('data', part => {
    text += part;
  });
  await until(() => /data: 299 x{3999999}/.test(text));
  const count = text.split('event: load').length - 1;
  assert.ok(count < 10, `${count} messages`);
});

test('the end waits for the last message, and the connection is closed then', async () => {
  const { url, send, close } = await serveLivePage(PAGE);
  const page = listen(new URL(url));
  send('load', '1');
  await until(() => page.messages.length > 0);
  send('report', 'x'.repeat(5e6));
  await close();
  await page.ended;
  assert.equal(page.messages.at(-1)?.data.length, 5e6);
  await assert.rejects(ask(new URL(url)), { code: 'ECONNREFUSED' });
});

/** @param {URL} place @param {string} [text] that it sends */
function connect({ port }, text = '') {
  const socket = net.connect(Number(port), '127.0.0.1').on('error', () => {});
  if (text) socket.write(text);
  return { socket, ended: new Promise(resolve => socket.once('close', resolve)) };
}

test('connections without the key end within seconds, and lock no page out', async t => {
  const { place, send } = await serve(t);
  const page = listen(place);
  send('load', '0');
  await until(() => page.messages.length > 0);
  const idle = Array.from({ length: 150 }, (_, index) =>
    connect(place, index % 2 ? 'GET / HTTP/1.1\r\nHost: localhost\r\n' : ''),
  );
  t.after(() => idle.map(({ socket }) => socket.destroy()));
  await Promise.all(idle.slice(-5).map(({ socket }) => once(socket, 'connect')));
  assert.deepEqual(pick(await ask(place)), { status: 200, text: PAGE });
  const late = listen(place);
  await until(() => late.messages.length > 0);
  await Promise.all(idle.map(({ ended }) => ended));
  send('load', '1');
  await until(() => [page, late].every(({ messages }) => messages.at(-1)?.data === '1'));
});

test('a connection with a wrong key ends, too', async t => {
  const { place } = await serve(t);
  const { socket, ended } = connect(place, 'GET /wrong/ HTTP/1.1\r\nHost: localhost\r\n\r\n');
  t.after(() => socket.destroy());
  socket.resume();
  await ended;
});
