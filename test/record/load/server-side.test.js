import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { serve } from '../../helpers/listen.js';
import { test } from '../../helpers/quiet.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

const SCRIPT = `
config:
  target: "{{ $env.TARGET }}"
  phases:
    - { name: only, duration: 1, arrivalCount: 2 }
scenarios:
  - flow:
      - get: { url: /items/17 }
      - get: { url: /items/18 }
      - get: { url: /named/9, name: a name }
`;
const POD = createHash('sha256').update('pod-1').digest('hex').slice(0, 8);

test('a run reports times, workers and backends of the server', async t => {
  const target = await serve(t, (request, response) => {
    response.setHeader(
      'server-timing',
      'total;dur=4, cpu;dur=1.5, worker;desc="0a1b2c3d.42", around;dur=0.25',
    );
    if (!request.headers.cookie) response.setHeader('set-cookie', 'my-router=pod-1; path=/');
    response.end('{}');
  });
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: SCRIPT,
    settings: { TARGET: target, STICKY_COOKIE: 'my-router' },
    workers: 1,
  });
  await running.ended;
  const { records } = await readLoad(files);
  const sum = { items: 0, cpuMs: 0, aroundMs: 0, routes: 0, workers: 0, backends: 0 };
  for (const { endpoints, workers, backends } of records) {
    if (!endpoints) continue;
    sum.items += endpoints['GET /items/:id']?.server?.count ?? 0;
    sum.cpuMs += endpoints['GET /items/:id']?.server?.cpuMs ?? 0;
    sum.aroundMs += endpoints['GET /items/:id']?.server?.aroundMs ?? 0;
    sum.routes += endpoints['a name']?.routes['GET /named/:id'] ?? 0;
    sum.workers += workers?.['0a1b2c3d.42'] ?? 0;
    sum.backends += backends?.[POD] ?? 0;
  }
  assert.deepEqual(sum, {
    ...{ items: 4, cpuMs: 6, aroundMs: 1 },
    ...{ routes: 2, workers: 6, backends: 6 },
  });
});
