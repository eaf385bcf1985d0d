import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWorkerRestarts } from '../../../../lib/analysis/judge/findings/trends.js';
import { describeCpuUse } from '../../../../lib/analysis/profile/cpu-use.js';
import { wordsOf } from '../../../helpers/words.js';
import { makeLoad, makeRecorded, makeRunInfo } from '../../facts.js';

/** @param {number} restarts @param {string[]} [lines] of the log at a burst of errors */
function find(restarts, lines = []) {
  const { cpu, profile } = makeRecorded();
  cpu.workerRestarts = restarts;
  cpu.workers[0].endedInRun = restarts > 0;
  const load = makeLoad();
  load.errorBursts = [{ log: { lines: lines.map(text => ({ text })) } }];
  return findWorkerRestarts({ run: makeRunInfo(), load, cpu, profile });
}

/** @type {[string, RegExp, RegExp][]} */
const TABLE = [
  [
    '[CRITICAL] WORKER TIMEOUT (pid:812)',
    /1 worker was restarted .*: it did not respond to its master within --timeout\.$/,
    /threads \(gthread\)/,
  ],
  [
    '[ERROR] Worker (pid:812) was sent SIGKILL! Perhaps out of memory?',
    /killed, perhaps for its memory/,
    /memory of the workers/,
  ],
  [
    '[INFO] Autorestarting worker after current request.',
    /--max-requests ends workers on purpose/,
    /jitter/,
  ],
  ['[INFO] something else', /restarted during the recording\.$/, /WORKER TIMEOUT/],
];
for (const [line, title, advice] of TABLE) {
  test(`a worker that ended, and the log says "${line}"`, () => {
    const [finding] = find(1, ['unrelated', line]);
    assert.match(wordsOf(finding).title, title);
    assert.match(wordsOf(finding).advice ?? '', advice);
  });
}

test('does not report workers that lived through the run', () => {
  assert.deepEqual(find(0, ['WORKER TIMEOUT']), []);
});

test('several workers are counted, and each is evidence', () => {
  const [finding] = find(3);
  assert.match(wordsOf(finding).title, /^3 workers were restarted/);
  assert.deepEqual(wordsOf(finding).evidence, [{ label: 'worker 1', value: 'ended' }]);
});

/** Records of a recording, at a second each. @param {[kind: string, pid: number][]} changes */
const record = changes =>
  [['recording-start', 1], ['worker-start', 2], ['worker-start', 3], ...changes].map(
    ([kind, pid], index) => ({ kind, pid, t: index < 3 ? 0 : index * 2000 }),
  );

/** @type {[changes: [kind: string, pid: number][], title: RegExp | null][]} */
const CHANGES = [
  [[['worker-start', 4]], null],
  [[['worker-end', 2]], /^1 worker ended without a replacement during the recording\.$/],
  [
    [
      ['worker-end', 2],
      ['worker-end', 3],
      ['worker-start', 4],
    ],
    /^1 worker was restarted and 1 worker ended without a replacement during/,
  ],
  // gunicorn starts the new one first on a reload
  [
    [
      ['worker-start', 4],
      ['worker-end', 2],
    ],
    /^1 worker was restarted during/,
  ],
  [
    [
      ['worker-end', 2],
      ['recording-end', 1],
      ['worker-end', 3],
    ],
    /^1 worker ended without/,
  ],
];
for (const [changes, title] of CHANGES)
  test(`${changes.map(([kind, pid]) => `${kind} ${pid}`).join(', ')}: only a worker that was replaced was restarted`, () => {
    const records = record(changes);
    const cpu = describeCpuUse(/** @type {any} */ ({ records, threads: [] }), null);
    const facts = { run: makeRunInfo(), load: null, cpu, profile: null };
    const [finding] = findWorkerRestarts(/** @type {any} */ (facts));
    if (title === null) assert.equal(finding, undefined);
    else assert.match(wordsOf(finding).title, title);
  });

test('what loading the application took of the CPU is evidence', () => {
  const { cpu, profile } = makeRecorded();
  cpu.workerRestarts = 1;
  profile.categories = [{ id: 'startup', share: { value: 0.66, low: 0.6, high: 0.71 } }];
  const [finding] = findWorkerRestarts({ run: makeRunInfo(), load: makeLoad(), cpu, profile });
  assert.deepEqual(wordsOf(finding).evidence[0], {
    label: 'loading the application',
    value: '66 % ± 6 of the CPU',
  });
});
