import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPartialReasons } from '../../../../lib/analysis/load/partial-reasons.js';
import { LoadTotals } from '../../../../lib/analysis/read/load/load-totals.js';

/** @param {Record<string, any>} fields */
function records({ metrics = [], ...fields }) {
  return /** @type {any} */ ({
    manifest: { status: 'complete', reasons: [] },
    active: false,
    isLoadAtWork: false,
    events: [],
    load: LoadTotals.of(metrics),
    segments: [],
    ...fields,
  });
}

const LOAD = { t: 1, kind: 'load-start', engine: 'artillery' };

/** @type {[Record<string, any>, ...[id: string, facts?: object][]][]} */
const TABLE = [
  [{}],
  [{ metrics: [LOAD, { t: 2, kind: 'load-end', reason: 'complete' }] }],
  [{ metrics: [LOAD] }, ['load-killed']],
  [{ metrics: [LOAD], isLoadAtWork: true }, ['load-running']],
  [{ metrics: [LOAD, LOAD], isLoadAtWork: true }, ['load-killed'], ['load-running']],
  [
    { metrics: [LOAD, { t: 2, kind: 'load-end', reason: 'crashed', signal: 'SIGKILL' }] },
    ['load-failed', { engine: 'artillery', signal: 'SIGKILL', exitCode: null }],
  ],
  [
    { metrics: [LOAD, { t: 2, kind: 'load-end', reason: 'crashed', exitCode: 7 }] },
    ['load-failed', { engine: 'artillery', signal: null, exitCode: 7 }],
  ],
  [{ metrics: [LOAD, { t: 2, kind: 'load-end', reason: 'interrupted' }] }, ['load-interrupted']],
  [{ manifest: { status: 'running', reasons: [] } }, ['session-killed']],
  [{ manifest: { status: 'running', reasons: [] }, active: true }],
  [{ segments: [{ t: 1, kind: 'segment-lost' }] }, ['segments-lost', { segments: 1 }]],
  [
    {
      segments: [
        { t: 1, kind: 'worker-end', pid: 7 },
        { t: 2, kind: 'recording-end' },
      ],
    },
    ['workers-ended', { pids: [7] }],
  ],
  [
    { segments: [1, 2, 3, 4].map(pid => ({ t: 1, kind: 'worker-end', pid })) },
    ['workers-ended', { pids: [1, 2, 3, 4] }],
  ],
  [
    {
      segments: [
        { t: 2, kind: 'recording-end' },
        { t: 3, kind: 'worker-end', pid: 7 },
      ],
    },
  ],
  [
    { events: [{ t: 1, kind: 'session-failed', message: 'no space' }] },
    ['event', { message: 'no space' }],
  ],
  [
    { events: [{ t: 1, kind: 'target-gone', message: 'gunicorn master 5 is gone' }] },
    ['event', { message: 'gunicorn master 5 is gone' }],
  ],
];

for (const [fields, ...expected] of TABLE) {
  test(`${JSON.stringify(fields)} → ${expected.map(([id]) => id)}`, () => {
    const reasons = findPartialReasons(records(fields));
    assert.deepEqual(
      reasons,
      expected.map(([id, facts = {}]) => ({ id, facts })),
    );
  });
}
