/** Declares a test for each script: our engine does with it what Artillery did, or what was decided instead. */
import assert from 'node:assert/strict';
import { after, before, suite } from 'node:test';
import { test } from '../helpers/quiet.js';
import { compareOutcomes, findUnnamed } from './compare-outcomes.js';
import { applyDifference, readDifferences } from './decisions.js';
import { readReference } from './reference.js';
import { openLanes } from './run-in-lanes.js';
import { runScript } from './run-script.js';

/** @import { ConformanceScript } from './list-scripts.js' */

const LANES = 2;

/** Our engine, against what was recorded of Artillery. @param {ConformanceScript[]} scripts */
export function declareRecorded(scripts) {
  const reference = readReference();
  const differences = readDifferences();
  declare('our engine, compared with what Artillery did', scripts, async (script, servers) => {
    const recorded = reference.scripts[script.name];
    assert.ok(recorded, 'Artillery was not recorded with this script');
    const expected = applyDifference(recorded.outcome, differences[script.name]);
    const ours = await runScript(script, 'loadflame', servers);
    assert.deepEqual([...compareOutcomes(expected, ours), ...findUnnamed(script, ours)], []);
  });
}

/** Artillery itself, against what was recorded of it. @param {ConformanceScript[]} scripts */
export function declareArtillery(scripts) {
  const reference = readReference();
  declare('Artillery, compared with what it did', scripts, async (script, servers) => {
    const recorded = reference.scripts[script.name];
    assert.ok(recorded, 'Artillery was not recorded with this script');
    const now = await runScript(script, 'artillery', servers);
    assert.deepEqual(compareOutcomes(recorded.outcome, now), []);
  });
}

/**
 * @param {string} title
 * @param {ConformanceScript[]} scripts
 * @param {(script: ConformanceScript, servers: import('./server/start-servers.js').Servers) => Promise<void>} check
 */
function declare(title, scripts, check) {
  /** @type {import('./run-in-lanes.js').Lanes} */
  let lanes;
  before(async () => {
    lanes = await openLanes(LANES);
  });
  after(() => lanes.close());
  suite(title, { concurrency: LANES }, () => {
    for (const script of scripts) {
      test(script.name, () => lanes.run(servers => check(script, servers)));
    }
  });
}
