import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renameRoutes } from '../../../lib/analysis/read/read-run-profile.js';
import { ProfileBuilder } from '../../../lib/analysis/stacks/profile-builder.js';

const BEGIN = ['Thread._bootstrap (threading.py:1)', 'Thread.run (threading.py:9)'];
const WHOLE = 'run_whole_thread (/site-packages/loadflame_companion.py:70)';
const CALL = 'run_in_thread (/site-packages/loadflame_companion.py:70)';
const WORK = ['GET /items (<loadflame route>)', 'work (/srv/shop/jobs.py:4)'];

/** @param {string} frame of the companion @param {number[]} ids of the thread, in segments of 5 s @returns {(string | undefined)[]} */
function routesOf(frame, ids) {
  const builder = new ProfileBuilder();
  const { node, route } = builder.internStack([...BEGIN, frame, ...WORK], 0);
  for (const [at, id] of ids.entries()) {
    const segment = builder.addSegment(at * 5000, (at + 1) * 5000);
    const thread = builder.internThread({ id: `${id}`, name: 'worker' });
    builder.addRow(node, 10, { process: 0, thread, segment, route });
  }
  const { rows, routes } = renameRoutes(builder.build({ source: 'raw' }), name => name);
  return Array.from(rows.route, index => routes[index]);
}

const ALL = Array(4).fill('GET /items');

test('a thread that lives on after the request that started it works for none', () => {
  assert.deepEqual(routesOf(WHOLE, [7, 7, 7, 7]), Array(4).fill(undefined));
});

test('a thread of each request, a thread that ends soon, and one that takes calls of many requests, work for them', () => {
  assert.deepEqual(routesOf(WHOLE, [7, 8, 9, 10]), ALL);
  assert.deepEqual(routesOf(WHOLE, [7, 7, 7]), ALL.slice(1));
  assert.deepEqual(routesOf(CALL, [7, 7, 7, 7]), ALL);
});

test('where threads are known by addresses, which recur, nothing is known of their lives', () => {
  assert.deepEqual(routesOf(WHOLE, Array(4).fill(0x7f0012345678)), ALL);
});
