import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasEnough } from '../../lib/study/enough-repeats.js';
import { estimateOverRepeats } from '../../lib/study/estimates.js';
import { serveByWorkers } from '../helpers/synthetic-study/examples.js';
import { makeStudy } from '../helpers/synthetic-study/index.js';
import { judgeSpec } from '../helpers/synthetic-study/judge-spec.js';

const SPEC = {
  factors: { setting: ['calm', 'noisy'] },
  steps: [1, 4, 16, 32],
  durationSec: 6,
  repeats: 8,
  study: { enough: { least: 3, within: 0.05 } },
};

/** How often a variant was repeated. @param {ReturnType<typeof makeStudy>} made @param {string} id */
const countRepeats = ({ journal }, id) =>
  journal.filter(record => record.kind === 'block-end' && record.variant === id).length;

test('repeats end where the highest throughput is known well enough, and their intervals hold the truth', () => {
  for (const { noise, most } of [
    { noise: 0.01, most: 4 },
    { noise: 0.04, most: 6 },
    { noise: 0.15, most: 8 },
  ]) {
    let [held, repeats] = [0, 0];
    for (let seed = 1; seed <= 200; seed++) {
      const truth = serveByWorkers(2, { demandMs: 2 });
      const spec = { ...SPEC, factors: {}, steps: [32], noise, seed, truth: () => truth };
      const { journal } = makeStudy(spec);
      const values = journal.flatMap(record =>
        record.kind === 'cell-end' && record.outcome === 'measured'
          ? record.figures.throughputPerSec
          : [],
      );
      const { low, high } = estimateOverRepeats(values, []).estimate;
      repeats += values.length;
      if (Number(low) <= truth.throughput(32) && truth.throughput(32) <= Number(high)) held++;
    }
    assert.ok(held >= 200 * 0.88, `${held} of 200 at ${noise}`);
    assert.ok(repeats / 200 <= most && repeats / 200 >= 3, `${repeats / 200} repeats at ${noise}`);
  }
});

test('each variant has its own number of repeats, and a study that ended so is whole', () => {
  const spec = { ...SPEC, noise: 0.0, truth: () => serveByWorkers(2, { demandMs: 2 }) };
  const made = makeStudy(spec);
  const [calm = '', noisy = ''] = made.plan.variants.map(({ id }) => id);
  // What one of them did, by hand: far apart in each repeat.
  for (const record of made.journal)
    if (record.kind === 'cell-end' && record.outcome === 'measured' && record.variant === noisy)
      record.figures.throughputPerSec *= 1 + record.repeat / 4;
  assert.equal(hasEnough(made.plan.study, calm, made.journal), true);
  assert.equal(hasEnough(made.plan.study, noisy, made.journal), false);
  assert.equal(countRepeats(made, calm), 3);

  const { study } = judgeSpec(spec);
  assert.deepEqual([study.status, study.reasons], ['complete', []]);
  assert.deepEqual(study.enough, { least: 3, within: 0.05 });
});

test('a block that failed, or has not ended, is no repeat', () => {
  const spec = { ...SPEC, noise: 0, truth: () => serveByWorkers(2, { demandMs: 2 }) };
  const { plan, journal } = makeStudy(spec);
  const [{ id } = { id: '' }] = plan.variants;
  const isOfThird = (/** @type {any} */ record) =>
    record.kind === 'block-end' && record.variant === id && record.repeat === 3;
  assert.equal(
    hasEnough(
      plan.study,
      id,
      journal.filter(record => !isOfThird(record)),
    ),
    false,
  );
  const failed = journal.map(record => (isOfThird(record) ? { ...record, failure: 'no' } : record));
  assert.equal(hasEnough(plan.study, id, /** @type {typeof journal} */ (failed)), false);
});

test('where a cell of the best step failed, a lower step that is known well is not enough', () => {
  const spec = { ...SPEC, noise: 0, truth: () => serveByWorkers(2, { demandMs: 2 }) };
  const { plan, journal } = makeStudy(spec);
  const [{ id } = { id: '' }] = plan.variants;
  const isLost = (/** @type {any} */ record) =>
    record.kind === 'cell-end' &&
    record.variant === id &&
    record.step === 32 &&
    record.repeat === 3;
  for (const record of journal)
    if (record.kind === 'cell-end' && record.outcome === 'measured' && record.step === 32)
      record.figures.throughputPerSec *= 2;
  assert.equal(hasEnough(plan.study, id, journal), true);
  const lost = journal.filter(record => !isLost(record));
  assert.equal(hasEnough(plan.study, id, lost), false);
});
