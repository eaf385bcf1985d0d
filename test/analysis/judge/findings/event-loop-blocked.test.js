import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBlockedLoop } from '../../../../lib/analysis/judge/findings/code.js';
import { wordsOf } from '../../../helpers/words.js';
import { makeLoad, makeRecorded, makeRunInfo } from '../../facts.js';

const WAITS = {
  share: { value: 0.3, low: 0.25, high: 0.35 },
  where: [{ function: 'load_legacy', file: 'api/views.py', kind: 'database', share: 0.3 }],
};
const SLEEPS = { count: 40, answers: 100, ms: 5000, cpuMs: 20, longestMs: 153.4 };

/** @param {{steps?: any, waits?: any, profile?: any, cpu?: any, view?: any, means?: any, more?: any[]}} options */
function find({ steps, waits = null, profile = {}, cpu = null, view = {}, means, more = [] }) {
  const recorded = makeRecorded({ cores: [0.3, 0.3], ...profile });
  return findBlockedLoop({
    run: makeRunInfo(),
    load: {
      ...makeLoad({ lengthSec: 20 }),
      windows: [{ startMs: 0, endMs: 20_000 }],
      endpoints: [
        { name: 'GET /quick' },
        { name: 'GET /legacy', means, ...(steps && { blocked: steps }) },
        ...more,
      ],
    },
    cpu: cpu ?? recorded.cpu,
    profile: { ...recorded.profile, loopWaits: waits },
    costs: /** @type {any} */ ({
      endpoints: [
        {
          loadEndpoint: 'GET /legacy',
          views: [{ function: 'load_legacy', file: 'api/views.py', ...view }],
        },
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
    'GET /legacy blocked the event loop for up to 153 ms: in 40 requests a step took more than 100 ms.',
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

test('a step that waited for a core is no blocking call', () => {
  /** @param {number} queuedMs @param {any} [more] */
  const queued = (queuedMs, more = {}) => {
    const recorded = makeRecorded({ cores: [0.3, 0.3] });
    const workers = recorded.cpu.workers.map((/** @type {object} */ worker) => ({
      ...worker,
      queuedMs: queuedMs / 2,
    }));
    return find({ steps: SLEEPS, cpu: { ...recorded.cpu, workers, hostCores: 4 }, ...more })[0];
  };
  const starved = queued(4000);
  assert.equal(starved?.severity, 'info');
  const { title, evidence, advice } = wordsOf(starved);
  assert.equal(
    title,
    'Steps of the event loop took up to 153 ms, but no blocking call is visible: it may have waited for a core.',
  );
  assert.ok(evidence.some(({ value }) => value === 'up to 4 s in all'));
  assert.doesNotMatch(advice ?? '', /Await an asynchronous client/);
  const blocked = queued(500);
  assert.equal(blocked?.severity, 'warn', 'most of it is no wait for a core');
  assert.match(wordsOf(blocked).advice ?? '', /^Repeat it with idle CPU/, 'no call is known');
  assert.equal(queued(4000, { waits: WAITS })?.severity, 'warn', 'samples name the call');
  assert.equal(queued(4000, { steps: { ...SLEEPS, cpuMs: 4900 } })?.severity, 'warn');
});

test('unnamed waits on a full machine whose kernel does not say who waits for a core are a doubt', () => {
  const where = [{ function: 'load', file: 'api/views.py', kind: null, share: 0.3 }];
  const full = { profile: { hostCores: 4 } };
  const [finding] = find({ waits: { ...WAITS, where }, ...full });
  assert.equal(finding?.severity, 'info');
  assert.match(
    wordsOf(finding).title,
    /^The event loop stood still at times, but no blocking call/,
  );
  assert.equal(find({ waits: { ...WAITS, where } })[0]?.severity, 'warn');
});

test('on a full machine long steps that wait are a remark, and say what else makes them', () => {
  const full = { profile: { hostCores: 4 } };
  const [finding] = find({ steps: SLEEPS, ...full });
  assert.equal(finding?.severity, 'info');
  assert.match(wordsOf(finding).detail ?? '', /a saturated CPU, or threads that hold the GIL/);
  assert.equal(find({ steps: { ...SLEEPS, cpuMs: 4900 }, ...full })[0]?.severity, 'warn');
  assert.equal(find({ steps: SLEEPS, waits: WAITS, ...full })[0]?.severity, 'warn');
});

test('a plain `def` view is not advised to become one, and a wait that no rule names is no synchronous client', () => {
  const computing = { ...SLEEPS, cpuMs: 4900 };
  const adviceOf = (/** @type {any} */ facts) => wordsOf(find(facts)[0]).advice ?? '';
  const inThread = adviceOf({ steps: computing, view: { inThread: true } });
  assert.match(inThread, /^These views are plain `def` and run in threads\./);
  assert.doesNotMatch(inThread, /can be a plain/);
  const small = { steps: SLEEPS, view: { inThread: true }, means: { responseBytes: 704 } };
  assert.match(adviceOf(small), /^Repeat it with idle CPU/, 'no response that takes long to write');
  assert.match(adviceOf({ steps: computing }), /awaits nothing can be a plain `def`/);
  const where = [{ function: 'load', file: 'api/views.py', kind: null, share: 0.3 }];
  const unnamed = adviceOf({ steps: SLEEPS, waits: { ...WAITS, where } });
  assert.doesNotMatch(unnamed, /Await an asynchronous client|can be a plain/);
  assert.doesNotMatch(adviceOf({ steps: SLEEPS }), /Await an asynchronous client/);
});

test('on a full machine steps that compute for long by themselves are named, without those that waited', () => {
  const recorded = makeRecorded({ cores: [0.3, 0.3] });
  const workers = recorded.cpu.workers.map((/** @type {object} */ worker) => ({
    ...worker,
    queuedMs: 20_000,
  }));
  const login = { count: 14, answers: 14, ms: 6900, cpuMs: 3300, longestMs: 788 };
  const [finding] = findBlockedLoop({
    run: makeRunInfo(),
    load: {
      ...makeLoad({ lengthSec: 20 }),
      windows: [{ startMs: 0, endMs: 20_000 }],
      endpoints: [
        { name: 'GET /legacy', blocked: { ...SLEEPS, count: 3, ms: 400, cpuMs: 10 } },
        { name: 'POST /login', blocked: login },
      ],
    },
    cpu: { ...recorded.cpu, workers, hostCores: 4 },
    profile: { ...recorded.profile, loopWaits: null },
    costs: null,
  });
  assert.equal(finding?.severity, 'warn');
  const { title, evidence, advice } = wordsOf(finding);
  assert.equal(
    title,
    'POST /login blocked the event loop for up to 788 ms: in 14 requests a step took more than 100 ms.',
  );
  assert.deepEqual(
    evidence.map(({ label }) => label),
    ['steps of more than 100 ms', 'POST /login'],
  );
  assert.match(advice ?? '', /^Hand long computations to a thread or a process/);
});

test('names who waited meanwhile, and of several endpoints that the first is not alone', () => {
  const steps = { ...SLEEPS, victims: { count: 12, ms: 6400 } };
  const { title } = wordsOf(find({ steps, waits: WAITS })[0]);
  assert.match(
    title,
    /^GET \/legacy blocked .* 100 ms; 12 other requests waited up to 6,400 ms in all\.$/,
  );
  const quick = [{ name: 'GET /quick', blocked: { ...SLEEPS, ms: 900 } }];
  const both = find({ steps, waits: WAITS, more: quick });
  assert.match(
    wordsOf(both[0]).title,
    /^GET \/legacy and others blocked .* took more than 100 ms\.$/,
  );
});

test('under gevent and eventlet no word is of `await` or `async def`', () => {
  const { title, detail, advice } = wordsOf(find({ waits: { ...WAITS, isGreen: true } })[0]);
  assert.match(
    title,
    /^The event loop waits in calls that do not yield for 30 % ± 5 of its time\.$/,
  );
  assert.match(advice ?? '', /^Let the call yield: .*`set_wait_callback`/);
  assert.doesNotMatch(`${title} ${detail} ${advice}`, /await|async def/);
});
