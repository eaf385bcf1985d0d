import assert from 'node:assert/strict';
import test from 'node:test';
import { buildCalls } from '../../fixtures/reports/build-calls.js';
import { buildTable } from '../../fixtures/reports/build-table.js';
import { KINDS, largeReport } from '../../fixtures/reports/extreme-reports.js';
import * as reports from '../../fixtures/reports/reports.js';
import { findUnreadable, openFolds, preparePages } from './prepare-pages.js';

const { skip, openReport } = preparePages();
const { fullReport, partialReport, loadOnlyReport, noStacksReport, importReport } = reports;

const DATABASE_MEANS = {
  'db.queriesPerRequest': 35.2,
  'db.msPerRequest': 83.7,
  'db.poolMsPerRequest': 0.0039,
};

/** @param {import('puppeteer-core').Page} page @param {string} [selector] */
const readText = (page, selector = 'body') =>
  page.$eval(selector, element =>
    /** @type {HTMLElement} */ (element).innerText.replaceAll('\u00a0', ' '),
  );

/** One page for all that leave its figures as they are. @type {ReturnType<typeof openReport> | undefined} */
let whole;
const openWhole = () => {
  whole ??= openReport(fullReport());
  return whole;
};

test('the page of every kind of report opens from disk without an error, a request or a scroll bar at the side, in at most six screens', {
  skip,
}, async () => {
  for (const [name, build] of Object.entries(KINDS)) {
    for (const look of [{ width: 1280 }, { width: 420, dark: true }]) {
      const { page, problems, requests } = await openReport(build(), look);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.deepEqual(
        { name, problems, requests, width },
        { name, problems: [], requests: [], width: look.width },
      );
      // The hostile one has names of many lines.
      if (look.width === 1280 && name !== 'hostileReport') await assertShort(page, name);
      await page.close();
    }
  }
});

/** @param {import('puppeteer-core').Page} page @param {string} name */
async function assertShort(page, name) {
  await page.setViewport({ width: 1400, height: 900 });
  const height = await page.evaluate(async () => {
    // Charts hear of a new width with the next frame.
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    return document.documentElement.scrollHeight;
  });
  assert.ok(height <= 6 * 900, `${name}: ${height} px`);
}

test('a phone and paper show every table whole', { skip }, async () => {
  const { page } = await openReport(fullReport(), { width: 390 });
  assert.deepEqual(await findUnreadable(page), { cut: [], tall: [] });
  await openFolds(page, 'body');
  const broken = await page.$$eval('code', all =>
    all.map(own => own.getClientRects().length > 1 && own.textContent),
  );
  assert.deepEqual(
    broken.filter(code => code && code.length < 24),
    [],
  );
  await page.setViewport({ width: 700, height: 1000 });
  await page.emulateMediaType('print');
  assert.deepEqual(await findUnreadable(page), { cut: [], tall: [] });
  await page.close();
});

test('a screen of 1400 pixels shows every column of the endpoints, however long routes are', {
  skip,
}, async () => {
  const long = (/** @type {string} */ text) =>
    text.replaceAll(
      /(GET|POST|PUT|DELETE) \//g,
      '$1 /organisations/:organisation_id/departments/of/:department_id/',
    );
  const report = /** @type {import('../../../lib/run/facts/report.d.ts').Report} */ (
    JSON.parse(long(JSON.stringify(fullReport())))
  );
  report.calls = { ...buildCalls([]), bound: { by: 'machine', cores: 2 } };
  const [cost] = report.costs?.endpoints ?? [];
  if (cost) cost.cpuMsPerRequest = { value: 20.3, low: 9.9, high: 30.8 };
  for (const endpoint of report.load?.endpoints ?? [])
    endpoint.means = { responseBytes: 4100, ...DATABASE_MEANS };
  const { page } = await openReport(report, { width: 1400 });
  const text = await readText(page, '#endpoints');
  assert.match(text, /database, at most[\s\S]*20\.3 ms \(9\.9 to 30\.8\)/);
  assert.match(text, /:department_id/);
  assert.deepEqual(await findUnreadable(page), { cut: [], tall: [] });
  await page.close();
});

