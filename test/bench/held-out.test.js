import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readCases } from '../../research/bottlenecks/cases.js';

const FOLDER = path.resolve(import.meta.dirname, '../../research/bottlenecks');

for (const set of globSync('*/cases.yaml', { cwd: FOLDER }).map(path.dirname))
  for (const { what, line } of readCases(set)) {
    const [, file = '', text = ''] = /^(\S+): (.*)$/.exec(line ?? '') ?? [];
    if (line)
      test(`the ${set} app of "${what}" has the line that limits it`, () => {
        const code = readFileSync(path.join(FOLDER, set, 'apps', file), 'utf8');
        assert.ok(text !== '' && code.includes(text));
      });
  }
