import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadTotals } from '../../../lib/analysis/load/load-totals.js';
import { findPartialReasons } from '../../../lib/analysis/load/partial-reasons.js';
import { describePartial } from '../../../lib/text/quality.js';

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

/** @type {[Record<string, any>, RegExp | null][]} */
const TABLE = [
  [{}, null],
  [{ metrics: [LOAD, { t: 2, kind: 'load-end', reason: 'complete' }] }, null],
  [{ metrics: [LOAD] }, /load test was killed/],
  [{ metrics: [LOAD], isLoadAtWork: true }, /still running/],
  [{ metrics: [LOAD, LOAD], isLoadAtWork: true }, /load test was killed.*; .*still running/],
  [
    { metrics: [LOAD, { t: 2, kind: 'load-end', reason: 'crashed', signal: 'SIGKILL' }] },
    /Artillery was ended by SIGKILL/,
  ],
  [
    { metrics: [LOAD, { t: 2, kind: 'load-end', reason: 'crashed', exitCode: 7 }] },
    /Artillery ended with exit code 7/,
  ],
  [
    { metrics: [LOAD, { t: 2, kind: 'load-end', reason: 'interrupted' }] },
    /load test was interrupted/,
  ],
  [{ manifest: { status: 'running', reasons: [] } }, /loadflame itself was killed/],
  [{ manifest: { status: 'running', reasons: [] }, active: true }, null],
  [{ segments: [{ t: 1, kind: 'segment-lost' }] }, /1 profile segment was lost/],
  [
    {
      segments: [
        { t: 1, kind: 'worker-end', pid: 7 },
        { t: 2, kind: 'recording-end' },
      ],
    },
    /worker 7 ended/,
  ],
  [{ segments: [1, 2, 3, 4].map(pid => ({ t: 1, kind: 'worker-end', pid })) }, /4 workers ended/],
  [
    {
      segments: [
        { t: 2, kind: 'recording-end' },
        { t: 3, kind: 'worker-end', pid: 7 },
      ],
    },
    null,
  ],
  [{ events: [{ t: 1, kind: 'session-failed', message: 'no space' }] }, /no space/],
  [
    { events: [{ t: 1, kind: 'target-gone', message: 'gunicorn master 5 is gone' }] },
    /master 5 is gone/,
  ],
];

for (const [fields, expected] of TABLE) {
  test(`${JSON.stringify(fields)} → ${expected}`, () => {
    const reasons = findPartialReasons(records(fields)).map(describePartial).join('; ');
    if (expected) assert.match(reasons, expected);
    else assert.equal(reasons, '');
  });
}
