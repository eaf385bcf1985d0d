import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitUntil } from '../helpers/gunicorn.js';
import { serve } from '../helpers/listen.js';
import { makeScene } from '../helpers/scene.js';
import { startTestProvider } from '../load/auth/helpers.js';

/** @param {string | undefined} header @returns {number} epoch ms */
function readExpiry(header = '') {
  const claims = Buffer.from(header.split('.')[1] ?? '', 'base64url').toString();
  return claims ? JSON.parse(claims).exp * 1000 : 0;
}

test('names the refresh that did not return as the reason of refused tokens', async t => {
  const provider = await startTestProvider({ tokenTtlSec: 4, userCount: 1 });
  t.after(async () => {
    provider.wake();
    await provider.stop();
  });
  let [good, refused] = [0, 0];
  const target = await serve(t, (request, response) => {
    const isGood = readExpiry(request.headers.authorization) > Date.now();
    if (isGood) good += 1;
    else refused += 1;
    response.statusCode = isGood ? 200 : 401;
    setTimeout(() => response.end(), 20);
  });
  const [user] = provider.users;
  const scene = makeScene(t, {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'queue-management',
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_USERNAME: user?.username ?? '',
    OIDC_PASSWORD: user?.password ?? '',
    OIDC_FLOW: 'password',
  });
  const load = scene.test([`${target}/`, '--duration', '60', '--users', '2']);
  await waitUntil(() => good > 20, 'good responses');
  provider.hang();
  // Below 1 % it would be a remark.
  await waitUntil(() => refused > 20 + good / 20, 'refused responses');
  provider.wake();
  const before = good;
  await waitUntil(() => good > before + 20, 'good responses again');
  load.signal('SIGINT');
  await load.ended;
  assert.match(
    load.output().replace(/\s+/g, ' '),
    /✖ Partial run: A token refresh did not return for [\d.]+ s, and the token expired meanwhile: [\d,]+ of [\d,]+ requests were refused with 401\./,
  );
});
