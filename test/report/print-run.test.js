import assert from 'node:assert/strict';
import test from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { textWidth } from '../../lib/report/print/terminal-text.js';
import { wordReport } from '../../lib/text/index.js';
import { hostileReport, largeReport } from '../fixtures/reports/extreme-reports.js';
import {
  fullReport,
  importReport,
  loadOnlyReport,
  minimalReport,
  noStacksReport,
  partialReport,
} from '../fixtures/reports/reports.js';
import { printRun } from '../helpers/print-documents.js';
import { assertGolden } from './golden.js';

const REPORTS = {
  full: fullReport,
  partial: partialReport,
  'load-only': loadOnlyReport,
  'no-stacks': noStacksReport,
  import: importReport,
  minimal: minimalReport,
};

for (const [name, build] of Object.entries(REPORTS)) {
  test(`the summary of a report that is ${name} reads as it did`, () => {
    assertGolden(`${name}.txt`, printRun(wordReport(build()), { color: false, width: 80 }));
    assertGolden(`${name}-short.txt`, printRun(wordReport(build()), { extent: 'short' }));
  });
}

test('the short form has at most 52 lines, with the two after it', () => {
  for (const [name, build] of Object.entries(REPORTS)) {
    const lines = printRun(wordReport(build()), { extent: 'short', width: 80 }).split('\n');
    assert.ok(lines.length <= 50, `${name}: ${lines.length}`);
  }
});

test('the short form has the verdict, findings, endpoints and the largest paths', () => {
  const text = printRun(wordReport(fullReport()), { extent: 'short' });
  const titles = text.split('\n\n').map(part => part.split('\n')[0]);
  assert.deepEqual(titles.slice(1), [
    'What to do first',
    'Findings (3)',
    'Endpoints',
    'Where the CPU time of a request goes',
  ]);
});

test('the first screen says what limits the throughput once, as something to do', () => {
  const report = wordReport(fullReport());
  const [action] = report.findings.filter(({ text }) => text.advice && text.proof);
  const said = 'The workers are full.';
  assert.ok(action);
  report.verdict.text.sentences.push(said);
  report.findings = [{ ...action, text: { ...action.text, title: said } }];
  assert.equal(printRun(report, { extent: 'short' }).split(said).length, 2);
});

test('what the headline names is something to do: its advice, and its line once', () => {
  const report = wordReport(fullReport());
  const [action] = report.findings.filter(({ text }) => text.advice && text.proof);
  assert.ok(action?.text.proof);
  const { headline } = report.verdict;
  assert.ok(headline.id === 'finding');
  headline.facts.finding = action;
  report.verdict.text.headline = 'The largest waste is at shop.py:12.';
  action.text.advice = 'Keep one client. It is safe.';
  action.text.proof.place = 'shop.py:12';
  report.findings = [action];
  const doing = () => printRun(report, { extent: 'short' }).split('\n\n')[1] ?? '';
  assert.match(doing(), /^What to do first\n\S Keep one client\.\n {4}/);
  assert.ok(!doing().includes(action.text.title));
  action.text.proof.place = 'shop.py:99';
  assert.match(doing(), /^What to do first\n\S Keep one client\. At shop\.py:99\.\n/);
});

test('the short form reports problems beside the headline once', () => {
  const report = wordReport(fullReport());
  const [first] = report.findings;
  assert.ok(first);
  report.findings = [];
  const { headline } = report.verdict.text;
  for (const title of [headline, 'The server was reloaded.'])
    report.findings.push({ ...first, severity: 'bad', text: { ...first.text, title } });
  const [, problems] = printRun(report, { extent: 'short' }).split('\n\n');
  assert.equal(problems, 'Findings (1)\n✖ The server was reloaded.');
});

test('every line fits the width, whatever the text and the width', () => {
  for (const build of [...Object.values(REPORTS), hostileReport, () => largeReport(200)]) {
    for (const width of [60, 80, 132]) {
      for (const line of printRun(wordReport(build()), { color: true, width }).split('\n')) {
        assert.ok(textWidth(line) <= width, `${textWidth(line)} > ${width}: ${line}`);
      }
    }
  }
});

