import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { maskSettings, readConfig } from '../../../lib/base/config/read-config.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** What a shell needs to run at all. */
const PATH_ONLY = { PATH: process.env.PATH };

test('a flag beats the environment, which beats envs.sh, which beats .env, which beats the default', t => {
  const folder = makeTempFolder(t);
  const name = 'MAX_VIRTUAL_USERS';
  const read = (
    /** @type {Record<string, string>} */ flags,
    /** @type {Record<string, string>} */ env,
  ) => {
    const { value, source } = /** @type {any} */ (
      readConfig({ flags, env: { ...PATH_ONLY, ...env }, folder }).all.find(
        item => item.name === name,
      )
    );
    return [value, source];
  };
  assert.deepEqual(read({}, {}), [20, 'default']);
  writeFileSync(path.join(folder, '.env'), `${name}=30\n`);
  assert.deepEqual(read({}, {}), [30, '.env']);
  writeFileSync(path.join(folder, 'envs.sh'), `${name}=40\n`);
  assert.deepEqual(read({}, {}), [40, 'envs.sh']);
  assert.deepEqual(read({}, { [name]: '50' }), [50, 'environment']);
  assert.deepEqual(read({ [name]: '60' }, { [name]: '50' }), [60, 'flag']);
});

test('an empty variable of the environment switches off what files set, and an empty one in a file is not filled in', t => {
  const folder = makeTempFolder(t);
  writeFileSync(
    path.join(folder, 'envs.sh'),
    'OIDC_ISSUER=http://files\nOIDC_USERNAME=bob\nDURATION=50\nOIDC_AUDIENCE=\n',
  );
  writeFileSync(path.join(folder, '.env'), 'OIDC_AUDIENCE=api\n');
  const env = { ...PATH_ONLY, OIDC_ISSUER: '', KEYCLOAK_USERNAME: '' };
  const config = readConfig({ env, flags: { DURATION: '' }, folder });
  assert.equal(config.get('OIDC_ISSUER'), null);
  assert.equal(config.isSet('OIDC_ISSUER'), false);
  assert.equal(config.get('OIDC_USERNAME'), null, 'by another name');
  assert.equal(config.get('DURATION'), 30, 'its default');
  assert.equal(config.get('OIDC_AUDIENCE'), 'api');
});

test('envs.sh may run commands, and hold quotes, spaces and line breaks', t => {
  const folder = makeTempFolder(t);
  writeFileSync(
    path.join(folder, 'envs.sh'),
    'export OIDC_PASSWORD="$(printf \'a b"c\\nd\')"\nOIDC_CLIENT_ID=x y=z\nOIDC_CLIENT_ID="it\'s"\necho noise\n',
  );
  const config = readConfig({ env: PATH_ONLY, folder });
  assert.equal(config.get('OIDC_PASSWORD'), 'a b"c\nd');
  assert.equal(config.get('OIDC_CLIENT_ID'), "it's");
});

test('an envs.sh that fails is an error with what the shell said', t => {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'envs.sh'), 'if\n');
  assert.throws(() => readConfig({ env: PATH_ONLY, folder }), { code: 'ENVS_FILE_FAILED' });
});

test('a malformed value is an error that names the variable, the value and what is allowed', t => {
  const folder = makeTempFolder(t);
  /** @type {[string, string, RegExp][]} */
  const cases = [
    ['TARGET', 'localhost:5000', /starts with http/],
    ['TARGET', 'http://me:secret@host', /without user name/],
    ['TARGET', 'wss://me:secret@host', /without user name/],
    ['MAX_VIRTUAL_USERS', '0', /1 to 100000/],
    ['MAX_VIRTUAL_USERS', '2.5', /whole number/],
    ['DURATION', '5 weeks', /45s, 2m or 1h/],
    ['OIDC_FLOW', 'implicit', /password, client_credentials, authorization_code/],
    ['PROFILE_RATE', '-1', /1 to 500/],
  ];
  for (const [name, value, allowed] of cases) {
    assert.throws(
      () => readConfig({ env: { ...PATH_ONLY, [name]: value }, folder }),
      (/** @type {any} */ error) =>
        error.code === 'SETTING_INVALID' &&
        error.message.includes(name) &&
        error.message.includes(value) &&
        allowed.test(error.hint),
      `${name}=${value}`,
    );
  }
});

