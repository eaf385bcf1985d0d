import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskLine, readAddress } from '../../../lib/load/traffic/addresses.js';

const TOKEN = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123456';

const HEX = '9f86d081884c7d659a2feaa0c55ad015';

test('masks tokens, email addresses and personal parameters, and keeps ids', () => {
  /** @type {[target: string, path: string, query: string][]} */
  const cases = [
    ['/items/42?page=2&sort=-name', '/items/42', '?page=2&sort=-name'],
    [
      '/items/0f8fad5b-d9cb-469f-a165-70867728950e',
      '/items/0f8fad5b-d9cb-469f-a165-70867728950e',
      '',
    ],
    ['/files/507f1f77bcf86cd799439011', '/files/507f1f77bcf86cd799439011', ''],
    [
      '/posts/how-to-install-python-3-11-on-ubuntu',
      '/posts/how-to-install-python-3-11-on-ubuntu',
      '',
    ],
    [`/reset/${TOKEN}`, '/reset/masked', ''],
    [`/reset/${HEX}`, '/reset/masked', ''],
    ['/invite/0f8fad5b-d9cb-469f-a165-70867728950e', '/invite/masked', ''],
    ['/password/reset', '/password/reset', ''],
    [`/objects/${HEX}?id=${HEX}&t=${HEX}`, `/objects/${HEX}`, `?id=${HEX}&t=masked`],
    ['/tel/+4915123456789', '/tel/masked', ''],
    [
      '/a?pw=hunter22&otp=123456&pin=9999&pass=x',
      '/a',
      '?pw=masked&otp=masked&pin=masked&pass=masked',
    ],
    ['/a?iban=DE89&card=4111&q=4111-1111-1111-1111', '/a', '?iban=masked&card=4111&q=masked'],
    ['/a?name=Ann&product_name=Mug&user=17', '/a', '?name=masked&product_name=Mug&user=17'],
    ['/a?filter=%7B%22password%22%3A%22x1%22%7D&u=%2Fb%3Fpw%3Dx1', '/a', '?filter=masked&u=masked'],
    [`/reset/${JWT}`, '/reset/masked', ''],
    ['/users/ann%40example.org/posts', '/users/masked/posts', ''],
    ['/users?email=ann@example.org&page=1', '/users', '?email=masked&page=1'],
    ['/users?user[first_name]=Ann', '/users', '?user[first_name]=masked'],
    ['/a?api_key=1&token=2&q=x', '/a', '?api_key=masked&token=masked&q=x'],
    [`/a?q=${TOKEN}`, '/a', '?q=masked'],
    [`/a?${TOKEN}`, '/a', '?masked'],
    ['/a?next=%2Flogin%3Fpassword%3Dhunter2', '/a', '?next=masked'],
    ['/page;jsessionid=1A2B3C4D5E6F7A8B', '/page', ''],
    ['http://example.org/items/1', '/items/1', ''],
  ];
  for (const [target, path, query] of cases) {
    const found = readAddress(target);
    assert.deepEqual([found?.path, found?.query], [path, query], target);
  }
});

test('writes no braces, between which a script has templates', () => {
  const found = readAddress('/a/{{ $env.OIDC_CLIENT_SECRET }}?b={{ $env.HOME }}');
  assert.doesNotMatch(`${found?.path}${found?.query}`, /[{}]/);
});

test('a line is shown without its secrets', () => {
  const shown = maskLine(`ann@example.org "GET /a?token=${TOKEN} HTTP/1.1" ${JWT}`);
  for (const secret of ['ann@', TOKEN, JWT]) assert.ok(!shown.includes(secret), shown);
});