test('the page shows the verdict first, then figures with unit, count and interval', {
  skip,
}, async () => {
  const { page } = await openWhole();
  await openFolds(page, '#hot-paths');
  const text = await readText(page, 'main');
  const headings = await page.$$eval('h1, h2', found =>
    // numbers are not parted from their units
    found.map(({ textContent }) => textContent?.replaceAll('\u00a0', ' ')),
  );
  assert.deepEqual(headings, [
    '58 of 224 arrivals were dropped (25.9 %): the load was lower than the script says.',
    'What to do first',
    'Findings (7)',
    'Timeline',
    'Endpoints',
    'Where the CPU time of a request goes',
    'Flamegraph',
    'Hot functions, line by line',
    'The bottleneck',
    'How the traffic spread',
    'Errors',
    'Load test',
    'Quality of the measurement: doubtful',
    'Run',
    'Slowest requests',
  ]);
  for (const figure of [
    'Doubtful: the CPU was saturated (2.0 of 2 cores): background load',
    '1,240',
    '22.4 ms',
    'n = 1,237',
    '95 %: 9.3–9.7 ms',
    '40.6 % ± 2.9',
    'api/auth.py:44',
  ]) {
    assert.ok(text.includes(figure), figure);
  }
});

test('shows verdict, findings, figures and the timeline on the first screen of 1440 × 900', {
  skip,
}, async () => {
  const { page } = await openReport(fullReport(), { width: 1440, height: 900 });
  for (const part of ['.headline', '#findings', '#actions', '.figures', '[data-track=users]']) {
    const bottom = await page.$eval(part, element => element.getBoundingClientRect().bottom);
    assert.ok(bottom > 0 && bottom <= 900, `${part} ends at ${bottom} px`);
  }
  assert.equal((await page.$$('.figures .value')).length, 4);
  await page.close();
});

test('shares of the categories sum to 100.0 on the page', { skip }, async () => {
  const { page } = await openWhole();
  const shares = await page.$$eval('#hot-paths table', tables =>
    [...(tables[0]?.querySelectorAll('tbody td:nth-child(3)') ?? [])].map(cell => cell.textContent),
  );
  assert.equal(
    shares.reduce((sum, share) => sum + Math.round(Number.parseFloat(share ?? '') * 10), 0),
    1000,
  );
});

