import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkIssuer } from '../../../lib/load/auth/discover-provider.js';

const TRUTH = /** @type {const} */ ({
  'https://sso.example.org/realms/a': 'https',
  'http://127.0.0.1:8080': 'loopback',
  'http://[::1]:8080': 'loopback',
  'http://localhost:8080': 'loopback',
  'http://10.1.2.3': 'private',
  'http://172.31.0.1': 'private',
  'http://192.168.1.1': 'private',
  'http://[fd00::1]': 'private',
});

for (const [issuer, expected] of Object.entries(TRUTH)) {
  test(`${issuer} is ${expected}`, async () => {
    assert.equal(await checkIssuer(issuer), expected);
  });
}

for (const issuer of ['http://172.32.0.1', 'http://11.0.0.1', 'http://[2001:db8::1]']) {
  test(`${issuer} is public, so plain HTTP is refused`, async () => {
    await assert.rejects(checkIssuer(issuer), { code: 'OIDC_INSECURE_ISSUER' });
  });
}
