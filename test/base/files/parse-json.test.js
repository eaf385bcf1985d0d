import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from '../../../lib/base/files/parse-json.js';

test('brackets in texts and beside each other nest nothing', () => {
  const data = { a: ['['.repeat(2000), '\\"[{'], b: new Array(2000).fill([{}]) };
  assert.deepEqual(parseJson(JSON.stringify(data)), data);
  const deep = '['.repeat(1000) + ']'.repeat(1000);
  assert.equal(JSON.stringify(parseJson(deep)), deep);
});

test('refuses JSON with more than a thousand levels before parsing it', () => {
  for (const open of ['[', '{"a":', '[{"\\\\":']) {
    assert.throws(() => parseJson(open.repeat(1001)), { message: /nested more than 1000 times/ });
  }
  for (const text of ['', '"', '"\\', '{"a', '[1'])
    assert.throws(() => parseJson(text), SyntaxError);
});
