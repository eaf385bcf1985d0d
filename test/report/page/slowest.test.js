import assert from 'node:assert/strict';
import test from 'node:test';
import { fullReport } from '../../fixtures/reports/reports.js';
import { waitUntil } from '../../helpers/gunicorn.js';
import { preparePages } from './prepare-pages.js';

const { skip, openReport } = preparePages();

/** @param {string} endpoint @param {number} totalMs @returns {import('../../../lib/run/facts/slow-requests.d.ts').SlowRequest} */
const makeRequest = (endpoint, totalMs) => ({
  scenario: 'buy',
  endpoint,
  method: 'GET',
  url: 'http://localhost:8000/<img src=x onerror=alert(1)>',
  status: 200,
  error: null,
  code: null,
  user: '0b7c2a4e-1111-4222-8333-444455556666',
  startedAtMs: Date.UTC(2026, 10, 20, 21, 45, 10),
  phases: { waitMs: 1, opening: null, firstByteMs: totalMs - 2, bodyMs: 1, totalMs },
  bytes: 100,
  headers: { 'x-name': '</dialog><script>alert(1)</script>' },
  omittedHeaders: 0,
  body: '',
  rank: 1,
  worker: '0a1b2c3d-7.42',
  cpuMs: 3,
  cause: 'loop',
  parts: [
    { id: 'queue', ms: 1, startMs: 0 },
    { id: 'loop', ms: totalMs * 0.8, startMs: 1 },
    { id: 'statements', ms: totalMs * 0.1, startMs: null },
    { id: 'body', ms: 1, startMs: totalMs - 1 },
  ],
  blockers: [{ route: 'GET /report', waitedMs: totalMs * 0.8 }],
  calls: [
    {
      ...{ kind: 'sql', system: 'postgresql', text: 'SELECT 1 FROM orders', count: 2, ms: 12 },
      ...{ file: 'shop/views.py', line: 34, function: 'list_orders', relation: null },
    },
  ],
  samples: { count: 4, locks: 0 },
});

test('the drawer of the slowest requests opens by its key and from an endpoint, with text as text', {
  skip,
}, async () => {
  const report = fullReport();
  const [first, second] = report.load?.endpoints.map(({ name }) => name) ?? [];
  const slowest = makeRequest(`${second}`, 1700);
  // taller than the window
  const calls = Array.from({ length: 40 }, () => slowest.calls).flat();
  report.slowest = [makeRequest(`${first}`, 900), { ...slowest, calls }];
  for (const width of [1400, 390]) {
    const { page, problems } = await openReport(report, { width });
    const read = () =>
      page.$eval('dialog.drawer', one => ({
        isOpen: /** @type {HTMLDialogElement} */ (one).open,
        summaries: [...one.querySelectorAll('summary')].map(own => own.textContent),
        text: /** @type {HTMLElement} */ (one).innerText,
        isWide: one.scrollWidth > one.clientWidth,
        isNamed: [...one.querySelectorAll('details[open] > summary')].some(own => {
          const { left, top } = own.getBoundingClientRect();
          return document.elementFromPoint(left + 4, top + 4)?.closest('summary') === own;
        }),
        bars: one.querySelectorAll('details[open] .bar').length,
      }));
    await page.keyboard.press('s');
    const all = await read();
    assert.ok(all.isOpen && !all.isWide && all.isNamed, `${width}: ${JSON.stringify(all)}`);
    assert.match(`${all.summaries[0]}`, /^\S+ \S+ took 1,700 ms .*GET \/report/);
    assert.equal(all.summaries.length, 2);
    assert.equal(all.bars, 4);
    assert.match(all.text, /views\.py:34[\s\S]*<\/dialog><script>/);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${width}.png` });
    await page.keyboard.press('s');
    assert.equal((await read()).isOpen, false);
    if (width === 1400) {
      const heights = await page.$$eval('#endpoints tbody tr', rows =>
        rows.map(own => own.getBoundingClientRect().height),
      );
      assert.ok(Math.max(...heights) < 40, `an endpoint has one line: ${heights}`);
    }
    // a click can meet a table that is drawn again meanwhile
    await waitUntil(async () => {
      await page.click(`button[aria-label="Slowest requests of ${first}"]`);
      return (await read()).isOpen;
    }, 'the drawer of the endpoint');
    assert.equal((await read()).summaries.length, 1);
    assert.deepEqual(problems, []);
    await page.close();
  }
});

test('a mark on the latency track opens the request that it stands for, above the brush', {
  skip,
}, async () => {
  const report = fullReport();
  const [first = '', second = ''] = report.load?.endpoints.map(({ name }) => name) ?? [];
  report.slowest = [makeRequest(first, 900), makeRequest(second, 1700)];
  const [startMs = 0, endMs = 0] = [report.timeline?.edgesMs[0], report.timeline?.edgesMs.at(-1)];
  for (const [at, own] of report.slowest.entries())
    own.startedAtMs = startMs + ((endMs - startMs) * (at + 1)) / 4;
  const { page, problems } = await openReport(report, { width: 1400 });
  const marks = await page.$$eval('[data-track="latency"] .slow-mark', all =>
    all.map(own => {
      const [dot, plot] = [
        own.getBoundingClientRect(),
        own.closest('.plot')?.getBoundingClientRect(),
      ];
      return ((dot.x + dot.width / 2 - (plot?.x ?? 0)) / (plot?.width ?? 1)).toFixed(2);
    }),
  );
  assert.deepEqual(marks, ['0.50', '0.25']);
  await page.click(`.slow-mark[aria-label^="${first} took"]`);
  const unfolded = await page.$eval('dialog[open] details[open] summary', own => own.textContent);
  assert.match(`${unfolded}`, / took 900 ms /);
  assert.deepEqual(problems, []);
  if (process.env.SHOTS) {
    await page.keyboard.press('s');
    await page.screenshot({ path: `${process.env.SHOTS}/marks.png` });
  }
  await page.close();
});
