import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findImbalance } from '../../lib/analysis/judge/findings/bottleneck.js';
import { findUnknownSpread } from '../../lib/analysis/judge/findings/cluster.js';
import { analyseCluster } from '../../lib/analysis/load/analyse-cluster.js';
import { measureBalance, namePods } from '../../lib/analysis/load/balance.js';
import { wordsOf } from '../helpers/words.js';
import { makeLoad } from './facts.js';

/** Of the load, 60 s. */
const RANGE = { startMs: 100_000, endMs: 160_000 };
const START = { kind: 'cluster-start', t: 90_000, namespace: 'shop', selector: 'app=api' };
const SERVICE = {
  ...{ kind: 'way-in', t: 90_000, type: 'service', name: 'api', services: ['api'], settings: {} },
  ports: [{ name: 'web', target: 'http' }],
};
/** What answers are counted under, by `printf … | md5sum` and `sha256sum`: see the names of the first test. */
const IDS = {
  cookie1: '7f9ba7f6',
  cookie2: '3577e8cf',
  old1: '46cb25f6',
  host1: 'c1990c80',
  host2: '34c04d7d',
};

/** @param {number} number @param {Record<string, any>} [changes] */
function pod(number, changes = {}) {
  const containers = [{ name: 'web', restarts: 0, ports: [{ name: 'http', port: 8080 }] }];
  const name = `api-${number}`;
  return {
    ...{ kind: 'pod', t: 90_000, name, ip: `10.1.2.${number + 2}`, isReady: true, containers },
    ...changes,
  };
}

/** @param {Record<string, string>} settings @param {Record<string, any>} [changes] */
const wayIn = (settings, changes = {}) => {
  return { ...SERVICE, type: 'route', name: 'shop', host: 'api.example', settings, ...changes };
};

/**
 * @param {Record<string, number>} ids responses by cookie
 * @param {{records?: Record<string, any>[], users?: number, target?: string, targets?: string[], sockets?: number | null,
 *   workers?: Record<string, number>, logged?: Map<string, number> | null}} [options]
 */
function judge(
  ids,
  {
    records = [pod(1), pod(2)],
    users = 2,
    target = 'https://api.example/',
    targets,
    sockets = null,
    workers = {},
    logged = null,
  } = {},
) {
  const all = [START, SERVICE, ...records];
  const cluster = analyseCluster(all, RANGE);
  assert.ok(cluster);
  const instances = Object.keys(workers).map(id => id.split('.')[0] ?? '');
  const podOf = namePods(new Set([...Object.keys(ids), ...instances]), all);
  const names = cluster.pods.map(({ name }) => name);
  const balance = measureBalance({
    counts: { workers: new Map(Object.entries(workers)), backends: new Map(Object.entries(ids)) },
    workers: [],
    backends: null,
    pods: { names, podOf, logged },
  });
  const load = {
    ...makeLoad({ lengthSec: 60, created: users }),
    window: RANGE,
    socketio: sockets && { connects: sockets },
  };
  const found = targets && { targets: { addresses: targets } };
  const run = { target, ...found, settings: [] };
  const facts = /** @type {any} */ ({ run, load, balance, cluster });
  const [finding] = findImbalance(facts);
  return {
    group: balance?.backends ?? null,
    finding: finding ?? null,
    why: /** @type {any} */ (finding?.facts)?.why ?? null,
    unknown: findUnknownSpread(facts)[0] ?? null,
  };
}

/** @param {ReturnType<typeof judge>} judged */
const countsOf = ({ group }) => group?.members.map(({ id, requests }) => [id, requests]);
/** @param {import('../../lib/facts/findings.d.ts').Finding | null} finding */
const adviceOf = finding => wordsOf(finding ?? undefined).advice ?? '';

