/** `npm run test:slow servers`: why single requests of a load were slow, planted for a known reason in real servers. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { startAsgi } from '../helpers/asgi.js';
import { readCertificate } from '../helpers/certificates.js';
import { startGunicorn } from '../helpers/gunicorn.js';
import { needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion/loadflame_companion.py');

/**
 * @param {import('node:test').TestContext} t @param {string} target @param {string} scenarios YAML
 * @param {{phase?: string, config?: string, args?: string[], env?: Record<string, string>}} [options]
 */
async function load(
  t,
  target,
  scenarios,
  { phase = 'duration: 4, arrivalRate: 8', config = '', ...options } = {},
) {
  const folder = makeTempFolder(t);
  const script = `config: { target: "${target}"${config}, phases: [{ ${phase} }] }\nscenarios:\n${scenarios}\n`;
  writeFileSync(path.join(folder, 'script.yaml'), script);
  const args = ['test', 'script.yaml', ...(options.args ?? [])];
  const { exit, stderr, stdout } = await runLoadflame(folder, args, options.env ?? {});
  assert.ok(exit === 0 || exit === 6, stderr + stdout);
  const [run = ''] = readdirSync(path.join(folder, 'profiles'));
  const file = path.join(folder, 'profiles', run, 'report.json');
  /** @type {import('../../lib/run/facts/report.d.ts').Report} */
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const explained = await runLoadflame(folder, ['explain', 'last', 'slowest', '--json']);
  return { report, explained: JSON.parse(explained.stdout), folder };
}

/** @param {import('../../lib/run/facts/report.d.ts').Report} report @param {string} endpoint @param {number} leastMs */
const causesOf = (report, endpoint, leastMs) =>
  (report.slowest ?? [])
    .filter(one => one.endpoint === endpoint && one.phases.totalMs >= leastMs)
    .map(({ cause }) => cause);

/** @param {import('node:net').Server} server */
const portOf = server => /** @type {import('node:net').AddressInfo} */ (server.address()).port;

const skip = needsModules('uvicorn');

test('a request that waits for the event loop names who kept it', { skip }, async t => {
  const { url } = await startAsgi(t, { app: 'slow_app:app', modules: [] });
  // one block a second: where several are in a row, a request waits longest before it is read
  const paths = Array.from({ length: 120 }, (_, at) => (at % 15 === 5 ? '/block' : '/light'));
  const data = path.join(makeTempFolder(t), 'paths.csv');
  writeFileSync(data, `path\n${paths.join('\n')}\n`);
  const { report, explained } = await load(
    t,
    url,
    '  - { flow: [{ get: { url: "{{ path }}" } }] }',
    {
      phase: 'duration: 8, arrivalRate: 15',
      config: `, payload: { path: ${data}, fields: [path], skipHeader: true, order: sequence }`,
    },
  );
  // On a machine that others use, some wait for a core in front of the worker.
  const slow = (report.slowest ?? []).filter(
    one => one.endpoint === 'GET /light' && one.cause === 'loop',
  );
  assert.ok(slow.length >= 3, JSON.stringify(report.slowest?.map(one => one.parts)));
  for (const { blockers } of slow) assert.equal(blockers[0]?.route, 'GET /block');
  const steps = report.load?.endpoints.find(({ name }) => name === 'GET /block')?.blocked;
  assert.ok(steps?.victims && steps.victims.count >= slow.length && steps.victims.ms > 300);
  assert.equal(explained.items[0].kind, 'request');
});

test('a request names its statement, or the collection that it ran', { skip }, async t => {
  const { url } = await startAsgi(t, { app: 'slow_app:app', modules: [] });
  const { report } = await load(
    t,
    url,
    '  - { flow: [{ get: { url: /sql } }, { get: { url: /collect } }] }',
    { phase: 'duration: 5, users: 1' },
  );
  assert.equal(causesOf(report, 'GET /sql', 0)[0], 'statements');
  assert.equal(causesOf(report, 'GET /collect', 0)[0], 'gc');
  const [call] = report.slowest?.find(({ endpoint }) => endpoint === 'GET /sql')?.calls ?? [];
  assert.match(`${call?.text}`, /^WITH RECURSIVE/);
  assert.match(`${call?.file}`, /slow_app\.py$/);
});

test('a request that waits in front of its worker says so', async t => {
  const { url } = await startGunicorn(t, {
    workers: 1,
    args: ['-c', COMPANION],
    app: 'companion_app:app',
    env: { LOADFLAME: '1' },
  });
  const { report } = await load(t, url, '  - { flow: [{ get: { url: /burn/60 } }] }', {
    phase: 'duration: 1, arrivalCount: 24',
  });
  assert.deepEqual(causesOf(report, 'GET /burn/:id', 0).slice(0, 3), ['front', 'front', 'front']);
});

test('a request whose connection opens slowly says so, and one without a report is not known', async t => {
  const server = createSecureServer(readCertificate('server'), (request, response) => {
    setTimeout(() => response.end('ok'), request.url === '/late' ? 400 : 0);
  });
  const slow = createServer(socket => {
    const onward = connect(portOf(server), '127.0.0.1');
    socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    setTimeout(() => socket.pipe(onward).pipe(socket), 150);
  });
  for (const one of [server, slow]) {
    await new Promise(resolve => one.listen(0, '127.0.0.1', () => resolve(null)));
    t.after(() => one.close());
  }
  const { report } = await load(
    t,
    `https://localhost:${portOf(slow)}`,
    '  - { flow: [{ get: { url: /light } }, { get: { url: /late } }] }',
    { config: ', tls: { rejectUnauthorized: false }' },
  );
  assert.deepEqual([...new Set(causesOf(report, 'GET /light', 140))], ['opening']);
  assert.deepEqual([...new Set(causesOf(report, 'GET /late', 380))], [null]);
});

test('a request that waits for a lock says so, by samples', { skip }, async t => {
  const { url, pid } = await startAsgi(t, { app: 'slow_app:app', modules: [] });
  const { report } = await load(t, url, '  - { flow: [{ get: { url: /lock } }] }', {
    phase: 'duration: 4, arrivalRate: 2',
    args: ['--profile'],
    env: { SERVER_PID: String(pid) },
  });
  // Each holds the lock for 0.7 s: those of 1.5 s wait for hardly more than half of their time.
  const causes = causesOf(report, 'GET /lock', 1600);
  assert.ok(causes.length >= 2, JSON.stringify(report.slowest?.map(one => one.phases.totalMs)));
  assert.deepEqual([...new Set(causes)], ['lock']);
});
