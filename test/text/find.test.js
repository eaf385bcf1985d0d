import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printMarkdown } from '../../lib/report/print/markdown.js';
import { printTerminal } from '../../lib/report/print/terminal.js';
import { describeFind, describeFindStep } from '../../lib/text/find.js';

/** @import { FindReport, FindStep } from '../../lib/run/facts/find.d.ts' */

/** @param {number} level @param {Partial<FindStep>} more @returns {FindStep} */
const step = (level, more) => ({
  ...{ level, seconds: 20, isStopped: false, checks: [], problem: null, margin: null },
  ...{
    verdict: 'keeps',
    requestsPerSec: level,
    sessionMs: 0,
    bottleneck: null,
    folder: `${level}`,
    ...more,
  },
});

/** @param {Partial<FindReport>} more @returns {FindReport} */
const report = more => ({
  ...{ schema: 'loadflame-find/1', createdAtMs: 0, limits: ['http.p95 < 250ms', 'errors < 1%'] },
  load: { model: 'open', level: 10, most: null, warmUpSec: 0, durationSec: 0 },
  ...{ end: 'found', elapsedMs: 300_000, keeps: 30, fails: 36 },
  steps: [
    step(30, {}),
    step(36, {
      verdict: 'fails',
      isStopped: true,
      problem: { id: 'queue', facts: { growth: 80 } },
    }),
    step(40, { verdict: 'limited', problem: { id: 'generator', facts: { sign: null } } }),
  ],
  below: { level: 32, runs: 3, verdict: 'unknown', margin: -0.1, isSettled: true },
  above: { level: 36, runs: 1, verdict: 'fails', margin: 1, isSettled: true },
  ...more,
});

/** @param {Partial<FindReport>} more */
const print = more =>
  printTerminal(describeFind(report(more)), { width: 140 }).replace(/\s+/g, ' ');

test('shows the highest load, its certainty, and the result of each step', () => {
  const text = print({});
  assert.match(
    text,
    /✔ 32 users\/s is the highest arrival rate that keeps http\.p95 < 250ms and errors < 1%\./,
  );
  assert.match(
    text,
    /3 steps in 5 min, 3 of them at 32 users\/s\. By the intervals .* 30 users\/s is clearly inside and 36 users\/s clearly outside\./,
  );
  assert.match(text, /Arrivals were evenly spaced/);
  assert.match(
    text,
    /36 users\/s fails .* queue: 80 more requests in flight at the end; stopped early/,
  );
  assert.match(text, /40 users\/s not measured .* load generator, or other work on its machine/);
  assert.match(printMarkdown(describeFind(report({}))), /\| 30 users\/s \| keeps \|/);
  assert.doesNotMatch(print({ load: { ...report({}).load, mode: 'poisson' } }), /evenly spaced/);
});

test('an end without a result claims only what is clear', () => {
  assert.match(
    print({ end: 'generator' }),
    /✖ The load generator was the limit\. The target keeps .* at 30 users\/s and does not at 36 users\/s; the highest load is not known\./,
  );
  assert.match(
    print({ end: 'time', fails: null }),
    /Not confirmed, because time ran out\. The target keeps .* at 30 users\/s; /,
  );
  assert.match(
    print({ end: 'interrupted', keeps: null, fails: null }),
    /Interrupted\. The highest load that keeps .* is not known\./,
  );
  assert.match(
    print({ end: 'fails', below: null }),
    /✖ The target does not keep .* at 36 users\/s, the lowest load\./,
  );
});

test('reports the bottleneck of a failed step as unknown if none was found', () => {
  /** @type {any} */
  const bottleneck = { id: 'none', facts: { workers: null } };
  const text = print({ steps: [step(36, { verdict: 'fails', bottleneck })] });
  assert.match(
    text,
    /What limits at 36 users\/s is not known The step is too short .* `--profile`/,
  );
});

test('describes a step briefly', () => {
  const first = report({}).steps[1];
  assert.ok(first);
  assert.match(describeFindStep(first, 'closed'), /^36 users: fails \(queue: 80 more requests/);
});