test('a pod is named by the cookie of its endpoint, before the companion and before logs', () => {
  const logged = new Map([['api-1', 7]]);
  const workers = { [`${IDS.host1}.8`]: 10, [`${IDS.host1}.9`]: 20, [`${IDS.host2}.8`]: 31 };
  const cookies = judge({ [IDS.cookie1]: 30, [IDS.cookie2]: 31 }, { workers, logged });
  assert.deepEqual([cookies.group?.basis, cookies.group?.isPods], ['sticky-cookie', true]);
  assert.deepEqual(countsOf(cookies), [
    ['api-2', 31],
    ['api-1', 30],
  ]);
  // OpenShift 3 hashed no name of the port
  assert.deepEqual(countsOf(judge({ [IDS.old1]: 5 }))?.[0], ['api-1', 5]);
  // the cookie of another router: the companion knows better
  const companion = judge({ abcdef01: 61 }, { workers, logged });
  assert.equal(companion.group?.basis, 'companion');
  assert.deepEqual(countsOf(companion), [
    ['api-2', 31],
    ['api-1', 30],
  ]);
  const logs = judge({}, { logged });
  assert.equal(logs.group?.basis, 'pod-log');
  assert.deepEqual(countsOf(logs), [
    ['api-1', 7],
    ['api-2', 0],
  ]);
  assert.equal(cookies.unknown, null);
});

test('an answer of no pod stays what it is, and ids that fit no pod say nothing of pods', () => {
  assert.deepEqual(countsOf(judge({ [IDS.cookie1]: 30, [IDS.cookie2]: 30, abcdef01: 29 }))?.[2], [
    'abcdef01',
    29,
  ]);
  const { group, finding, unknown } = judge({ abcdef01: 60 });
  assert.equal(group?.isPods, undefined);
  // one cookie of some router before two pods: it is not said that one of the pods got all
  assert.equal(group?.members.length, 1);
  assert.equal(finding?.severity, 'info');
  assert.match(wordsOf(unknown ?? undefined).detail ?? '', /fit none of these pods/);
});

test('nothing tells the pod: it is said what to set', () => {
  const named = wayIn({ 'router.openshift.io/cookie_name': 'stay' });
  const { group, unknown } = judge({}, { records: [pod(1), pod(2), named] });
  assert.equal(group, null);
  assert.match(adviceOf(unknown), /^Set STICKY_COOKIE=stay,/);
  assert.match(adviceOf(judge({}).unknown), /companion/);
  assert.equal(judge({}, { records: [pod(1)] }).unknown, null, 'one pod has nothing to share');
});

const ONE = { [IDS.cookie1]: 600 };
const three = { records: [pod(1), pod(2), pod(3)] };

for (const [title, ids, options] of /** @type {[string, Record<string, number>, any][]} */ ([
  ['even traffic', { [IDS.cookie1]: 300, [IDS.cookie2]: 300 }, { users: 100 }],
  ['what chance does with six users', { [IDS.cookie1]: 500, [IDS.cookie2]: 100 }, { users: 6 }],
  ['one pod of one', ONE, { records: [pod(1)] }],
])) {
  test(`silent: ${title}`, () => assert.equal(judge(ids, options).finding, null));
}

test('few users that a cookie keeps at their pod: what chance brings is reckoned', () => {
  const { why, finding, group } = judge(ONE, { users: 3, records: [pod(1), pod(2), wayIn({})] });
  assert.ok(group && group.max === 600);
  assert.equal(why.id, 'few-users');
  // all three at one: (2 · 1) ÷ 2³ of the time
  assert.ok(Math.abs(why.staying.expected.mean - (1 * 2 + (2 / 3) * 6) / 8) < 0.02);
  assert.equal(finding?.severity, 'warn');
  const { title, detail, advice, evidence } = wordsOf(finding ?? undefined);
  assert.equal(title, 'All 600 requests went to one of 2 pods.');
  assert.match(detail ?? '', /^There were 3 users for 2 pods, and each keeps its own by a cookie/);
  assert.match(advice ?? '', /`oc annotate route shop .*disable_cookies=true`/);
  assert.ok(evidence.some(({ value }) => value === 'api-1 600, api-2 0'));
});

test('more users than chance puts at one pod: the reason is not known, and what was seen is told', () => {
  const leastconn = wayIn({ 'haproxy.router.openshift.io/balance': 'leastconn' });
  const { why, finding } = judge(ONE, { users: 50, records: [pod(1), pod(2), leastconn] });
  assert.deepEqual([why.id, why.staying.count, finding?.severity], ['unknown', 50, 'bad']);
  const { detail } = wordsOf(finding ?? undefined);
  assert.match(
    detail ?? '',
    /^Why is not known\..* 100\.0 % is more than that.*`haproxy.router.openshift.io\/balance: leastconn`/,
  );
});

