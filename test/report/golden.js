import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Compares text with a file of `test/fixtures/reports/golden/`. To accept what is printed now:
 * `UPDATE_GOLDEN=1 node --test test/report/*.test.js`.
 * @param {string} name
 * @param {string} text
 */
export function assertGolden(name, text) {
  const file = new URL(`../fixtures/reports/golden/${name}`, import.meta.url);
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, `${text}\n`);
  assert.equal(`${text}\n`, readFileSync(file, 'utf8'));
}
