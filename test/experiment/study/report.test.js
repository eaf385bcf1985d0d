import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findBottleneck } from '../../../lib/analysis/bottleneck/find-bottleneck.js';
import { gatherRunFacts } from '../../../lib/analysis/judge/bottleneck/gather-run.js';
import { buildStudyReport } from '../../../lib/experiment/study/report.js';
import { makeLoad, makeRecorded, makeRunInfo } from '../../analysis/facts.js';
import { serveByWorkers } from '../../helpers/synthetic-study/examples.js';
import { makeStudy, writeStudy } from '../../helpers/synthetic-study/index.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const own = findBottleneck(
  gatherRunFacts({
    run: makeRunInfo(),
    load: makeLoad(),
    ...makeRecorded({ cores: [0.97] }),
  }),
);
const share = { value: 0.4, low: 0.35, high: 0.45 };
const report = {
  run: {
    host: { platform: 'linux', cpus: 2, cpuModel: 'x', memoryBytes: 1 },
    versions: { node: '24' },
  },
  schema: 'loadflame-report/2',
  bottleneck: own,
  findings: [
    {
      id: 'cause',
      of: 'tls-context-per-request',
      severity: 'bad',
      facts: {
        cause: {
          id: 'tls-context-per-request',
          category: 'auth',
          partOf: null,
          severity: 'bad',
          title: 'TLS context per request',
          share,
          cpuMsPerRequest: null,
          evidence: [],
          explanation: '',
          advice: '',
        },
        partOfTitle: null,
        whatIf: null,
      },
    },
  ],
  profile: {
    categories: [
      {
        id: 'auth',
        label: 'authentication',
        color: '#123',
        samples: 400,
        share,
        cpuMsPerRequest: { value: 1.2, low: 1, high: 1.4 },
      },
    ],
  },
};
const spec = { factors: {}, truth: () => ({ ...serveByWorkers(1, { demandMs: 3 }), report }) };

test("a study's folder becomes a report, with what the profile says beside the numbers", async t => {
  const folder = path.join(makeTempFolder(t), 'study');
  writeStudy(folder, makeStudy(spec));
  const study = await buildStudyReport(folder);
  assert.equal(study.schema, 'loadflame-study/2');
  assert.equal(study.study.host?.cpus, 2);
  const [variant] = study.variants;
  assert.equal(variant?.why?.categories[0]?.cpuMs, 1.2);
  assert.equal(variant?.why?.cause?.of, 'tls-context-per-request');
  assert.equal(study.cells.filter(({ kind }) => kind === 'profile').length, 1);
});

test('a report of an older version gives all but the parts that have another shape', async t => {
  const folder = path.join(makeTempFolder(t), 'study');
  const { loopWaits: _, throughputPerSec: __, ...facts } = own.facts;
  const older = {
    ...report,
    bottleneck: { ...own, facts, resources: undefined, fix: undefined },
    findings: [{ id: 'bottleneck', severity: 'bad', facts: {} }, ...report.findings],
  };
  const truth = () => ({ ...serveByWorkers(1, { demandMs: 3 }), report: older });
  writeStudy(folder, makeStudy({ ...spec, truth }));
  const study = await buildStudyReport(folder);
  assert.equal(study.study.host?.cpus, 2);
  const why = study.variants[0]?.why;
  assert.equal(why?.categories[0]?.cpuMs, 1.2);
  assert.equal(why?.cause?.of, 'tls-context-per-request');
});

test('a report of a run that is gone leaves the figures of the journal', async t => {
  const folder = path.join(makeTempFolder(t), 'study');
  writeStudy(folder, makeStudy(spec));
  rmSync(path.join(folder, 'runs'), { recursive: true });
  const study = await buildStudyReport(folder);
  assert.equal(study.variants[0]?.why, null);
  assert.equal(study.variants[0]?.bottleneck.id, 'workers');
});

test('a journal never reaches out of the folder of its study', async t => {
  const root = makeTempFolder(t);
  const folder = path.join(root, 'study');
  const made = makeStudy(spec);
  for (const record of made.journal)
    if (record.kind === 'cell-end' && record.purpose === 'profile') record.folder = '..';
  writeStudy(folder, { ...made, reports: new Map() });
  writeFileSync(path.join(root, 'report.json'), JSON.stringify(report));
  const study = await buildStudyReport(folder);
  assert.equal(study.variants[0]?.why, null);
});

test('a journal whose last line was torn is read up to there', async t => {
  const folder = path.join(makeTempFolder(t), 'study');
  const made = makeStudy(spec);
  writeStudy(folder, { ...made, journal: made.journal.slice(0, 7) });
  appendFileSync(path.join(folder, 'journal.ndjson'), '{"t": 1, "kind": "cell-e');
  const study = await buildStudyReport(folder);
  assert.equal(study.study.status, 'partial');
  assert.ok(study.study.reasons.some(({ id }) => id === 'not-ended'));
});

test('a cell that was tried again counts once, as it was measured', async t => {
  const folder = path.join(makeTempFolder(t), 'study');
  const made = makeStudy({
    factors: {},
    repeats: 1,
    truth: () => serveByWorkers(1, { demandMs: 3 }),
  });
  const at = made.journal.findIndex(({ kind }) => kind === 'cell-end');
  const end = made.journal[at];
  if (end?.kind !== 'cell-end') throw new Error('no cell');
  const { variant, repeat, step, purpose, t: time } = end;
  const failed = /** @type {const} */ ({
    t: time,
    kind: 'cell-end',
    variant,
    repeat,
    step,
    purpose,
    folder: null,
    outcome: 'failed',
    reason: 'x',
  });
  const again = /** @type {const} */ ({
    t: time,
    kind: 'attempt',
    pid: 1,
    pidStartTicks: 1,
    version: '1',
  });
  writeStudy(folder, { ...made, journal: made.journal.toSpliced(at, 1, failed, again, end) });
  const study = await buildStudyReport(folder);
  assert.equal(study.cells.filter(cell => cell.step === step).length, 1);
  assert.equal(study.study.status, 'complete');
});

test('refuses a folder without a study', async t => {
  const folder = makeTempFolder(t);
  const refusal = { code: 'STUDY_FOLDER_NOT_ONE' };
  await assert.rejects(buildStudyReport(folder), refusal);
  writeFileSync(path.join(folder, 'plan.json'), `{"schema":"${'x'.repeat(9 * 2 ** 20)}"}`);
  const isTooLarge = { ...refusal, message: /it has 9 MB, and 8 at most are read/ };
  await assert.rejects(buildStudyReport(folder), isTooLarge);
});
