import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFullMachine } from '../../../lib/analysis/findings/machine.js';
import { wordsOf } from '../../helpers/words.js';

/** @param {{hostCores: number | null, generatorCores: number | null, workers: number[], model?: string}} facts */
function find({ hostCores, generatorCores, workers, model = 'open' }) {
  return findFullMachine(
    /** @type {any} */ ({
      load: { phases: [{ model }] },
      run: { host: { cpus: 2 } },
      profile: {
        cpu: { hostCores, generatorCores, pySpyCores: 0.1 },
        workers: workers.map(cores => ({ cores, livedShare: 1 })),
      },
    }),
  )[0];
}

test('a full machine is told with who filled it', () => {
  const own = find({ hostCores: 1.95, generatorCores: 0.4, workers: [0.6, 0.7] });
  assert.match(wordsOf(own).title, /1\.9 of 2 cores\).*generator and the API competed for CPU/);
  assert.match(wordsOf(own).advice ?? '', /ARRIVAL_RATE/);
  const closed = find({ hostCores: 1.95, generatorCores: 0.4, workers: [1.3], model: 'closed' });
  assert.match(wordsOf(closed).advice ?? '', /^Start fewer users/);
  const others = find({ hostCores: 2, generatorCores: 0.06, workers: [0.2, 0.2] });
  assert.match(wordsOf(others).title, /no part of this run/);
  assert.deepEqual(wordsOf(others).evidence.at(-1), {
    label: 'background load',
    value: '1.44 cores',
  });
  assert.match(wordsOf(others).advice ?? '', /Stop what else/);
});

test('a machine with idle CPU, or of which nothing is known, is no finding', () => {
  assert.equal(find({ hostCores: 1.7, generatorCores: 0.4, workers: [0.6] }), undefined);
  assert.equal(find({ hostCores: null, generatorCores: 0.4, workers: [0.6] }), undefined);
  assert.equal(find({ hostCores: 2, generatorCores: null, workers: [0.6] }), undefined);
});
