import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderStudyCsv } from '../../../../lib/report/study/render-csv.js';
import { printStudy, studyToMarkdown } from '../../../helpers/print-documents.js';
import { judgeSpec } from '../../../helpers/synthetic-study/judge-spec.js';

/** @import { StudySpec } from '../../../helpers/synthetic-study/study-spec.d.ts' */

const OBJECTIVE = {
  ratePerSec: 50,
  clients: null,
  intervalSec: null,
  p95Ms: null,
  errors: null,
  headroom: 0.3,
};

/**
 * Bursts of 500 tasks that are taken in, pass one manager, and are done by workers.
 * @param {{taken?: number, managed: number, each: number}} rates per second; `each` of a worker
 * @param {Partial<StudySpec>} [spec]
 * @returns {StudySpec}
 */
function tasks({ taken = 400, managed, each }, spec) {
  return {
    factors: { workers: ['1', '2', '4', '8', '16'] },
    model: 'burst',
    steps: [500],
    truth: ({ workers }) => {
      const all = Number(workers) * each;
      const most = Math.min(taken, managed, all);
      const isManager = managed < Math.min(taken, all);
      const isWorkers = all < Math.min(taken, managed);
      const pile = (/** @type {number} */ second) => Math.max(2, 400 - second * 15);
      return {
        throughput: () => most,
        dispatch: () => taken,
        latencyMs: () => 900,
        generatorMs: 0.01,
        components: {
          manager: { demandMs: 0.5, processes: 1 },
          'task-workers': { demandMs: 0.5, processes: Number(workers) },
        },
        probes: {
          'tasks.inbox': second => (isManager ? pile(second) : 0),
          'tasks.queued': second => (isWorkers ? pile(second) : 0),
        },
      };
    },
    ...spec,
    study: {
      throughput: { probe: 'tasks', field: 'completed', label: 'tasks completed/s' },
      stages: [
        { name: 'manager', backlog: { probe: 'tasks', field: 'inbox' }, servers: '1' },
        {
          name: 'workers',
          backlog: { probe: 'tasks', field: 'queued' },
          servers: '{{ $env.STUDY_WORKERS }}',
        },
      ],
      objective: OBJECTIVE,
      ...spec?.study,
    },
  };
}

test('one manager stops every number of workers, and its rate is what a burst is done with', () => {
  const report = judgeSpec(tasks({ managed: 2.6, each: 40 }));
  for (const { bottleneck, saturation, drain } of report.variants) {
    assert.deepEqual([bottleneck.id, bottleneck.component], ['stage', 'manager']);
    assert.deepEqual([saturation.state, saturation.sign], ['reached', 'queued']);
    assert.ok(Math.abs((drain?.drainSec?.value ?? 0) - 500 / 2.6) < 20);
    assert.equal(Math.floor(drain?.completionPerSec.value ?? 0), 2);
  }
});

test('where more workers let no more through, it is not their number that stops them', () => {
  const spec = tasks({ managed: 1000, each: 60 });
  const titles = judgeSpec({
    ...spec,
    truth: ({ workers }) => spec.truth({ workers: String(Math.min(4, Number(workers))) }),
  }).variants.map(({ bottleneck }) => bottleneck.text.title);
  const isTold = titles.map(title =>
    /the limit is a shared resource, not their number/.test(title),
  );
  assert.deepEqual(isTold, [false, false, true, true, false], titles.join('\n'));
  assert.match(
    titles[2] ?? '',
    /4 at a time, and no more with 8 workers and 16 workers: the limit/,
  );
});

test('the choke point of a burst is the last stage where some wait all the time, not the longest queue', () => {
  const spec = tasks({ managed: 1000, each: 6 });
  const report = judgeSpec({
    ...spec,
    truth: factors => ({
      ...spec.truth(factors),
      probes: {
        // the manager is done with its 400 long before the workers are
        'tasks.inbox': second => Math.max(0, 400 - second * 40),
        'tasks.queued': second => 3 + (second % 3),
      },
    }),
  });
  for (const { bottleneck } of report.variants)
    assert.deepEqual([bottleneck.id, bottleneck.component], ['stage', 'workers']);
});

test('throughput as fast as the arrivals is a lower bound, not a ceiling', () => {
  const { variants } = judgeSpec(tasks({ taken: 90, managed: 100, each: 300 }));
  for (const { saturation } of variants) {
    assert.deepEqual([saturation.state, saturation.sign], ['not-reached', 'keeps-up']);
    assert.match(saturation.text, /how much more is not known/);
  }
});

test('a burst is in every output', () => {
  const report = judgeSpec(tasks({ managed: 20, each: 40 }));
  assert.match(studyToMarkdown(report), /#### Bursts.*\n\n\| .*\| all done after/);
  const [head = '', row = ''] = renderStudyCsv(report).split('\r\n');
  const place = head.split(',').indexOf('drain_s');
  assert.ok(Math.abs(Number(row.split(',')[place]) - 25) < 5, row);
  assert.ok(head.includes('step_at_once') && head.includes('answered_per_s'));
  const text = printStudy(report, { width: 200 });
  assert.match(text, /all done after\n +1 worker +500 +400\/s/);
});
