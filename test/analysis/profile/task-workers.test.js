import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseTaskWorkers } from '../../helpers/analyse-task-workers.js';

test('damaged records of task workers are left out, as those of the API are', async t => {
  const segment = { t: 5, kind: 'segment', file: 'segment-9.raw', startMs: 1, endMs: 9 };
  const damaged = [
    { ...segment, errors: 'many' },
    { ...segment, looks: -1, errors: 1e9 },
  ];
  const { workers } = await analyseTaskWorkers(t, 90, {}, { damaged });
  assert.deepEqual(workers.samples?.failedShare, 0);
  assert.ok(workers.categories.every(({ share }) => Number.isFinite(share.value)));
});

test('task workers are a group of their own, and nothing of the API changes', async t => {
  const { alone, report, workers } = await analyseTaskWorkers(t, 90);
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
});

test('a torn stack of a task worker gets the callers that whole ones have', async t => {
  const torn = 'Redis.parse_response (redis/client.py:931);read (redis/connection.py:7)';
  const { workers } = await analyseTaskWorkers(t, 90, {}, { torn });
  assert.deepEqual(
    workers.categories.map(({ id }) => id),
    ['business', 'task-queue'],
  );
});

test('task workers that have no core left are a finding', async t => {
  const { workers, report } = await analyseTaskWorkers(t, 950);
  assert.equal(workers.cpu?.isFull, true);
  const found = report.findings.find(({ id }) => id === 'task-workers-full');
  assert.equal(found?.severity, 'warn');
});
