/**
 * `npm run schemas` writes JSON Schemas from types. Those of `report.json` and `study.json`, for who reads these
 * files with other tools, are made before the package is packed, and not kept. That of what folders hold is
 * read by loadflame itself: it is kept.
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

export const FOLDERS = {
  types: 'lib/study/folder-shapes.d.ts',
  type: 'FolderShapes',
  schema: 'lib/folder-shapes.schema.json',
};
/** Sums of such numbers are numbers. */
const MOST = 1e15;

/**
 * Of folders: newer versions may have written more, and no number is without a bound.
 * @returns {object}
 */
export function buildFolderSchema() {
  const text = JSON.stringify(buildSchema(FOLDERS, { additionalProperties: true }));
  // Types that hold themselves are named after the place of their file.
  /** @type {string[]} */
  const names = [];
  const portable = text.replace(/interface-[\d-]+/g, name => {
    if (!names.includes(name)) names.push(name);
    return `nested-${names.indexOf(name) + 1}`;
  });
  return JSON.parse(portable, (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : boundNumber(value),
  );
}

/** @param {any} schema of one value */
function boundNumber(schema) {
  const types = [schema?.type].flat();
  if (!types.includes('number') || 'maximum' in schema) return schema;
  return { ...schema, minimum: schema.minimum ?? -MOST, maximum: MOST };
}

/** @param {typeof REPORT} document @returns {object} */
export function buildSchema({ types, type }, { additionalProperties = false } = {}) {
  return createGenerator({
    path: fileURLToPath(new URL(types, ROOT)),
    tsconfig: fileURLToPath(new URL('tsconfig.json', ROOT)),
    type,
    skipTypeCheck: true,
    additionalProperties,
    // Types with their text beside them are called as those without.
    expose: 'none',
  }).createSchema(type);
}

/** @param {string} file @param {object} schema @param {number} [indent] */
function write(file, schema, indent) {
  writeFileSync(new URL(file, ROOT), `${JSON.stringify(schema, null, indent)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const document of [REPORT, STUDY_REPORT]) write(document.schema, buildSchema(document), 2);
  write(FOLDERS.schema, buildFolderSchema());
}
