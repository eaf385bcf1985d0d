import assert from 'node:assert/strict';
import test from 'node:test';
import { wordReport } from '../../lib/text/index.js';
import { KINDS } from '../fixtures/reports/extreme-reports.js';
import * as reports from '../fixtures/reports/reports.js';
import { validateReport as validate, validateStudyReport } from '../helpers/report-schemas.js';

test('the types of a study have a schema, too', () => {
  assert.equal(validateStudyReport({}), false);
});

test('reports of every kind are valid', () => {
  for (const build of Object.values(KINDS)) {
    assert.ok(
      validate(JSON.parse(JSON.stringify(wordReport(build())))),
      `${build.name}: ${JSON.stringify(validate.errors)}`,
    );
  }
});

test('a field that is missing, unknown, of another type or version is refused', () => {
  /** @type {((report: any) => void)[]} */
  const mistakes = [
    report => delete report.verdict.headline,
    report => delete report.findings[0].text,
    report => {
      report.findings[0].id = 'no-such-finding';
    },
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
      report.schema = 'loadflame-report/1';
    },
    report => {
      report.run.versions.node = 24;
    },
  ];
  for (const make of mistakes) {
    const report = wordReport(reports.fullReport());
    make(report);
    assert.equal(validate(report), false, String(make));
  }
});
