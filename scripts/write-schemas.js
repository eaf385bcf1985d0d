/**
 * `npm run check -- --fix` writes JSON Schemas from types. Those of `report.json` and `study.json`, for who reads these
 * files with other tools, are made before the package is packed, and not kept. That of what folders hold is
 * read by loadflame itself: it is kept.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createGenerator, createProgram, DEFAULT_CONFIG } from 'ts-json-schema-generator';

const ROOT = new URL('..', import.meta.url);

/**
 * @param {string} types where they are, below `lib/`
 * @param {string} type
 * @param {string} schema where it goes
 */
const describe = (types, type, schema) => ({ types: `lib/${types}.d.ts`, type, schema });

export const REPORT = describe('text/worded-report', 'WordedReport', 'docs/report.schema.json');
export const STUDY_REPORT = describe(
  'text/study-report',
  'StudyReport',
  'docs/study-report.schema.json',
);
export const EXPLANATION = describe('text/explanation', 'Explanation', 'docs/explain.schema.json');
export const FOLDERS = describe(
  'run/facts/folder-shapes',
  'FolderShapes',
  'lib/run/folder-shapes.schema.json',
);

/** Files that a user writes: their types, and beside them the schemas that are read. */
export const FORMS = [
  ['analysis/hotpath/rules-form', 'RulesForm'],
  ['experiment/preflight/block-form', 'BlockForm'],
  ['experiment/study/study-file/study-form', 'StudyForm'],
  ['experiment/thresholds/thresholds-form', 'ThresholdsForm'],
].map(([name = '', type = '']) => describe(name, type, `lib/${name}.schema.json`));
/** Keywords that `lib/base/files/check-shape.js` adds to those of JSON Schema, and old ones. */
const KEYWORDS = ['exactlyOne', 'atMostOne', 'atLeastOne', 'dependencies'];

/** Characters of what is worth a reference to it. */
const LEAST_SHARED = 80;
/** Sums of such numbers are numbers. */
const MOST = 1e15;

/**
 * Of folders: newer versions may have written more, and no number is without a bound.
 * @returns {object}
 */
export function buildFolderSchema() {
  const text = JSON.stringify(generate(FOLDERS, { additionalProperties: true }));
  // Types that hold themselves are named after the place of their file.
  /** @type {string[]} */
  const names = [];
  const portable = text.replace(/interface-[\d-]+/g, name => {
    if (!names.includes(name)) names.push(name);
    return `nested-${names.indexOf(name) + 1}`;
  });
  const bounded = JSON.parse(portable, (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : boundNumber(value),
  );
  return shareRepeated(bounded);
}

/**
 * Of forms: alternatives are of different types, and one mistake is found instead of one for each of them.
 * @param {typeof REPORT} form @returns {object}
 */
export function buildFormSchema(form) {
  const schema = generate(form, { topRef: false, extraTags: KEYWORDS });
  return JSON.parse(JSON.stringify(schema), (_, node) => {
    if (node?.enum) return { enum: node.enum };
    if (!node?.anyOf) return node;
    const { anyOf, ...rest } = node;
    const types = anyOf.flatMap((/** @type {any} */ { type }) => type);
    return Object.assign({}, ...anyOf, rest, { type: types });
  });
}

/** @param {any} schema of one value */
function boundNumber(schema) {
  const types = [schema?.type].flat();
  if (!types.includes('number') || 'maximum' in schema) return schema;
  return { ...schema, minimum: schema.minimum ?? -MOST, maximum: MOST };
}

/** @param {typeof REPORT} document @returns {object} */
export function buildSchema(document) {
  return shareRepeated(generate(document));
}

/** Of all types, which are read once. @type {ReturnType<typeof createProgram> | undefined} */
let tsProgram;

/** @param {typeof REPORT} document @param {import('ts-json-schema-generator').Config} [options] */
function generate({ type }, options = {}) {
  const files = [REPORT, STUDY_REPORT, EXPLANATION, FOLDERS, ...FORMS].map(({ types }) => types);
  tsProgram ??= createProgram({
    ...DEFAULT_CONFIG,
    path: `${fileURLToPath(ROOT)}{${files}}`,
    tsconfig: fileURLToPath(new URL('tsconfig.json', ROOT)),
    skipTypeCheck: true,
  });
  return createGenerator({
    tsProgram,
    type,
    additionalProperties: false,
    // Types with their text beside them are called as those without.
    expose: 'none',
    ...options,
  }).createSchema(type);
}

/**
 * What stands in several places stands in `definitions` once: else two thirds of a schema are repetitions.
 * @param {any} schema
 */
function shareRepeated(schema) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  /** @param {any} node */
  const count = node => {
    if (node === null || typeof node !== 'object') return;
    const text = JSON.stringify(node);
    if (isShareable(node, text)) counts.set(text, (counts.get(text) ?? 0) + 1);
    if ((counts.get(text) ?? 1) === 1) Object.values(node).forEach(count);
  };
  count(schema);
  /** @type {Map<string, string>} */
  const names = new Map();
  /** @type {Record<string, any>} */
  const shared = {};
  /** @param {any} node @returns {any} */
  const share = node => {
    if (node === null || typeof node !== 'object') return node;
    if (Array.isArray(node)) return node.map(share);
    const text = JSON.stringify(node);
    const copy = () => Object.fromEntries(Object.entries(node).map(([key, v]) => [key, share(v)]));
    if ((counts.get(text) ?? 1) === 1) return copy();
    const name = names.get(text) ?? `shared-${names.size + 1}`;
    if (!names.has(text)) {
      names.set(text, name);
      shared[name] = copy();
    }
    return { $ref: `#/definitions/${name}` };
  };
  const { definitions, ...rest } = share(schema);
  return { ...rest, definitions: { ...definitions, ...shared } };
}

/** @param {any} node of a schema @param {string} text */
function isShareable(node, text) {
  return text.length > LEAST_SHARED && ('type' in node || 'anyOf' in node);
}

/** @param {string} file @param {object} schema */
function write(file, schema) {
  writeFileSync(new URL(file, ROOT), `${JSON.stringify(schema)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const document of [REPORT, STUDY_REPORT, EXPLANATION])
    write(document.schema, buildSchema(document));
  write(FOLDERS.schema, buildFolderSchema());
  for (const form of FORMS) write(form.schema, buildFormSchema(form));
}
