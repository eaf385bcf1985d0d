import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTerminal } from '../../lib/report/render-terminal.js';
import { balanceLines, costLines } from '../../lib/report/terminal/cost-lines.js';
import { makePaint } from '../../lib/report/terminal/text.js';
import { wordReport } from '../../lib/text/index.js';
import { fullReport } from '../fixtures/reports/reports.js';

const paint = makePaint(false);

function costs() {
  const { costs: own } = wordReport(fullReport());
  assert.ok(own);
  return own;
}

test('each endpoint has its cost, the interval, and whether it was measured where not all were', () => {
  const own = costs();
  const text = costLines(own, 80, paint).join('\n');
  assert.match(text, /^CPU per request, by endpoint\n/);
  assert.match(text, /CPU {2}95 % interval +by {2}of all CPU/);
  assert.match(text, /GET \/api\/v1\/appointments\/ .*\d ms +[\d.]+–[\d.]+ ms +samples +[\d.]+ %/);
  assert.match(text, /GET \/api\/v1\/citizens\/ .*\d ms +[\d.]+–[\d.]+ ms +measured +[\d.]+ %/);
  assert.match(text, /% of the CPU is of no endpoint/);
  assert.match(own.text, /a request of 3 of 4 costs was measured in the workers \(thread CPU\)/);
  for (const endpoint of own.endpoints) endpoint.isMeasured = true;
  assert.doesNotMatch(costLines(own, 80, paint).join('\n'), /interval +by/);
});

test('views without a price have none, not an empty column', () => {
  const own = costs();
  for (const endpoint of own.endpoints)
    Object.assign(endpoint, { cpuMsPerRequest: null, isMeasured: false });
  const text = costLines(own, 80, paint).join('\n');
  assert.match(text, /^CPU by view\n/);
  assert.doesNotMatch(text, /interval| by {2}|–/);
});

test('what the companion adds is stated where it was not there, and only there', () => {
  const advice = /`loadflame\s+companion`\s+copies/;
  const report = fullReport();
  assert.ok(report.costs);
  assert.doesNotMatch(renderTerminal(wordReport(report)), advice);
  report.costs.basis = 'view';
  assert.doesNotMatch(renderTerminal(wordReport(report)), advice, 'some workers had it');
  for (const endpoint of report.costs.endpoints) endpoint.serverMsPerRequest = null;
  assert.match(renderTerminal(wordReport(report)), advice);
  report.costs = null;
  const text = renderTerminal(wordReport(report));
  assert.match(text, /No view function could be recognised/);
  assert.match(text, advice);
  report.profile = null;
  assert.doesNotMatch(renderTerminal(wordReport(report)), advice);
});

test('of many endpoints the most expensive are shown and the others counted', () => {
  const own = costs();
  const [first] = own.endpoints;
  assert.ok(first);
  own.endpoints = Array.from({ length: 20 }, (_, n) => ({ ...first, name: `GET /${n}\u001b[31m` }));
  const lines = costLines(own, 60, paint);
  assert.ok(lines.some(line => line.includes('8 more endpoints in report.html')));
  assert.ok(lines.every(line => !line.includes('\u001b') && line.length <= 60));
});

test('balance is told by requests, or by CPU time where that is all that is known', () => {
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
    jain: 0.8,
  };
  const byCpu = balanceLines({ workers: group, backends: null }, 80, paint).join('\n');
  assert.match(byCpu, /Workers +2 +300 ms +600 ms +900 ms +0\.80/);
  assert.match(byCpu, /7: 900 ms, 8: 300 ms of CPU/);
  const members = Array.from({ length: 6 }, (_, n) => ({ id: `a${n}`, requests: n, cpuMs: null }));
  const byRequests = balanceLines(
    { workers: null, backends: { ...group, basis: 'companion', members } },
    80,
    paint,
  ).join('\n');
  assert.match(byRequests, /Instances +6/);
  assert.match(byRequests, /a0: 0 requests, a1: 1 request, .* and 2 more/);
  assert.deepEqual(balanceLines({ workers: null, backends: null }, 80, paint), []);
});
