import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../../lib/base/process/child.js';
import { readStartTicks } from '../../../lib/base/process/process-table.js';
import { watchRun } from '../../../lib/report/live/watch-run.js';
import { updateManifest } from '../../../lib/run/manifest.js';
import { runFiles } from '../../../lib/run/run-folder.js';
import { wordReport } from '../../../lib/text/index.js';
import { fullReport } from '../../fixtures/reports/reports.js';
import { makeRun, writeRun } from '../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** A run of which half is written, that a program owns, and what is sent of it. @param {import('node:test').TestContext} t */
function startRun(t) {
  const folder = writeRun(makeTempFolder(t), makeRun({ durationSec: 40 }));
  const files = runFiles(folder);
  const owner = startChild('sleep', ['600']);
  t.after(() => owner.stop());
  updateManifest(files.manifest, {
    status: 'running',
    endedAtMs: null,
    pid: owner.pid,
    pidStartTicks: readStartTicks(owner.pid),
  });
  const lines = readFileSync(files.metrics, 'utf8').split('\n').slice(0, -1);
  // its end has not come
  const load = lines.filter(line => JSON.parse(line).kind !== 'load-end');
  writeFileSync(files.metrics, `${load.slice(0, 30).join('\n')}\n`);
  const stopping = new AbortController();
  /** @type {{type: string, data: any}[]} */
  const messages = [];
  const ended = watchRun(folder, {
    signal: stopping.signal,
    rulesFile: null,
    send: (type, data) => messages.push({ type, data: JSON.parse(data) }),
  });
  t.after(async () => {
    stopping.abort();
    await ended;
  });
  /** @param {(message: {type: string, data: any}) => boolean} isWanted */
  const waitFor = async isWanted => {
    for (const endMs = Date.now() + 60_000; Date.now() < endMs; await sleep(20)) {
      const found = messages.find(isWanted);
      if (found) return found.data;
    }
    throw new Error('it did not come');
  };
  return { folder, files, owner, load, messages, stopping, ended, waitFor };
}

test('follows a run, and analyses its last state after kill -9', async t => {
  const { folder, files, owner, load, messages, ended, waitFor } = startRun(t);
  const first = await waitFor(({ type }) => type === 'report');
  assert.equal(first.ended, null);
  assert.deepEqual([first.report.run.status, first.report.load.seconds], ['complete', []]);
  assert.ok(first.report.profile.table.totalSamples > 0);
  assert.ok(first.content.some((/** @type {{id: string}} */ { id }) => id === 'bottleneck'));
  const { requests } = (await waitFor(({ type }) => type === 'load')).load.http;
  appendFileSync(files.metrics, `${load.slice(30).join('\n')}\n`);
  const isMore = (/** @type {any} */ { type, data }) =>
    type === 'load' && data.load.http.requests > requests;
  const more = await waitFor(isMore);
  assert.equal(more.timeline.edgesMs.length, 41);
  assert.match(more.load.failures.text, /of [\d,]+ requests/);
  owner.signal('SIGKILL');
  await ended;
  const last = messages.at(-1)?.data;
  assert.deepEqual(last.ended, { file: null, folder });
  assert.deepEqual(
    last.report.run.reasons.map((/** @type {{id: string}} */ { id }) => id),
    ['session-killed', 'load-killed'],
  );
});

test('at the end of a run the report is sent that was written', async t => {
  const { files, messages, ended, waitFor, folder } = startRun(t);
  await waitFor(({ type }) => type === 'report');
  updateManifest(files.manifest, { status: 'complete', endedAtMs: Date.now() });
  await sleep(300);
  assert.equal(messages.at(-1)?.data.ended ?? null, null);
  writeFileSync(files.reportJson, JSON.stringify(wordReport(fullReport())));
  writeFileSync(files.reportHtml, '');
  await ended;
  const last = messages.at(-1)?.data;
  assert.deepEqual(last.ended, { file: files.reportHtml, folder });
  assert.equal(last.report.run.id, fullReport().run.id);
  assert.deepEqual(last.report.run.files, []);
});

test('reports the end of watching, and the run continues', async t => {
  const { messages, stopping, owner, ended } = startRun(t);
  stopping.abort();
  await ended;
  assert.equal(messages.at(-1)?.type, 'leave');
  assert.ok(owner.isAlive());
});
