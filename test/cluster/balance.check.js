/**
 * How requests spread over two real pods behind HAProxy, and what the pod that failed said of it: with what the
 * client's side sees alone. HAProxy has the cookies that OpenShift's router gives.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startChild } from '../../lib/base/process/child.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { COMPANION_KEY, describeFlask, ROUTES } from './describe-api.js';
import { findObstacle } from './lab/requirements.js';
import { startLab, waitFor } from './lab/start-lab.js';

/** @import { OwnedChild } from '../../lib/base/process/child.js' */
/** @import { Lab } from './lab/start-lab.js' */

/** Each way of balancing has an address of this machine, and a route with that as its host. */
const WAYS = { sticky: '127.0.0.2', source: '127.0.0.3', even: '127.0.0.4', ordered: '127.0.0.5' };
const ROUTE = createHash('md5').update('http:shop:api').digest('hex');

const obstacle = findObstacle();

describe('requests over pods', { skip: obstacle }, () => {
  /** @type {Lab} */
  let lab;
  /** @type {OwnedChild | undefined} */
  let proxy;
  let port = 0;
  /** @type {{name: string, ip: string}[]} */
  let pods = [];
  const temp = mkdtempSync(path.join(tmpdir(), 'loadflame-check-'));

  before(async () => {
    lab = await startLab();
    await lab.apply('{apiVersion: v1, kind: Namespace, metadata: {name: shop}}');
    await lab.apply(ROUTES);
    await lab.apply(describeFlask('api', 2), 'shop');
    await lab.apply(describeFlask('store', 2, 'StatefulSet'), 'shop');
    await lab.apply(describeRoutes(), 'shop');
    await waitFor('pods', async () => {
      pods = await lab.listReady('api');
      return pods.length === 2;
    });
    await waitFor('StatefulSet', async () => (await lab.listReady('store')).length === 2);
    port = await findFreePort();
    const file = path.join(temp, 'haproxy.cfg');
    writeFileSync(file, describeProxy(port, pods, await lab.listReady('store')));
    proxy = startChild('haproxy', ['-db', '-f', file], { stdout: 'ignore', stderr: 'inherit' });
    await waitFor('HAProxy', async () => (await fetch(`http://127.0.0.4:${port}/ready`)).ok);
  });
  after(async () => {
    await proxy?.stop();
    await lab?.stop();
    rmSync(temp, { recursive: true, force: true });
  });

  /** @param {keyof typeof WAYS} way @param {string} script @param {string} [workload] */
  const run = async (way, script, workload = 'deployment/api') => {
    const folder = mkdtempSync(path.join(temp, 'run-'));
    writeFileSync(path.join(folder, 'load.yaml'), script);
    const ended = await runLoadflame(folder, ['test', 'load.yaml'], {
      KUBECONFIG: lab.kubeconfig,
      KUBE_NAMESPACE: 'shop',
      KUBE_WORKLOAD: workload,
      LOADFLAME: COMPANION_KEY,
      TARGET: `http://${WAYS[way]}:${port}`,
    });
    const [file = ''] = globSync('profiles/*/report.json', { cwd: folder });
    assert.notEqual(file, '', ended.stderr);
    return JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  };
  const names = () => pods.map(({ name }) => name).sort();

  test('one user with a cookie of the router is at one pod: the cookie names it', async () => {
    const { balance, findings, load } = await run(
      'sticky',
      describeLoad({ users: 1, requests: 60 }),
    );
    const { basis, isPods, members } = balance.backends;
    assert.deepEqual([basis, isPods], ['sticky-cookie', true]);
    assert.deepEqual(members.map(idOf).sort(), names());
    assert.deepEqual(members.map(requestsOf), [load.http.responses, 0]);
    const { text } = find(findings, 'imbalance');
    assert.match(text.title, /^All \d+ requests went to one of 2 pods\.$/);
  });

  test('balance by source sends all users to one pod', async () => {
    const { balance, findings, load } = await run(
      'source',
      describeLoad({ users: 40, requests: 3 }),
    );
    // No cookie: the companion tells which process answered, and its pod is found by that.
    assert.equal(balance.backends.basis, 'companion');
    assert.deepEqual(balance.backends.members.map(requestsOf), [load.http.responses, 0]);
    assert.deepEqual(balance.backends.members.map(idOf).sort(), names());
    assert.equal(find(findings, 'imbalance').severity, 'bad');
  });

  test('the pods of a StatefulSet are its backends, and no other pod of the namespace', async () => {
    const script = describeLoad({ users: 30, requests: 4 });
    const { balance, cluster, load } = await run('ordered', script, 'statefulset/store');
    assert.equal(cluster.workload, 'store');
    const { isPods, members } = balance.backends;
    assert.equal(isPods, true);
    assert.deepEqual(members.map(idOf).sort(), ['store-0', 'store-1']);
    const [most, least] = members.map(requestsOf);
    assert.equal(most + least, load.http.responses);
    assert.ok(most - least <= 2, `round robin: ${most} and ${least}`);
    assert.equal(load.http.responses, 120);
  });

  test('what spreads evenly is no finding, and a 500 of one pod shows the traceback of that pod', async () => {
    const [broken, other] = pods;
    await fetch(`http://${broken?.ip}:8080/break`);
    const { balance, findings, load, logs } = await run(
      'even',
      describeLoad({ users: 30, requests: 4 }),
    );
    await fetch(`http://${broken?.ip}:8080/break?now=0`);
    assert.deepEqual(balance.backends.members.map(idOf).sort(), names());
    const [most, least] = balance.backends.members.map(requestsOf);
    assert.ok(most - least <= 2, `round robin: ${most} and ${least}`);
    assert.ok(!findings.some((/** @type {{id: string}} */ { id }) => id === 'imbalance'));

    const failed = load.http.codes.find((/** @type {{code: string}} */ one) => one.code === '500');
    const { burst, text } = find(findings, 'error-burst');
    assert.deepEqual(burst.answeredBy, [{ pod: broken?.name, errors: failed.count }]);
    assert.match(
      text.title,
      /the log says KeyError: '2' in look_up \(cluster\/flask_in_pod\.py:16\)/,
    );
    assert.equal(burst.log.tracebacks.length, 1, JSON.stringify(burst.log.tracebacks));
    // The other one has logged a traceback for each of its requests, which were all answered.
    assert.ok(logs.tracebacks.some((/** @type {any} */ one) => one.exception === "KeyError: '3'"));
    assert.ok(!JSON.stringify(burst.log).includes(String(other?.name)));
  });
});

