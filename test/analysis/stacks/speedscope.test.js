import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { joinThreads } from '../../../lib/analysis/stacks/node-table.js';
import { readProfile } from '../../../lib/analysis/stacks/read-profile.js';
import { formatSpeedscope } from '../../../lib/analysis/stacks/write-speedscope.js';
import { parseRaw } from '../../helpers/parse-raw.js';

const fixture = (/** @type {string} */ name) => join(import.meta.dirname, 'fixtures', name);

async function validator() {
  const entry = createRequire(import.meta.url).resolve('speedscope/package.json');
  const schema = await readFile(
    join(dirname(entry), 'dist/release/file-format-schema.json'),
    'utf8',
  );
  return new Ajv({ strict: false }).compile(JSON.parse(schema));
}

test('writes all samples in the schema of speedscope', async () => {
  const validate = await validator();
  for (const name of ['gunicorn-gthread.raw', 'gunicorn-sync.raw']) {
    const profile = await readProfile(fixture(name));
    const json = JSON.parse([...formatSpeedscope(joinThreads(profile))].join(''));
    const weights = json.profiles.flatMap((/** @type {{weights: number[]}} */ one) => one.weights);
    assert.ok(validate(json), JSON.stringify(validate.errors));
    assert.equal(
      weights.reduce((/** @type {number} */ all, /** @type {number} */ own) => all + own, 0),
      profile.totalWeight,
    );
  }
});

test('a rate makes seconds of counts', () => {
  const profile = { ...parseRaw('f (a.py:1) 3\nf (a.py:1);g (a.py:2) 1\n'), rateHz: 50 };
  const json = JSON.parse([...formatSpeedscope(profile)].join(''));
  assert.equal(json.profiles[0].unit, 'seconds');
  assert.deepEqual(json.profiles[0].weights, [0.06, 0.02]);
});
