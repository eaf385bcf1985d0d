import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCauses } from '../../../../lib/analysis/judge/findings/code.js';

/** @param {number} value of the CPU @param {{kind: string, perRequest: number}[]} [acts] */
function severityOf(value, acts) {
  const share = { value, low: value / 4, high: value * 3 };
  const cause = { id: 'template-compilation', severity: 'warn', partOf: null, share, acts };
  return findCauses(/** @type {any} */ ({ profile: { causes: [cause] } }))[0]?.severity;
}

test('a cause of unsure size is a warning if the companion counted what it does in each request', () => {
  assert.equal(severityOf(0.1), 'info');
  assert.equal(severityOf(0.1, [{ kind: 'file', perRequest: 6 }]), 'warn');
  assert.equal(severityOf(0.1, [{ kind: 'file', perRequest: 0.02 }]), 'info', 'of first requests');
  assert.equal(severityOf(0.02, [{ kind: 'file', perRequest: 6 }]), 'info', 'next to nothing');
});
