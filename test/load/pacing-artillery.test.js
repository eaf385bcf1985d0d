import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { arrivalOffsets } from '../../lib/load/pacing/schedule.js';
import { test } from '../helpers/quiet.js';

const artillery = path.dirname(createRequire(import.meta.url).resolve('artillery/package.json'));
const { default: createPhaser } = await import(
  pathToFileURL(path.join(artillery, 'dist/lib/core/phases.js')).href
);

test('as many users arrive as under Artillery, in uniform phases, counts and ramps', async () => {
  const phases = [
    { duration: 1, arrivalRate: 37 },
    { duration: 1, arrivalRate: 7 },
    { duration: '1500ms', arrivalRate: 3 },
    { duration: 1, arrivalCount: 11 },
    { duration: 2, arrivalRate: 10, rampTo: 20 },
    { duration: 2, arrivalRate: 8, rampTo: 0 },
  ];
  await Promise.all(
    phases.map(async phase => {
      const spec = { ...phase, worker: 1, totalWorkers: 1 };
      const phaser = createPhaser([spec]);
      let arrived = 0;
      phaser.on('arrival', () => {
        arrived += 1;
      });
      phaser.run();
      await once(phaser, 'done');
      // The last arrival of a ramp is due when the phase is over, and may come after it.
      await setTimeout(300);
      const numbers = /** @type {any} */ (spec);
      const ours = [...arrivalOffsets(numbers, { index: 0, of: 1 })].length;
      assert.equal(ours, arrived, JSON.stringify(phase));
    }),
  );
});
