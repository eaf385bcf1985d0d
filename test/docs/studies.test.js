import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readStudy } from '../../lib/experiment/study/study-file/read-study.js';
import STUDY_SCHEMA from '../../lib/experiment/study/study-file/study-form.schema.json' with {
  type: 'json',
};
import { writeStudy } from '../experiment/study/study-file/write-study.js';

const DOCS = readFileSync(path.resolve(import.meta.dirname, '../../docs/studies.md'), 'utf8');

/**
 * All keys that a study file may have, anywhere.
 * @param {unknown} schema
 * @returns {string[]}
 */
function listKeys(schema) {
  if (schema === null || typeof schema !== 'object') return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'properties'
      ? [...Object.keys(value), ...listKeys(Object.values(value))]
      : listKeys(value),
  );
}

test('docs/studies.md names each key of a study file', () => {
  const missing = listKeys(STUDY_SCHEMA).filter(key => !new RegExp(`\\b${key}\\b`).test(DOCS));
  assert.deepEqual(missing, []);
});

test('the study from scratch of studies/README.md is right, in 40 lines', t => {
  const readme = readFileSync(path.resolve(import.meta.dirname, '../../studies/README.md'), 'utf8');
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(readme) ?? [];
  assert.ok(example.trim().split('\n').length <= 40);
  assert.ok(readStudy(writeStudy(t, example)).setup);
});

test('the study file of docs/studies.md is right in both forms', t => {
  const [, example = ''] = /```yaml\n(title: .*?)```/s.exec(DOCS) ?? [];
  const file = writeStudy(t, example);
  assert.equal(readStudy(file).factors.length, 2);
  assert.equal(readStudy(file, { quick: true }).repeats, 1);
});
