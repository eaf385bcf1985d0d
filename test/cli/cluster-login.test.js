/** A load with a kubeconfig whose login is a program. Only the API of the cluster is the test's own. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { serve } from '../helpers/listen.js';
import { callLoadflame, readError, runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';
import { serve as serveApi, TOKEN } from '../record/cluster/fake-api.js';

const LOAD = `
config:
  loadflame:
    variables: { SHOP_ID: { secret: true, default: none } }
  phases: [{ duration: 1, arrivalCount: 2 }]
scenarios: [{ flow: [{ get: { url: / } }] }]
`;
const CREDENTIAL = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' };

/** @param {string} folder @param {string} api @param {object} user */
function writeLogin(folder, api, user) {
  const file = path.join(folder, 'kubeconfig');
  writeFileSync(
    file,
    JSON.stringify({
      clusters: [{ name: 'lab', cluster: { server: api, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'me', user }],
      contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'me', namespace: 'shop' } }],
      'current-context': 'lab',
    }),
  );
  return file;
}

test('the login program of a kubeconfig sees no secret, and an unchecked certificate is in the report', async t => {
  const folder = makeTempFolder(t);
  const target = await serve(t, (_, response) => response.end('{}'));
  const items = [{ metadata: { name: 'api-1', namespace: 'shop' } }];
  const api = await serveApi(t, () => [200, JSON.stringify({ items })]);
  const credential = JSON.stringify({ ...CREDENTIAL, status: { token: TOKEN } });
  const program = `env > '${folder}/seen'; echo '${credential}'`;
  const exec = {
    command: 'sh',
    args: ['-c', program],
    env: [{ name: 'GIVEN', value: 'planted-1' }],
  };
  writeFileSync(path.join(folder, 'load.yaml'), LOAD);
  const { exit, stderr } = await runLoadflame(folder, ['test', 'load.yaml'], {
    TARGET: target,
    KUBE_SELECTOR: 'app=shop',
    KUBECONFIG: writeLogin(folder, api, { exec: { apiVersion: CREDENTIAL.apiVersion, ...exec } }),
    KUBE_LOGIN_ENV: 'AWS_SECRET_ACCESS_KEY',
    AWS_SECRET_ACCESS_KEY: 'planted-2',
    AWS_PROFILE: 'planted-3',
    OIDC_PASSWORD: 'planted-4',
    SHOP_ID: 'planted-5',
    BROKER_URL: 'redis://:planted-6@db/0',
  });
  assert.equal(exit, 0, stderr);
  const seen = readFileSync(path.join(folder, 'seen'), 'utf8');
  assert.deepEqual([...seen.matchAll(/planted-\d/g)].map(String).sort(), [
    'planted-1',
    'planted-2',
    'planted-3',
  ]);
  const [report = ''] = globSync('profiles/*/report.json', { cwd: folder });
  const { quality } = JSON.parse(readFileSync(path.join(folder, report), 'utf8'));
  const item = quality.find((/** @type {any} */ { id }) => id === 'cluster-trusts-anyone');
  assert.equal(item?.level, 'warn');
  assert.match(item.text, /insecure-skip-tls-verify/);
});

test('starts no shell command of a kubeconfig, which would see all secrets', async t => {
  const folder = makeTempFolder(t);
  const TARGET = await serve(t, (_, response) => response.end('{}'));
  const api = await serveApi(t, () => [200, '{}']);
  writeFileSync(path.join(folder, 'load.yaml'), LOAD);
  const program = path.join(folder, 'log-in');
  writeFileSync(program, `#!/bin/sh\nenv > '${folder}/seen'\n`, { mode: 0o755 });
  for (const name of ['gcp', 'azure']) {
    const config = {
      'cmd-path': program,
      'access-token': TOKEN,
      'expires-on': '0',
      expiry: '2020-01-01',
    };
    const KUBECONFIG = writeLogin(folder, api, { 'auth-provider': { name, config } });
    const { stderr } = await callLoadflame(folder, ['test', 'load.yaml'], {
      ...{ KUBECONFIG, TARGET, KUBE_SELECTOR: 'app=shop' },
    });
    assert.equal(readError(stderr).code, 'KUBE_UNREACHABLE', stderr);
    assert.match(readError(stderr).message ?? '', /expired/);
  }
  assert.ok(!existsSync(path.join(folder, 'seen')));
});
