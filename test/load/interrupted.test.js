import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startChild } from '../../lib/base/process/child.js';
import { isProcessAlive } from '../../lib/base/process/process-table.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { waitUntil } from '../helpers/gunicorn.js';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

const SCRIPT = `
config:
  target: "{{ $env.TARGET }}"
  phases: [{ duration: 60, arrivalRate: 20 }]
scenarios:
  - flow: [{ get: { url: / } }, { think: 0.1 }, { get: { url: / } }]
`;
const PARENT = path.join(import.meta.dirname, 'fixtures', 'parent.js');

/** A target that counts its answers. @param {import('node:test').TestContext} t */
async function countResponses(t) {
  const count = { answers: 0 };
  const target = await serve(t, (_, response) => {
    count.answers += 1;
    response.end('ok');
  });
  return { target, count };
}

test('a load that is stopped keeps everything up to then', async t => {
  const { target, count } = await countResponses(t);
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: SCRIPT,
    settings: { TARGET: target },
  });
  await waitUntil(() => count.answers > 30, 'load');
  const end = await running.stop();
  assert.equal(end.reason, 'interrupted');
  assert.deepEqual(await running.stop(), end, 'a second stop is no other');
  const { records, counters } = await readLoad(files);
  assert.equal(records.at(-1)?.kind, 'load-end');
  assert.equal(records.at(-1)?.reason, 'interrupted');
  // An answer may be on its way at the moment of the stop.
  const underWay = count.answers - (counters['http.responses'] ?? 0);
  assert.ok(underWay >= 0 && underWay <= 2, `${underWay} of ${count.answers}`);
  assert.ok((counters['vusers.created'] ?? 0) > 15);
  assert.ok(!isProcessAlive(running.pid));
});

test('a load whose generator is killed loses its last second at most', async t => {
  const { target, count } = await countResponses(t);
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: SCRIPT,
    settings: { TARGET: target },
  });
  await waitUntil(() => count.answers > 80, 'load');
  process.kill(running.pid, 'SIGKILL');
  const end = await running.ended;
  assert.equal(end.reason, 'crashed');
  assert.equal(end.signal, 'SIGKILL');
  const { records, counters } = await readLoad(files);
  assert.deepEqual([records.at(-1)?.kind, records.at(-1)?.reason], ['load-end', 'crashed']);
  const lost = count.answers - (counters['http.responses'] ?? 0);
  // 40 answers a second; a second is written when it is over, by a timer of one second.
  assert.ok(lost >= 0 && lost < 90, `${lost} of ${count.answers} answers are not recorded`);
});

test('the generator ends when loadflame is killed, and its records are kept', async t => {
  const { target, count } = await countResponses(t);
  const folder = makeFolder(t);
  const parent = startChild(process.execPath, [PARENT, folder, target], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  t.after(() => parent.stop({ signal: 'SIGKILL' }));
  /** @type {{pid: number, folder: string}} */
  const load = await new Promise(resolve => {
    parent.process.stdout?.once('data', data => resolve(JSON.parse(String(data))));
  });
  await waitUntil(() => count.answers > 30, 'load');
  assert.ok(isProcessAlive(load.pid));
  parent.signal('SIGKILL');
  await parent.ended;
  await waitUntil(() => !isProcessAlive(load.pid), 'the end of the generator');
  const files = runFiles(load.folder);
  const { counters, records } = await readLoad(files);
  assert.ok(!records.some(({ kind }) => kind === 'load-end'));
  assert.equal(counters['http.responses'], count.answers);
  assert.ok(!readFileSync(files.generatorLog, 'utf8').includes('EPIPE'));
});

test('a load that is stopped before it began ends at once', async t => {
  let logins = 0;
  const target = await serve(t, () => {
    logins += 1;
  });
  const stopping = new AbortController();
  const starting = startTestLoad(makeFolder(t), {
    script: SCRIPT.replace('scenarios', 'before: { flow: [{ get: { url: /slow } }] }\nscenarios'),
    settings: { TARGET: target },
    signal: stopping.signal,
  });
  const refused = assert.rejects(starting, { code: 'INTERRUPTED' });
  await waitUntil(() => logins > 0, 'the `before` flow');
  const askedMs = performance.now();
  stopping.abort();
  await refused;
  // The answer to the login never comes: its limit is 10 s.
  assert.ok(performance.now() - askedMs < 5000);
});
