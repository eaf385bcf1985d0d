import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStickyCookies } from '../../lib/load/metrics/server-side.js';

const HEX = '0123456789abcdef0123456789abcdef';

for (const [router, cookie, tells] of /** @type {const} */ ([
  ['OpenShift', `${HEX}=${HEX}; path=/; HttpOnly; Secure`, true],
  ['ingress-nginx before 0.25', `INGRESSCOOKIE=${HEX}; Path=/`, true],
  ['ingress-nginx', 'INGRESSCOOKIE=1700000000.123.45.678|abc; Path=/', false],
  ['HAProxy', 'SERVERID=web-1; path=/', true],
  ['Traefik', '_1d52e=0123456789abcdef', true],
  ['Azure', `ARRAffinity=${HEX}${HEX};Path=/;HttpOnly`, true],
  ['BIG-IP', 'BIGipServerpool=1677787402.36895.0000; path=/', true],
  ['AWS, whose cookie is another in every answer', 'AWSALB=aGVsbG8rd29ybGQ/Zm9v; Path=/', false],
  ['a session of the app', `session=${HEX}; HttpOnly`, false],
])) {
  test(`the cookie of ${router} ${tells ? 'tells' : 'does not tell'} the backend`, () => {
    const id = createStickyCookies().backendOf([cookie], () => '');
    if (tells) assert.match(String(id), /^[0-9a-f]{8}$/);
    else assert.equal(id, null);
  });
}

test('users that have the cookie tell the same backend in their requests', () => {
  const cookies = createStickyCookies();
  const id = cookies.backendOf(['SERVERID=web-1; path=/'], () => '');
  assert.equal(
    cookies.backendOf(null, () => 'a=b; SERVERID=web-1; c=d'),
    id,
  );
  assert.notEqual(
    cookies.backendOf(null, () => 'SERVERID=web-2'),
    id,
  );
  assert.equal(
    cookies.backendOf(null, () => 'a=b'),
    null,
  );
});

test('of two routers in a row the one that spoke first counts', () => {
  const cookies = createStickyCookies();
  const first = cookies.backendOf(['SRV=a', 'SERVERID=b'], () => '');
  assert.equal(
    cookies.backendOf(['SERVERID=b'], () => 'SRV=a'),
    first,
  );
});

test('STICKY_COOKIE names a cookie that no rule knows, and then it alone counts', () => {
  const cookies = createStickyCookies('my-router');
  assert.equal(
    cookies.backendOf(['SERVERID=web-1'], () => ''),
    null,
  );
  assert.match(String(cookies.backendOf(['my-router=x'], () => '')), /^[0-9a-f]{8}$/);
});

test('a cookie that is another for every user does not grow without end', () => {
  const cookies = createStickyCookies();
  const ids = new Set(
    Array.from({ length: 1000 }, (_, user) => cookies.backendOf([`SERVERID=${user}`], () => '')),
  );
  assert.equal(ids.size, 101);
  assert.ok(ids.has('(others)'));
});
