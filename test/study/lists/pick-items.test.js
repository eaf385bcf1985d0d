import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findItems, parseJsonPath } from '../../../lib/files/json-path.js';
import { assertAllowedHosts } from '../../../lib/study/lists/discover-targets.js';
import { pickItems } from '../../../lib/study/lists/pick-items.js';

const HOME = { name: 'links', url: 'http://127.0.0.1:5000', ports: [7000] };

for (const item of [
  '/a/b',
  'id-7',
  'urn:isbn:5',
  'user@example.org',
  '@handle',
  './a',
  'a//b',
  'mailto:a@b.c',
  'http://127.0.0.1:5000/x',
  'ws://127.0.0.1:5000/x',
  'http://localhost:7000',
  '//127.0.0.1:7000/x',
]) {
  test(`an item ${item} stays with the target`, () => {
    assert.doesNotThrow(() => assertAllowedHosts([item], HOME));
  });
}

for (const item of [
  '//elsewhere.example/x',
  '/\\elsewhere.example',
  '\\\\elsewhere.example',
  'http:elsewhere.example',
  'HTTPS://elsewhere.example',
  'http://127.0.0.1:5001/',
  'http://127.0.0.1/',
  'ftp://127.0.0.1:5000/x',
  'file:///etc/passwd',
  'http://127.0.0.1:5000@elsewhere.example/',
  'http://a:b@127.0.0.1:5000/',
  'http://[',
  'http://127.0.0.1.elsewhere.example:5000/',
  'http://elsewhere.example:7000/',
]) {
  test(`an item ${item} leads elsewhere`, () => {
    assert.throws(() => assertAllowedHosts(['/a', item], HOME), {
      code: 'STUDY_LIST_FOREIGN',
      data: { name: 'links', item, allowed: '127.0.0.1:5000, 127.0.0.1:7000' },
    });
  });
}

test('a path of JSON leads through keys, indexes and all entries of lists', () => {
  const value = { pages: [{ names: ['a', 'b'] }, { names: ['c'] }], 'x-y': 5 };
  const find = (/** @type {string} */ text) => findItems(value, parseJsonPath(text) ?? []);
  assert.deepEqual(find('$.pages[*].names[*]'), ['a', 'b', 'c']);
  assert.deepEqual(find('$.pages[1].names[0]'), ['c']);
  assert.deepEqual(find('$.x-y'), [5]);
  assert.deepEqual(find('$.pages[7].names'), []);
  assert.deepEqual(find('$.constructor'), []);
  assert.deepEqual(find('$.__proto__.polluted'), []);
  for (const wrong of ['$..a', '$[-1]', '$.a[', 'a.b', '$.a b', '$[?(@.x)]']) {
    assert.equal(parseJsonPath(wrong), null, wrong);
  }
});

test('a list has no more items than a person can mean, and none that is endless', () => {
  const list = { name: 'n', from: '/', match: '$[*]' };
  const pick = (/** @type {unknown} */ value) =>
    pickItems(list, { text: JSON.stringify(value), isHtml: false });
  const many = Array.from({ length: 100_001 }, (_, index) => index);
  assert.equal(pick(many.slice(1)).length, 100_000);
  assert.throws(() => pick(many), { message: /more than 100,000 items/ });
  assert.throws(() => pick(['x'.repeat(8001)]), { message: /longer than 8,000 letters/ });
  assert.deepEqual(pick([' a ', '', null, 'a', true].filter(item => item !== null)), ['a', 'true']);
});

test('what a page says can not leave the context in which it is searched', () => {
  const text = '"); process.exit(1); ("';
  const found = pickItems({ name: 'n', from: '/', match: '(exit)' }, { text, isHtml: false });
  assert.deepEqual(found, ['exit']);
});
