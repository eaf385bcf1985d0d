import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDemoOptions } from '../../lib/cli/load-demo.js';

test('what the environment says of the demo is read, and has defaults', async () => {
  const usual = { auth: 'introspect', companion: true, slowQueryMs: 0 };
  assert.deepEqual(await readDemoOptions({}), usual);
  assert.deepEqual(await readDemoOptions({ DEMO_SLOW_QUERY_MS: '', DEMO_COMPANION: '1' }), usual);
  assert.deepEqual(
    await readDemoOptions({
      DEMO_AUTH: 'cached',
      DEMO_COMPANION: '0',
      DEMO_SLOW_QUERY_MS: '100',
    }),
    { auth: 'cached', companion: false, slowQueryMs: 100 },
  );
});

for (const [name, value, hint] of /** @type {[string, string, RegExp][]} */ ([
  ...['-1', '1.5', 'slow', '1000000'].map(text => ['DEMO_SLOW_QUERY_MS', text, /0 to 99999/]),
  ['DEMO_COMPANION', 'no', /one of 1, 0/],
  ['DEMO_AUTH', 'magic', /one of introspect, decode, cached/],
]))
  test(`${name}=${value} is refused with the allowed values`, async () => {
    await assert.rejects(readDemoOptions({ [name]: value }), {
      code: 'SETTING_INVALID',
      message: new RegExp(`^${name} is `),
      hint,
    });
  });
