import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../lib/base/config/read-config.js';
import { runChecks } from '../../lib/experiment/preflight/checks.js';
import { serve } from '../helpers/listen.js';
import { declareKey, KEY } from './declare-engines.js';

declareKey('loadflame');

test('doctor sends the key, and without a header names what to check', async t => {
  const target = await serve(t, (request, response) => {
    if (request.headers['loadflame-key'] === KEY)
      response.setHeader('server-timing', 'total;dur=1, worker;desc="1f2e3d4c.7"');
    response.end();
  });
  /** @param {string} LOADFLAME */
  const check = async LOADFLAME => {
    const config = readConfig({ env: { TARGET: target, LOADFLAME, PATH: process.env.PATH } });
    const results = await runChecks(config, []);
    assert.ok(!JSON.stringify(results).includes(KEY));
    return results.find(({ id }) => id === 'companion');
  };
  const [keyed, wrong, without] = await Promise.all([KEY, `${KEY}x`, '1'].map(check));
  assert.match(String(keyed?.text), /the companion in the API has no version/);
  assert.match(String(wrong?.hint), /restart it with the key of LOADFLAME that is set here/);
  assert.match(
    String(without?.hint),
    /behind a proxy: set LOADFLAME to the same key there and here/,
  );
});

test('refuses a key that is too short, without showing it', () => {
  for (const LOADFLAME of ['fifteen-letters', 'yes', 'sixteen letters..'])
    assert.throws(() => readConfig({ env: { LOADFLAME }, folder: null }), {
      code: 'SETTING_INVALID',
      message: 'LOADFLAME is ******** (from environment), which is not allowed',
      hint: /1, 0, or a key of at least 16 visible ASCII characters/,
    });
});