test('without colour there is no escape sequence, and colour changes nothing else', () => {
  const plain = printRun(wordReport(fullReport()), { color: false });
  const painted = printRun(wordReport(fullReport()), { color: true });
  assert.doesNotMatch(plain, /\p{Cc}(?<!\n)/u);
  assert.notEqual(painted, plain);
  assert.equal(stripVTControlCharacters(painted), plain);
});

test('text from outside cannot control the terminal or change its reading direction', () => {
  const report = hostileReport();
  const path = report.profile?.hotPaths[0];
  assert.ok(path);
  path.entry.function = 'evil\u001b]0;title\u0007\u009b31m\u202e\r\nname';
  const text = printRun(wordReport(report), { color: false });
  assert.match(text, /evil\ufffd\]0;title\ufffd\ufffd31m\ufffd name/);
  assert.doesNotMatch(text, /[\p{Cc}\u202a-\u202e\u2066-\u2069](?<!\n)/u);
});

test('wide characters count as two columns', () => {
  assert.equal(textWidth('名前'), 4);
  assert.equal(textWidth('e\u0301'), 1);
  assert.equal(textWidth('\u001b[1mab\u001b[22m'), 2);
  const report = wordReport(fullReport());
  report.verdict.text.headline = '遅い'.repeat(60);
  for (const line of printRun(report, { width: 80 }).split('\n')) assert.ok(textWidth(line) <= 80);
});

test('dropped arrivals are shown even when there are none', () => {
  const report = fullReport();
  assert.ok(report.load);
  report.load.users.skipped = 0;
  assert.match(printRun(wordReport(report)), /Arrivals dropped +0\n/);
});

test('prints paths down to the last one with text, and each cause once', () => {
  const report = wordReport(fullReport());
  const paths = report.profile?.hotPaths ?? [];
  const small = { ...paths[2], text: 'a small path' };
  paths.push(
    .../** @type {typeof paths} */ ([
      small,
      small,
      { ...small, flagged: true, text: 'a flagged one' },
    ]),
    /** @type {any} */ ({ ...small, text: 'the last path' }),
  );
  const text = printRun(report);
  assert.match(text, /\ni a small path\ni a small path\n✖ a flagged one\n/);
  assert.match(text, /\n {2}and 1 more in report\.html\n/);
  assert.doesNotMatch(text, /the last path/);
  assert.equal(text.match(/^ +- TLS context per request: /gm)?.length, 1);
});

test('socket.io connections are counted as connections and not as a code', () => {
  const text = printRun(wordReport(fullReport()));
  assert.match(text, /socket\.io +41 connections \(0 failed, 2 reconnects\), 123 emits/);
  assert.doesNotMatch(text, /^ +0 /m);
});

test('which engine sent the load, and whether users arrived or repeated, is in the first line', () => {
  const report = fullReport();
  assert.ok(report.load);
  const [warmUp, ramp] = report.load.phases;
  assert.ok(warmUp && ramp);
  /** @type {[string, import('../../lib/run/facts/load-report.d.ts').LoadReport['phases'], RegExp][]} */
  const table = [
    ['loadflame', [warmUp], /with loadflame's engine\. Phases: .*open arrivals/],
    [
      'loadflame',
      [{ ...warmUp, model: 'closed' }],
      /with loadflame's engine\. Phases: .*closed loop/,
    ],
    ['artillery', [], /with Artillery's engine\./],
    [
      'loadflame',
      [warmUp, { ...warmUp, model: 'none' }, { ...ramp, model: 'closed' }],
      /open arrivals.*no arrivals.*closed loop/,
    ],
  ];
  for (const [engine, phases, expected] of table) {
    Object.assign(report.load, { engine, phases });
    assert.match(printRun(wordReport(report)).replaceAll(/\s+/g, ' '), expected);
  }
});

test('only a profiler that pauses processes uses CPU time in its stops', () => {
  const STOPS = /, and in the stops for samples\./;
  const { profile, ...report } = fullReport();
  assert.ok(profile?.segments);
  const tell = (/** @type {boolean} */ pausesTarget) => {
    const profiler = profile.profiler && { ...profile.profiler, pausesTarget };
    return wordReport({ ...report, profile: { ...profile, profiler } }).costs?.text ?? '';
  };
  assert.match(tell(true), STOPS);
  assert.doesNotMatch(tell(false), STOPS);
});
