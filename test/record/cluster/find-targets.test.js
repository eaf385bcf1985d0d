import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOwnTargets } from '../../../lib/preflight/preflight.js';
import {
  describeTargets,
  findTargets,
  readTargets,
} from '../../../lib/record/cluster/find-targets.js';
import { connect, serve } from './fake-api.js';

/** @param {string} host @param {Record<string, unknown>} [more] as OpenShift's router leaves it */
const route = (host, more = {}) => ({
  metadata: { name: host.split('.')[0], labels: { app: 'shop' } },
  spec: { host, to: { kind: 'Service', name: 'shop', weight: 100 }, ...more },
  status: { ingress: [{ host, routerName: 'default', conditions: [admitted('True')] }] },
});
/** @param {string} status @param {string} [reason] */
const admitted = (status, reason) => ({ type: 'Admitted', status, ...(reason && { reason }) });

test('a route is a target where a router has admitted it, with its scheme and path', () => {
  const claimed = route('claimed.apps.example');
  claimed.status.ingress[0] = {
    ...{ host: 'claimed.apps.example', routerName: 'default' },
    conditions: [admitted('False', 'HostAlreadyClaimed')],
  };
  // Without `host` each router makes a name of its own.
  const sharded = route('any', { host: undefined, subdomain: 'any' });
  sharded.status.ingress = ['any.one.example', 'any.two.example'].map(host => ({
    ...{ host, routerName: host, conditions: [admitted('True')] },
  }));
  const leaving = route('leaving.apps.example');
  const items = [
    route('plain.apps.example'),
    route('edge.apps.example', { tls: { termination: 'edge' }, path: '/shop/' }),
    // A route for all hosts beside its own has one of its own all the same.
    route('www.apps.example', { wildcardPolicy: 'Subdomain', tls: { termination: 'passthrough' } }),
    sharded,
    claimed,
    { metadata: { name: 'new' }, spec: { host: 'new.apps.example' } },
    { ...leaving, metadata: { name: 'leaving', deletionTimestamp: '2026-11-23T10:00:00Z' } },
    { ...route('plain.apps.example'), metadata: { name: 'twice' } },
  ];
  assert.deepEqual(readTargets('routes', items), {
    addresses: [
      'http://plain.apps.example',
      'https://edge.apps.example/shop',
      'https://www.apps.example',
      'http://any.one.example',
      'http://any.two.example',
    ],
    left: [
      { name: 'routes/claimed', why: 'no router has admitted it: HostAlreadyClaimed' },
      { name: 'routes/new', why: 'no router has admitted it' },
      { name: 'routes/leaving', why: 'it is being deleted' },
    ],
  });
});

test('an ingress has an address for each host and path that leads on', () => {
  const backend = { service: { name: 'shop', port: { number: 80 } } };
  const path = (/** @type {string} */ at, pathType = 'Prefix') => ({ path: at, pathType, backend });
  const http = { paths: [path('/')] };
  /** @param {string} name @param {Record<string, unknown>} spec @param {object[]} [balancers] */
  const ingress = (name, spec, balancers = []) => {
    return { metadata: { name }, spec, status: { loadBalancer: { ingress: balancers } } };
  };
  const items = [
    ingress('shop', {
      tls: [{ hosts: ['*.example'], secretName: 'tls' }],
      rules: [
        { host: 'shop.example', http: { paths: [path('/'), path('/v2/'), path('/up', 'Exact')] } },
        { host: 'shop.test', http: { paths: [path('/(.*)', 'ImplementationSpecific')] } },
        { host: '*.example', http },
      ],
    }),
    ingress('all-tls', { tls: [{ secretName: 'tls' }], rules: [{ host: 'tls.test', http }] }),
    ingress('bare', { defaultBackend: backend }, [{ ip: '192.0.2.7' }]),
    ingress('nowhere', { rules: [{ http }] }),
  ];
  assert.deepEqual(readTargets('ingresses', items), {
    addresses: [
      'https://shop.example',
      'https://shop.example/v2',
      'https://tls.test',
      'http://192.0.2.7',
    ],
    left: [
      { name: 'ingresses/shop', why: 'nothing below its path /up is led on (Exact)' },
      { name: 'ingresses/shop', why: 'its path /(.*) is a pattern' },
      { name: 'ingresses/shop', why: '*.example is not the name of one host' },
      {
        name: 'ingresses/nowhere',
        why: 'it names no host, and has no address of a load balancer',
      },
    ],
  });
});

/** @param {string} name @param {Record<string, unknown>} spec @param {object[]} [balancers] */
const service = (name, spec, balancers = []) => ({
  metadata: { name, namespace: 'shop', labels: { app: 'shop' } },
  spec: { type: 'ClusterIP', clusterIP: '10.96.0.7', ports: [{ port: 8080 }], ...spec },
  status: { loadBalancer: { ingress: balancers } },
});

test('a service is a target by its load balancer, or else by its address in the cluster', () => {
  const metrics = { name: 'metrics', port: 9100, protocol: 'TCP' };
  const items = [
    service('one', {}),
    service('named', { ports: [metrics, { name: 'http-web', port: 80 }] }),
    service('tls', { clusterIP: 'fd00::7', ports: [{ port: 8443, appProtocol: 'https' }] }),
    service('outside', { type: 'LoadBalancer' }, [{ hostname: 'lb.example' }]),
    service('several', { ports: [metrics, { name: 'admin', port: 81 }] }),
    service('headless', { clusterIP: 'None' }),
    service('alias', { type: 'ExternalName', externalName: 'db.example', clusterIP: undefined }),
    service('udp', { ports: [{ port: 53, protocol: 'UDP' }] }),
  ];
  assert.deepEqual(readTargets('services', items), {
    addresses: [
      'http://10.96.0.7:8080',
      'http://10.96.0.7',
      'https://[fd00::7]:8443',
      'http://lb.example:8080',
    ],
    left: [
      { name: 'services/several', why: 'none of its ports is named http or https' },
      { name: 'services/headless', why: 'it has no address of its own (headless)' },
      { name: 'services/alias', why: 'it leads out of the cluster' },
      { name: 'services/udp', why: 'none of its ports is named http or https' },
    ],
  });
});

