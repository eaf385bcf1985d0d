import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { CASES } from '../../research/bottlenecks/held-out/cases.js';

const APPS = path.resolve(import.meta.dirname, '../../research/bottlenecks/held-out/apps');

for (const { what, truth } of CASES.filter(one => one.truth.file)) {
  test(`the app of "${what}" has the line that limits it`, () => {
    const code = readFileSync(path.join(APPS, truth.file ?? ''), 'utf8');
    const [, ...functions] = code.split(/^ *(?:async )?(?=def )/m);
    const body = functions.find(text => text.startsWith(`def ${truth.function}(`));
    assert.ok(body?.includes(truth.line ?? ''));
  });
}
