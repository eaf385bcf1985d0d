import assert from 'node:assert/strict';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDemo } from '../../demo/start.js';
import { isProcessAlive } from '../../lib/base/process/process-table.js';
import { waitUntil } from '../helpers/gunicorn.js';
import { callApi, login } from './helpers.js';

const TOKEN_TTL_SEC = 5;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/**
 * Signs the token's claims with a key that the provider does not have.
 * @param {string} token @param {object} [header] replaces fields of the header
 */
function signByStranger(token, header = {}) {
  const [head = '', payload = ''] = token.split('.');
  const newHead = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), ...header };
  const signed = `${Buffer.from(JSON.stringify(newHead)).toString('base64url')}.${payload}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
}

const modes = /** @type {const} */ (['introspect', 'decode', 'cached']);
describe('token validation', { concurrency: true }, () => {
  for (const auth of modes) {
    test(`${auth}: good tokens pass; missing, forged and expired ones get 401`, async t => {
      const demo = await startDemo({ auth, tokenTtlSec: TOKEN_TTL_SEC });
      t.after(demo.stop);
      /** @param {string} [token] */
      const ask = token => callApi(demo, 'GET', '/offices/', { token });
      const token = await login(demo);
      const issuedAtMs = Date.now();
      assert.equal((await ask(token)).status, 200);

      const [head, payload] = token.split('.');
      const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
      const refused = [
        undefined,
        'nonsense',
        unsigned,
        `${head}.${payload}.AAAA`,
        signByStranger(token),
        signByStranger(token, { kid: 'unknown' }),
      ];
      for (const bad of refused) {
        const { status, body } = await ask(bad);
        assert.equal(status, 401, bad);
        assert.match(body.message, /^Unauthorized: /);
      }
      // they were refused for what they are, not because their time was over
      assert.equal((await ask(token)).status, 200);
      await sleep(Math.max(0, issuedAtMs + (TOKEN_TTL_SEC + 1) * 1000 - Date.now()));
      assert.equal((await ask(token)).status, 401);
      assert.equal((await ask(await login(demo))).status, 200);
    });
  }

  test('introspect: a provider that is gone is 503 with the reason, not 401', async t => {
    const demo = await startDemo({ auth: 'introspect', workers: 1 });
    t.after(demo.stop);
    const token = await login(demo);
    assert.equal((await callApi(demo, 'GET', '/offices/', { token })).status, 200);
    process.kill(demo.providerPid, 'SIGKILL');
    await waitUntil(() => !isProcessAlive(demo.providerPid), 'the end of the provider');
    const { status, body } = await callApi(demo, 'GET', '/offices/', { token });
    assert.equal(status, 503);
    assert.match(body.message, /introspection failed/);
  });
});
