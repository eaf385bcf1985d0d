import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mendStacks } from '../../../lib/analysis/profile/mend-stacks.js';
import { ProfileBuilder } from '../../../lib/analysis/stacks/profile-builder.js';

const SERVE = ['Thread._bootstrap (threading.py:1)', 'handle (gunicorn/gthread.py:9)'];
const ENCODE = ['encode (json/encoder.py:200)', 'iterate (json/encoder.py:412)'];
const BEAT = ['beat (shop/beat.py:3)'];

/** @param {[stack: string[], samples: number, route?: string][]} stacks @returns {string[]} innermost five frames, mended */
function mend(stacks) {
  const builder = new ProfileBuilder();
  const segment = builder.addSegment(0, 1000);
  for (const [stack, samples, name] of stacks) {
    const { node } = builder.internStack(stack, 0);
    const route = name === undefined ? -1 : builder.internRoute(name);
    builder.addRow(node, samples, { segment, route });
  }
  const profile = builder.build({ source: 'raw', rateHz: 100 });
  const { rows, nodes, frames, routes } = mendStacks(profile);
  const show = (/** @type {number} */ node) => {
    const names = [];
    for (let at = node; at >= 0; at = nodes.parent[at] ?? -1)
      names.unshift(frames[nodes.frame[at] ?? -1]?.name.replace(/.*\./, ''));
    return names.join(' ');
  };
  assert.equal(
    rows.weight.reduce((sum, own) => sum + own, 0),
    profile.totalWeight,
  );
  assert.ok(rows.segment.every(own => own === segment));
  return Array.from(rows.node, (node, row) => {
    return `${rows.weight[row]} ${show(node)} ${routes[rows.route[row] ?? -1] ?? '-'}`;
  });
}

test('stacks without their outer frames get those of whole ones, in proportion, with the route', () => {
  const whole = (/** @type {string} */ view) => [...SERVE, `${view} (shop/views.py:3)`, ...ENCODE];
  const mended = mend([
    [whole('list'), 30, 'GET /list'],
    [whole('show'), 10, 'GET /show'],
    [['iterate (json/encoder.py:386)', 'quote (json/encoder.py:40)'], 8],
  ]);
  assert.deepEqual(mended.slice(2), [
    '6 _bootstrap handle list encode iterate quote GET /list',
    '2 _bootstrap handle show encode iterate quote GET /show',
  ]);
});

test('a function that mostly has no caller is where a thread begins', () => {
  const stacks = /** @type {Parameters<typeof mend>[0]} */ ([
    [BEAT, 30],
    [[...SERVE, ...BEAT], 10],
    [[], 5],
  ]);
  assert.deepEqual(mend(stacks), ['30 beat -', '10 _bootstrap handle beat -', '5  -']);
});
