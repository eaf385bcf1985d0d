import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordReport } from '../../lib/text/index.js';
import { fullReport } from '../fixtures/reports/reports.js';
import { printRun } from '../helpers/print-documents.js';

/** The section on endpoints, of a report that a test may change. @param {(report: ReturnType<typeof fullReport>) => void} [change] */
function printEndpoints(change, width = 100) {
  const report = fullReport();
  change?.(report);
  return /^(?:Endpoints|CPU by view)\n[\s\S]*?(?=\n\n)/m.exec(
    printRun(wordReport(report), { width }),
  )?.[0];
}

test('each endpoint has its cost and interval, and how it is known if that differs', () => {
  const text = printEndpoints() ?? '';
  assert.match(text, /requests +p95 +failed +CPU +of all CPU +by/);
  assert.match(text, /GET \/api\/v1\/appointments\/ .*\d ms ± [\d.]+ +[\d.]+ % +samples/);
  assert.match(text, /GET \/api\/v1\/citizens\/ .*\d ms ± [\d.]+ +[\d.]+ % +measured/);
  assert.match(text, /% of\s+the\s+CPU\s+belongs\s+to\s+no\s+endpoint/);
  assert.match(text, /a request to 3 of 4 endpoints was measured in the workers \(thread CPU\)/);
  const measured = printEndpoints(({ costs }) => {
    for (const endpoint of costs?.endpoints ?? []) endpoint.isMeasured = true;
  });
  assert.doesNotMatch(measured ?? '', /of all CPU +by/);
});

test('views without a price have none, not an empty column', () => {
  const text = printEndpoints(report => {
    report.load = null;
    for (const endpoint of report.costs?.endpoints ?? [])
      Object.assign(endpoint, { cpuMsPerRequest: null, isMeasured: false });
  });
  assert.match(text ?? '', /^CPU by view\n/);
  assert.doesNotMatch(text ?? '', /± | by$|–/);
});

test('recommends the companion only if it was missing', () => {
  const advice = /`loadflame\s+companion`\s+copies/;
  const report = fullReport();
  assert.ok(report.costs);
  assert.doesNotMatch(printRun(wordReport(report)), advice);
  report.costs.basis = 'view';
  assert.doesNotMatch(printRun(wordReport(report)), advice, 'some workers had it');
  for (const endpoint of report.costs.endpoints) endpoint.serverMsPerRequest = null;
  assert.match(printRun(wordReport(report)), advice);
  report.costs = null;
  const text = printRun(wordReport(report));
  assert.match(text, /No view function could be recognised/);
  assert.match(text, advice);
  report.profile = null;
  assert.doesNotMatch(printRun(wordReport(report)), advice);
});

test('shows the most expensive of many endpoints and counts the others', () => {
  const text = printEndpoints(report => {
    const [first] = report.costs?.endpoints ?? [];
    assert.ok(first && report.costs);
    report.load = null;
    report.costs.endpoints = Array.from({ length: 20 }, (_, n) => ({
      ...first,
      name: `GET /${n}\u001b[31m`,
    }));
  }, 60);
  assert.match(text ?? '', /and 8 more in report\.html/);
  assert.ok(text?.split('\n').every(line => !line.includes('\u001b') && line.length <= 60));
});

test('shows balance by requests, or by CPU time if nothing else is known', () => {
  const group = {
    basis: /** @type {const} */ ('process-cpu'),
    expected: 2,
    members: [
      { id: '7', requests: null, cpuMs: 900 },
      { id: '8', requests: null, cpuMs: 300 },
    ],
    min: 300,
    mean: 600,
    median: 600,
    max: 900,
  };
  /** @param {ReturnType<typeof fullReport>['balance']} balance */
  const print = balance => printRun(wordReport({ ...fullReport(), balance }));
  const byCpu = print({ workers: group, backends: null });
  assert.match(byCpu, /Workers: 300 ms to 900 ms, median 600 ms, by CPU time of the processes\./);
  assert.match(byCpu, /7 +900 ms +75\.0 % /);
  const members = Array.from({ length: 6 }, (_, n) => ({ id: `a${n}`, requests: n, cpuMs: null }));
  const byRequests = print({ workers: null, backends: { ...group, basis: 'companion', members } });
  assert.match(byRequests, /Instances: /);
  assert.match(byRequests, /a3 +3 +20\.0 %/);
  assert.match(byRequests, /and 2 more in report\.html/);
  assert.doesNotMatch(print({ workers: null, backends: null }), /How the traffic spread/);
});

test('proposes the setting that makes rows one, with what it has already', () => {
  const text = printEndpoints(report => {
    assert.ok(report.load);
    report.load.groups = [
      { path: '/weather/:weather', rows: 12, examples: ['GET /weather/oslo', 'GET /weather/rome'] },
    ];
    report.run.settings.push({ name: 'ENDPOINTS', value: '/rates/:currency', source: '.env' });
  }, 200);
  assert.match(text ?? '', /only: 12 such as GET \/weather\/oslo\. If/);
  assert.match(text ?? '', /one\s+row:\s+ENDPOINTS='\/rates\/:currency,\s+\/weather\/:weather'/);
});

test('a row says that its steps differ in their query and in what they cost', () => {
  const cost = (/** @type {string} */ query, /** @type {number} */ mean) => ({
    ...{ query, mean, variance: 0 },
  });
  const text = printEndpoints(report => {
    const [first, second] = report.load?.endpoints ?? [];
    assert.ok(first && second);
    const [most, least] = [cost('?kind=a', 8), cost('?kind=b', 2)];
    first.contrasts = [
      { of: 'statements', most, least },
      { of: 'cpuMs', most: cost('?kind=a', 21), least: cost('', 7) },
    ];
    second.contrasts = [{ of: 'statements', most: cost('?all', 40), least: cost('?page=1', 0) }];
  }, 300);
  assert.match(
    text ?? '',
    /steps: GET \S+: statements per request 8\.0 with \?kind=a, 2\.0 with \?kind=b \(4\.0 ×\); GET/,
  );
  assert.match(
    text ?? '',
    /ms of CPU per request 21 with \?kind=a, 7\.0 without a query \(3\.0 ×\);/,
  );
  assert.match(
    text ?? '',
    /statements per request 40 with \?all, 0\.0 with\s+\?page=1\. A `name` for/,
  );
});
