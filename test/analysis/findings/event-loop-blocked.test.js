import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBlockedLoop } from '../../../lib/analysis/judge/findings/code.js';
import { wordsOf } from '../../helpers/words.js';
import { makeLoad, makeRecorded, makeRunInfo } from '../facts.js';

const WAITS = {
  share: { value: 0.3, low: 0.25, high: 0.35 },
  where: [{ function: 'load_legacy', file: 'api/views.py', kind: 'database', share: 0.3 }],
};
const SLEEPS = { count: 40, answers: 100, ms: 5000, cpuMs: 20, longestMs: 153.4 };

/** @param {{steps?: any, waits?: any, profile?: any}} options */
function find({ steps, waits = null, profile = {} }) {
  const recorded = makeRecorded({ cores: [0.3, 0.3], ...profile });
  return findBlockedLoop({
    run: makeRunInfo(),
    load: {
      ...makeLoad({ lengthSec: 20 }),
      windows: [{ startMs: 0, endMs: 20_000 }],
      endpoints: [
        { name: 'GET /quick' },
        { name: 'GET /legacy', ...(steps && { blocked: steps }) },
      ],
    },
    cpu: recorded.cpu,
    profile: { ...recorded.profile, loopWaits: waits },
    costs: /** @type {any} */ ({
      endpoints: [
        { loadEndpoint: 'GET /legacy', views: [{ function: 'load_legacy', file: 'api/views.py' }] },
      ],
    }),
  });
}

test('reports nothing for a loop that was never blocked', () => {
  assert.deepEqual(find({}), []);
  assert.deepEqual(find({ waits: { ...WAITS, share: { value: 0.005, low: 0, high: 0.01 } } }), []);
});

test('reports the longest step, the endpoint, its view and where the thread waits', () => {
  const [finding] = find({ steps: SLEEPS, waits: WAITS });
  assert.equal(finding?.severity, 'warn');
  const { title, evidence, advice } = wordsOf(finding);
  assert.equal(
    title,
    'The event loop was blocked for up to 153 ms: in 40 requests a step took more than 100 ms.',
  );
  assert.deepEqual(evidence, [
    { label: 'steps of more than 100 ms', value: '125 ms on average, 0.4 % of it CPU' },
    {
      label: 'GET /legacy, load_legacy (api/views.py)',
      value: '40 requests of 100, 153 ms at most',
    },
    {
      label: 'load_legacy (api/views.py)',
      value: "waits for the database, 30.0 % of the loop's time",
    },
  ]);
  assert.match(advice ?? '', /^Await an asynchronous client/);
});

test('samples alone show it, without a companion', () => {
  const [finding] = find({ waits: WAITS });
  assert.match(wordsOf(finding).title, /waits without `await` for 30 % ± 5 of its time\.$/);
});

test('reports a computing step as such, with advice', () => {
  const [finding] = find({ steps: { ...SLEEPS, cpuMs: 4900 } });
  assert.equal(finding?.severity, 'warn');
  assert.match(wordsOf(finding).advice ?? '', /^Hand long computations to a thread or a process/);
});

test('on a full machine long steps that wait are a remark, and say what else makes them', () => {
  const full = { profile: { hostCores: 4 } };
  const [finding] = find({ steps: SLEEPS, ...full });
  assert.equal(finding?.severity, 'info');
  assert.match(wordsOf(finding).detail ?? '', /a saturated CPU, or threads that hold the GIL/);
  assert.equal(find({ steps: { ...SLEEPS, cpuMs: 4900 }, ...full })[0]?.severity, 'warn');
  assert.equal(find({ steps: SLEEPS, waits: WAITS, ...full })[0]?.severity, 'warn');
});
