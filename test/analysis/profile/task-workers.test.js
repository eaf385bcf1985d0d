import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { analyseRun } from '../../../lib/analysis/analyse-run.js';
import { runFiles, taskWorkerFiles } from '../../../lib/run/run-folder.js';
import { wordReport } from '../../../lib/text/index.js';
import { printRun } from '../../helpers/print-documents.js';
import { makeRun, writeRun } from '../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const [ROOT, CHILD] = [7000, 7001];
const SECONDS = 20;
const COMMAND = '/v/bin/python /v/bin/celery -A task_app:queue worker -c 1';
const MACHINERY =
  '<module> (celery:8);worker (celery/bin/worker.py:400);WorkController.start (celery/worker/worker.py:271)';
/** As py-spy recorded them of Celery 5.7: the first process, and the child that runs a task. */
const STACKS = [
  [
    `${MACHINERY};asynloop (celery/worker/loops.py:65);Hub.create_loop (kombu/asynchronous/hub.py:372);Redis.parse_response (redis/client.py:928)`,
    ROOT,
    1,
  ],
  [
    `${MACHINERY};AsynPool._create_worker_process (celery/concurrency/asynpool.py:565);Worker.workloop (billiard/pool.py:327);build_tracer.<locals>.trace_task (celery/app/trace.py:454);bill (task_app.py:21);spin (task_app.py:16)`,
    CHILD,
    4,
  ],
];

/**
 * A run with a Celery beside it: the first process has 10 ms of CPU a second, its child `childMs`.
 * @param {import('node:test').TestContext} t @param {number} childMs
 * @param {import('../../helpers/synthetic-run/index.js').SyntheticSpec} [spec]
 * @param {Record<string, unknown>[]} [damaged] records of its profiler
 */
async function analyse(t, childMs, spec = {}, damaged = []) {
  const run = makeRun({ durationSec: SECONDS, ...spec });
  const folder = writeRun(makeTempFolder(t), run);
  const alone = await analyseRun(folder);
  const files = runFiles(folder);
  const own = taskWorkerFiles(files, 1);
  mkdirSync(path.dirname(own.segments), { recursive: true });
  const manifest = JSON.parse(readFileSync(files.manifest, 'utf8'));
  manifest.profile.taskWorkers = { name: 'celery', rootPids: [ROOT] };
  writeFileSync(files.manifest, JSON.stringify(manifest));
  const line = (/** @type {Record<string, unknown>} */ record) => `${JSON.stringify(record)}\n`;
  const startMs = alone.report.profile?.window?.startMs ?? 0;
  let index = line({
    t: startMs,
    kind: 'recording-start',
    rateHz: 50,
    recorder: { name: 'py-spy' },
  });
  for (let n = 1; n <= SECONDS / 5; n++) {
    const file = own.segment(n);
    const segment = { startMs: startMs + (n - 1) * 5000, endMs: startMs + n * 5000 };
    index += line({ t: segment.endMs, kind: 'segment', file: path.basename(file), ...segment });
    const stacks = STACKS.map(([stack, pid, share]) => {
      const below = pid === CHILD ? `process ${CHILD}:"${COMMAND}";` : '';
      return `process ${ROOT}:"${COMMAND}";${below}${stack} ${Number(share) * 25}\n`;
    });
    writeFileSync(file, stacks.join(''));
  }
  index += damaged.map(line).join('');
  writeFileSync(own.segments, index + line({ t: 0, kind: 'recording-end', reason: 'stopped' }));
  for (let second = 0; second <= SECONDS; second++) {
    const t = startMs + second * 1000;
    const common = { t, kind: 'sample', role: 'celery', rssBytes: 1, threads: 1, startTicks: 5 };
    appendFileSync(
      files.processes,
      line({ ...common, pid: ROOT, cpuMs: 500 + second * 10 }) +
        line({ ...common, pid: CHILD, cpuMs: 500 + second * childMs }) +
        line({ t, kind: 'group', name: 'celery', processes: 2, unseenCpuMs: 0 }),
    );
  }
  const { report } = await analyseRun(folder);
  assert.ok(report.taskWorkers && alone.report.profile);
  return { alone: alone.report, report, workers: report.taskWorkers };
}

test('damaged records of task workers are left out, as those of the API are', async t => {
  const segment = { t: 5, kind: 'segment', file: 'segment-9.raw', startMs: 1, endMs: 9 };
  const damaged = [
    { ...segment, errors: 'many' },
    { ...segment, looks: -1, errors: 1e9 },
  ];
  const { workers } = await analyse(t, 90, {}, damaged);
  assert.deepEqual(workers.samples?.failedShare, 0);
  assert.ok(workers.categories.every(({ share }) => Number.isFinite(share.value)));
});

test('task workers are a group of their own, and nothing of the API changes', async t => {
  const { alone, report, workers } = await analyse(t, 90);
  for (const part of /** @type {const} */ (['profile', 'costs', 'load', 'balance']))
    assert.deepEqual(report[part], alone[part], part);
  assert.equal(alone.taskWorkers, null);
  assert.equal(report.bottleneck?.id, alone.bottleneck?.id);
  assert.deepEqual(
    report.findings.map(({ id }) => id),
    alone.findings.map(({ id }) => id),
  );
  assert.ok(Math.abs((workers.cpu?.cores ?? 0) - 0.1) < 0.005, `${workers.cpu?.cores} cores`);
  assert.ok(Math.abs((workers.cpu?.coresEach ?? 0) - 0.09) < 0.005);
  const { areBelow, running, isFull } = workers.cpu ?? {};
  assert.deepEqual({ areBelow, running, isFull }, { areBelow: true, running: 1, isFull: false });
  assert.deepEqual(
    workers.categories.map(({ id, share }) => [id, share.value]),
    [
      ['business', 0.8],
      ['task-queue', 0.2],
    ],
  );
  assert.deepEqual(
    workers.hotPaths.map(({ entry }) => entry.function),
    ['spin', 'asynloop'],
  );
  // Which requests hand tasks over is not seen: over all of them, and said so.
  const requests = report.load?.http.responses ?? 0;
  assert.equal(workers.perRequest?.requests, requests);
  const expected = (workers.cpu?.cpuMs ?? 0) / requests;
  assert.equal(workers.perRequest?.cpuMs, expected);

  const worded = wordReport(report);
  const text = printRun(worded, { width: 200 });
  assert.match(text, /Beside the API: Celery workers/);
  assert.match(text, /Celery: 0\.10 cores\. Tasks run in 1 process at a time/);
  assert.match(text, /per request of the whole API/);
});

test('task workers that have no core left are a finding', async t => {
  const { workers, report } = await analyse(t, 950);
  assert.equal(workers.cpu?.isFull, true);
  const found = report.findings.find(({ id }) => id === 'task-workers-full');
  assert.equal(found?.severity, 'warn');
  const { text } = wordReport(report).findings.find(({ id }) => id === 'task-workers-full') ?? {};
  assert.match(text?.title ?? '', /^The Celery workers are full: 0\.95 of a core each\.$/);
});
