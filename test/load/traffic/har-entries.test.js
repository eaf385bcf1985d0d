import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readHar } from '../../../lib/load/traffic/read-har.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { APP, record, T0_MS } from './record-har.js';

/** @import { Made } from './record-har.js' */

test('follows redirects by itself, and leaves out other requests than those of the page', t => {
  const { flow, session, cookies } = record(t, [
    { url: '/old', status: 302, answered: { Location: '/new', 'Set-Cookie': 'sid=1; Path=/' } },
    { url: '/new', html: '<p></p>', sent: { Cookie: 'sid=1' } },
    { url: '/out', status: 302, answered: { Location: 'https://other.org/' } },
    { url: 'https://other.org/', html: '<p></p>' },
    { url: 'https://api.example.com/x' },
    { url: '/app.js' },
    { url: '/x', method: 'OPTIONS' },
    { url: '/gone', status: 404 },
    { url: '/gone', status: 0 },
    {
      url: '/upload',
      method: 'POST',
      postData: { mimeType: 'multipart/form-data; boundary=x', text: '--x' },
    },
    { url: '/again', atMs: 5000, sent: { Cookie: 'sid=1; older=2' } },
    { url: '/again', atMs: 5010 },
  ]);
  assert.deepEqual(
    flow.filter(({ think }) => think === undefined),
    [
      { get: { url: '/old' } },
      { get: { url: '/out', followRedirect: false } },
      { get: { url: '/again' } },
      { get: { url: '/again' } },
    ],
  );
  assert.deepEqual([...cookies], ['older']);
  assert.deepEqual(Object.fromEntries(session.leftOut), {
    foreign: ['GET https://other.org', 'https://api.example.com'],
    static: ['GET /app.js'],
    preflight: ['OPTIONS /x'],
    failed: ['GET /gone', 'GET /gone'],
    body: ['POST /upload'],
  });
});

test('a POST that the browser followed with a GET is not repeated at the address of its redirect', t => {
  const postData = { mimeType: 'application/x-www-form-urlencoded', text: 'a=1' };
  const send = (/** @type {number} */ status) => [
    { url: '/save', method: 'POST', status, postData, answered: { Location: `/saved/${status}` } },
    { url: `/saved/${status}`, ...(status > 303 && { method: 'POST', postData }) },
  ];
  const { flow } = record(t, [301, 302, 303, 307].flatMap(send));
  const post = { url: '/save', form: { a: '1' } };
  assert.deepEqual(
    flow.filter(({ think }) => think === undefined),
    [
      { post: { ...post, followRedirect: false } },
      { get: { url: '/saved/301' } },
      { post: { ...post, followRedirect: false } },
      { get: { url: '/saved/302' } },
      { post },
      { post },
    ],
  );
});

test('counts responses that a recording has without their text', t => {
  /** @param {ReturnType<typeof readHar>} session */
  const countLost = ({ exchanges }) => exchanges.filter(({ answer }) => answer.isLost).length;
  const { session } = record(t, [{ url: '/a' }, { url: '/b' }, { url: '/c', status: 204 }]);
  assert.equal(countLost(session), 0);
  const file = path.join(makeTempFolder(t), 'bare.har');
  const entries = [{ size: 9 }, { size: -1, text: '' }, { size: 0 }, { text: '{}' }].map(
    content => ({
      startedDateTime: new Date(T0_MS).toISOString(),
      request: { method: 'GET', url: `${APP}/a`, headers: [] },
      response: { status: 200, headers: [], content },
    }),
  );
  writeFileSync(file, JSON.stringify({ log: { entries } }));
  assert.equal(countLost(readHar(file)), 2);
});

test('reads what proxies and browsers record in their own ways', t => {
  const params = [
    { name: 'a', value: '1' },
    { name: 'b', value: 'x y' },
  ];
  const { flow, session } = record(t, [
    { url: 'https://track.example.org/a' },
    { url: 'shop.example.com:443', method: 'CONNECT' },
    { url: '/items', postData: { mimeType: '', params: [] } },
    {
      url: '/save',
      method: 'POST',
      postData: { mimeType: 'application/x-www-form-urlencoded', params },
    },
    { url: '/empty', method: 'POST', postData: { mimeType: '', text: '' } },
    { url: '/cart.js', method: 'POST', json: { item: 7 } },
    { url: '/find', method: 'M-SEARCH' },
  ]);
  assert.deepEqual(
    flow.filter(({ think }) => think === undefined),
    [
      { get: { url: '/items' } },
      { post: { url: '/save', form: { a: '1', b: 'x y' } } },
      { post: { url: '/empty' } },
      { post: { url: '/cart.js', json: { item: 7 } } },
    ],
  );
  assert.deepEqual(Object.fromEntries(session.leftOut), {
    foreign: ['GET https://track.example.org'],
    preflight: ['CONNECT '],
    body: ['M-SEARCH /find'],
  });
});

