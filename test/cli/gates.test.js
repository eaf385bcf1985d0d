import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { concludeComparison } from '../../lib/cli/gates.js';
import { NO_GATES } from '../../lib/cli/prepare-gates.js';
import { buildComparison } from '../../lib/experiment/compare/build-comparison.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('the comparison of an interrupted try without runs still writes its files', async t => {
  const place = (/** @type {string} */ name) => path.join(folder, name);
  const folder = makeTempFolder(t);
  const io = { stdout: { write: () => {} }, stderr: { write: () => {} }, env: {} };
  const files = { compareJson: place('compare.json'), compareHtml: place('compare.html') };
  const gates = { ...NO_GATES, junit: place('junit.xml'), markdown: place('summary.md') };
  const facts = await buildComparison([], []);
  const ending = await concludeComparison(gates, { facts, reports: [], files, io });
  assert.equal(ending.invalid, true);
  assert.match(readFileSync(gates.junit, 'utf8'), /timestamp="20\d\d-.* errors="1"/);
  assert.match(readFileSync(gates.markdown, 'utf8'), /^### ⛔ /);
});
