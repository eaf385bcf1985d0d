/** The csr scenarios against the demo, which answers as the public queue-management API does. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startDemo } from '../../demo/start.js';
import { makeScene, SCENARIOS } from '../helpers/scene.js';

/** @type {import('../helpers/scene.js').Demo} */
let demo;
before(async () => {
  demo = await startDemo({ auth: 'cached' });
});
after(() => demo?.stop());

const SHORT = {
  WARM_UP_DURATION: '0',
  RAMP_DURATION: '0',
  DURATION: '8',
  MAX_VIRTUAL_USERS: '100',
};

/**
 * @param {import('node:test').TestContext} t
 * @param {string[]} args the script first
 * @param {Record<string, string>} [env]
 */
async function run(t, [script = '', ...args], env = {}) {
  const scene = makeScene(t, { ...demo.env, ...SHORT, ...env });
  const load = scene.test([`${SCENARIOS}/${script}`, ...args]);
  const exit = await load.ended;
  const { load: report } = (await scene.waitForRun(/./)).readReport();
  assert.ok(report, load.output());
  return { exit, output: load.output(), users: report.users, socketio: report.socketio };
}

for (const engine of ['loadflame', 'artillery']) {
  test(`every user of the three scenarios is served, under ${engine}'s engine`, async t => {
    for (const [script, scenarios] of /** @type {const} */ ([
      ['csr-http.yaml', 2],
      ['csr-socket.yaml', 1],
    ])) {
      const { exit, output, users } = await run(t, [script, '--engine', engine]);
      assert.equal(exit, 0, output);
      assert.deepEqual([users.created, users.completed, users.failed], [24, 24, 0], output);
      assert.equal(users.byScenario.length, scenarios);
    }
  });
}

test('a server that acknowledges joinRoom but never says that it worked fails every user', async t => {
  // without its cookie the server refuses, and acknowledges all the same
  const { exit, output, users, socketio } = await run(t, ['csr-socket.yaml'], {
    SOCKETIO_COOKIE: 'none',
    ARRIVAL_RATE: '1',
    DURATION: '3',
  });
  assert.equal(exit, 6, output);
  assert.deepEqual([users.completed, users.failed], [0, 3]);
  assert.equal(socketio?.received, 0);
  assert.match(output, /joinRoom response\s+timeout/);
});
