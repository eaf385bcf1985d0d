import assert from 'node:assert/strict';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { startProbes } from '../../../lib/record/probes/probe-recorder.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { waitUntil } from '../../helpers/gunicorn.js';
import { serve } from '../../helpers/listen.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('a counter is read again and again, and once more at the end; failures are told when they change', async t => {
  const state = { completed: 0, answer: 200 };
  let asked = 0;
  const url = await serve(t, (_, response) => {
    asked++;
    state.completed += 10;
    response.writeHead(state.answer);
    response.end(
      state.answer === 200 ? JSON.stringify({ completed: state.completed }) : 'hunter22',
    );
  });
  const files = createRunFolder(makeTempFolder(t), 'probes');
  const probes = startProbes(
    [
      { name: 'tasks', url: `${url}/`, command: null, intervalMs: 20 },
      { name: 'gone', url: null, command: ['echo', 'hunter22'], intervalMs: 50 },
    ],
    { files, redactor: createRedactor(['hunter22']) },
  );
  const read = async () => (await readNdjson(files.probes)).records;
  const countOf = async (/** @type {string} */ kind, /** @type {string} */ name) =>
    (await read()).filter(record => record.kind === kind && record.name === name).length;

  await waitUntil(async () => (await countOf('probe', 'tasks')) >= 3, 'three answers');
  state.answer = 500;
  await waitUntil(async () => (await countOf('probe-failed', 'tasks')) > 0, 'a failure');
  const before = asked;
  await waitUntil(() => asked >= before + 5, 'more questions');
  state.answer = 404;
  await waitUntil(async () => (await countOf('probe-failed', 'tasks')) > 1, 'another failure');
  state.answer = 200;
  const good = await countOf('probe', 'tasks');
  await waitUntil(async () => (await countOf('probe', 'tasks')) > good, 'answers again');
  const last = state.completed;
  await probes.stop();
  const atEnd = asked;
  const records = await read();

  const tasks = records.filter(({ name }) => name === 'tasks');
  const failures = tasks.filter(({ kind }) => kind === 'probe-failed');
  assert.deepEqual(
    failures.map(({ message }) => message),
    ['it responded with status 500', 'it responded with status 404'],
  );
  const values = tasks.flatMap(record => record.values?.completed ?? []);
  assert.deepEqual(
    values,
    values.toSorted((a, b) => a - b),
  );
  assert.ok(values.at(-1) > last, `${values.at(-1)} after ${last}`);
  for (const { kind, t: at, tookMs } of tasks) {
    assert.ok(at > 1e12);
    if (kind === 'probe') assert.ok(tookMs >= 0);
  }
  const gone = records.filter(({ name }) => name === 'gone');
  assert.deepEqual(
    gone.map(({ kind, message }) => [kind, message]),
    [['probe-failed', '"[redacted]" is no JSON object with a number in it']],
  );
  await new Promise(resolve => setTimeout(resolve, 100));
  assert.equal(asked, atEnd, 'nothing is asked after the end');
});
