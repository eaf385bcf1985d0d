import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { runFiles, taskWorkerFiles } from '../../lib/run/run-folder.js';
import { makeRun, writeRun } from './synthetic-run/index.js';
import { makeTempFolder } from './temp-folder.js';

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
 * @param {import('./synthetic-run/index.js').SyntheticSpec} [spec]
 * @param {{damaged?: Record<string, unknown>[], torn?: string}} [more] records of its profiler; a stack of its first process
 */
export async function analyseTaskWorkers(t, childMs, spec = {}, { damaged = [], torn } = {}) {
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
    const stacks = [...STACKS, ...(torn ? [[torn, ROOT, 1 / 25]] : [])].map(
      ([stack, pid, share]) => {
        const below = pid === CHILD ? `process ${CHILD}:"${COMMAND}";` : '';
        return `process ${ROOT}:"${COMMAND}";${below}${stack} ${Number(share) * 25}\n`;
      },
    );
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
