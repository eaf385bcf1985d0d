import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  buildReportSchema,
  REPORT,
  renderReportSchema,
  STUDY_REPORT,
} from '../../scripts/write-report-schema.js';
import { hostileReport } from '../fixtures/reports/extreme-reports.js';
import * as reports from '../fixtures/reports/reports.js';

const validate = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(REPORT.schema, 'utf8')),
);

test('schemas are what their types say; else type: node scripts/write-report-schema.js', () => {
  for (const document of [REPORT, STUDY_REPORT])
    assert.equal(readFileSync(document.schema, 'utf8'), renderReportSchema(document));
});

test('reports of every kind are valid', () => {
  const { fullReport, partialReport, loadOnlyReport, importReport, minimalReport } = reports;
  for (const build of [
    fullReport,
    partialReport,
    loadOnlyReport,
    importReport,
    minimalReport,
    hostileReport,
  ]) {
    assert.ok(
      validate(JSON.parse(JSON.stringify(build()))),
      `${build.name}: ${JSON.stringify(validate.errors)}`,
    );
  }
});

test('a field that is missing, unknown, of another type or version is refused', () => {
  /** @type {((report: any) => void)[]} */
  const mistakes = [
    report => delete report.verdict.headline,
    report => {
      report.verdict.mood = 'gloomy';
    },
    report => {
      report.load.http.requests = '1240';
    },
    report => {
      report.load.users.created = null;
    },
    report => {
      report.profile.categories[0].share = 0.41;
    },
    report => {
      report.schema = 'loadflame-report/2';
    },
    report => {
      report.run.versions.node = 24;
    },
  ];
  for (const make of mistakes) {
    const report = reports.fullReport();
    make(report);
    assert.equal(validate(report), false, String(make));
  }
});

test('a form of type that the schema can not say is an error, not a guess', () => {
  assert.throws(
    () => buildReportSchema('export interface Report { a: keyof Other; }'),
    SyntaxError,
  );
});
