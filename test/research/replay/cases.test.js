import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { listCases, listMarks, listRequests, readCase } from '../../../research/replay/serve.js';

const REPLAY = path.resolve(import.meta.dirname, '../../../research/replay');
const KEYS = [
  ...['source', 'cause', 'names', 'server', 'requests', 'users', 'figure', 'needs'],
  ...['claimed', 'place', 'measured', 'packages', 'other'],
];
/** A finding that knows only the function matches no case. */
const FUNCTION_ONLY = 'hot-path: Business logic in `show` (app.py:12) is 97 % of the CPU.';

for (const half of /** @type {const} */ (['known', 'apart']))
  for (const id of listCases(half)) {
    const folder = path.join(REPLAY, half, id);

    test(`${half}/${id} has a valid case file and marks lines of its app`, () => {
      const one = readCase(folder);
      assert.deepEqual(
        Object.keys(one).filter(key => !KEYS.includes(key)),
        [],
      );
      assert.match(one.source, /^[\w./-]+#\d+/);
      assert.match(one.cause, /^[A-Z`].*\.$/);
      assert.match(one.server[0] ?? '', /^(?:gunicorn|uvicorn)$/);
      assert.ok(one.names.length > 0);
      for (const name of one.names) assert.doesNotMatch(FUNCTION_ONLY, new RegExp(name, 'i'));
      for (const { url } of listRequests(one)) assert.match(url, /^\//);
      assert.ok(listMarks(folder).length > 0);
    });

    test(`${half}/${id} has an app of at most 80 lines, which reads FIXED`, () => {
      const text = readFileSync(path.join(folder, 'app.py'), 'utf8');
      assert.match(text, /FIXED/);
      assert.ok(text.trimEnd().split('\n').length <= 80);
    });
  }
