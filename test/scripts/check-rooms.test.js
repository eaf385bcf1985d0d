import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWriters } from '../../scripts/house/find-writers.js';
import { readCode } from '../../scripts/house/read-code.js';

/** @param {string} source */
const textsOf = source => readCode(source).texts.map(({ text }) => text);

test('strings and templates are texts, and comments are not', () => {
  const source = "/** a 'b' */ const a = 'one'; // 'two'\nconst b = \"th'ree\";";
  assert.deepEqual(textsOf(source), ['one', "th'ree"]);
});

test('a gap of a template may hold texts, braces and templates of its own', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is read
  const source = "say(`a ${b ? `c ${d({ e: 'f' })} g` : '}'} h`, 'i');";
  assert.deepEqual(textsOf(source).toSorted(), ['a x h', 'c x g', 'f', 'i', '}'].toSorted());
});

test('quotes in a regular expression begin no text, and a division is none', () => {
  const source = "const a = /['\"`/]+\\//.test(b) && c / d / 'e'.length;";
  assert.deepEqual(textsOf(source), ['e']);
});

test('an import is told from its text', () => {
  const { code, texts } = readCode("import { a } from './a.js';\nconst b = import('./b.js');");
  assert.deepEqual(
    texts.map(({ at }) => code.slice(0, at).match(/(from|import\()\s*$/)?.[1]),
    ['from', 'import('],
  );
});

test('whoever opens a file for writing by themselves is found, and who reads is not', () => {
  /** @param {string} source */
  const find = source => findWriters(readCode(source));
  for (const source of [
    "fs.writeFileSync(file, 'x')",
    'appendFileSync(file, line)',
    "openSync(file, 'a')",
    "openSync(a, 'r'); openSync(b, flags)",
    "await open(file, 'wx')",
    'mkdirSync(folder)',
    'mkdtempSync(prefix)',
  ])
    assert.equal(find(source).length, 1, source);
  for (const source of [
    "openSync(file, 'r')",
    "// mkdirSync(x)\nsay('mkdirSync(x)')",
    'myopen(file)',
  ])
    assert.deepEqual(find(source), [], source);
});
