import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { connectCluster, trustsAnyApi } from '../../../lib/base/kubernetes/connect.js';
import { findPods } from '../../../lib/base/kubernetes/find-pods.js';
import { ASKED } from '../../../lib/base/kubernetes/permissions.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { connect, serve, TOKEN } from '../../record/cluster/fake-api.js';

test('each refusal has its own error, and none contains the token', async t => {
  const said = JSON.stringify({ message: `no etcd for ${TOKEN}` });
  /** @type {[string, import('../../../lib/base/kubernetes/permissions.js').Asked, [number, string], RegExp][]} */
  const cases = [
    ['KUBE_LOGIN_REFUSED', ASKED.pods, [401, ''], /the login of the context lab/],
    ['KUBE_FORBIDDEN', ASKED.usage, [403, said], /may not list pods\.metrics\.k8s\.io in .* shop/],
    [
      'KUBE_API_MISSING',
      { ...ASKED.services, group: 'route.openshift.io', resource: 'routes' },
      [404, '404 page not found'],
      /does not know routes\./,
    ],
    ['KUBE_NOT_THERE', { ...ASKED.replicas, name: 'apo' }, [404, said], /named apo/],
    ['KUBE_REQUEST_FAILED', ASKED.events, [503, said], /list events .*503: no etcd for \[/],
    ['KUBE_UNREACHABLE', ASKED.pods, [200, '<html>sign in</html>'], /no API/],
  ];
  for (const [code, asked, answer, words] of cases) {
    const { cluster } = await connect(t, await serve(t, () => answer));
    await assert.rejects(cluster.ask(asked), (/** @type {any} */ error) => {
      assert.equal(error.code, code);
      assert.match(error.message, words);
      assert.ok(!`${error.message} ${error.hint}`.includes(TOKEN));
      return true;
    });
  }
  const { cluster } = await connect(t, 'http://127.0.0.1:1');
  await assert.rejects(cluster.ask(ASKED.pods), { code: 'KUBE_UNREACHABLE' });
});

test('distinguishes an empty list of pods from a missing namespace', async t => {
  const nothing = JSON.stringify({ items: [] });
  const codeOf = async (/** @type {number} */ status) => {
    const server = await serve(t, url => (url.includes('/pods') ? [200, nothing] : [status, '{}']));
    const { cluster, config } = await connect(t, server, { KUBE_SELECTOR: 'app=api' });
    return findPods(cluster, config).catch(error => error.code);
  };
  assert.equal(await codeOf(404), 'KUBE_NAMESPACE_UNKNOWN');
  assert.equal(await codeOf(200), 'KUBE_NO_PODS');
  // who may not see namespaces does not know which there are
  assert.equal(await codeOf(403), 'KUBE_NO_PODS');
});

test('names an invalid kubeconfig, without its content', async t => {
  const file = path.join(makeTempFolder(t), 'config');
  writeFileSync(file, `users: [{name: me, user: {token: ${TOKEN}]]`);
  const read = (/** @type {Record<string, string>} */ env) =>
    connectCluster(readConfig({ env, folder: null }), createRedactor());
  await assert.rejects(read({ KUBECONFIG: file }), (/** @type {any} */ error) => {
    assert.equal(error.code, 'KUBE_CONFIG_UNREADABLE');
    assert.ok(!String(error.stack).includes(TOKEN) && error.cause === undefined);
    return true;
  });
  await assert.rejects(connect(t, 'http://127.0.0.1:1', { KUBE_CONTEXT: 'other' }), {
    code: 'KUBE_CONTEXT_UNKNOWN',
  });
});

test('what the login is made of is redacted', async t => {
  const { redactor } = await connect(t, 'http://127.0.0.1:1');
  assert.ok(!redactor.redactText(`Authorization is ${TOKEN}`).includes(TOKEN));
});

test('a kubeconfig that accepts any certificate of the API is known', async t => {
  const { config, redactor } = await connect(t, 'http://127.0.0.1:1');
  assert.equal(await trustsAnyApi(config, redactor), true);
  const file = config.get('KUBECONFIG');
  writeFileSync(file, readFileSync(file, 'utf8').replace('verify: true', 'verify: false'));
  assert.equal(await trustsAnyApi(config, redactor), false);
});
