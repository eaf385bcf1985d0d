import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../../lib/base/process/child.js';
import { serve } from '../../helpers/listen.js';
import { test } from '../../helpers/quiet.js';
import { LOADFLAME } from '../../helpers/run-loadflame.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { preparePages } from './prepare-pages.js';

const { skip, openFile } = preparePages();

test('the load of a running phase is changed with the keyboard, and the page shows what the generator confirms', {
  skip,
}, async t => {
  const folder = makeTempFolder(t);
  const target = await serve(t, (_, response) => void response.end('ok'));
  const phases = [
    { name: 'steady', duration: 25, arrivalRate: 5 },
    { name: 'climb', duration: 15, arrivalRate: 5, rampTo: 10 },
  ];
  const script = { config: { target, phases }, scenarios: [{ flow: [{ get: { url: '/' } }] }] };
  writeFileSync(path.join(folder, 'load.json'), JSON.stringify(script));
  const child = startChild(process.execPath, [LOADFLAME, 'test', 'load.json', '--live'], {
    cwd: folder,
    env: { CI: '1' },
  });
  t.after(() => child.stop());
  let printed = '';
  for (const stream of [child.process.stdout, child.process.stderr])
    stream?.on('data', text => {
      printed += text;
    });
  while (!/live page: \S+\n/.test(printed)) {
    assert.ok(child.isAlive(), printed);
    await sleep(50);
  }
  const { page, problems } = await openFile(/live page: (\S+)/.exec(printed)?.[1] ?? '');
  const waitForText = (/** @type {string} */ wanted) =>
    page.waitForFunction(
      text => document.querySelector('footer.live output')?.textContent?.includes(text),
      { timeout: 60_000 },
      wanted,
    );
  await page.waitForSelector('html[data-ready]');
  await waitForText('now 5 users/s, at most 10 as in the script');
  const input = await page.waitForSelector('aria/Load of steady, users/s');
  // above the script's highest, the page itself refuses
  await input?.focus();
  await page.keyboard.type('1', { delay: 5 });
  await page.keyboard.press('Enter');
  assert.equal(await page.$eval('footer.live input', own => own.validity.rangeOverflow), true);
  await page.$eval('footer.live input', own => own.select());
  await page.keyboard.type('8');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await waitForText('now 8 users/s');
  await page.waitForFunction(
    () => document.querySelector('.turn')?.textContent === '5 → 8 users/s',
    {
      timeout: 30_000,
    },
  );
  await waitForText('This phase cannot be changed: it has a ramp');
  const shown = await page.$$eval('footer.live .steer > *', all =>
    all.filter(own => own.checkVisibility()).map(own => own.localName),
  );
  assert.deepEqual(shown, ['output']);
  assert.deepEqual(problems, []);
  await child.stop();
  await page.close();
});