test('a typing mistake in a name is an error that names the one that was meant', t => {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, '.env'), 'OIDC_CLIENTID=x\n');
  assert.throws(() => readConfig({ env: PATH_ONLY, folder }), {
    code: 'SETTING_UNKNOWN',
    hint: /OIDC_CLIENT_ID/,
  });
  // Other programs have names with KUBE_, too.
  writeFileSync(path.join(folder, '.env'), 'KUBE_EDITOR=vi\n');
  readConfig({ env: PATH_ONLY, folder });
  writeFileSync(path.join(folder, '.env'), 'KUBE_WORKLAOD=deployment/api\n');
  assert.throws(() => readConfig({ env: PATH_ONLY, folder }), { hint: /KUBE_WORKLOAD/ });
});

test('a setting that is needed and not there is an error', t => {
  const config = readConfig({ env: PATH_ONLY, folder: makeTempFolder(t) });
  assert.throws(() => config.require('TARGET'), { code: 'SETTING_MISSING', message: /TARGET/ });
});

test('the old names of Keycloak users are heeded, and the new ones win', t => {
  const folder = makeTempFolder(t);
  const env = { ...PATH_ONLY, KEYCLOAK_USERNAME: 'old', KEYCLOAK_PASSWORD: 'pw-1' };
  assert.equal(readConfig({ env, folder }).get('OIDC_USERNAME'), 'old');
  assert.deepEqual([...readConfig({ env, folder }).secrets], ['pw-1']);
  assert.equal(
    readConfig({ env: { ...env, OIDC_USERNAME: 'new' }, folder }).get('OIDC_USERNAME'),
    'new',
  );
});

test('secrets are masked where settings are shown, and a bad secret is not repeated', t => {
  const env = { ...PATH_ONLY, OIDC_PASSWORD: 'hunter2-hunter2' };
  const shown = JSON.stringify(maskSettings(readConfig({ env, folder: makeTempFolder(t) })));
  assert.ok(!shown.includes('hunter2'));
  assert.ok(shown.includes('********'));
});

test('the old name of a setting means the same from every source, and beside variables of a script', t => {
  const folder = makeTempFolder(t);
  const sources = [{ flags: { GUNICORN_PID: '5' }, env: {} }, { env: { GUNICORN_PID: '5' } }];
  for (const source of sources) {
    const config = readConfig({ folder, ...source }).withVariables([]);
    assert.equal(config.get('SERVER_PID'), 5);
  }
});

test('ENDPOINTS is a list of paths, each with a parameter', () => {
  const read = (/** @type {string} */ value) =>
    readConfig({ env: { ...PATH_ONLY, ENDPOINTS: value }, folder: '/nowhere' }).get('ENDPOINTS');
  assert.deepEqual(read('/api/rates/:currency, /:shop/items'), [
    '/api/rates/:currency',
    '/:shop/items',
  ]);
  for (const wrong of ['rates/:currency', '/api/rates', '/api/rates/:', '/a/:b,/c', '/a b/:c']) {
    assert.throws(() => read(wrong), { code: 'SETTING_INVALID' }, wrong);
  }
});

test('a WebSocket is a target, too', t => {
  const folder = makeTempFolder(t);
  const config = readConfig({ env: { ...PATH_ONLY, TARGET: 'ws://127.0.0.1:5000/' }, folder });
  assert.equal(config.get('TARGET'), 'ws://127.0.0.1:5000');
});
