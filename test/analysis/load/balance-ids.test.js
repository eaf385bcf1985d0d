import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureBalance } from '../../../lib/analysis/load/balance.js';
import { totalLoad } from '../../helpers/total-load.js';

/** @param {Record<string, number>} backends */
const measure = backends =>
  measureBalance({
    counts: totalLoad([{ kind: 'second', fromMs: 0, backends }]),
    workers: [],
    backends: null,
  });

test('an unlimited number of ids are not backends, whatever their cookie', () => {
  assert.equal(measure({ '0a1b2c3d': 9, '1a2b3c4d': 1 })?.backends?.members.length, 2);
  assert.equal(measure({ '0a1b2c3d': 9, '1a2b3c4d': 1, '(others)': 200 }), null);
});
