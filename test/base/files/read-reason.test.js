import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readChallenge, readReason } from '../../../lib/base/files/read-reason.js';

/** @type {[body: string, reason: string | null][]} */
const BODIES = [
  ['{"code":"CONFLICT","message":"the slot is taken"}', 'CONFLICT: the slot is taken'],
  ['{"code":400,"message":"the slot\\nis  taken"}', 'the slot is taken'],
  ['{"message":"no such thing"}', 'no such thing'],
  ['{"error":{"code":"E1","message":"deep"}}', 'E1: deep'],
  ['{"error":"invalid_token","error_description":"expired"}', 'invalid_token: expired'],
  ['{"detail":[{"loc":["body"],"msg":"field required"}]}', 'field required'],
  ['{"errors":{"name":["is too short"]}}', 'is too short'],
  ['{"error":"Not Found","status":404}', 'Not Found'],
  ['{"items":[1,2],"message":"cut off here","rest":"…', 'cut off here'],
  ['{"items":[]}', null],
  [
    '<!doctype html>\n<title>404 Not Found</title><p>It was <b>not</b> there.</p>',
    'It was not there.',
  ],
  ['<html><body>nothing</body></html>', null],
  [
    '<!doctype html>\n<title>500</title><p>The server encountered an internal error and was unable to complete your request.</p>',
    null,
  ],
  ['plain words\nand more', 'plain words'],
  ['<h1>Not Found</h1>', 'Not Found'],
  ['\u001b[31mred', '\ufffd[31mred'],
  ['', null],
];
for (const [body, reason] of BODIES)
  test(`a body says: ${JSON.stringify(body)}`, () => assert.equal(readReason(body), reason));

test('a long text is cut', () => assert.equal(readReason('x'.repeat(500))?.length, 300));

test('a challenge says its error, else all of it', () => {
  assert.equal(
    readChallenge('Bearer realm="a", error="invalid_token", error_description="expired"'),
    'invalid_token: expired',
  );
  assert.equal(readChallenge('Basic realm="all"'), 'Basic realm="all"');
});
