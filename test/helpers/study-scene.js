/** What a test of a whole study needs: a small study, terminals to run it in, and what it left behind. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { listEndedCells } from '../../lib/experiment/strategies/steps.js';
import { readJournal, studyFiles } from '../../lib/experiment/study/run/study-folder.js';
import { waitUntil } from './gunicorn.js';
import { makeStudyFile } from './make-study-file.js';
import { makeScene } from './scene.js';
import { makeTempFolder } from './temp-folder.js';

/** What of its user's settings would spoil a study of its own services. */
const SPOILERS = { TARGET: 'http://127.0.0.1:9', OIDC_ISSUER: 'http://127.0.0.1:9' };

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, unknown>} [over]
 * @param {Record<string, string>} [env]
 */
export function makeStudyScene(t, over, env = SPOILERS) {
  const scene = makeScene(t, env);
  const studyFolder = makeTempFolder(t);
  const file = makeStudyFile(studyFolder, over);
  const run = (/** @type {string[]} */ ...args) =>
    scene.start(['study', 'run', file, '--profiles', scene.root, ...args]);
  const folder = () => path.join(scene.root, String(scene.listRuns().at(-1)));
  const files = () => studyFiles(folder());
  return {
    ...scene,
    run,
    studyFolder,
    files,
    folders: () => scene.listRuns(),
    records: () => readJournal(files().journal),
    /** `workers=2 r1 4` */
    async cells() {
      const ended = listEndedCells(await readJournal(files().journal));
      return ended.map(({ variant, repeat, step }) => `${variant} r${repeat} ${step}`).sort();
    },
    /** @param {string} kind of a record @param {number} [count] */
    waitForRecord: (kind, count = 1) =>
      waitUntil(
        async () => {
          if (scene.listRuns().length === 0) return false;
          const records = await readJournal(files().journal);
          return records.filter(record => record.kind === kind).length >= count;
        },
        `${count} × ${kind}`,
        40_000,
      ),
  };
}

/** Every run is of a cell that ended, and every measured cell has a run with a report. @param {ReturnType<typeof makeStudyScene>} scene */
export async function assertRunsMatch(scene) {
  const { folder, runs } = scene.files();
  const ended = listEndedCells(await scene.records());
  const named = ended.flatMap(cell => cell.folder ?? []);
  assert.deepEqual(
    readdirSync(runs)
      .map(name => `runs/${name}`)
      .sort(),
    named.toSorted(),
  );
  for (const name of named) assert.ok(existsSync(path.join(folder, name, 'report.html')), name);
}
