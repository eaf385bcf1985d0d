import assert from 'node:assert/strict';
import { createRecordCheck } from '../../lib/run/folder-shapes.js';
import { readNdjson } from '../../lib/run/ndjson.js';
import { waitUntil } from '../helpers/gunicorn.js';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { makeFolder, startTestLoad } from './helpers.js';
import { declareMemory } from './slowest-memory.js';

/** @param {import('../../lib/run/run-folder.js').RunFiles} files */
async function readSlowest({ slowest }) {
  const check = createRecordCheck('slowest');
  const { records, torn } = await readNdjson(slowest, { check });
  assert.equal(torn, 0);
  return records;
}

test('the slowest ten of an endpoint are kept whole, over all workers', async t => {
  let asked = 0;
  const target = await serve(t, (request, response) => {
    const n = asked++;
    response.setHeader('x-number', n);
    response.setHeader('loadflame-calls', '{"calls":[["ce243936",1,900,null,0,[[71,1]]]]}');
    response.setHeader('server-timing', 'total;dur=1, cpu;dur=1, worker;desc="0a1b2c3d-7.42"');
    setTimeout(() => response.end('{}'), request.url === '/slow' && n % 4 < 2 ? 150 : 0);
  });
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config: { target: "${target}", phases: [{ duration: 1, arrivalCount: 24 }] }
scenarios: [{ name: buy, flow: [{ get: { url: /slow } }, { get: { url: /fast } }] }]
`,
    settings: {},
    workers: 2,
  });
  await running.ended;
  const records = await readSlowest(files);
  const slow = records.filter(({ endpoint }) => endpoint === 'GET /slow');
  const planted = slow.filter(({ phases }) => phases.totalMs >= 140);
  assert.ok(slow.length <= 20, 'ten per worker');
  assert.ok(planted.length >= 10, `${planted.length} planted ones`);
  const [one] = planted;
  assert.equal(one?.scenario, 'buy');
  assert.equal(one?.code, null);
  assert.deepEqual(one?.calls?.calls, [['ce243936', 1, 900, 'sql']]);
  assert.equal(one?.server?.worker, '0a1b2c3d-7.42');
  assert.match(String(one?.user), /^[0-9a-f]{8}-/);
  assert.match(String(one?.headers['x-number']), /^\d+$/);
  assert.equal(one?.body, '', 'of good responses none is kept');
});

test('the first failure of each kind is kept with its body, and without secrets', async t => {
  const target = await serve(t, (request, response) => {
    response.statusCode = request.url?.startsWith('/missing') ? 404 : 200;
    response.setHeader('x-api-key', 'sesame-open-1234');
    response.end('{"access_token": "sesame-open-1234", "reason": "gone"}');
  });
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config: { target: "${target}", phases: [{ duration: 1, arrivalCount: 5 }] }
scenarios:
  - flow:
      - get: { url: "/missing?password=sesame-open-1234" }
      - get: { url: /unlike, match: { json: $.reason, value: here } }
`,
    settings: {},
  });
  await running.ended;
  const records = await readSlowest(files);
  const first = records.filter(({ body }) => body !== '');
  assert.deepEqual(
    first.map(({ endpoint, status }) => [endpoint, status]),
    [
      ['GET /missing', 404],
      ['GET /unlike', 200],
    ],
  );
  assert.equal(first[0]?.code, '404');
  assert.ok(first[1]?.code, 'a failed match is a failure');
  assert.equal(records.length, 10, 'the others are among the slowest');
  assert.doesNotMatch(JSON.stringify(records), /sesame/);
});

test('a load that is stopped keeps its slowest requests', async t => {
  let asked = 0;
  const target = await serve(t, (_, response) => {
    asked += 1;
    response.end('{}');
  });
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: `
config: { target: "${target}", phases: [{ duration: 60, arrivalRate: 20 }] }
scenarios: [{ flow: [{ get: { url: / } }] }]
`,
    settings: {},
  });
  await waitUntil(() => asked > 15, 'load');
  await running.stop();
  assert.equal((await readSlowest(files)).length, 10);
});

declareMemory('a minute', 60, () => 10 + Math.random() * 90);
declareMemory('latency that grows for twenty seconds', 20, n => 10 + n / 1e5);
