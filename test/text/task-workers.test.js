import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordReport } from '../../lib/text/index.js';
import { analyseTaskWorkers } from '../helpers/analyse-task-workers.js';
import { printRun } from '../helpers/print-documents.js';

test('task workers are a section beside the API, and their cost is that of all its requests', async t => {
  const { report } = await analyseTaskWorkers(t, 90);
  const text = printRun(wordReport(report), { width: 200 });
  assert.match(text, /Beside the API: Celery workers/);
  assert.match(text, /Celery: 0\.10 cores\. Tasks run in 1 process at a time/);
  assert.match(text, /per request of the whole API/);
});

test('task workers that have no core left are named with what each takes', async t => {
  const { report } = await analyseTaskWorkers(t, 950);
  const { text } = wordReport(report).findings.find(({ id }) => id === 'task-workers-full') ?? {};
  assert.match(text?.title ?? '', /^The Celery workers are full: 0\.95 of a core each\.$/);
});
