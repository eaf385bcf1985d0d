import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import { needs } from '../helpers/needs.js';
import { ownUntilEndOfFile, startLoneApi, startRedis } from './redis.js';

const skip = needs('redis-server');
const owner = ownUntilEndOfFile();
/** @type {string} */
let api;
/** @type {string} */
let dir;

before(async () => {
  ({ api, dir } = await startLoneApi(owner));
});

/** @param {string} url */
const ask = url => fetch(url, { redirect: 'manual' });

/** @param {string} dir of the API: takes all content out of its database */
function removeContent(dir) {
  const database = new DatabaseSync(join(dir, 'queue-management.sqlite'), { timeout: 10_000 });
  database.exec('DELETE FROM repository_content');
  database.close();
}

/** @param {string} url of an index page */
const readLinks = async url => {
  const page = await (await fetch(url)).text();
  return [...page.matchAll(/href="([^"]+)"/g)].map(([, link]) => new URL(String(link), url).href);
};

test('ten index pages link 200 items, each redirects to its artifact, and no token is needed', async () => {
  const folders = await readLinks(`${api}/content/`);
  assert.equal(folders.length, 10);
  const links = (await Promise.all(folders.map(readLinks))).flat();
  assert.equal(new Set(links).size, 200);
  for (const link of [links[0], links[199]]) {
    const answer = await ask(String(link));
    assert.equal(answer.status, 302);
    const location = new URL(answer.headers.get('location') ?? '', api);
    assert.equal(location.pathname, `${new URL(String(link)).pathname}/artifact`);
    const artifact = await fetch(location);
    const digest = createHash('sha256').update(await artifact.bytes());
    assert.equal(digest.digest('hex'), location.searchParams.get('sha256'));
  }
});

test('content that is not in the newest version is not found', async () => {
  for (const path of ['shelf-11/item-210', 'shelf-11/', 'nothing']) {
    const answer = await ask(`${api}/content/${path}`);
    assert.equal(answer.status, 404);
    assert.deepEqual(await answer.json(), { message: `Content ${path} does not exist.` });
  }
});

test('without a cache every request asks the database', async () => {
  assert.equal((await ask(`${api}/content/shelf-01/item-001`)).status, 302);
  removeContent(dir);
  assert.equal((await ask(`${api}/content/shelf-01/item-001`)).status, 404);
});

test('with a cache the second request sends no query, and a missing cache is not a silent miss', {
  skip,
}, async t => {
  const redis = await startRedis(t);
  const cached = await startLoneApi(t, { CONTENT_CACHE_URL: redis.url });
  const first = await ask(`${cached.api}/content/shelf-01/item-001`);
  assert.equal(first.headers.get('x-content-cache'), 'miss');
  removeContent(cached.dir);
  const second = await ask(`${cached.api}/content/shelf-01/item-001`);
  assert.equal(second.status, 302);
  assert.equal(second.headers.get('x-content-cache'), 'hit');
  assert.equal(second.headers.get('location'), first.headers.get('location'));
  assert.equal((await ask(`${cached.api}/content/shelf-01/item-002`)).status, 404);

  await redis.stop();
  const answer = await ask(`${cached.api}/content/shelf-01/item-001`);
  assert.equal(answer.status, 503);
  const { message } = /** @type {{message: string}} */ (await answer.json());
  assert.match(message, /^Redis does not answer: /);
});
