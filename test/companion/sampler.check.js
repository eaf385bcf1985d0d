/** Shares that the companion's sampler tells, against the CPU clock of the thread. Part of the slow lane. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { sum } from '../../lib/math/summary.js';
import { readStartTicks } from '../../lib/process/process-table.js';
import { startPodProfiler } from '../../lib/record/profiler/pod-recorder.js';
import { readNdjson } from '../../lib/run/ndjson.js';
import { createRunFolder } from '../../lib/run/run-folder.js';
import { startGunicorn, waitUntil } from '../helpers/gunicorn.js';
import { readSegment } from '../helpers/recording.js';
import { startHere } from '../helpers/start-here.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion/loadflame_companion.py');
const PARTS = ['in_python', 'in_one_call', 'in_many_calls'];
/** At which chance is 2 points at most. */
const LEAST_SAMPLES = 2500;

for (const workerClass of ['sync', 'gevent'])
  test(`${workerClass}: Python, long calls of C code and short ones are told within 5 points`, async t => {
    const server = await startGunicorn(t, {
      workers: 1,
      args: ['--config', COMPANION, '--worker-class', workerClass],
      env: { LOADFLAME: '1' },
      app: 'sampled_app:app',
    });
    const readClocks = async () =>
      /** @type {Record<string, number>} */ (await (await fetch(server.url)).json());
    let isOver = false;
    const loads = [1, 2].map(async () => {
      while (!isOver) await (await fetch(`${server.url}/work`)).text();
    });
    const files = createRunFolder(makeTempFolder(t), 'profile');
    const before = await readClocks();
    const profiler = await startPodProfiler({
      pods: [
        {
          ...{ pod: 'here', start: startHere, pySpy: null, mode: 'sigprof', python: null },
          ...{ rootPid: server.masterPid, masterPid: server.masterPid, kind: 'gunicorn' },
          startTicks: readStartTicks(server.masterPid) ?? 0,
        },
      ],
      ...{ files, redact: text => text, rateHz: 200, segmentMs: 1000 },
    });
    await waitUntil(() => profiler.stats().samples > LEAST_SAMPLES, 'samples');
    const after = await readClocks();
    await profiler.stop();
    isOver = true;
    await Promise.all(loads);
    const { records } = await readNdjson(files.segments);
    const text = records.map(record => readSegment(files, record)).join('');
    const counted = PARTS.map(part =>
      sum(
        text
          .split('\n')
          .map(line => (line.includes(`;${part} (`) ? Number(line.split(' ').at(-1)) : 0)),
      ),
    );
    const clocks = PARTS.map(part => (after[part] ?? 0) - (before[part] ?? 0));
    for (const [index, part] of PARTS.entries()) {
      const told = (counted[index] ?? 0) / sum(counted);
      const truth = (clocks[index] ?? 0) / sum(clocks);
      t.diagnostic(`${part}: ${(100 * told).toFixed(1)} % of ${(100 * truth).toFixed(1)} %`);
      assert.ok(Math.abs(told - truth) < 0.05, `${part}: ${told} of ${truth}`);
    }
  });
