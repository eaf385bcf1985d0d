import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullReport, partialReport } from '../../fixtures/reports/reports.js';
import { findViolations } from '../../helpers/find-violations.js';
import { preparePages } from './prepare-pages.js';

const { skip, openReport } = preparePages();

test('axe finds nothing serious on a phone, in the dark', { skip }, async () => {
  const { page } = await openReport(partialReport(), { width: 390, dark: true });
  await page.$$eval('details', all => {
    for (const details of all) details.open = true;
  });
  assert.deepEqual(await findViolations(page), []);
  await page.close();
});

test('the picture of waiting is accessible, in light', { skip }, async () => {
  const { page } = await openReport(fullReport(), { fragment: 'flame=waiting' });
  assert.deepEqual(await findViolations(page), []);
  await page.close();
});
