import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import csv from 'csv-parse/lib/sync.js';
import { discoverTargets } from '../../../lib/study/lists/discover-targets.js';
import { listen } from '../../helpers/listen.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const PAGE = `<ul><li><a href="/files/a?x=1&amp;y=2">a</a>
<li><a href="/files/b">b</a><li><a href="/files/a?x=1&amp;y=2">again</a></ul>`;

/** @type {Record<string, (response: import('node:http').ServerResponse, port: number) => void>} */
const ROUTES = {
  '/api/page/': response => response.setHeader('content-type', 'text/html').end(PAGE),
  '/api/items': response =>
    response.end(JSON.stringify({ items: [{ id: '007' }, { id: 8 }, { id: 'a"b,c' }, {}] })),
  '/api/moved': response => response.writeHead(302, { location: '/api/page/' }).end(),
  '/api/away': response => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  '/api/round': response => response.writeHead(302, { location: '/api/round' }).end(),
  '/api/broken': response => response.writeHead(500).end('no'),
  '/api/endless': response => {
    response.write('x'.repeat(4_000_000));
    response.write('x'.repeat(4_000_000));
    response.end('x'.repeat(4_000_000));
  },
  '/api/foreign': response => response.end('href="/a" href="https://elsewhere.example/b"'),
  '/api/ports': (response, port) =>
    response.end(`href="http://127.0.0.1:${port}/a" href="http://127.0.0.1:7777/b"`),
  '/api/controls': response => response.end(JSON.stringify({ items: [{ id: 'a\r\nHost: b' }] })),
  '/api/slow': response => response.end(`${'a'.repeat(40)}!`),
  '/api/silent': () => {},
  '/tree/': response =>
    response.end('href="a/" href="../" href="/api/page/" href="top" href="http://127.0.0.1:9/x/"'),
  '/tree/a/': response => response.end('href="../" href="b/?C=M" href="one" href="/tree/a/#top"'),
  '/tree/a/b/?C=M': response => response.end('href="c/" href="%2e%2e/two" href="?C=N"'),
  '/tree/a/b/c/': response => response.end('href="too-deep"'),
  '/wide/': response =>
    response.end(Array.from({ length: 50 }, (_, n) => `href="${n}/" href="item"`).join(' ')),
  '/huge/': response => response.end('href="big/" href="small"'),
  '/huge/big/': response => response.end('x'.repeat(12_000_000)),
  '/abroad/': response => response.end('href="in/" href="http://elsewhere.example/file"'),
  '/abroad/in/': response => response.end('href="x"'),
};

/** @param {import('node:test').TestContext} t */
async function startServer(t) {
  /** @type {string[]} */
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    const answer = ROUTES[request.url ?? ''];
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    if (answer) answer(response, port);
    else response.writeHead(404).end();
  });
  return { url: await listen(t, server), seen };
}

/**
 * @param {import('node:test').TestContext} t
 * @param {{from: string, match?: string, order?: 'random' | 'sequence', crawl?: {depth: number, pages: number, follow: string}}} list
 * @param {{ports?: number[], studyDir?: string, signal?: AbortSignal}} [options]
 */
async function harvest(
  t,
  { from, match = 'href="([^"]+)"', order = 'random', crawl },
  options = {},
) {
  /** @type {string[]} */
  const notes = [];
  const { url, seen } = await startServer(t);
  const folder = path.join(makeTempFolder(t), 'lists');
  const { payload } = await discoverTargets(
    [{ name: 'link', from, match, order, ...(crawl && { crawl }) }],
    {
      url,
      onNote: note => notes.push(note),
      folder,
      studyDir: options.studyDir ?? folder,
      signal: options.signal ?? new AbortController().signal,
      ...(options.ports && { ports: options.ports }),
    },
  );
  const [entry] = payload;
  const text = readFileSync(entry?.path ?? '', 'utf8');
  /** @type {string[][]} */
  const rows = csv(text, { cast: entry?.cast ?? true });
  return { entry, items: rows.map(([item]) => item), folder, url, seen, notes };
}

test('links of a page become a CSV file, each once, with entities read', async t => {
  const { entry, items, folder, seen } = await harvest(t, { from: '/api/page/' });
  assert.deepEqual(items, ['/files/a?x=1&y=2', '/files/b']);
  const file = path.join(folder, 'link.csv');
  assert.deepEqual(entry, { path: file, fields: ['link'], order: 'random', cast: false });
  assert.deepEqual(seen, ['/api/page/']);
});

test('writes texts of a JSON response unchanged to a CSV file', async t => {
  const list = {
    from: '/api/items',
    match: '$.items[*].id',
    order: /** @type {const} */ ('sequence'),
  };
  const { entry, items } = await harvest(t, list);
  assert.deepEqual(items, ['007', '8', 'a"b,c']);
  assert.equal(entry?.order, 'sequence');
});

test('a redirect to the same place is followed, one to another is not', async t => {
  assert.equal((await harvest(t, { from: '/api/moved' })).items.length, 2);
  await assert.rejects(harvest(t, { from: '/api/away' }), {
    code: 'STUDY_LIST_UNREADABLE',
    message: /cannot read the list link from \/api\/away: it redirects to http:\/\/127\.0\.0\.1:9$/,
  });
  await assert.rejects(harvest(t, { from: '/api/round' }), { message: /redirects without end/ });
});

test('a file beside the study is read line by line, one outside is not', async t => {
  const studyDir = makeTempFolder(t);
  const outside = path.join(makeTempFolder(t), 'secret');
  writeFileSync(path.join(studyDir, 'ids.txt'), '1\n2\n\n2\n');
  writeFileSync(outside, 'secret\n');
  symlinkSync(outside, path.join(studyDir, 'link.txt'));
  const match = '^(.+)$';
  const { items } = await harvest(t, { from: 'file:ids.txt', match }, { studyDir });
  assert.deepEqual(items, ['1', '2']);
  for (const from of [`file:${outside}`, 'file:../x/../../etc/passwd', 'file:link.txt', 'file:.']) {
    await assert.rejects(harvest(t, { from, match }, { studyDir }), {
      code: 'STUDY_LIST_UNREADABLE',
    });
  }
  await assert.rejects(harvest(t, { from: 'file:link.txt', match }, { studyDir }), {
    message: /outside the study's folder/,
  });
});

test('what leads to another host is refused by its name', async t => {
  await assert.rejects(harvest(t, { from: '/api/foreign' }), {
    code: 'STUDY_LIST_FOREIGN',
    message: /^the list link contains https:\/\/elsewhere\.example\/b: load may only be sent to/,
  });
});

test('addresses of the target and of the ports of the study are taken', async t => {
  const { items } = await harvest(t, { from: '/api/ports' }, { ports: [7777] });
  assert.equal(items.length, 2);
  await assert.rejects(harvest(t, { from: '/api/ports' }, { ports: [7778] }), {
    code: 'STUDY_LIST_FOREIGN',
  });
});

test('a list that finds nothing says so', async t => {
  await assert.rejects(harvest(t, { from: '/api/items' }), {
    code: 'STUDY_LIST_EMPTY',
    message: 'the list link is empty: href="([^"]+)" finds nothing in /api/items',
  });
  await assert.rejects(harvest(t, { from: '/api/items', match: '$.nothing[*].id' }), {
    code: 'STUDY_LIST_EMPTY',
  });
});

for (const [from, match, reason] of [
  ['/api/broken', '(x)', /responds with status 500/],
  ['/api/none', '(x)', /responds with status 404/],
  ['/api/endless', '(x)', /larger than 10 MB/],
  ['/api/page/', '$.items[*]', /it is no JSON/],
  ['/api/items', '$.items[*]', /leads to lists or maps/],
  ['/api/controls', '$.items[*].id', /control characters/],
  ['http://127.0.0.1:9/', '(x)', /ECONNREFUSED/],
]) {
  test(`a list from ${from} by ${match} can not be read, and the error says why`, async t => {
    await assert.rejects(harvest(t, { from: String(from), match: String(match) }), {
      code: 'STUDY_LIST_UNREADABLE',
      message: /** @type {RegExp} */ (reason),
    });
  });
}

test('a regular expression that takes for ever is ended', async t => {
  await assert.rejects(harvest(t, { from: '/api/slow', match: '(a+)+$' }), {
    code: 'STUDY_LIST_UNREADABLE',
    message: /takes more than \d+ s/,
  });
});

test('Ctrl+C ends the wait for a response', async t => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 300);
  await assert.rejects(harvest(t, { from: '/api/silent' }, { signal: stop.signal }), {
    code: 'INTERRUPTED',
  });
});

test('index pages are followed to a depth, each once, below the first and on its host', async t => {
  const crawl = { depth: 2, pages: 100, follow: '/' };
  const { items, seen } = await harvest(t, { from: '/tree/', crawl });
  assert.deepEqual(seen, ['/tree/', '/tree/a/', '/tree/a/b/?C=M']);
  assert.deepEqual(items, ['/tree/top', '/tree/a/one', '/tree/a/two']);
});

test('a crawl ends at its number of pages, and reports what it left out', async t => {
  const crawl = { depth: 3, pages: 4, follow: '/' };
  const list = harvest(t, { from: '/wide/', crawl });
  // The pages that are let in are not there: that is told, and not taken for an empty page.
  await assert.rejects(list, { code: 'STUDY_LIST_UNREADABLE', message: /status 404/ });
  ROUTES['/wide/0/'] = ROUTES['/wide/1/'] = ROUTES['/wide/2/'] = response => response.end('');
  const { items, seen, notes } = await harvest(t, { from: '/wide/', crawl });
  assert.deepEqual([items, seen.length], [['/wide/item'], 4]);
  assert.deepEqual(notes, ['list link: 47 pages beyond the 4 of crawl.pages were not read']);
});

test('a huge page below the first ends a crawl, and so does an item of another host', async t => {
  const crawl = { depth: 1, pages: 9, follow: '/' };
  await assert.rejects(harvest(t, { from: '/huge/', crawl }), {
    code: 'STUDY_LIST_UNREADABLE',
    message: /huge\/big\/.*larger than 10 MB/,
  });
  await assert.rejects(harvest(t, { from: '/abroad/', crawl }), {
    code: 'STUDY_LIST_FOREIGN',
    message: /elsewhere\.example/,
  });
});

test('items may be in the study itself, such as the addresses of copies', async t => {
  const from = 'text:http://127.0.0.1:7001,http://127.0.0.1:7002';
  const { items } = await harvest(t, { from, match: '([^,]+)' }, { ports: [7001, 7002] });
  assert.deepEqual(items, ['http://127.0.0.1:7001', 'http://127.0.0.1:7002']);
});
