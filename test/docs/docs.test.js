import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readOwnRules } from '../../lib/analysis/hotpath/load-rules.js';
import { ERRORS } from '../../lib/base/errors.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { renderErrorsDoc } from '../../scripts/write-errors-doc.js';
import { buildFolderSchema, buildFormSchema, FOLDERS, FORMS } from '../../scripts/write-schemas.js';
import { reportSchema } from '../helpers/report-schemas.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const THIS_FILE = path.relative(ROOT, import.meta.filename);

/** @param {string} name */
const read = name => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

test('docs/errors.md is what the table of errors says now: else run scripts/write-errors-doc.js', () => {
  const text = renderErrorsDoc();
  assert.equal(read('docs/errors.md'), text);
  for (const code of Object.keys(ERRORS)) assert.ok(text.includes(`\n- \`${code}\`: `), code);
});

test('docs/run-folder.md names every file of a run folder, and no other', () => {
  const text = read('docs/run-folder.md');
  const files = Object.values(runFiles('R'))
    .map(file => (typeof file === 'function' ? file(/** @type {any} */ (1)) : file))
    .map(file => path.relative('R', file))
    .filter(Boolean)
    .map(file => file.replace('profile-1.svg', 'profile-<pid>.svg'));
  for (const file of files) assert.ok(text.includes(`\`${file}\``), `${file} is not documented`);
  const table = text.slice(text.indexOf('- `run.json`'), text.indexOf('## `run.json`'));
  const documented = [
    ...table.matchAll(/`([\w.<>-]+(?:\/[\w.-]+)?\.(?:json|ndjson|log|raw|html|svg))`/g),
  ]
    .map(match => match[1] ?? '')
    .filter(name => !/^(?:lib|docs)/.test(name));
  for (const name of documented)
    assert.ok(files.includes(name), `${name} is documented and unknown`);
});

test('every error is provoked by a test that names its code', () => {
  const tests = globSync('test/**/*.js', { cwd: ROOT }).filter(file => file !== THIS_FILE);
  const text = tests.map(read).join('\n');
  const unnamed = Object.keys(ERRORS).filter(code => !new RegExp(`['"]${code}['"]`).test(text));
  assert.deepEqual(unnamed, []);
});

test('every error that the code throws is in the table, and the table has no other', () => {
  const sources = globSync('lib/**/*.js', { cwd: ROOT }).filter(
    file => file !== 'lib/base/errors.js',
  );
  const text = sources.map(read).join('\n');
  const unused = Object.keys(ERRORS).filter(code => !text.includes(`'${code}'`));
  assert.deepEqual(unused, []);
  const thrown = [...text.matchAll(/new LoadflameError\(\s*'(\w+)'/g)].map(match => match[1] ?? '');
  assert.ok(thrown.length > 20);
  for (const code of thrown) assert.ok(code in ERRORS, code);
});

test('docs/run-folder.md names every kind of record that the recorders write', () => {
  const text = read('docs/run-folder.md');
  const kinds = findRecordKinds();
  assert.ok(kinds.size > 20);
  for (const kind of kinds) assert.match(text, new RegExp(`\`${kind}\`|kind: "${kind}"`), kind);
  const lists = [...text.matchAll(/^Kinds of .*:\n\n((?:- .*\n)+)/gm)].map(match => match[1] ?? '');
  assert.equal(lists.length, 4);
  const names = lists.join('').matchAll(/(?<=^- .*)`([a-z-]+)`(?=[^:\n]*: )/gm);
  for (const [, kind = ''] of names)
    assert.ok(kinds.has(kind), `${kind} is documented and never written`);
});

/** What is given to `append`, and what the token source tells to whoever appends it. */
function findRecordKinds() {
  /** @type {Set<string>} */
  const kinds = new Set();
  for (const file of globSync('lib/{experiment/study/run,load,record,run}/**/*.js', {
    cwd: ROOT,
  }).concat('lib/experiment/session.js')) {
    const source = read(file);
    for (const [, kind = ''] of source.matchAll(/\bappend\(\s*(?:\{\s*kind: )?'([a-z-]+)'/g))
      kinds.add(kind);
  }
  const events = read('lib/load/auth/token-source.js').matchAll(/^ \* {3}\| \{kind: ('[^,}]*')/gm);
  for (const [, union = ''] of events) {
    for (const [, kind = ''] of union.matchAll(/'([a-z-]+)'/g)) kinds.add(kind);
  }
  return kinds;
}

/** Their places are those of `study.json`. */
const STUDIES = /^## Studies$.*?(?=^## )/ms;

test('every place of study.json that docs/terminology.md points to is named in its type', () => {
  const [section = ''] = STUDIES.exec(read('docs/terminology.md')) ?? [];
  const type = read('lib/run/facts/study-report.d.ts') + read('lib/run/facts/saturation.d.ts');
  const places = [...section.matchAll(/\*\* \(`([\w.]+)`(?:, `([\w.]+)`)?\): /g)].flatMap(
    ([, ...names]) => names.filter(Boolean),
  );
  assert.ok(places.length > 5);
  for (const name of places.flatMap(place => place.split('.')))
    assert.match(type, new RegExp(`^ +${name}: `, 'm'), name);
});

test('every place that docs/terminology.md points to exists in the schema of the report', () => {
  const text = read('docs/terminology.md').replace(STUDIES, '');
  const schema = /** @type {any} */ (reportSchema);
  const places = [...text.matchAll(/\*\* \(`([\w.]+)`\): /g)].map(match => match[1] ?? '');
  assert.ok(places.length > 20);
  for (const place of places) assert.ok(findIn(schema, schema, place.split('.')), place);
});

test('what is read from folders is checked against the types as they are now: else `npm run check -- --fix`', () => {
  assert.deepEqual(JSON.parse(read(FOLDERS.schema)), buildFolderSchema());
});

test('what users write is checked against the types as they are now: else `npm run check -- --fix`', () => {
  for (const form of FORMS)
    assert.deepEqual(JSON.parse(read(form.schema)), buildFormSchema(form), form.schema);
});

test('rules.json has what the rules files say: else `npm run check -- --fix`', () => {
  assert.deepEqual(JSON.parse(read('lib/analysis/hotpath/rules.json')), readOwnRules());
});

/**
 * Follows property names through a JSON Schema, references and alternatives included.
 * @param {any} root @param {any} node @param {string[]} names @returns {boolean}
 */
function findIn(root, node, names) {
  if (!node) return false;
  if (node.$ref) return findIn(root, resolve(root, node.$ref), names);
  const [name, ...rest] = names;
  if (name === undefined) return true;
  if (node.properties?.[name]) return findIn(root, node.properties[name], rest);
  return [...(node.anyOf ?? []), ...(node.oneOf ?? [])].some(option => findIn(root, option, names));
}

/** @param {any} root @param {string} ref */
function resolve(root, ref) {
  return ref
    .slice(2)
    .split('/')
    .reduce((node, key) => node?.[decodeURIComponent(key)], root);
}