for (const [
  settings,
  changes,
  name,
  words,
] of /** @type {[Record<string, string>, any, string, RegExp][]} */ ([
  [
    { 'haproxy.router.openshift.io/balance': 'source' },
    {},
    'haproxy.router.openshift.io/balance',
    /route shop .*balance=roundrobin/,
  ],
  [{ termination: 'passthrough' }, {}, 'termination', /edge, reencrypt/],
  [
    { 'nginx.ingress.kubernetes.io/upstream-hash-by': '$binary_remote_addr' },
    { type: 'ingress' },
    'nginx.ingress.kubernetes.io/upstream-hash-by',
    /Remove the annotation .* of the ingress shop/,
  ],
  [
    { sessionAffinity: 'ClientIP' },
    { type: 'service', host: null },
    'sessionAffinity',
    /sessionAffinity: None/,
  ],
])) {
  test(`one pod got all, for the way in goes by the address: ${name}`, () => {
    const records = [pod(1), pod(2), wayIn(settings, changes)];
    const target = changes.type === 'service' ? 'http://shop.shop.svc:8080' : undefined;
    const workers = { [`${IDS.host1}.8`]: 600 };
    const { why, finding } = judge({}, { records, users: 50, target, workers });
    assert.deepEqual([why.id, why.setting.name], ['source', name]);
    assert.match(adviceOf(finding), words);
    // Some went elsewhere: then that is not why.
    const both = { ...workers, [`${IDS.host2}.8`]: 60 };
    assert.equal(judge({}, { records, users: 50, target, workers: both }).why.id, 'unknown');
  });
}

test('what is to be pasted has no words from outside but a name', () => {
  const records = [pod(1), pod(2), wayIn({ termination: 'passthrough' }, { name: 'x; reboot' })];
  const { finding } = judge({}, { records, users: 50, workers: { [`${IDS.host1}.8`]: 600 } });
  assert.match(adviceOf(finding), /oc annotate route <name> /);
});

test('a way in that the load did not take is no reason, and it is said that none was known', () => {
  const records = [pod(1), pod(2), wayIn({ 'haproxy.router.openshift.io/balance': 'source' })];
  const workers = { [`${IDS.host1}.8`]: 600 };
  const { why, finding } = judge({}, { records, target: 'https://other.example', workers });
  assert.deepEqual([why.id, why.way], ['unknown', null]);
  assert.match(adviceOf(finding), /host of the target is none of the routes/);
});

test('of several targets none is the way that all took', () => {
  const records = [pod(1), pod(2), wayIn({ 'haproxy.router.openshift.io/balance': 'source' })];
  const workers = { [`${IDS.host1}.8`]: 600 };
  const [target, other] = ['https://api.example', 'https://other.example'];
  const of = (/** @type {string[]} */ targets) =>
    judge({}, { records, users: 50, target, targets, workers });
  assert.equal(of([target]).why.id, 'source');
  const several = of([target, other]);
  assert.deepEqual([several.why.id, several.why.way], ['unknown', null]);
  assert.doesNotMatch(adviceOf(several.finding), /host of the target/);
});

test('a pod that was not ready, or late, is the reason before all others', () => {
  const source = wayIn({ 'haproxy.router.openshift.io/balance': 'source' });
  const never = judge(ONE, { records: [pod(1), pod(2, { isReady: false }), source], users: 3 });
  assert.deepEqual(
    [never.why.id, never.why.ready, never.why.late],
    ['not-ready', 1, [{ name: 'api-2', readyMs: 0 }]],
  );
  const late = judge(ONE, {
    records: [pod(1), pod(2, { isReady: false }), pod(2, { t: 145_000 })],
    users: 50,
  });
  assert.deepEqual(late.why.late, [{ name: 'api-2', readyMs: 15_000 }]);
  assert.match(
    wordsOf(late.finding ?? undefined).detail ?? '',
    /^Only 1 of 2 pods was ready all the time: api-2 for 15 s of 60 s\./,
  );
  // Two that were ready all the time, of which one got all, are no matter of readiness.
  const { why } = judge(ONE, { records: [pod(1), pod(2), pod(3, { isReady: false })], users: 50 });
  assert.equal(why.id, 'unknown');
});

test('WebSockets stay where they are, without a cookie, too', () => {
  const workers = { [`${IDS.host1}.8`]: 600 };
  const { why, finding } = judge({}, { ...three, workers, sockets: 2, users: 900 });
  assert.deepEqual([why.id, why.staying.of], ['few-users', 'websockets']);
  assert.match(
    wordsOf(finding ?? undefined).detail ?? '',
    /WebSockets? for 3 pods, and each stays/,
  );
});
