import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { quoteForShell } from '../../lib/base/format.js';

test('a shell reads a quoted word unchanged, and simple words get no quotes', () => {
  for (const word of ["it's", 'my studies/a b.yaml', '$(id) `id` "x" \\', '', '-n', "a\n';#"]) {
    const script = `printf '[%s]' ${quoteForShell(word)}`;
    assert.equal(execFileSync('sh', ['-c', script], { encoding: 'utf8' }), `[${word}]`);
  }
  assert.equal(quoteForShell('studies/burn.yaml'), 'studies/burn.yaml');
  assert.equal(quoteForShell('http://127.0.0.1:5000'), 'http://127.0.0.1:5000');
});
