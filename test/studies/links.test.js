/** The links of an index page, as `prepare` of a study reads them: studies/servers/links.py. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execa } from 'execa';
import { PYTHON } from '../helpers/gunicorn.js';
import { serve } from '../helpers/listen.js';

/** @param {string[]} links */
const pageOf = (...links) => links.map(link => `<a href="${link}">x</a>`).join('\n');

/**
 * @param {import('node:test').TestContext} t
 * @param {(path: string, origin: string) => string | null} pages HTML by path; null: 404
 * @param {number} depth
 */
async function readLinks(t, pages, depth) {
  /** @type {string[]} */
  const asked = [];
  const origin = await serve(t, ({ url = '' }, response) => {
    asked.push(url);
    const page = pages(url, origin);
    response.writeHead(page === null ? 404 : 200).end(page ?? '');
  });
  const args = ['studies/servers/links.py', `${origin}/start/`, `${depth}`];
  const env = { STUDY_PORT_API: new URL(origin).port };
  const { stdout, stderr, exitCode } = await execa(PYTHON, args, { env, reject: false });
  const links = stdout.split(/\r?\n/).map(link => link.replace(origin, ''));
  return { links, stderr, exitCode, asked };
}

/** @type {Record<string, string>} */
const SITE = {
  '/start/': pageOf('a/', 'b.html', '/start/a/', '/outside/'),
  '/start/a/': pageOf('c?x=1&amp;y=2', '../b.html', 'deep/', '../'),
  '/start/a/deep/': pageOf('d,e.html'),
};
const readSite = (/** @type {string} */ path) => SITE[path] ?? null;

test('prints each link of the pages below once, as CSV, and follows no page outside', async t => {
  const { links, exitCode, stderr, asked } = await readLinks(t, readSite, 2);
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(asked, ['/start/', '/start/a/', '/start/a/deep/']);
  const quoted = links.map(link => link.replace(/^"http:.*?(?=\/start)/, '"'));
  assert.deepEqual(quoted, ['/start/b.html', '/start/a/c?x=1&y=2', '"/start/a/deep/d,e.html"']);
});

test('reads as many levels of pages as are asked for', async t => {
  assert.deepEqual((await readLinks(t, readSite, 0)).asked, ['/start/']);
  assert.deepEqual((await readLinks(t, readSite, 1)).asked, ['/start/', '/start/a/']);
});

test('ends at a link to another host, which it names without its control characters', async t => {
  const hostile = 'http://elsewhere.example/\x1b[31m';
  const { exitCode, stderr, links } = await readLinks(t, () => pageOf('b.html', hostile), 1);
  assert.equal(exitCode, 1);
  assert.match(stderr, /\/start\/ has a link to another host: 'http:\/\/elsewhere\.example\/\\x1b/);
  assert.deepEqual(links, ['']);
});

test('pages without end are read until there are a hundred', async t => {
  const next = (/** @type {string} */ path) => pageOf(`${path}x/`, `${path}y/`, `${path}z.html`);
  const { asked, exitCode } = await readLinks(t, next, 1000);
  assert.equal(exitCode, 0);
  assert.equal(asked.length, 100);
});

test('a page that is missing ends the study', async t => {
  const { exitCode, stderr } = await readLinks(t, () => null, 1);
  assert.equal(exitCode, 1);
  assert.match(stderr, /HTTP Error 404/);
});

test('a redirect to another host is not followed', async t => {
  let asked = 0;
  const other = await serve(t, (_, response) => {
    asked += 1;
    response.end(pageOf('b.html'));
  });
  const origin = await serve(t, (_, response) => {
    response.writeHead(302, { location: `${other}/start/` }).end();
  });
  const env = { STUDY_PORT_API: new URL(origin).port };
  const args = ['studies/servers/links.py', `${origin}/start/`, '1'];
  const { exitCode, stderr } = await execa(PYTHON, args, { env, reject: false });
  assert.equal(asked, 0);
  assert.equal(exitCode, 1);
  assert.match(stderr, /HTTP Error 302/);
});
