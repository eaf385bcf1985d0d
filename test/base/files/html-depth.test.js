import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTooDeep } from '../../../lib/base/files/html-depth.js';

test('a page that nests thousands of elements is too deep, a long one is not', () => {
  assert.ok(isTooDeep('<div>'.repeat(3000)));
  assert.ok(isTooDeep(`<p>${'<b><i>'.repeat(1500)}</p>`));
  assert.ok(!isTooDeep('<div><b>a</b></div>'.repeat(5000)));
  assert.ok(!isTooDeep(`<ul>${'<li>a<br><p>b'.repeat(5000)}</ul>`));
  assert.ok(!isTooDeep('</div>'.repeat(5000)));
});
