/**
 * Writes the JSON Schemas of `report.json` and `study.json` from their types, for who reads these files
 * with other tools: `npm run schemas`, and before the package is packed. They are made, not kept.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';

const ROOT = new URL('..', import.meta.url);

/** Where the types are, and where the schema goes. */
export const REPORT = {
  types: 'lib/text/worded-report.d.ts',
  type: 'WordedReport',
  schema: 'docs/report.schema.json',
};
export const STUDY_REPORT = {
  types: 'lib/text/study-report.d.ts',
  type: 'StudyReport',
  schema: 'docs/study-report.schema.json',
};

/** @param {typeof REPORT} document @returns {object} */
export function buildSchema({ types, type }) {
  return createGenerator({
    path: fileURLToPath(new URL(types, ROOT)),
    tsconfig: fileURLToPath(new URL('tsconfig.json', ROOT)),
    type,
    skipTypeCheck: true,
    additionalProperties: false,
    // Types with their text beside them are called as those without.
    expose: 'none',
  }).createSchema(type);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const document of [REPORT, STUDY_REPORT])
    writeFileSync(
      new URL(document.schema, ROOT),
      `${JSON.stringify(buildSchema(document), null, 2)}\n`,
    );
}
