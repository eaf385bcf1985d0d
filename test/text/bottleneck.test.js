import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBottleneck } from '../../lib/analysis/bottleneck/find-bottleneck.js';
import { gatherRunFacts } from '../../lib/analysis/judge/bottleneck/gather-run.js';
import { sayBottleneck } from '../../lib/text/bottleneck.js';
import { describeWait } from '../../lib/text/bottleneck-waits.js';
import { makeGroup, makeLoad, makeRecorded, makeRunInfo, makeWaits } from '../analysis/facts.js';

const SATURATED = makeLoad({ model: 'closed', users: 8, inFlight: () => 7.8 });

/** @param {any} profile @param {number[]} [backends] @param {any} [load] */
function say(profile, backends, load = SATURATED) {
  const found = findBottleneck(
    gatherRunFacts({
      run: makeRunInfo(),
      load,
      ...makeRecorded(profile),
      balance: backends ? { workers: null, backends: makeGroup(backends) } : null,
    }),
  );
  return sayBottleneck(found);
}

test('describes a bottleneck by a sentence with numbers, a name and advice', () => {
  const { name, title, advice } = say({ cores: [0.96, 0.98], hostCores: 2.4 });
  assert.equal(name, 'the CPU of its workers');
  assert.equal(
    title,
    '2 workers used 0.97 of a core each (the busiest 0.98): their CPU is the bottleneck, while 1.60 of 4 cores were idle.',
  );
  assert.match(advice ?? '', /^Make requests cheaper/);
});

test('names waits with their share and the CPU use', () => {
  const { title } = say({ waits: makeWaits({ database: 0.9, cpu: 0.1 }) });
  assert.equal(
    title,
    'Requests wait for the database 90 % ± 5 of their time, while workers used 0.20 of a core each: that is the bottleneck.',
  );
});

test('reports the requests of an instance that got all of them', () => {
  assert.equal(
    say({ cores: [0.2] }, [3953, 0]).title,
    'One instance of 2 got all 3,953 requests: the capacity of the others was unused.',
  );
});

test('does not mention responses if only messages were sent', () => {
  const acknowledged = { count: 100 };
  for (const [messages, replies] of /** @type {const} */ ([
    [{ websocket: { replies: 52 }, socketio: { acknowledged, responseWait: null } }, 152],
    [{ websocket: null, socketio: { acknowledged: null, responseWait: { count: 1 } } }, 1],
  ])) {
    const quiet = makeLoad({ p50Ms: () => null, inFlight: () => 0 });
    const { title, evidence } = say({ cores: [0.2, 0.2] }, undefined, {
      ...quiet,
      ...messages,
      http: { ...quiet.http, requests: 0, responses: 0 },
    });
    const told = `${replies} ${replies === 1 ? 'reply' : 'replies'} to messages and no HTTP request`;
    assert.ok(title.includes(`it is not known whether there is one (${told}`), title);
    assert.ok(evidence.some(({ value }) => value.startsWith(told)));
    assert.doesNotMatch(`${title} ${JSON.stringify(evidence)}`, /response/);
  }
});

test('names both bottlenecks that samples of waiting requests cannot distinguish', () => {
  const slots = { slots: 4, busy: 4, fullest: 2 };
  const near = say({ waits: makeWaits({ lock: 0.52, sleep: 0.42, cpu: 0.06 }, slots) });
  assert.equal(near.name, 'a lock, or the number of its threads');
  assert.match(near.detail ?? '', /^The samples of waiting requests do not show which of the two/);
  const clear = say({ waits: makeWaits({ lock: 0.62, sleep: 0.32, cpu: 0.06 }, slots) });
  assert.equal(clear.name, 'a lock');
});

test('a lock that is always held is the bottleneck even if users pause', () => {
  const pausing = makeLoad({ model: 'closed', users: 16, inFlight: () => 10 });
  const waits = makeWaits({ lock: 0.9, 'external-call': 0.1 }, { slots: null, busy: 10 });
  waits.holders = {
    ...{ of: 'lock', function: 'is_active', file: 'partners.py', threads: 0.9 },
    doing: { id: 'external-call', share: 1 },
  };
  const profile = { cores: [0.2], waits };
  assert.equal(say(profile, undefined, pausing).name, 'a lock');
  waits.holders.threads = 0.5;
  assert.equal(say(profile, undefined, pausing).name, 'none reached');
});

test('says that the range of a fix depends on connections only where users keep them', () => {
  const waits = makeWaits({ lock: 0.75, sleep: 0.25 }, { slots: 8, busy: 8, fullest: 4 });
  const detailWith = (/** @type {number} */ count) => {
    const load = makeLoad({ model: 'closed', users: 16, inFlight: () => 16 });
    const connections = { ...load.http.connections, tcp: { count } };
    const http = { ...load.http, connections };
    return say({ cores: [0.02, 0.02], waits }, undefined, { ...load, http }).detail ?? '';
  };
  assert.match(detailWith(16), /\(.* to .*, by how evenly connections spread over the workers\)/);
  assert.match(detailWith(400), /about [^(]*\([^,]* to [^,]*\) instead of/);
});

test('full workers get one more for each core, as far as other programs leave some', () => {
  const waits = makeWaits({ cpu: 1 }, { slots: 8, busy: 8, fullest: 8 });
  const load = makeLoad({ model: 'closed', users: 8, inFlight: () => 8 });
  const detailWith = (/** @type {number} */ hostCores) =>
    say({ cores: [1], hostCores, waits, generatorCores: 0 }, undefined, load).detail ?? '';
  const free = detailWith(1.1);
  assert.match(free, /^With a worker process for each core the same users would get about \d/);
  assert.match(free, /sets the limit\.$/);
  const taken = detailWith(3.9);
  assert.match(taken, /^With a worker process for each core the same users would get at most/);
  assert.match(taken, /The gain may be none: it depends on how much CPU other programs leave/);
});

test('a wait that was not seen is none, and one that may be for the worker is at most so long', () => {
  const share = (/** @type {number} */ value) => ({ value, low: 0, high: 1 });
  const place = { function: 'ask', file: 'app.py', line: 2, share: 1, call: 'post' };
  const kinds = /** @type {any[]} */ ([
    { id: 'external-call', isBound: true, share: share(0.657), where: [place] },
    { id: 'cpu', isBound: false, share: share(0.343), where: [place] },
    { id: 'other', isBound: false, share: share(1e-17), where: [place] },
  ]);
  assert.equal(describeWait(kinds), 'at most 65.7 % of their time for calls to other services');
  assert.equal(describeWait(kinds.slice(1)), 'none of their time');
});
