/**
 * Our engine does with a script what Artillery did, or what was decided instead: here with a part of
 * the scripts, `npm run test:conformance -- --recorded` takes all.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { compareOutcomes } from './compare-outcomes.js';
import { applyDifference, DECISIONS, readDifferences } from './decisions.js';
import { listScripts } from './list-scripts.js';
import { readReference } from './reference.js';
import { openLanes } from './run-in-lanes.js';
import { runScript } from './run-script.js';

const LANES = 2;
/** Under Artillery itself, too: a method with a body, cookies and redirects, captures and hooks. */
const LIVE = ['methods/write', 'redirects/cookies', 'hooks/response'];

/** One in so many of those without a decision. */
const ONE_IN = 6;

const reference = readReference();
const differences = readDifferences();
const all = listScripts().filter(({ slow }) => !slow);
/** One for each decision. */
const decided = new Set(
  [...new Set(Object.values(DECISIONS).flat())].map(anchor =>
    all.find(({ name }) => DECISIONS[name]?.includes(anchor)),
  ),
);
const scripts = all.filter(
  (script, i) => decided.has(script) || (i % ONE_IN === 0 && !(script.name in DECISIONS)),
);
/** @type {import('./run-in-lanes.js').Lanes} */
let lanes;
before(async () => {
  lanes = await openLanes(LANES);
});
after(() => lanes.close());

suite('our engine, compared with what Artillery did', { concurrency: LANES }, () => {
  for (const script of scripts) {
    test(script.name, async () => {
      const recorded = reference.scripts[script.name];
      assert.ok(recorded, 'Artillery was not recorded with this script');
      const expected = applyDifference(recorded.outcome, differences[script.name]);
      const ours = await lanes.run(servers => runScript(script, 'loadflame', servers));
      assert.deepEqual(compareOutcomes(expected, ours), []);
    });
  }
});

suite('Artillery, compared with what it did', { concurrency: LANES }, () => {
  for (const script of all.filter(({ name }) => LIVE.includes(name))) {
    test(script.name, async () => {
      const now = await lanes.run(servers => runScript(script, 'artillery', servers));
      assert.deepEqual(now, reference.scripts[script.name]?.outcome);
    });
  }
});
