import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { replaceFile } from '../../lib/files/replace-file.js';
import { renderHtml } from '../../lib/report/render-html.js';
import { writeJson } from '../../lib/report/write-json.js';
import { wordReport } from '../../lib/text/index.js';
import { fullReport, minimalReport } from '../fixtures/reports/reports.js';

const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-report-'));
test.after(() => rmSync(folder, { recursive: true }));

test('writes a report whole, replaces the earlier one, and reads it back unchanged', () => {
  const file = path.join(folder, 'run', 'report.json');
  writeJson(wordReport(minimalReport()), file);
  writeJson(wordReport(fullReport()), file);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), wordReport(fullReport()));
  replaceFile(path.join(folder, 'run', 'report.html'), renderHtml(wordReport(fullReport())));
  assert.deepEqual(readdirSync(path.join(folder, 'run')).sort(), ['report.html', 'report.json']);
});

test('a report that can not be written is an error that names the file and why', () => {
  const blocked = path.join(folder, 'blocked');
  writeFileSync(blocked, 'a file where a folder should be');
  assert.throws(() => writeJson(wordReport(fullReport()), path.join(blocked, 'report.json')), {
    code: 'REPORT_UNWRITABLE',
    exitCode: 3,
    message: /cannot write .*blocked.*report\.json \((ENOTDIR|EEXIST)\)/,
  });
});
