/** Whatever a response contains, it is sent as it is, in a bounded time, and nothing of the environment goes with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../../lib/base/math/random.js';
import { serve } from '../http-run.js';
import { giveBirth, sendEverywhere } from './hostile-values.js';

const VALUES = 10_000;
const PLANTED = 'planted-environment-value';
const PARTS = [
  ...['{{', '}}', '{{{', '}}}', '{', '}', ' ', '$', '.', '[', ']', '(', ')', ',', '"', "'", '\\'],
  ...[
    '$env',
    '$processEnvironment',
    '.PLANTED',
    'value',
    'own',
    'whole',
    'list',
    'target',
    '$uuid',
  ],
  ...['$randomString(9)', '$randomNumber(1, 2)', '$template', '$loopElement', '__proto__', 'vars'],
  ...[
    '{{ $env.PLANTED }}',
    '{{ value }}',
    '{{ own }}',
    '{{ $processEnvironment }}',
    'a{{ value }}b',
  ],
  ...['ü', '😀', '\n', '\u0000', '\u2028', '%7B', '&lbrace;', '$&', 'x'],
];

test('10,000 generated values are sent as they are', async t => {
  process.env.PLANTED = PLANTED;
  t.after(() => delete process.env.PLANTED);
  const random = createRandom(44);
  const pick = () => PARTS[Math.floor(random() * PARTS.length)];
  let value = '';
  const server = await serve(
    t,
    giveBirth(() => value),
  );
  for (let n = 0; n < VALUES; n++) {
    value = `v${Array.from({ length: 1 + Math.floor(random() * 8) }, pick).join('')}`;
    await sendEverywhere(server, value);
    assert.doesNotMatch(JSON.stringify(server.seen), new RegExp(PLANTED), value);
  }
});
