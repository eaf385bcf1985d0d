/** A whole study in a minute: real gunicorns, the real generator, stopped in the middle and gone on with. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { listEndedCells } from '../../../lib/experiment/strategies/steps.js';
import { readJournal, studyFiles } from '../../../lib/experiment/study/run/study-folder.js';
import { waitUntil } from '../../helpers/gunicorn.js';
import { makeStudyFile } from '../../helpers/make-study-file.js';
import { test } from '../../helpers/quiet.js';
import { makeScene, openRun } from '../../helpers/scene.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const STEPS = [1, 2, 4];
/** CPU-ms of `/burn/2`, with what the server adds, on machines that others use, too. */
const CPU_MS = { least: 1, most: 10 };

test('a study of two variants: stopped, gone on with, measured, judged and shown', async t => {
  const scene = makeScene(t, {});
  const file = makeStudyFile(makeTempFolder(t), {
    load: { model: 'closed', steps: STEPS },
    record: { profile: 'plateau' },
    scaleOver: 'workers',
    objective: { rate: 20, p95: '2s', headroom: '30%' },
  });
  const start = () => scene.start(['study', 'run', file, '--profiles', scene.root]);
  const first = start();
  const folder = String(
    await waitUntil(() => scene.listRuns().map(name => path.join(scene.root, name))[0], 'a folder'),
  );
  const files = studyFiles(folder);
  const readCells = async () => listEndedCells(await readJournal(files.journal));
  await waitUntil(async () => (await readCells()).length === 2, 'two cells');
  first.signal('SIGINT');
  assert.equal(await first.ended, 130, first.output());
  assert.match(first.output(), /^cell 1 of 8 · \d workers? · 1 user: [\d.,]+\/s, p95 /m);
  const before = await readCells();

  const second = start();
  assert.equal(await second.ended, 0, second.output());
  const cells = await readCells();
  assert.deepEqual(cells.slice(0, before.length), before);
  const expected = ['1', '2'].flatMap(workers => [
    ...STEPS.map(step => `workers=${workers} ${step} measure measured`),
    `workers=${workers} profile measured`,
  ]);
  const seen = cells.map(({ variant, step, purpose, outcome }) =>
    purpose === 'profile'
      ? `${variant} profile ${outcome}`
      : `${variant} ${step} ${purpose} ${outcome}`,
  );
  assert.deepEqual(seen.toSorted(), expected.toSorted());

  for (const cell of cells) {
    const run = openRun(path.join(folder, String(cell.folder)));
    assert.ok(existsSync(run.files.reportHtml));
    assert.equal(run.readReport().profile !== null, cell.purpose === 'profile');
    assert.ok(cell.outcome === 'measured');
    const { figures } = cell;
    assert.equal(figures.errors, 0);
    assert.ok(figures.throughputPerSec > 5, `${figures.throughputPerSec}/s`);
    const workers = figures.components.find(({ name }) => name === 'workers');
    assert.equal(workers?.processes.max, Number(cell.variant.split('=')[1]));
    const cpuMs = ((workers?.cores ?? 0) * 1000) / figures.throughputPerSec;
    assert.ok(cpuMs > CPU_MS.least && cpuMs < CPU_MS.most, `${cpuMs} CPU-ms per request`);
  }

  /** @type {ReturnType<typeof import('../../helpers/synthetic-study/judge-spec.js').judgeSpec>} */
  const report = JSON.parse(readFileSync(files.json, 'utf8'));
  assert.equal(report.study.status, 'complete');
  assert.deepEqual(
    report.variants.map(({ id, points }) => [id, points.map(({ step }) => step)]),
    [
      ['workers=1', STEPS],
      ['workers=2', STEPS],
    ],
  );
  assert.equal(report.cells.length, cells.length);
  for (const variant of report.variants) assert.ok(variant.why, `${variant.id} was profiled`);
  assert.ok(report.verdict.headline.text.length > 20);
  assert.ok(second.output().includes(report.verdict.headline.text.slice(0, 20)));
  assert.match(second.output(), /^report: .*study\.html$/m);
  assert.ok(readFileSync(files.html, 'utf8').includes(report.study.title));
  const rows = readFileSync(files.csv, 'utf8').trim().split('\n');
  assert.ok(rows.length > cells.length, 'a head, and a row for each cell');
  assert.match(readFileSync(files.markdown, 'utf8'), /Do two workers burn twice as much as one\?/);
  assert.deepEqual(await scene.processes.listLeft(), []);

  const again = scene.start(['study', 'report', folder]);
  assert.equal(await again.ended, 0, again.output());
});
