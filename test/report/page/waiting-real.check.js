import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runFiles } from '../../../lib/run/run-folder.js';
import { startGunicorn } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { runLoadflame } from '../../helpers/run-loadflame.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { preparePages } from './prepare-pages.js';

/** @import { Report } from '../../../lib/run/facts/report.d.ts' */

const { skip, openFile } = preparePages();
const COMPANION = path.resolve(import.meta.dirname, '../../../companion/loadflame_gunicorn.py');
const LOCK = 'GET /lock/:id';
const BURN = 'GET /burn/:id';

test('a real gunicorn: the picture shows waits for a lock with the duration of their requests, and no CPU work', {
  skip,
}, async t => {
  const folder = makeTempFolder(t);
  const { url, masterPid } = await startGunicorn(t, {
    workers: 1,
    args: ['--threads', '8', '-c', COMPANION],
    env: { LOADFLAME: '1' },
  });
  writeFileSync(
    path.join(folder, 'load.yaml'),
    `config: { target: "${url}", phases: [{ duration: 12, arrivalRate: 10 }] }
scenarios: [{ flow: [{ get: { url: /lock/200 } }, { get: { url: /burn/20 } }] }]
`,
  );
  const args = ['test', 'load.yaml', '--profile', '--pid', `${masterPid}`];
  const { exit, stderr } = await runLoadflame(folder, args);
  assert.equal(exit, 0, stderr);
  const [run = ''] = readdirSync(path.join(folder, 'profiles')).filter(name => /-load$/.test(name));
  const files = runFiles(path.join(folder, 'profiles', run));
  /** @type {Report} */
  const report = JSON.parse(readFileSync(files.reportJson, 'utf8'));
  const { waits } = report.profile ?? {};
  assert.deepEqual(waits?.table.endpoints.toSorted(), [BURN, LOCK]);
  const [lock] = report.costs?.endpoints.filter(({ name }) => name === LOCK) ?? [];
  const serverMs = lock?.serverMsPerRequest ?? 0;
  assert.ok(serverMs >= 200);

  const fragment = `flame=waiting&endpoint=${encodeURIComponent(LOCK)}`;
  const { page, problems } = await openFile(files.reportHtml, { fragment });
  await page.waitForSelector('html[data-ready]');
  const legend = await page.$eval('.flame-legend', element => element.textContent ?? '');
  assert.match(legend, /^locks100\.0 %/);
  await page.focus('#flamegraph canvas');
  await page.keyboard.press('Home');
  const top = await page.$eval('.flame-details', element => element.textContent ?? '');
  const [, ms = ''] = /([\d,]+) ms per request/.exec(top) ?? [];
  // about 120 samples of two threads that wait
  assert.ok(
    Math.abs(Number(ms) / serverMs - 1) < 0.35,
    `"${top}" where the API took ${serverMs} ms`,
  );
  await page.$eval('.flame-switch button', button => button.click());
  assert.doesNotMatch(
    await page.$eval('#flamegraph', element => element.textContent ?? ''),
    /idle sample/,
  );
  assert.deepEqual(problems, []);
  await page.close();

  const burn = await openFile(files.reportHtml, {
    fragment: `flame=waiting&endpoint=${encodeURIComponent(BURN)}`,
  });
  await burn.page.waitForSelector('html[data-ready]');
  const said = await burn.page.$eval('#flamegraph', element => element.textContent ?? '');
  const [, named = '', unnamed = ''] =
    /by ([\d,]+) idle sample.*names: ([\d,]+) more sample/.exec(said) ?? [];
  assert.ok(Number(unnamed) > Number(named), `${named} named, ${unnamed} not`);
  await burn.page.close();
});
