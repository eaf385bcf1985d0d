import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { PARTS } from '../../scripts/testing/slow-parts.js';

test('every check of the slow lane belongs to one part, and no part is empty', () => {
  const found = PARTS.map(({ name, files }) => ({ name, files: globSync(files) }));
  for (const { name, files } of found) assert.ok(files.length > 0, name);
  assert.deepEqual(
    found.flatMap(({ files }) => files).sort(),
    globSync('test/**/*.check.js').sort(),
  );
});
