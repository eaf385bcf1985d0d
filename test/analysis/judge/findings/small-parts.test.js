import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSmallParts } from '../../../../lib/analysis/judge/findings/code.js';
import { readRates } from '../../../../lib/analysis/load/timeline/build-timeline.js';
import { describeFinding } from '../../../../lib/text/findings.js';

/** @param {Record<string, number>} [means] per response @param {number} [hostCores] of two */
function find(means, hostCores = 0.5) {
  const views = [{ function: 'download', file: 'views.py', line: null }];
  const costs = { endpoints: [{ loadEndpoint: 'GET /packages/:id', views }] };
  const load = { endpoints: [{ name: 'GET /packages/:id', means }] };
  return findSmallParts(
    /** @type {any} */ ({ load, costs, cpu: { hostCores }, run: { host: { cpus: 2 } } }),
  );
}

test('a body in many small parts is a finding with their number, their size and the view', () => {
  const [found] = find({ parts: 425, responseBytes: 54_400, bodyMs: 6 });
  assert.ok(found);
  const { title, evidence, advice } = describeFinding(found);
  assert.equal(title, 'GET /packages/:id sends a response in 425 parts of 128 B, on average.');
  assert.deepEqual(evidence, [{ label: 'view', value: 'download (views.py)' }]);
  assert.match(`${advice}`, /iter_content/);
});

test('large parts, few parts and parts that come one after another in time are none', () => {
  assert.deepEqual(find({ parts: 425, responseBytes: 425 * 65_536, bodyMs: 60 }), []);
  assert.deepEqual(find({ parts: 30, responseBytes: 3000, bodyMs: 1 }), []);
  assert.deepEqual(find({ parts: 425, responseBytes: 54_400, bodyMs: 4000 }), []);
  assert.deepEqual(find({ responseBytes: 54_400 }), []);
  assert.deepEqual(find(), []);
});

test('on a full machine parts wait for a core, which is no pause of the application', () => {
  const means = { parts: 400, responseBytes: 40_000, bodyMs: 440 };
  assert.deepEqual([find(means).length, find(means, 2).length], [0, 1]);
  assert.deepEqual(find({ ...means, bodyMs: 4000 }, 2), [], 'an event stream');
});

test('endpoints of costs know whether their bodies arrive in small parts, if these were counted', () => {
  const ratesOf = (/** @type {Record<string, number>} */ sums) => {
    const own = { codes: { 200: 10 }, server: null, routes: null, sums };
    const timeline = {
      load: { endpoints: [{ name: 'GET /export', requests: [10], measured: null }] },
    };
    const [rates] = readRates(
      /** @type {any} */ (timeline),
      /** @type {any} */ ({ of: () => own }),
    ).endpoints;
    return rates?.inSmallParts;
  };
  assert.equal(ratesOf({ parts: 1000, responseBytes: 20_000, bodyMs: 10 }), true);
  assert.equal(ratesOf({ parts: 400, responseBytes: 20_000, bodyMs: 10 }), false);
  assert.equal(ratesOf({ responseBytes: 20_000 }), false);
  assert.equal(ratesOf({}), undefined);
});