test('the load goes to hosts of the list alone, and to nothing that only looks like one', () => {
  const hosts = ['*.apps.example', 'one.test'];
  const names = ['a.apps.example', 'apps.example', 'a.apps.example.evil.test', 'one.test'];
  const { addresses, left } = readTargets(
    'routes',
    names.map(name => route(name)),
    hosts,
  );
  assert.deepEqual(addresses, ['http://a.apps.example', 'http://one.test']);
  assert.deepEqual(
    left.map(({ why }) => why),
    [
      'its host apps.example is not among `hosts`',
      'its host a.apps.example.evil.test is not among `hosts`',
    ],
  );
  const services = [service('api', {}), service('other', { clusterIP: '10.96.0.8' })];
  assert.deepEqual(readTargets('services', services, ['api.shop.svc']).addresses, [
    'http://10.96.0.7:8080',
  ]);
  const tricks = ['2130706433', '0x7f.1', 'user@evil.test', 'evil.test/x', 'evil.test:99', ''];
  const none = readTargets(
    'routes',
    tricks.map(name => route(name)),
  );
  assert.deepEqual(none.addresses, []);
  assert.equal(none.left.length, tricks.length);
});

test('what a cluster refuses, and what a login must not tell whoever has labels, is an error', async t => {
  /** @type {string[]} */
  const asked = [];
  const some = ['a.example', 'b.example'].map(host => route(host));
  const server = await serve(t, url => {
    const { pathname, searchParams } = new URL(url, 'http://api');
    asked.push(pathname);
    if (pathname.includes('/secret/')) return [403, '{}'];
    if (!pathname.endsWith('/routes')) return [404, '{}'];
    const items = searchParams.get('labelSelector') === 'app=some' ? some : [];
    return [200, JSON.stringify({ items })];
  });
  /** @param {string} selector @param {Record<string, string>} [env] */
  const find = async (selector, env) => {
    const { config, redactor } = await connect(t, server, env);
    return findTargets({ routes: { selector } }, config, redactor);
  };
  const found = await find('app=some');
  assert.equal(
    describeTargets(found),
    'targets: http://a.example, http://b.example (routes with app=some in the namespace shop)',
  );
  await assert.rejects(find('app=none'), {
    code: 'KUBE_NAMESPACE_UNKNOWN',
  });
  assert.deepEqual(asked.slice(-2), [
    '/apis/route.openshift.io/v1/namespaces/shop/routes',
    '/api/v1/namespaces/shop',
  ]);
  await assert.rejects(find('app=some', { KUBE_NAMESPACE: 'secret' }), {
    code: 'KUBE_FORBIDDEN',
    message: 'this login may not list routes.route.openshift.io in the namespace secret',
  });
  await assert.rejects(find('app=some', { OIDC_ISSUER: 'http://127.0.0.1:1' }), {
    code: 'TARGETS_WITHOUT_HOSTS',
    message: /: routes with app=some .*: routes\/a \(its host a\.example is not among `hosts`\), /,
  });
});

test('routes that are no targets, and others that there are, are named', async t => {
  const isMine = (/** @type {string} */ url) => url.includes('labelSelector=app%3Dmine');
  const unready = { ...route('new.example'), status: {} };
  const server = await serve(t, url => {
    if (!url.includes('/routes')) return [200, '{}'];
    if (isMine(url)) return [200, JSON.stringify({ items: [unready] })];
    const items = url.includes('labelSelector') ? [] : [route('api.example')];
    return [200, JSON.stringify({ items })];
  });
  const { config, redactor } = await connect(t, server);
  const refuses = (/** @type {string} */ selector, /** @type {string} */ message) =>
    assert.rejects(findTargets({ routes: { selector } }, config, redactor), {
      code: 'KUBE_NO_TARGETS',
      message: `there is no target among the routes with ${selector} in the namespace shop: ${message}`,
    });
  await refuses('app=mine', 'routes/new (no router has admitted it)');
  await refuses('app=none', 'there are api (app=shop)');
  // What a template leaves of an empty setting is not "all of them".
  await assert.rejects(findTargets({ routes: { selector: ' ' } }, config, redactor), {
    code: 'KUBE_NO_TARGETS',
    message: 'there is no target among the routes: its `selector` is empty',
  });
});

test('settings fill the labels, and what TARGET names takes the place of all', async t => {
  /** @type {string[]} */
  const asked = [];
  const server = await serve(t, url => {
    asked.push(new URL(url, 'http://api').searchParams.get('labelSelector') ?? '');
    return [200, JSON.stringify({ items: [service('api', {})] })];
  });
  const targets = {
    services: { selector: 'app in ({{ $env.SERVER_PID_FILE }})' },
    at: 'load.yaml:3',
  };
  /** @param {Record<string, string>} env */
  const find = async env => {
    const { config, redactor } = await connect(t, server, env);
    return (await findOwnTargets({ targets }, config, redactor))?.addresses;
  };
  assert.deepEqual(await find({ SERVER_PID_FILE: 'a"b' }), ['http://10.96.0.7:8080']);
  assert.deepEqual(asked, ['app in (a"b)']);
  assert.equal(await find({ SERVER_PID_FILE: 'a"b', TARGET: 'http://typed' }), undefined);
  assert.equal(asked.length, 1);
});
