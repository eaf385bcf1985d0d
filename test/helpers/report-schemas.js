/** The schemas of report.json and study.json, from the types as they are now: each takes seconds to make. */
import { Ajv } from 'ajv';
import { buildSchema, REPORT, STUDY_REPORT } from '../../scripts/write-schemas.js';

// To optimize the code takes longer than it saves.
const options = { inlineRefs: false, code: { optimize: false } };
const compile = (/** @type {object} */ schema) =>
  new Ajv({ strict: true, allErrors: true, allowUnionTypes: true, ...options }).compile(schema);

export const reportSchema = buildSchema(REPORT);
export const validateReport = compile(reportSchema);
export const validateStudyReport = compile(buildSchema(STUDY_REPORT));
