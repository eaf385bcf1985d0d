import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayWhatIf } from '../../lib/text/what-if.js';

/** @type {[id: string, bottleneck: string, words: RegExp][]} */
const CONDITIONS = [
  [
    'cpu-bound',
    'workers',
    /^the workers are CPU-bound in this run; less if .*, more if the rest gets cheaper/,
  ],
  ['full-machine', 'machine', /^the workers are CPU-bound .* other programs share/],
  ['no-cpu-time', 'workers', /is not known without process CPU$/],
  ['vague', 'workers', /is not known from so few samples$/],
  ['bottleneck', 'none', /because CPU is not the bottleneck$/],
  ['bottleneck', 'database', /the bottleneck is the database$/],
  ['bottleneck', 'external-call', /the bottleneck is calls to other services$/],
  ['bottleneck', 'slots', /because all threads are taken while CPU is idle$/],
  ['bottleneck', 'pool', /the bottleneck is a pool of connections$/],
  ['bottleneck', 'lock', /the bottleneck is a lock$/],
  ['bottleneck', 'loop', /^it raises the throughput as far as it is what blocks the event loop$/],
  ['bottleneck', 'imbalance', /how the requests are spread$/],
  ['bottleneck', 'quota', /the quota of the container$/],
  ['bottleneck', 'generator', /because the load generator was the bottleneck$/],
  ['bottleneck', 'unknown', /^whether it raises the throughput is not known from this run$/],
];
for (const [id, bottleneck, words] of CONDITIONS)
  test(`says when a prediction holds: ${id}, ${bottleneck}`, () => {
    const whatIf = /** @type {any} */ ({ titles: ['TLS'], condition: { id, bottleneck } });
    assert.match(sayWhatIf(whatIf).condition, words);
  });

test('names one cause, or all of them', () => {
  const titleOf = (/** @type {string[]} */ ...titles) =>
    sayWhatIf(
      /** @type {any} */ ({ titles, condition: { id: 'cpu-bound', bottleneck: 'workers' } }),
    ).title;
  assert.equal(titleOf('TLS context per request'), 'TLS context per request');
  assert.equal(titleOf('TLS', 'name look-up'), 'all of them: TLS, name look-up');
});
