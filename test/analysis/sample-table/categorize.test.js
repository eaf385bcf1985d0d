import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packSampleTable } from '../../../lib/analysis/sample-table/pack.js';
import { categorizeNodes, selectSamples } from '../../../lib/analysis/sample-table/select.js';
import { unpackSampleTable } from '../../../lib/analysis/sample-table/unpack.js';
import { smallInput } from '../../helpers/small-table.js';

test('a node has the category of nearly all of its samples, the trunk and the empty have none', async () => {
  const samples = await unpackSampleTable(packSampleTable(smallInput()));
  assert.deepEqual([...categorizeNodes(samples, selectSamples(samples))], [-1, -1, 0, 0, -1, 2]);
  const part = selectSamples(samples, { endpoints: [0] });
  assert.deepEqual([...categorizeNodes(samples, part)], [-1, -1, 0, 0, 1, -1]);
});
