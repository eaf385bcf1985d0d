import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

for (const path of ['demo/api/requirements.txt', 'scripts/requirements/py-spy.txt']) {
  test(`${path} pins every package with a hash and names no host`, () => {
    const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const entries = text.split(/^(?=[a-z])/m).filter(entry => /^[a-z]/.test(entry));
    assert.ok(entries.length >= 1);
    for (const entry of entries) {
      assert.match(
        entry,
        /^[a-z0-9-]+==[0-9][^\s]*( ;[^\\]+)? \\\n(?: +--hash=sha256:[0-9a-f]{64})/,
      );
    }
    assert.doesNotMatch(text, /:\/\/|--index-url|--find-links|--extra-index/);
  });
}
