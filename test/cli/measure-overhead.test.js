import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERRORS } from '../../lib/errors.js';
import { makeScene, SCRIPT } from '../helpers/scene.js';

test('--measure-overhead without --profile says what to add', async t => {
  const scene = makeScene(t, { TARGET: 'http://127.0.0.1:9' });
  const shell = scene.test([SCRIPT, '--measure-overhead']);
  assert.equal(await shell.ended, ERRORS.OVERHEAD_NEEDS_PROFILE?.[0]);
  assert.ok(shell.output().includes('OVERHEAD_NEEDS_PROFILE'));
  assert.match(shell.output(), /add --profile/);
});
