import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGeneratorLimit } from '../../lib/analysis/judge/findings/machine.js';
import { describeSign } from '../../lib/text/generator-sign.js';
import { describeQuality } from '../../lib/text/quality.js';
import { qualityOf, secs, watchedLoad } from '../analysis/load/watched-load.js';
import { BUSY, judgeFigures } from '../helpers/judge-figures.js';
import { wordsOf } from '../helpers/words.js';

test('reports a generator that was the limit, with worker, share and time', () => {
  const report = watchedLoad([secs(60), [...secs(26), ...secs(34, { busy: 0.97 })]]);
  const text = 'worker 2 was busy 97.0 % of the time in 34 of 58 s';
  const [sign] = report.generator?.signs ?? [];
  assert.equal(sign && describeSign(sign), text);
  const item = qualityOf(report).find(({ id }) => id === 'generator-limit');
  assert.equal(item?.level, 'bad');
  assert.ok(
    item && describeQuality(item).startsWith(`The load generator was the bottleneck: ${text}.`),
  );
});

test('reports pauses of a generator that waits for a CPU', () => {
  const crowded = secs(60, { busy: 0.6, cores: 0.2, delay: 80 });
  const [sign] = watchedLoad([crowded]).generator?.signs ?? [];
  assert.equal(
    sign && describeSign(sign),
    'worker 1 stalled for up to 80 ms (p99 of a second), because other processes took the CPU (it had work to do 60.0 % of the time, but ran on a core only 20.0 %), in 58 of 58 s',
  );
});

test('names what starved a generator: programs outside the run, where they had most of a saturated CPU', () => {
  const starved = { ...BUSY, id: 'starved', utilization: 0.98, cores: 0.01 };
  const titleOf = (/** @type {number} */ hostCores, cores = [0.05]) => {
    const { findings } = judgeFigures({ cores, hostCores, sign: starved });
    return wordsOf(findings.find(({ id }) => id === 'generator-limit')).title;
  };
  assert.match(
    titleOf(3.9),
    /^The load generator was starved of CPU: worker 1 .* only 1\.0 %, because programs outside this run took 3\.85 of 4 cores,/,
  );
  for (const title of [titleOf(2), titleOf(3.9, [0.9, 0.9, 0.9])])
    assert.match(title, /because other processes, a quota or a hook held it back,/);
});

test('advice against a limit depends on what it was', () => {
  /** @type {[import('../analysis/load/watched-load.js').Second, number, RegExp][]} */
  const table = [
    [{ busy: 1 }, 4, /`--workers 2`/],
    [{ busy: 1 }, 1, /^Lower the rate/],
    [{ busy: 1, cores: 0.3 }, 4, /another machine than the target/],
    [{ lag: 100 }, 4, /^Lower the rate/],
  ];
  for (const [second, cpus, advice] of table) {
    const run = /** @type {any} */ ({ host: { cpus } });
    const [finding] = findGeneratorLimit({
      load: watchedLoad([secs(60, second)]),
      run,
      profile: null,
    });
    assert.match(wordsOf(finding).advice ?? '', advice);
  }
  const run = /** @type {any} */ ({ host: null });
  assert.deepEqual(findGeneratorLimit({ load: watchedLoad([secs(60)]), run, profile: null }), []);
});

test('says by how much a few users were late', () => {
  const few = { lag: [...Array(98).fill(0.8), 41.7, 41.7] };
  const seconds = [...secs(20), ...secs(9, few), ...secs(31)];
  const item = qualityOf(watchedLoad([seconds], { answerMs: 1.9 })).find(
    ({ id }) => id === 'generator-paused',
  );
  assert.equal(
    item && describeQuality(item),
    "The load generator's worker 1 started users up to 41.7 ms behind schedule (p99 of a second) in 9 of 58 s: the total time from the scheduled start includes such delays.",
  );
});

test('says how busy a generator was that kept up, and where that was not measured', () => {
  const textOf = (
    /** @type {ReturnType<typeof watchedLoad>} */ report,
    /** @type {string} */ id,
  ) => {
    const item = qualityOf(report).find(own => own.id === id);
    return item ? describeQuality(item) : '';
  };
  const report = watchedLoad([[...secs(10, { busy: 0.2 }), { busy: 0.6, cores: 0.5 }]]);
  assert.match(
    textOf(report, 'generator'),
    /kept up: its busiest worker was busy 23\.6 % of the time/,
  );
  assert.match(
    textOf(watchedLoad([], { engine: 'artillery' }), 'not-checked'),
    /^Not checked: whether the load generator kept up \(Artillery's engine does not measure itself\)/,
  );
});
