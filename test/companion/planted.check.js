/** `npm run test:slow servers`: thirty slow requests of six kinds, planted in one run among quick ones. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { createServer } from 'node:tls';
import { startAsgi } from '../helpers/asgi.js';
import { readCertificate } from '../helpers/certificates.js';
import { needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const OF_EACH = 5;
const LEAST_RIGHT = 28;
const DELAY_MS = 300;
const PER_SECOND = 5;
/** By kind: its words, and the paths of the planted request, after what makes it slow; others follow until that has no effect. */
const KINDS = {
  lock: { words: 'waiting for a lock', planted: ['/lock', '/locked'] },
  loop: {
    words: 'waiting while other requests kept the event loop (GET /block)',
    planted: ['/block', '/victim'],
  },
  statements: { words: 'database statements', planted: ['/sql'] },
  gc: { words: 'garbage collection', planted: ['/collect'] },
  opening: { words: 'opening its connection', planted: ['/cold'] },
  front: { words: 'waiting in front of the worker', planted: ['/front'] },
};
const QUICK = Array(5).fill('/light');

/**
 * A TLS proxy in front of the server: keeps the bytes of `/front` back, and the handshakes of connections for `/cold`.
 * @param {import('node:test').TestContext} t @param {number} port @param {string[]} paths of the connections of the load
 */
async function startProxy(t, port, paths) {
  let count = -1;
  const proxy = createServer(readCertificate('server'), socket => {
    const onward = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    onward.pipe(socket.setNoDelay());
    socket.on('data', bytes => {
      // the load begins with it; earlier connections are checks
      if (count < 0 && bytes.includes(`GET ${paths[0]} `)) count = 1;
      setTimeout(() => onward.write(bytes), bytes.includes('GET /front') ? DELAY_MS : 0);
    });
  });
  const [shakeHands] = proxy.listeners('connection');
  proxy.removeAllListeners('connection');
  proxy.on('connection', socket => {
    const delayMs = count >= 0 && paths[count++] === '/cold' ? DELAY_MS : 0;
    setTimeout(() => shakeHands?.call(proxy, socket), delayMs);
  });
  await new Promise(resolve => proxy.listen(0, '127.0.0.1', () => resolve(null)));
  t.after(() => proxy.close());
  return /** @type {import('node:net').AddressInfo} */ (proxy.address()).port;
}

test('names at least 28 of 30 planted slow requests by their kind', {
  skip: needsModules('uvicorn'),
}, async t => {
  const kinds = Array(OF_EACH).fill(Object.values(KINDS)).flat();
  const paths = ['/first', ...kinds.flatMap(({ planted }) => [...planted, ...QUICK])];
  const { url, pid } = await startAsgi(t, { app: 'slow_app:app', modules: [] });
  const folder = makeTempFolder(t);
  const port = await startProxy(t, Number(new URL(url).port), paths);
  writeFileSync(path.join(folder, 'paths.csv'), `path\n${paths.join('\n')}\n`);
  writeFileSync(
    path.join(folder, 'script.yaml'),
    `config:
  target: https://localhost:${port}
  tls: { rejectUnauthorized: false }
  payload: { path: paths.csv, fields: [path], skipHeader: true, order: sequence }
  phases: [{ duration: ${paths.length / PER_SECOND}, arrivalRate: ${PER_SECOND} }]
scenarios: [{ flow: [{ get: { url: "{{ path }}" } }] }]
`,
  );
  const { exit, stderr, stdout } = await runLoadflame(
    folder,
    ['test', 'script.yaml', '--profile'],
    {
      SERVER_PID: String(pid),
    },
  );
  assert.ok(exit === 0 || exit === 6, stderr + stdout);
  const [run = ''] = readdirSync(path.join(folder, 'profiles'));
  /** @type {import('../../lib/run/facts/report.d.ts').Report} */
  const { slowest = [] } = JSON.parse(
    readFileSync(path.join(folder, 'profiles', run, 'report.json'), 'utf8'),
  );
  let [right, explained] = [0, 0];
  for (const [kind, { words, planted }] of Object.entries(KINDS)) {
    const endpoint = `GET ${planted.at(-1)}`;
    const causes = slowest.filter(one => one.endpoint === endpoint).map(({ cause }) => cause);
    const named = causes.filter(cause => cause === kind).length;
    const own = await runLoadflame(folder, ['explain', 'last', `slowest ${endpoint}`, '--json']);
    /** @type {import('../../lib/text/explanation.d.ts').Explanation} */
    const { items } = JSON.parse(own.stdout);
    const told = items.filter(one => one.kind === 'request' && one.title.includes(`: ${words}, `));
    right += Math.min(named, OF_EACH);
    explained += Math.min(told.length, OF_EACH);
    t.diagnostic(`${kind}: ${named} of ${OF_EACH}, explained ${told.length}; ${causes.join(' ')}`);
  }
  assert.ok(right >= LEAST_RIGHT, `${right} of ${OF_EACH * Object.keys(KINDS).length}`);
  assert.ok(explained >= LEAST_RIGHT, `explained: ${explained}`);
});