test('only a partial run is marked as partial, with its reasons', { skip }, async () => {
  const partial = await openReport(partialReport());
  assert.match(
    await readText(partial.page, '.banner'),
    /Partial run[\s\S]*load test was interrupted \(Ctrl\+C[\s\S]*py-spy was killed/,
  );
  await partial.page.close();
  const { page } = await openWhole();
  assert.equal(await page.$('.banner'), null);
});

test('missing data is explained with advice, and no section is empty', {
  skip,
}, async () => {
  const load = await openReport(loadOnlyReport());
  assert.match(
    await readText(load.page, '#hot-paths'),
    /Not recorded\.[\s\S]*loadflame test scenarios\/csr-all\.yaml --profile/,
  );
  assert.equal(await load.page.$('#flamegraph'), null);
  assert.equal(await load.page.$('nav a[href="#flamegraph"]'), null);
  await load.page.close();

  const bare = await openReport(noStacksReport());
  await openFolds(bare.page, '#endpoints');
  assert.match(await readText(bare.page, '#hot-paths'), /2 workers used[\s\S]*No stacks were/);
  assert.match(
    await readText(bare.page, '#endpoints'),
    /13\.6 % of the CPU belongs to no endpoint/,
  );
  assert.match(await readText(bare.page, '.figures'), /9\.5 ms\s*95 %: .*2 workers, 0\.20 cores/);
  assert.equal(await bare.page.$('#flamegraph'), null);
  await bare.page.close();

  const imported = await openReport(importReport());
  assert.match(
    await readText(imported.page, '#load'),
    /No load test is part of this run[\s\S]*loadflame test script\.yaml --profile/,
  );
  assert.doesNotMatch(
    await readText(imported.page, '#hot-paths'),
    /a request costs|ms per request/,
  );
  await imported.page.close();

  const idle = fullReport();
  assert.ok(idle.profile && idle.load);
  idle.profile.samples.active = 0;
  idle.profile.table = buildTable([], {
    ...idle.profile.table,
    causes: [],
    packages: [],
    endpoints: [],
  });
  Object.assign(idle.load, {
    errors: [],
    errorSamples: [],
    errorBursts: [],
    seconds: [],
    endpoints: [],
    failures: { ...idle.load.failures, failed: 0, kinds: [] },
  });
  const { page, problems } = await openReport(idle);
  assert.match(
    await readText(page, '#hot-paths'),
    /None of 13,911 samples shows a worker at work; 10,380 were waiting/,
  );
  assert.match(await readText(page, '#errors'), /No request failed/);
  assert.deepEqual(problems, []);
  await page.close();
});

test('settings that are not set are left out, and a command is code', { skip }, async () => {
  const report = fullReport();
  report.costs = null;
  report.run.settings.push({ name: 'LOG_FILES', value: '', source: 'not set' });
  const { page } = await openReport(report);
  assert.doesNotMatch(await readText(page, '#run'), /LOG_FILES/);
  assert.match(await readText(page, '#endpoints .lede code'), /^loadflame companion$/);
  await page.close();
});

test('an upper bound of the CPU per request is labelled as one', { skip }, async () => {
  const report = fullReport();
  assert.ok(report.cpu);
  report.cpu.basis = 'samples-upper-bound';
  const { page } = await openReport(report);
  assert.match(await readText(page, '.figures'), /≤ 9\.5 ms\s*upper bound, from samples/);
  assert.match(await readText(page, '#hot-paths table'), /per request, at most/);
  await page.close();
});

test('endpoints are sorted by their CPU per request at first, as in the terminal', {
  skip,
}, async () => {
  const report = fullReport();
  assert.ok(report.load && report.costs);
  report.load.endpoints.reverse();
  const costs = new Map(
    report.costs.endpoints.map(own => [own.loadEndpoint, own.cpuMsPerRequest?.value ?? 0]),
  );
  const { page } = await openReport(report);
  const names = await page.$$eval('#endpoints tbody button.name', buttons =>
    buttons.map(button => button.textContent ?? ''),
  );
  const shown = names.map(name => costs.get(name) ?? 0);
  assert.ok(new Set(shown).size > 1);
  assert.deepEqual(
    shown,
    shown.toSorted((a, b) => b - a),
  );
  await page.close();
});

test('a click on a column sorts the endpoints by number, and once more the other way', {
  skip,
}, async () => {
  const { page } = await openWhole();
  const column = () =>
    page.$$eval('#endpoints tbody td:nth-child(3)', cells =>
      cells.map(cell => Number(cell.textContent)),
    );
  const press = () =>
    page.$eval('#endpoints th:nth-child(2) .sort', button =>
      /** @type {HTMLElement} */ (button).click(),
    );
  const requests = await column();
  await press();
  assert.deepEqual(
    await column(),
    requests.toSorted((a, b) => b - a),
  );
  await press();
  assert.deepEqual(
    await column(),
    requests.toSorted((a, b) => a - b),
  );
});

test('a page with 20,000 flame nodes is ready within a second', { skip }, async () => {
  const { page, problems } = await openReport(largeReport(20_000));
  const readyMs = await page.evaluate(
    () =>
      performance
        .getEntriesByType('navigation')
        .map(entry => /** @type {PerformanceNavigationTiming} */ (entry).loadEventEnd)[0] ??
      Infinity,
  );
  // a second on a quiet machine; a busy one may take its time, but not a minute
  assert.ok(readyMs < 30_000, `${readyMs} ms`);
  assert.deepEqual(problems, []);
  await page.close();
});

test('the page shows total times beside times to first byte', {
  skip,
}, async () => {
  const report = fullReport();
  const { page } = await openReport(report);
  await openFolds(page, '#load');
  const load = await readText(page, '#load');
  assert.match(load, /total from the scheduled start/);
  assert.match(load, /new connection: TCP\s+166\s+0\.30 ms/);
  assert.match(load, /open arrivals/);
  const endpoints = await readText(page, '#endpoints');
  assert.match(endpoints, /GET \/api\/v1\/services\/\s+252\s+4\.1\/s\s+20\.9 ms.*\s89\.9 ms/);
  await page.close();

  assert.ok(report.load);
  for (const endpoint of report.load.endpoints) endpoint.totalTime = null;
  const other = await openReport(report);
  assert.equal(await other.page.$('#endpoints .switch'), null);
  await other.page.close();
});

test('a path breaks after a slash, and the handle of the timeline covers no time', {
  skip,
}, async () => {
  const report = fullReport();
  const entry = {
    function: 'show',
    file: 'application/controllers/administration/views.py',
    line: 3,
  };
  for (const path of report.profile?.hotPaths ?? []) path.entry = entry;
  const { page } = await openReport(report, { width: 1400 });
  assert.deepEqual(await findUnreadable(page), { cut: [], tall: [] });
  const seen = await page.evaluate(() => {
    const time = document.querySelector('.time')?.getBoundingClientRect();
    const slider = document.querySelector('.slider-from');
    const handle = slider && getComputedStyle(slider, '::after');
    const edge = handle
      ? slider.getBoundingClientRect().left +
        ['left', 'width', 'border-left-width', 'border-right-width']
          .map(name => Number.parseFloat(handle.getPropertyValue(name)))
          .reduce((a, b) => a + b)
      : 0;
    const breaks = [...document.querySelectorAll('wbr')].map(
      ({ previousSibling }) => previousSibling?.textContent ?? '',
    );
    return { room: (time?.left ?? 0) - edge, breaks };
  });
  assert.ok(seen.room >= 1, String(seen.room));
  assert.ok(seen.breaks.includes('administration/'), seen.breaks.slice(0, 20).join(' '));
  assert.ok(seen.breaks.every(text => text.endsWith('/')));
  await page.close();
});
