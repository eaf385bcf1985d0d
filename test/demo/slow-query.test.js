import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDemoSlowQuery } from '../../lib/cli/load-demo.js';

test('DEMO_SLOW_QUERY_MS is a number of milliseconds, and none when it is not set', () => {
  assert.equal(readDemoSlowQuery({}), 0);
  assert.equal(readDemoSlowQuery({ DEMO_SLOW_QUERY_MS: '' }), 0);
  assert.equal(readDemoSlowQuery({ DEMO_SLOW_QUERY_MS: '100' }), 100);
});

for (const value of ['-1', '1.5', 'slow', '1000000'])
  test(`DEMO_SLOW_QUERY_MS=${value} is refused with what is allowed`, () => {
    assert.throws(() => readDemoSlowQuery({ DEMO_SLOW_QUERY_MS: value }), {
      code: 'SETTING_INVALID',
      message: /^DEMO_SLOW_QUERY_MS is /,
      hint: /milliseconds, 0 to 99999/,
    });
  });
