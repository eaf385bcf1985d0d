import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { readConfig } from '../../lib/base/config/read-config.js';
import { chooseLoad } from '../../lib/experiment/choose-load.js';
import { measureRun } from '../../lib/experiment/measure-run.js';
import { readNdjson } from '../../lib/run/ndjson.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { serve } from '../helpers/listen.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('measures as long as asked for, after a warm-up that ends once the rate is steady', async t => {
  const root = makeTempFolder(t);
  const target = await serve(t, (_, response) => {
    setTimeout(() => response.end(), 40);
  });
  const script = `${target}/`;
  const config = readConfig({ flags: { TARGET: target }, env: {}, folder: root });
  const options = { log: false };
  const { load } = chooseLoad(script, config, { options, users: 1, durationSec: 2 });
  assert.deepEqual(
    { warmUpSec: 10, untilSteady: true },
    { warmUpSec: load.warmUpSec, untilSteady: load.untilSteady },
  );
  const { folder } = await measureRun(
    {
      ...{ config, root, load: { script, options: { ...options, endsSoon: true } }, profile: null },
      ...{ command: 'try', signal: AbortSignal.timeout(60_000), onProgress() {}, onNote() {} },
    },
    load,
  );
  const { records } = await readNdjson(runFiles(folder).metrics);
  const timesOf = (/** @type {string} */ kind) =>
    records.flatMap(own => (own.kind === kind ? own.t : []));
  const [warmMs = 0, measuredMs = 0] = timesOf('phase-start');
  assert.ok(measuredMs - warmMs >= 2000 && measuredMs - warmMs < 10_000, `${measuredMs - warmMs}`);
  const { report } = await analyseRun(folder);
  const { startMs = 0, endMs = 0 } = report.load?.window ?? {};
  assert.deepEqual([startMs, endMs], [measuredMs, measuredMs + 2000]);
  assert.deepEqual(timesOf('phase-end'), [measuredMs, measuredMs + 2000]);
});
