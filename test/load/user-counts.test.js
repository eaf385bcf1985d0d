import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

const SCRIPT = `
config:
  target: "{{ $env.TARGET }}"
  phases:
    - { name: warm-up, duration: 1, users: 5 }
    - { name: plateau, duration: {{ $env.DURATION }}, users: 5 }
scenarios:
  - flow: [{ get: { url: / } }]
`;

/** @param {import('node:test').TestContext} t @param {string} duration */
async function start(t, duration) {
  const target = await serve(t, (_, response) => {
    setTimeout(() => response.end('ok'), 20);
  });
  return startTestLoad(makeFolder(t), {
    script: SCRIPT,
    settings: { TARGET: target, DURATION: duration },
    workers: 2,
  });
}

/** @param {Record<string, any>[]} records */
const sumOf = records =>
  records.flatMap(({ ended }) => ended).reduce((sum, n) => sum + Number(n), 0);

test('each worker tells of its users, phase by phase, and all that ended is in it', async t => {
  const { running, files } = await start(t, '1');
  await running.ended;
  const { records, counters } = await readLoad(files);
  const users = records.filter(({ kind }) => kind === 'users');
  assert.deepEqual(
    users.map(({ name, index, worker, ended }) => [name, index, worker, ended.length]).sort(),
    [
      ['plateau', 1, 1, 3],
      ['plateau', 1, 2, 2],
      ['warm-up', 0, 1, 3],
      ['warm-up', 0, 2, 2],
    ],
  );
  const left = (counters['vusers.completed'] ?? 0) - sumOf(users);
  // What is under way when the last phase ends belongs to none.
  assert.ok(left >= 0 && left <= 5, `${left} left`);
  assert.ok(users.every(({ ended, failed }) => Math.min(...ended) > 0 && failed === undefined));
});

test('a load that is stopped tells what its users did until then', async t => {
  const { running, files } = await start(t, '60');
  await sleep(2000);
  await running.stop();
  const { records, counters } = await readLoad(files);
  const users = records.filter(({ kind, name }) => kind === 'users' && name === 'plateau');
  assert.equal(users.length, 2);
  assert.ok(sumOf(users) > 0);
  const all = sumOf(records.filter(({ kind }) => kind === 'users'));
  const left = (counters['vusers.completed'] ?? 0) - all;
  assert.ok(left >= 0 && left <= 10, `${left} left`);
});
