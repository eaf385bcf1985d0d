import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { packSampleTable } from '../../../lib/analysis/sample-table/pack.js';
import { selectSamples } from '../../../lib/analysis/sample-table/select.js';
import { unpackSampleTable } from '../../../lib/analysis/sample-table/unpack.js';
import { speedscopeOf } from '../../../lib/analysis/stacks/write-selection.js';
import { smallInput } from '../../helpers/small-table.js';

const schemaFile = createRequire(import.meta.url).resolve(
  'speedscope/dist/release/file-format-schema.json',
);

test('a selection is a valid speedscope file with its stacks and seconds', async () => {
  const samples = await unpackSampleTable(packSampleTable(smallInput()));
  const counts = selectSamples(samples, { endpoints: [0] });
  const file = JSON.parse(speedscopeOf(samples, counts, { name: 'a run', rateHz: 100 }));
  const validate = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(schemaFile, 'utf8')));
  assert.equal(validate(file), true, JSON.stringify(validate.errors));
  const [profile] = file.profiles;
  assert.equal(profile.name, 'a run');
  const names = profile.samples.map((/** @type {number[]} */ chain) =>
    chain.map(frame => file.shared.frames[frame].name).join(';'),
  );
  assert.deepEqual(names, ['handle;validate', 'handle;validate;loads', 'handle;view']);
  assert.deepEqual(profile.weights, [1, 2, 1.5]);
  assert.equal(profile.endValue, 4.5);
  assert.deepEqual(file.shared.frames[1], { name: 'validate', file: 'api/auth.py', line: 10 });
});

test('without a known rate it counts samples', async () => {
  const samples = await unpackSampleTable(packSampleTable(smallInput()));
  const file = JSON.parse(
    speedscopeOf(samples, selectSamples(samples), { name: 'a run', rateHz: null }),
  );
  assert.equal(file.profiles[0].unit, 'none');
  assert.equal(file.profiles[0].endValue, 1000);
});
