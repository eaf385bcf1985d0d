import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SETTINGS } from '../../lib/config/settings.js';

const names = SETTINGS.map(({ name }) => name);

test('envs.example.sh offers every setting and no other', () => {
  const text = readFileSync(new URL('../../envs.example.sh', import.meta.url), 'utf8');
  const offered = [...text.matchAll(/^# ([A-Z_]+)=/gm)].map(match => match[1]);
  assert.deepEqual(offered.toSorted(), names.toSorted());
});

test('the README lists every setting', () => {
  const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  for (const name of names) assert.ok(text.includes(`\`${name}\``), `${name} is not in the README`);
});
