/** `node scripts/run.js research/soak.js` for a short while: nothing is lost, and the generator's memory does not grow. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';

const SOAK = path.resolve(import.meta.dirname, '../../research/soak.js');

test('three minutes of constant load lose nothing', async () => {
  const args = [SOAK, '--minutes', '3', '--rate', '200'];
  const { exitCode, all } = await execa(process.execPath, args, { all: true, reject: false });
  assert.equal(exitCode, 0, all);
});
