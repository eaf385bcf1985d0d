import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../lib/base/config/read-config.js';
import { runChecks } from '../../lib/experiment/preflight/checks.js';
import { serve } from '../helpers/listen.js';
import { makeFolder, startTestLoad } from './helpers.js';

const KEY = 'Correct-horse:battery';

for (const engine of /** @type {const} */ (['loadflame', 'artillery'])) {
  test(`the key of the companion goes to the target only and into no file, with --engine ${engine}`, async t => {
    /** @type {[string | undefined, unknown][]} */
    const seen = [];
    const other = await serve(t, (request, response) => {
      seen.push([`other ${request.url}`, request.headers['loadflame-key']]);
      response.end();
    });
    const target = await serve(t, (request, response) => {
      seen.push([request.url, request.headers['loadflame-key']]);
      if (request.url === '/away') response.writeHead(302, { location: `${other}/hop` });
      else if (request.url === '/moved') response.writeHead(302, { location: '/arrived' });
      else if (request.url === '/fails') response.writeHead(500);
      response.end(String(request.headers['loadflame-key']));
    });
    const { running, files } = await startTestLoad(makeFolder(t), {
      script: `
config:
  target: "${target}"
  phases: [{ duration: 1, arrivalCount: 1 }]
scenarios:
  - flow:
      - get: { url: /first }
      - get: { url: /moved }
      - get: { url: /fails }
      - get: { url: /away, followRedirect: true }
      - get: { url: "${other}/plain" }
      - get: { url: "http://127.0.0.1:${new URL(target).port}@127.0.0.1:${new URL(other).port}/trick" }
      - post: { url: /last, json: { a: 1 }, headers: { Loadflame-Key: own } }
`,
      settings: {},
      secrets: { LOADFLAME: KEY },
      options: { engine },
    });
    const end = await running.ended;
    assert.equal(end.reason, 'complete', end.logTail);
    assert.deepEqual(seen, [
      ...[
        ['/first', KEY],
        ['/moved', KEY],
        ['/arrived', KEY],
        ['/fails', KEY],
        ['/away', KEY],
      ],
      ...['other /hop', 'other /plain', 'other /trick'].map(url => [url, undefined]),
      ['/last', KEY],
    ]);
    const folder = path.dirname(files.metrics);
    const written = readdirSync(folder, { recursive: true })
      .map(name => path.join(folder, String(name)))
      .filter(file => statSync(file).isFile());
    assert.ok(written.length > 1);
    for (const file of written) assert.ok(!readFileSync(file, 'utf8').includes(KEY), file);
  });
}

test('doctor sends the key, and without a header names what to check', async t => {
  const target = await serve(t, (request, response) => {
    if (request.headers['loadflame-key'] === KEY)
      response.setHeader('server-timing', 'total;dur=1, worker;desc="1f2e3d4c.7"');
    response.end();
  });
  /** @param {string} LOADFLAME */
  const check = async LOADFLAME => {
    const config = readConfig({ env: { TARGET: target, LOADFLAME, PATH: process.env.PATH } });
    const results = await runChecks(config, []);
    assert.ok(!JSON.stringify(results).includes(KEY));
    return results.find(({ id }) => id === 'companion');
  };
  const [keyed, wrong, without] = await Promise.all([KEY, `${KEY}x`, '1'].map(check));
  assert.match(String(keyed?.text), /the companion in the API has no version/);
  assert.match(String(wrong?.hint), /restart it with the key of LOADFLAME that is set here/);
  assert.match(
    String(without?.hint),
    /behind a proxy: set LOADFLAME to the same key there and here/,
  );
});

test('refuses a key that is too short, without showing it', () => {
  for (const LOADFLAME of ['fifteen-letters', 'yes', 'sixteen letters..'])
    assert.throws(() => readConfig({ env: { LOADFLAME }, folder: null }), {
      code: 'SETTING_INVALID',
      message: 'LOADFLAME is ******** (from environment), which is not allowed',
      hint: /1, 0, or a key of at least 16 visible ASCII characters/,
    });
});
