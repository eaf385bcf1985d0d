import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runActions } from '../../../lib/study/services/run-actions.js';
import { serve } from '../../helpers/listen.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { connect, serve as serveApi } from '../../record/cluster/fake-api.js';

/** @typedef {import('../../../lib/facts/study-file.d.ts').Action} Action */

/** @param {import('node:test').TestContext} t */
async function prepare(t) {
  const folder = makeTempFolder(t);
  /** @type {string[]} */
  const requests = [];
  const target = await serve(t, async (request, answer) => {
    requests.push(`${request.method} ${request.url} ${await text(request)}`);
    answer.writeHead(request.url === '/refuse' ? 403 : 204).end();
  });
  const port = Number(new URL(target).port);
  const stop = new AbortController();
  const log = path.join(folder, 'services', 'reset.log');
  let left = 5;
  const options = {
    at: /** @type {const} */ ('reset'),
    names: { studyDir: folder, queue: 'mail', 'port.api': port },
    target,
    log,
    /** @param {string} name @returns {Promise<Record<string, number>>} */
    readProbe: async name => (name === 'tasks' ? { queued: left-- } : {}),
    connect: async () => assert.fail('no cluster is asked'),
    signal: stop.signal,
  };
  /** @param {Action[]} actions */
  const run = (...actions) => runActions(actions, options);
  return { run, options, requests, folder, log, stop, target };
}

/** @param {string} url @param {string | null} [body] @returns {Action} */
const remove = (url, body = null) => ({ kind: 'request', method: 'DELETE', url, body });

/** @param {string} probe @param {number} most @param {number} timeoutSec @returns {Action} */
const wait = (probe, most, timeoutSec) => ({
  kind: 'wait',
  probe,
  field: 'queued',
  most,
  timeoutSec,
});

test('requests, commands and waits are done one after the other, with names filled in', async t => {
  const { run, requests, folder, log } = await prepare(t);
  const code = 'console.log(process.argv[1], process.cwd())';
  await run(
    remove('/tasks?of={{ queue }}'),
    remove('http://127.0.0.1:{{ port.api }}/all', '{"a": 1}'),
    { kind: 'command', command: [process.execPath, '-e', code, '{{ queue }}; echo $HOME'] },
    wait('tasks', 3, 10),
  );
  assert.deepEqual(requests, ['DELETE /tasks?of=mail ', 'DELETE /all {"a": 1}']);
  assert.equal(readFileSync(log, 'utf8'), `mail; echo $HOME ${folder}\n`);
});

test('an answer of 400 and above, and no answer, fail the reset', async t => {
  const { run, target } = await prepare(t);
  await assert.rejects(run(remove('/refuse')), {
    code: 'STUDY_RESET_FAILED',
    message: `the reset between two cells failed: DELETE ${target}/refuse got status 403`,
  });
  await assert.rejects(run(remove('http://127.0.0.1:1/')), {
    code: 'STUDY_RESET_FAILED',
    message: /got no response \(ECONNREFUSED\)/,
  });
});

test('a command that fails, or is not there, fails the reset with what it said', async t => {
  const { run } = await prepare(t);
  const command = [process.execPath, '-e', "console.error('no such key'); process.exit(2)"];
  await assert.rejects(run({ kind: 'command', command }), {
    code: 'STUDY_COMMAND_FAILED',
    message: /command of the reset failed \(exit code 2\): .*\nno such key$/s,
  });
  await assert.rejects(run({ kind: 'command', command: ['no-such-program'] }), {
    code: 'STUDY_PROGRAM_MISSING',
  });
});

test('a wait that takes too long says what it still sees, and an interrupt ends it', async t => {
  const { run, stop } = await prepare(t);
  await assert.rejects(run(wait('tasks', -1000, 0.3)), {
    code: 'STUDY_RESET_FAILED',
    message: /tasks\.queued is -?\d+ and did not come down to -1000 in 0\.3 s/,
  });
  await assert.rejects(run(wait('other', 0, 0.1)), { message: /other\.queued is missing/ });
  const waiting = run(wait('other', 0, 60));
  waiting.catch(() => {});
  await sleep(50);
  stop.abort();
  await assert.rejects(waiting, { code: 'INTERRUPTED' });
});

test('batches go on when all pods of the workload are new and ready', async t => {
  const { options, folder, log } = await prepare(t);
  /** What the cluster says, in its order; the last again and again. */
  const said = [
    // the controller has not seen the new wish yet
    deployment(3, 2, { replicas: 2, updatedReplicas: 2, readyReplicas: 2 }),
    // an old pod goes on
    deployment(3, 3, { replicas: 3, updatedReplicas: 2, readyReplicas: 2 }),
    deployment(3, 3, { replicas: 2, updatedReplicas: 2, readyReplicas: 1 }),
    deployment(3, 3, { replicas: 2, updatedReplicas: 2, readyReplicas: 2 }),
  ];
  let looks = 0;
  const api = await serveApi(t, url => {
    assert.match(url, /^\/apis\/apps\/v1\/namespaces\/shop\/deployments\/api$/);
    return [200, JSON.stringify(said[Math.min(looks++, said.length - 1)])];
  });
  const { cluster } = await connect(t, api);
  const command = [process.execPath, '-e', 'console.log(process.argv[1])', '{{ batch }}'];
  /** @param {Action[]} actions @param {Partial<typeof options>} [more] */
  const run = (actions, more) =>
    runActions(actions, {
      ...options,
      ...{ at: 'prepare', names: { studyDir: folder, replicas: 5 } },
      connect: async () => cluster,
      ...more,
    });
  await run([
    {
      ...{ kind: 'batches', to: '{{ replicas }}', by: '2' },
      actions: [
        { kind: 'command', command },
        { kind: 'rollout', workload: 'deployment/api', timeoutSec: 30 },
        { kind: 'pause', seconds: 0.01 },
      ],
    },
  ]);
  assert.equal(readFileSync(log, 'utf8'), '2\n4\n5\n');
  assert.equal(looks, said.length + 2);

  said.push(deployment(4, 4, { replicas: 2 }));
  await assert.rejects(
    run([{ kind: 'rollout', workload: 'deployment/api', timeoutSec: 0.1 }]),
    /^LoadflameError: the preparation before a block failed: deployment\/api had 0 of 2 pods ready, and 2 old ones, in 0\.1 s$/,
  );
  const stop = new AbortController();
  const waiting = run([{ kind: 'pause', seconds: 60 }], { signal: stop.signal });
  stop.abort();
  await assert.rejects(waiting, { code: 'INTERRUPTED' });
});

/** @param {number} generation @param {number} observedGeneration @param {Record<string, number>} status */
function deployment(generation, observedGeneration, status) {
  return {
    ...{ metadata: { generation }, spec: { replicas: 2 } },
    status: { observedGeneration, ...status },
  };
}
