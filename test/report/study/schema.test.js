import assert from 'node:assert/strict';
import test from 'node:test';
import { validateStudyReport as validate } from '../../helpers/report-schemas.js';
import { contentStudy, ingressStudy, taskStudy } from '../../helpers/synthetic-study/examples.js';
import { judgeSpec } from '../../helpers/synthetic-study/judge-spec.js';

test('studies of every kind keep to the schema', () => {
  const specs = [
    contentStudy,
    taskStudy,
    ingressStudy,
    { ...contentStudy, isEmpty: true },
    { ...contentStudy, fate: () => 'it died' },
    { ...contentStudy, model: /** @type {const} */ ('open') },
  ];
  for (const [index, spec] of specs.entries()) {
    const isValid = validate(JSON.parse(JSON.stringify(judgeSpec(spec))));
    assert.ok(isValid, `${index}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
  }
});

test('a study whose field is missing or of another type is refused', () => {
  const report = judgeSpec(taskStudy);
  assert.equal(validate({ ...report, load: undefined }), false);
  assert.equal(validate({ ...report, schema: 'loadflame-report/1' }), false);
  assert.equal(validate({ ...report, cells: [{ ...report.cells[0], step: '16' }] }), false);
});
