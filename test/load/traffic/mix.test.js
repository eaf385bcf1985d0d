import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGroups } from '../../../lib/base/config/endpoint-names.js';
import { Mix } from '../../../lib/load/traffic/mix.js';

const SENT = { host: '', method: 'GET', status: 200, agent: '' };

/** @param {(readonly [second: number, client: string, target: string, more?: object])[]} requests */
function mix(requests) {
  const mix = new Mix();
  for (const [second, client, target, more] of requests)
    mix.add({ ...SENT, atMs: second * 1000, client, target, ...more });
  return mix.finish();
}

test('common sequences have their pauses, and single requests make the mix whole', () => {
  const traffic = mix(
    Array.from({ length: 50 }, (_, at) => at * 100).flatMap(second => [
      [second, `a${second}`, '/items'],
      [second + 2, `a${second}`, `/items/${second}`],
      [second + 3, `b${second}`, '/items'],
    ]),
  );
  assert.deepEqual(traffic.flows, [
    { names: ['GET /items', 'GET /items/:id'], thinkSec: [0, 2], count: 50 },
    { names: ['GET /items'], thinkSec: [0], count: 50 },
  ]);
  assert.deepEqual([traffic.sessions, traffic.thinks, traffic.thinkSec], [100, 50, 100]);
});

test('a session ends after 30 minutes, a flow after one', () => {
  const { flows, sessions, thinks } = mix([
    [0, 'a', '/x'],
    [90, 'a', '/y'],
    [90 + 1801, 'a', '/x'],
  ]);
  assert.deepEqual([sessions, thinks], [2, 1]);
  assert.deepEqual(
    flows.map(({ names }) => names.length),
    [1, 1],
  );
});

test('leaves out requests that are not to an API, and reports their share', () => {
  const { leftOut, kept } = mix([
    [0, 'a', '/items'],
    [0, 'a', '/orders', { method: 'POST', status: 201 }],
    [0, 'a', '/wp-login.php', { method: 'POST', status: 404 }],
    [0, 'a', '/static/app.js'],
    [0, 'a', '/healthz'],
    [0, 'a', '/items', { agent: 'kube-probe/1.31' }],
    [0, 'a', '/users/ann@example.org'],
    [0, 'a', `/${'x'.repeat(300)}`],
    [0, 'a', '*'],
    [0, 'a', '/items', { status: 503 }],
  ]);
  assert.equal(kept, 2);
  assert.deepEqual(Object.fromEntries(leftOut), {
    'method POST /orders': 1,
    'failed 404': 1,
    'static GET /static/app.js': 1,
    'health GET /healthz': 1,
    'health GET /items': 1,
    'masked GET /users/masked': 1,
    'unreadable ': 2,
  });
});

test('many words in one place of a path are values', () => {
  const names = Array.from({ length: 60 }, (_, at) => [
    `GET /users/name${'abcdefgh'[at % 8]}${at}`,
    `GET /users/name${'abcdefgh'[at % 8]}${at}/posts/:id`,
    'GET /rates/usd',
  ]).flat();
  assert.deepEqual(findGroups(names, 50), ['/users/:user', '/users/:user/posts/:id']);
});

test('memory does not grow with endpoints, clients and names of prototypes', () => {
  const requests = Array.from({ length: 4000 }, (_, at) => [
    at / 10,
    `__proto__${at % 7}`,
    `/${['__proto__', 'constructor', 'a', 'b'][at % 4]}/w${at.toString(36)}x/y`,
  ]);
  const { flows, kept, groups } = mix(/** @type {any} */ (requests));
  assert.equal(kept, 4000);
  assert.deepEqual(groups.toSorted(), [
    '/__proto__/:__proto__/y',
    '/a/:a/y',
    '/b/:b/y',
    '/constructor/:constructor/y',
  ]);
  assert.ok(flows.length < 100);
});

test('leaves out health checks by their whole path', () => {
  const probes = ['/health', '/api/v1/status', '/actuator/health/liveness', '/-/ready', '/ping/'];
  const paths = ['/orders/7/status', '/users/ann/ping', '/hosts/db/metrics', '/health/records'];
  const { kept, leftOut } = mix(
    [...probes, ...paths].map((target, second) => [second, 'a', target]),
  );
  assert.equal(kept, paths.length);
  assert.deepEqual(
    [...leftOut.keys()],
    probes.map(target => `health GET ${target}`),
  );
});

test('a number that all requests to an endpoint have is no id, and one that varies is', () => {
  const { flows, addresses, redirecting } = mix([
    [0, 'a', '/api/0/teams/7'],
    [200, 'a', '/api/0/teams/8'],
    [400, 'a', '/api/1/events'],
    [600, 'a', '/pages/0/rows', { status: 302 }],
    [800, 'a', '/pages/4/rows'],
    [1000, 'a', '/orders/7'],
    ...Array.from(
      { length: 60 },
      (_, at) => /** @type {const} */ ([2000 + at * 200, 'a', `/api/0/rates/r${at}x`]),
    ),
  ]);
  const names = [
    ['GET /api/0/rates/:rate', 60],
    ['GET /api/0/teams/:id', 2],
    ['GET /pages/:id/rows', 2],
    ['GET /api/1/events', 1],
    ['GET /orders/:id', 1],
  ];
  assert.deepEqual(
    flows.map(({ names: [name], count }) => [name, count]),
    names,
  );
  assert.deepEqual([...addresses.keys()].sort(), names.map(([name]) => name).sort());
  assert.deepEqual([...redirecting], ['GET /pages/:id/rows']);
});

test('the same log gives the same sample of addresses', () => {
  const requests = Array.from({ length: 40_000 }, (_, at) => [at / 100, `c${at % 50}`, `/i/${at}`]);
  const [one, two] = [1, 2].map(() => mix(/** @type {any} */ (requests)).addresses);
  assert.deepEqual(one, two);
});

test('counts the requests of the most frequent client', () => {
  const { mostOfClient } = mix([
    [0, 'a', '/x'],
    [1, 'b', '/x'],
    [2, 'a', '/x'],
  ]);
  assert.equal(mostOfClient, 2);
});