test('names WebSockets, what never leaves the browser, and bodies that are elsewhere', t => {
  const { leftOut, exchanges } = record(t, [
    { url: '/api/me' },
    { url: 'data:image/png;base64,iVBOR' },
    { url: `blob:${APP}/5d1c` },
    { url: 'chrome-extension://abc/inject.js' },
    { url: 'wss://shop.example.com/live', status: 101 },
    {
      method: 'POST',
      url: '/api/up',
      postData: { mimeType: 'image/png', text: '', _sha1: 'a.png' },
    },
  ]).session;
  assert.equal(exchanges.length, 1);
  assert.deepEqual(Object.fromEntries(leftOut), {
    internal: ['GET data:', 'GET blob:', 'GET chrome-extension:'],
    websocket: ['GET /live'],
    body: ['POST /api/up'],
  });
});

for (const [reason, one] of /** @type {[string, Made][]} */ ([
  ['failed', { url: '/api/slow', status: 0 }],
  ['body', { method: 'POST', url: '/api/up', postData: { mimeType: 'text/csv', text: 'a,b' } }],
  ['websocket', { url: 'wss://shop.example.com/live', status: 101 }],
]))
  test(`a recording of requests that cannot be sent says "${reason}", and not "other hosts"`, t => {
    const { leftOut, exchanges } = record(t, [one]).session;
    assert.deepEqual([exchanges.length, [...leftOut.keys()]], [0, [reason]]);
  });

test('lists numbers of paths that earlier responses have under other names, and keeps operations of GraphQL', t => {
  const { literal, variables, flow } = record(t, [
    { url: '/api/me', data: { id: 5551, page: 1 } },
    { url: '/api/orders/5551' },
    { url: '/graphql', method: 'POST', json: { operationName: 'Rooms', query: '{ rooms }' } },
  ]);
  assert.deepEqual(
    literal.map(({ at, places }) => [at, places]),
    [['orders of GET /api/orders/:id', 1]],
  );
  assert.deepEqual(variables, {});
  assert.match(JSON.stringify(flow), /"operationName":"Rooms"/);
});

test('leaves out entries that cannot be read, with their problem, and refuses more than half of them', t => {
  const folder = makeTempFolder(t);
  const good = {
    startedDateTime: '2026-11-20T14:00:00Z',
    request: { method: 'GET', url: `${APP}/a`, headers: [] },
    response: { status: 200, headers: [], content: {} },
  };
  const bad = [
    { ...good, response: null },
    { ...good, startedDateTime: '' },
    { ...good, request: { ...good.request, url: '/b' } },
    null,
  ];
  /** @param {any[]} entries @param {string} [mark] */
  const read = (entries, mark = '\ufeff') => {
    const file = path.join(folder, 'session.har');
    writeFileSync(file, mark + JSON.stringify({ log: { entries } }));
    return readHar(file);
  };
  const { exchanges, leftOut } = read([good, ...bad, good, good, good]);
  assert.equal(exchanges.length, 4);
  assert.deepEqual(leftOut.get('unreadable'), [
    'entry 2 has no response',
    'entry 3 has no time (startedDateTime)',
    'entry 4 has no whole address',
    'entry 5 has no request',
  ]);
  assert.throws(() => read(bad), /has 4 entries, and 4 cannot be read: entry 1 has no response/);
});

test('numbers that JavaScript would round keep their digits', t => {
  const text = '{"id":12345678901234567890,"list":[{"n":1e400,"small":1.10}],"note":"a"}';
  const { flow } = record(t, [
    { url: '/orders', method: 'POST', postData: { mimeType: 'application/json', text } },
  ]);
  const post = /** @type {any} */ (flow[0]?.post);
  assert.equal(post.body, text.replace('1.10', '1.1'));
  assert.deepEqual(post.headers, { 'content-type': 'application/json' });
});
