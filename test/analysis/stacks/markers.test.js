import assert from 'node:assert/strict';
import test from 'node:test';
import { mergeProfiles } from '../../../lib/analysis/stacks/merge-profiles.js';
import { joinThreads } from '../../../lib/analysis/stacks/node-table.js';
import { ProfileBuilder } from '../../../lib/analysis/stacks/profile-builder.js';
import { createRawParser } from '../../../lib/analysis/stacks/read-raw.js';
import { stackOf } from '../../../lib/analysis/stacks/stack-of.js';
import { formatRaw } from '../../../lib/analysis/stacks/write-raw.js';
import { parseRaw } from '../../helpers/parse-raw.js';

// 2026-01-01T00:00:00Z is half-second 3,534,451,200
const FIRST = 3_534_451_200;
const HEAD = 'process 1:"master";process 7:"worker";thread (2): MainThread;run (g.py:1)';
const around = (/** @type {string} */ route, /** @type {number} */ halfSecond) =>
  `${HEAD};${halfSecond} (<loadflame time>:9);${route} (<loadflame route>:5)`;
const TEXT = `${[
  `${around('GET /a/:id', FIRST)};app (a.py:1);view (v.py:2) 3`,
  `${around('GET /a/:id', FIRST + 1)};app (a.py:1);view (v.py:2) 2`,
  `${around('POST /b', FIRST + 1)};app (a.py:1);view (v.py:2) 4`,
  `${around('POST /b', FIRST + 1)} 1`,
  `${HEAD} 5`,
].join('\n')}\n`;

/** @param {import('../../../lib/analysis/stacks/profile.d.ts').Profile} profile */
function describe(profile) {
  return Array.from(profile.rows.node, (node, row) => ({
    stack: stackOf(profile, node)
      .map(id => profile.frames[id]?.name)
      .join(' '),
    pid: profile.processes[profile.rows.process[row] ?? -1]?.pid,
    route: profile.routes[profile.rows.route[row] ?? -1] ?? null,
    halfSecond: profile.rows.halfSecond[row],
    weight: profile.rows.weight[row],
  }));
}

const EXPECTED = [
  { stack: 'run app view', pid: 7, route: 'GET /a/:id', halfSecond: FIRST, weight: 3 },
  { stack: 'run app view', pid: 7, route: 'GET /a/:id', halfSecond: FIRST + 1, weight: 2 },
  { stack: 'run app view', pid: 7, route: 'POST /b', halfSecond: FIRST + 1, weight: 4 },
  { stack: 'run', pid: 7, route: 'POST /b', halfSecond: FIRST + 1, weight: 1 },
  { stack: 'run', pid: 7, route: null, halfSecond: -1, weight: 5 },
];

test('removes frames of the companion from stacks, and reads route and half-second from them', () => {
  const profile = parseRaw(TEXT);
  assert.deepEqual(describe(profile), EXPECTED);
  assert.equal(profile.nodes.frame.length, 3, 'stacks that only markers told apart are one');
  assert.equal(profile.frames.length, 3);
});

test('routes and half-seconds survive merging', () => {
  const profile = parseRaw(TEXT);
  assert.deepEqual(describe(mergeProfiles([profile, profile])), [...EXPECTED, ...EXPECTED]);
});

test('equal stacks are one line again when they are written', () => {
  const lines = [...formatRaw(joinThreads(parseRaw(TEXT)))];
  assert.deepEqual(
    lines.map(line => line.slice(line.indexOf('run'))),
    ['run (g.py:1) 6\n', 'run (g.py:1);app (a.py:1);view (v.py:2) 9\n'],
  );
});

test('ignores a half-second outside of the segment of its sample', () => {
  const builder = new ProfileBuilder();
  const startMs = FIRST * 500 + 250;
  const segment = builder.addSegment(startMs, startMs + 5000);
  const parser = createRawParser(builder);
  parser.begin(segment);
  for (const ahead of [-1, 0, 10, 11]) parser.addLine(`${around('GET /', FIRST + ahead)} 1`);
  const { rows } = builder.build({ source: 'raw' });
  assert.deepEqual([...rows.halfSecond], [-1, FIRST, FIRST + 10, -1]);
});

test('a semicolon in a route is escaped on the stack; other frames in angle brackets stay', () => {
  const profile = parseRaw(
    'GET /a\\x3bb(c) (<loadflame route>:1);soon (<loadflame time>:1);f (<string>:1) 1\n',
  );
  assert.deepEqual(profile.routes, ['GET /a;b(c)']);
  assert.deepEqual(
    profile.frames.map(({ name }) => name),
    ['soon', 'f'],
  );
  assert.equal(profile.rows.halfSecond.length, 0);
});
