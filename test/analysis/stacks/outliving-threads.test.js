import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyProfile } from '../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { endLastingThreads, endThreads } from '../../../lib/analysis/stacks/outliving-threads.js';
import { ProfileBuilder } from '../../../lib/analysis/stacks/profile-builder.js';

const rules = await loadRules();
const BEGIN = ['Thread._bootstrap (threading.py:1)', 'Thread.run (threading.py:9)'];
const WHOLE = 'run_whole_thread (/site-packages/loadflame_companion.py:70)';
const CALL = 'run_in_thread (/site-packages/loadflame_companion.py:70)';
const WORK = ['GET /items (<loadflame route>)', 'work (/srv/shop/jobs.py:4)'];

/**
 * Ten samples of a thread, five a second, in each of several segments of 5 s.
 * @param {string} frame of the companion @param {number[]} ids of the thread, per segment
 */
function recorded(frame, ids) {
  const builder = new ProfileBuilder();
  const { node, route } = builder.internStack([...BEGIN, frame, ...WORK], 0);
  for (const [at, id] of ids.entries()) {
    const segment = builder.addSegment(at * 5000, (at + 1) * 5000);
    const thread = builder.internThread({ id: `${id}`, name: 'worker' });
    builder.addRow(node, 10, { process: 0, thread, segment, route });
  }
  return builder.build({ source: 'raw', rateHz: 5 });
}

/** @param {ReturnType<typeof recorded>} profile @returns {(string | undefined)[]} per segment; undefined: no request */
function routesOf(profile) {
  const { request } = classifyProfile(profile, rules);
  return Array.from(profile.rows.route, (index, row) => {
    const route = profile.routes[index];
    assert.equal(request[profile.rows.node[row] ?? -1] === 1, route !== undefined);
    return route;
  });
}

/** @param {string} frame @param {number[]} ids */
const ofCpu = (frame, ids) => routesOf(endLastingThreads(recorded(frame, ids), 300));

const ALL = Array(4).fill('GET /items');

test('a thread that lives on after the request that started it works for none', () => {
  assert.deepEqual(ofCpu(WHOLE, [7, 7, 7, 7]), Array(4).fill(undefined));
});

test('CPU time of a thread of each request, of a thread that ends soon, and of one that takes calls of many requests, is theirs', () => {
  assert.deepEqual(ofCpu(WHOLE, [7, 8, 9, 10]), ALL);
  assert.deepEqual(ofCpu(WHOLE, [7, 7, 8, 8]), ALL);
  assert.deepEqual(ofCpu(CALL, [7, 7, 7, 7]), ALL);
});

test('no request waits in a thread that was sampled for longer than the longest request took', () => {
  const sampled = recorded(WHOLE, [7, 8]);
  assert.deepEqual(routesOf(endThreads(sampled, 1900)), [undefined, undefined]);
  assert.deepEqual(routesOf(endThreads(sampled, 2000)), ALL.slice(2));
  const { frames, nodes, rows } = endThreads(sampled, 1900);
  const names = [];
  for (let node = rows.node[0] ?? -1; node >= 0; node = nodes.parent[node] ?? -1)
    names.push(frames[nodes.frame[node] ?? -1]?.name);
  assert.deepEqual(names, ['work', 'Thread.run', 'Thread._bootstrap']);
});

test('where threads are known by addresses, which recur, nothing is known of their lives', () => {
  assert.deepEqual(ofCpu(WHOLE, Array(4).fill(0x7f0012345678)), ALL);
});
