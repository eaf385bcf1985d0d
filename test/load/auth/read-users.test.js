import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { readUsers } from '../../../lib/load/auth/auth-config.js';

const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-users-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} text */
function read(text) {
  const file = path.join(folder, 'users.csv');
  writeFileSync(file, text);
  return readUsers(file);
}

test('quotes, commas, blanks, CRLF, a byte order mark and other columns are understood', () => {
  const text =
    '\uFEFFrole,Username,password\r\nclerk,anna,"a,b""c"\r\n\r\nclerk,"bo b", spaced \r\n';
  assert.deepEqual(read(text), [
    { username: 'anna', password: 'a,b"c' },
    { username: 'bo b', password: ' spaced ' },
  ]);
});

const REFUSED = /** @type {[string, string, RegExp][]} */ ([
  ['another header', 'user,pass\na,b\n', /first row is not username,password/],
  ['nothing', '', /first row is not username,password/],
  ['no users', 'username,password\n', /no users/],
  ['a value too many', 'username,password\nanna,s3cret,x\n', /line 2 has 3 values instead of 2/],
  ['an empty name', 'username,password\nanna,s3cret\n,s3cret\n', /line 3 has no username/],
  ['an empty password', 'username,password\nanna,\n', /line 2 has no password/],
  ['a user twice', 'username,password\na,s3cret\nb,s3cret\na,s3cret\n', /lines 2 and 4/],
  ['a quote in the middle', 'username,password\nanna,s3"cret\n', /line 2 is not CSV/],
]);
for (const [what, text, message] of REFUSED) {
  test(`a file with ${what} is refused, and no password is shown`, () => {
    assert.throws(
      () => read(text),
      error => {
        assert.ok(error instanceof Error && 'code' in error && 'exitCode' in error);
        assert.equal(error.code, 'OIDC_USERS_FILE');
        assert.equal(error.exitCode, 2);
        assert.match(error.message, message);
        // The path is of chance letters.
        assert.doesNotMatch(error.message.replace(folder, ''), /s3/);
        return true;
      },
    );
  });
}

test('a file that is not there is refused by name', () => {
  assert.throws(() => readUsers(path.join(folder, 'nosuch.csv')), {
    code: 'OIDC_USERS_FILE',
    message: /cannot read .*nosuch\.csv: there is no such file/,
  });
});
