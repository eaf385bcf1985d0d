import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findImbalance } from '../../../lib/analysis/judge/findings/bottleneck.js';
import { analyseCluster } from '../../../lib/analysis/load/analyse-cluster.js';
import { measureBalance, namePods } from '../../../lib/analysis/load/balance.js';
import { recordsOf } from '../../helpers/records.js';
import { makeLoad } from '../facts.js';

/** Of the load, 60 s. */
const RANGE = { startMs: 100_000, endMs: 160_000 };
const START = { kind: 'cluster-start', t: 90_000, namespace: 'shop', selector: 'app=api' };
const SERVICE = {
  ...{ kind: 'way-in', t: 90_000, type: 'service', name: 'api' },
  ports: [{ name: 'web', target: 'http' }],
};
/** What answers are counted under, by `printf … | md5sum` and `sha256sum`: see the names of the first test. */
const IDS = {
  cookie1: '7f9ba7f6',
  cookie2: '3577e8cf',
  old1: '46cb25f6',
  host1: 'f9811b73-1',
  host2: 'fe64a7d2-1',
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

/**
 * @param {Record<string, number>} ids responses by cookie
 * @param {{records?: Record<string, any>[], users?: number, workers?: Record<string, number>}} [options]
 */
function judge(ids, { records = [pod(1), pod(2)], users = 2, workers = {} } = {}) {
  const all = recordsOf('cluster', [START, SERVICE, ...records]);
  const cluster = analyseCluster(all, RANGE);
  assert.ok(cluster);
  const instances = Object.keys(workers).map(id => id.split('.')[0] ?? '');
  const podOf = namePods(new Set([...Object.keys(ids), ...instances]), all);
  const names = cluster.pods.map(({ name }) => name);
  const balance = measureBalance({
    counts: { workers: new Map(Object.entries(workers)), backends: new Map(Object.entries(ids)) },
    workers: [],
    backends: null,
    pods: { names, podOf },
  });
  const load = { ...makeLoad({ lengthSec: 60, created: users }), window: RANGE };
  const facts = /** @type {any} */ ({ load, balance, cluster });
  const [finding] = findImbalance(facts);
  return {
    group: balance?.backends ?? null,
    finding: finding ?? null,
  };
}

/** @param {ReturnType<typeof judge>} judged */
const countsOf = ({ group }) => group?.members.map(({ id, requests }) => [id, requests]);
test('a pod is named by the cookie of its endpoint, before the companion', () => {
  const workers = { [`${IDS.host1}.8`]: 10, [`${IDS.host1}.9`]: 20, [`${IDS.host2}.8`]: 31 };
  const cookies = judge({ [IDS.cookie1]: 30, [IDS.cookie2]: 31 }, { workers });
  assert.deepEqual([cookies.group?.basis, cookies.group?.isPods], ['sticky-cookie', true]);
  assert.deepEqual(countsOf(cookies), [
    ['api-2', 31],
    ['api-1', 30],
  ]);
  // OpenShift 3 hashed no name of the port
  assert.deepEqual(countsOf(judge({ [IDS.old1]: 5 }))?.[0], ['api-1', 5]);
  // the cookie of another router: the companion knows better
  const companion = judge({ abcdef01: 61 }, { workers });
  assert.equal(companion.group?.basis, 'companion');
  assert.deepEqual(countsOf(companion), [
    ['api-2', 31],
    ['api-1', 30],
  ]);
});

test('leaves responses of no pod unassigned, and ignores ids that match no pod', () => {
  assert.deepEqual(countsOf(judge({ [IDS.cookie1]: 30, [IDS.cookie2]: 30, abcdef01: 29 }))?.[2], [
    'abcdef01',
    29,
  ]);
  const { group, finding } = judge({ abcdef01: 60 });
  assert.equal(group?.isPods, undefined);
  // one cookie of some router before two pods: it is not said that one of the pods got all
  assert.equal(group?.members.length, 1);
  assert.equal(finding?.severity, 'info');
});

const ONE = { [IDS.cookie1]: 600 };

for (const [title, ids, options] of /** @type {[string, Record<string, number>, any][]} */ ([
  ['even traffic', { [IDS.cookie1]: 300, [IDS.cookie2]: 300 }, { users: 100 }],
  ['what chance does with six users', { [IDS.cookie1]: 500, [IDS.cookie2]: 100 }, { users: 6 }],
  ['one pod of one', ONE, { records: [pod(1)] }],
])) {
  test(`silent: ${title}`, () => assert.equal(judge(ids, options).finding, null));
}

test('all to one pod of two is worse where chance does not explain it', () => {
  assert.equal(judge(ONE, { users: 3 }).finding?.severity, 'warn');
  assert.equal(judge(ONE, { users: 50 }).finding?.severity, 'bad');
});
