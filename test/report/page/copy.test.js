/** The button that copies what to do first. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { hostileReport } from '../../fixtures/reports/extreme-reports.js';
import { fullReport } from '../../fixtures/reports/reports.js';
import { preparePages } from './prepare-pages.js';

/** @import { Page } from 'puppeteer-core' */
/** @import { Report } from '../../../lib/run/facts/report.d.ts' */

const { skip, openReport } = preparePages();

/** @param {Report} report @param {string} name of the function that leads to its largest cause */
function withPlace(report, name) {
  for (const finding of report.findings)
    if (finding.id === 'cause')
      finding.facts.cause.places = [
        { function: name, file: 'api/auth.py', line: 44, view: null, share: 1 },
      ];
  return report;
}

/** Presses the first button, and reads what a reader would paste. @param {Page} page */
async function copyFirst(page) {
  const session = await page.createCDPSession();
  const permissions = ['clipboardReadWrite', 'clipboardSanitizedWrite'];
  await session.send('Browser.grantPermissions', { permissions: /** @type {any} */ (permissions) });
  await page.bringToFront();
  await page.click('#actions .copy');
  await page.waitForFunction(
    () => document.querySelector('#actions .copy')?.textContent === 'Copied',
  );
  return page.evaluate(() => navigator.clipboard.readText());
}

test('copies cause, line, figures and command of the first step', { skip }, async () => {
  const { page, problems } = await openReport(withPlace(fullReport(), 'validate_token'));
  const text = await copyFirst(page);
  const shown = await page.$eval('#actions .command .mono', own => own.textContent ?? '');
  assert.match(shown, /^loadflame try --fix tls-context-per-request/);
  assert.equal(await page.$eval('#actions > .muted code', own => own.textContent), '--command');
  const lines = text.split('\n');
  assert.match(
    lines[0] ?? '',
    /^TLS context per request, in `validate_token` \(api\/auth\.py:44\): \d+(\.\d)? % ± \d/,
  );
  assert.ok(!lines.includes('At validate_token (api/auth.py:44).'), 'the first line has it');
  assert.match(text, /^What to do: /m);
  assert.ok(lines.at(-1)?.startsWith(`Before you write it: ${shown}`), text);
  assert.deepEqual(problems, []);
  await page.close();
});

test('copies hostile text as lines of text', { skip }, async () => {
  const name = 'view\n$(touch x)\r\u001b]52;c;eA==\u0007`id`';
  const { page, problems } = await openReport(withPlace(hostileReport(), name));
  const text = await copyFirst(page);
  const lines = text.split('\n');
  assert.match(text, /^At view \$\(touch x\)/m);
  assert.match(text, /<img src=x onerror=alert\(1\)><\/script>/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  assert.deepEqual(
    lines.filter(line => /^\s*(?:\$\(|`|touch|rm)/.test(line)),
    [],
  );
  assert.equal(await page.$('img'), null);
  assert.deepEqual(problems, []);
  await page.close();
});