const idOf = (/** @type {{id: string}} */ { id }) => id;
const requestsOf = (/** @type {{requests: number}} */ { requests }) => requests;

/** @param {{id: string, facts?: any}[]} findings @param {string} id @returns {any} */
function find(findings, id) {
  const found = findings.find(one => one.id === id);
  assert.ok(found, `there is ${id}: ${findings.map(idOf)}`);
  return { ...found.facts, ...found };
}

/** @param {{users: number, requests: number}} load */
function describeLoad({ users, requests }) {
  return `
config:
  target: '{{ $env.TARGET }}'
  phases: [{duration: 5, arrivalCount: ${users}}]
scenarios: [{flow: [{loop: [{get: {url: /work?loud=1}}, {think: 0.05}], count: ${requests}}]}]
`;
}

function describeRoutes() {
  const annotations = {
    sticky: '{haproxy.router.openshift.io/timeout: 30s}',
    source:
      '{haproxy.router.openshift.io/balance: source, haproxy.router.openshift.io/disable_cookies: "true"}',
    even: '{haproxy.router.openshift.io/balance: roundrobin, haproxy.router.openshift.io/disable_cookies: "true"}',
    ordered:
      '{haproxy.router.openshift.io/balance: roundrobin, haproxy.router.openshift.io/disable_cookies: "true"}',
  };
  return Object.entries(WAYS)
    .map(
      ([name, host]) => `
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: ${name}, annotations: ${annotations[/** @type {keyof typeof WAYS} */ (name)]}}
spec: {host: ${host}, to: {kind: Service, name: ${name === 'ordered' ? 'store' : 'api'}}}
`,
    )
    .join('---');
}

/** As OpenShift's router writes it for these routes. @param {number} port @param {{name: string, ip: string}[]} pods @param {{name: string, ip: string}[]} ordered */
function describeProxy(port, pods, ordered) {
  const servers = (/** @type {boolean} */ hasCookies, of = pods) =>
    of
      .map(({ name, ip }) => {
        const id = `pod:${name}:api:web:${ip}:8080`;
        const cookie = createHash('md5').update(id).digest('hex');
        return `  server ${id} ${ip}:8080${hasCookies ? ` cookie ${cookie}` : ''} weight 1`;
      })
      .join('\n');
  return `
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen sticky
  bind ${WAYS.sticky}:${port}
  balance random
  cookie ${ROUTE} insert indirect nocache httponly
${servers(true)}
listen source
  bind ${WAYS.source}:${port}
  balance source
${servers(false)}
listen even
  bind ${WAYS.even}:${port}
  balance roundrobin
${servers(false)}
listen ordered
  bind ${WAYS.ordered}:${port}
  balance roundrobin
${servers(false, ordered)}
`;
}

async function findFreePort() {
  const server = net.createServer().listen(0, '127.0.0.2');
  await once(server, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
