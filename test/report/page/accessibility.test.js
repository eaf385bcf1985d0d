import assert from 'node:assert/strict';
import test from 'node:test';
import { fullReport, partialReport } from '../../fixtures/reports/reports.js';
import { findViolations } from '../../helpers/find-violations.js';
import { preparePages } from './prepare-pages.js';

const { skip, openReport } = preparePages();

/** The same page in other colours: to open it takes longer. @param {import('puppeteer-core').Page} page @param {boolean} dark */
function setColors(page, dark) {
  return page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
  ]);
}

test('axe finds nothing serious, in light and dark', { skip }, async () => {
  const { page } = await openReport(partialReport(), { width: 1440 });
  await page.$$eval('details', all => {
    for (const details of all) details.open = true;
  });
  for (const dark of [false, true]) {
    await setColors(page, dark);
    assert.deepEqual(await findViolations(page), [], JSON.stringify({ dark }));
  }
  await page.close();
});

test('nothing moves while the page settles, and a phone needs no scroll bar at the side', {
  skip,
}, async () => {
  for (const width of [1440, 390]) {
    const { page } = await openReport(fullReport(), { width });
    const moved = await page.evaluate(
      () =>
        new Promise(done => {
          let sum = 0;
          new PerformanceObserver(list => {
            for (const entry of list.getEntries())
              sum += /** @type {PerformanceEntry & {value: number}} */ (entry).value;
          }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => done(sum), 300);
        }),
    );
    // below 0.1 is good (web.dev/cls)
    assert.ok(Number(moved) < 0.02, `${width} px: layout shift ${moved}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.close();
  }
});

test('text has enough contrast in light and in dark, and every table has a caption and headers', {
  skip,
}, async () => {
  const { page } = await openReport(partialReport());
  for (const dark of [false, true]) {
    await setColors(page, dark);
    const { faint, bare } = await page.evaluate(findWeakSpots);
    assert.deepEqual({ dark, faint, bare }, { dark, faint: [], bare: 0 });
  }
  await page.close();
});

/** Runs in the page: texts whose contrast is below 4.5 (WCAG 2 AA), and tables without names. */
function findWeakSpots() {
  /** @param {string} color */
  const parse = color => (color.match(/[\d.]+/g) ?? []).map(Number);
  /** @param {number[]} rgb */
  const luminance = rgb => {
    const [r = 0, g = 0, b = 0] = rgb.map(value =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  /** @param {Element | null} element @returns {number[]} */
  const ground = element => {
    if (!element) return [255, 255, 255];
    const rgba = parse(getComputedStyle(element).backgroundColor);
    const [, , , alpha = 1] = rgba;
    if (alpha === 1) return rgba;
    const under = ground(element.parentElement);
    return alpha === 0
      ? under
      : under.map((value, index) => value * (1 - alpha) + (rgba[index] ?? 0) * alpha);
  };
  const faint = [];
  for (const element of document.querySelectorAll('main *, nav *')) {
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.textContent?.trim()))
      continue;
    const style = getComputedStyle(element);
    const ink = element instanceof SVGElement ? style.fill : style.color;
    const [low = 0, high = 0] = [luminance(parse(ink)), luminance(ground(element))].sort(
      (a, b) => a - b,
    );
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5)
      faint.push(`${contrast.toFixed(2)} ${element.className} ${element.textContent}`);
  }
  const bare = [...document.querySelectorAll('table')].filter(
    table =>
      !table.caption?.textContent ||
      !table.querySelector('thead th[scope=col]') ||
      !table.querySelector('tbody th[scope=row]'),
  ).length;
  return { faint, bare };
}
