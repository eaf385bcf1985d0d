/**
 * Rules of `lib/` that neither types nor imports show: folders of facts hold no sentence, files are written in one way,
 * nothing is put on one line only to save lines, and functions have one purpose. `npm run check` calls it.
 */
import { globSync } from 'node:fs';
import ts from 'typescript';
import { parseSource, readString } from './prose/read-source.js';

/** Folders of facts (ids, numbers, units, names): what is said about them stands in `lib/text/`. */
const FACTS = [
  'analysis',
  'experiment/compare',
  'experiment/history',
  'experiment/study',
  'experiment/thresholds',
];

/** Files of these folders with sentences of another kind, and why. A path that ends in `/` is a folder. @type {[string, string][]} */
const SPEAKS = [
  ['lib/experiment/study/run/', 'progress, shown while a study runs; nothing of it is in a report'],
  ['lib/experiment/study/study-file/', 'what is wrong in a study file'],
  ['lib/experiment/study/services/', 'why a service can not be started'],
  ['lib/experiment/thresholds/read-thresholds.js', 'what is wrong in a thresholds file'],
  ['lib/analysis/hotpath/', 'what is wrong in a rules file'],
  ['lib/analysis/stacks/', 'formats of profiles, and what is wrong in a file'],
  ['lib/analysis/load/logs/tracebacks.js', 'what Python writes'],
  ['lib/experiment/study/measure/measure-cell.js', 'names that engines give to errors'],
];

/** Files that write by themselves, and why. All others use the first two: links are followed and modes forgotten elsewhere. @type {[string, string][]} */
const WRITES = [
  ['lib/base/files/own-files.js', 'opens files of runs'],
  ['lib/base/files/replace-file.js', 'replaces a file in one step'],
  ['lib/base/process/temp-folder.js', 'makes temporary folders'],
  ['lib/base/files/regular-file.js', 'opens for reading what others may have written'],
  ['lib/cli/commands/init.js', "files of the user's project, at places that were typed"],
  ['lib/cli/write-starter.js', 'the same'],
  ['lib/cli/commands/companion.js', 'the same'],
  ['lib/load/generator/reporting.js', '`--output`, at a place that was typed'],
  ['lib/load/artillery/run-artillery.js', 'the same'],
];
/** Lines of code, without comments and blank lines. A function that has more does several things. */
const LONG_FUNCTION = 60;
/** Forbidden habits: how many are left. These numbers only fall. */
const MOST = {
  '`...{ a, b }` in an object': 93,
  'three @param on one line': 59,
  'function of more than 60 lines': 12,
};
/** @typedef {keyof typeof MOST} Habit */
const WRITER =
  /^(?:(?:write|append|copy|truncate)File(?:Sync)?|createWriteStream|cp(?:Sync)?|mkd(?:ir|temp)(?:Sync)?|symlinkSync|linkSync|truncateSync)$/;
const SENTENCE = /(?:[a-z][\w'’-]*[,;:]? ){3,}[a-z]/i;

/** @type {string[]} */
const problems = [];
/** Places of forbidden habits. @type {Partial<Record<Habit, string[]>>} */
const places = {};
for (const file of globSync('lib/**/*.js').sort()) {
  const source = parseSource(file);
  const isFacts = FACTS.some(folder => file.startsWith(`lib/${folder}/`));
  if (isFacts && !SPEAKS.some(([start]) => file.startsWith(start))) checkWords(file, source);
  if (!WRITES.some(([known]) => known === file)) checkWriters(file, source);
  findHabits(file, source);
}
for (const what of /** @type {Habit[]} */ (Object.keys(MOST))) {
  const found = places[what] ?? [];
  if (found.length > MOST[what])
    problems.push(`${what}: ${found.length}, at most ${MOST[what]}: ${found.join(', ')}`);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/** What errors say is for whoever maintains this, or stands in lib/base/errors.js. @param {string} file @param {ts.Node} node */
function checkWords(file, node) {
  if (ts.isNewExpression(node) && node.expression.getText().endsWith('Error')) return;
  const name = ts.isCallExpression(node) ? node.expression.getText() : '';
  if (/^format[A-Z]/.test(name)) problems.push(`${file}: calls ${name}; words stand in lib/text/`);
  const text = readString(node);
  if (SENTENCE.test(text))
    problems.push(`${file}: says "${text.slice(0, 50)}"; words stand in lib/text/`);
  ts.forEachChild(node, child => checkWords(file, child));
}

/** @param {string} file @param {ts.SourceFile} source */
function checkWriters(file, source) {
  const names = new Set(source.statements.flatMap(listFileFunctions));
  /** @param {ts.Node} node */
  const check = node => {
    const name = ts.isCallExpression(node) ? node.expression.getText() : '';
    if (ts.isCallExpression(node) && names.has(name)) {
      const isOpening = /^open(?:Sync)?$/.test(name) && node.arguments[1]?.getText() !== "'r'";
      if (isOpening || WRITER.test(name))
        problems.push(`${file}: ${name}; lib/base/files/own-files.js and replace-file.js write`);
    }
    ts.forEachChild(node, check);
  };
  check(source);
}

/** @param {string} file @param {ts.SourceFile} source */
function findHabits(file, source) {
  /** @param {Habit} what @param {number} at */
  const add = (what, at) => {
    places[what] ??= [];
    places[what].push(`${file}:${source.getLineAndCharacterOfPosition(at).line + 1}`);
  };
  /** @param {ts.Node} node */
  const check = node => {
    if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression))
      add('`...{ a, b }` in an object', node.getStart());
    if (ts.isFunctionLike(node) && countLines(node) > LONG_FUNCTION)
      add('function of more than 60 lines', node.getStart());
    ts.forEachChild(node, check);
  };
  check(source);
  for (const { index } of source.text.matchAll(/^ *\/\*\*(?:.*?@param){3}/gm))
    add('three @param on one line', index);
}

/** @param {ts.Node} node */
function countLines(node) {
  const lines = node
    .getText()
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n');
  return lines.filter(line => !/^\s*(?:\/\/.*)?$/.test(line)).length;
}

/** What is imported of Node's file functions. @param {ts.Statement} statement @returns {string[]} */
function listFileFunctions(statement) {
  if (!ts.isImportDeclaration(statement)) return [];
  const isFiles = /^['"]node:fs(?:\/promises)?['"]$/.test(statement.moduleSpecifier.getText());
  const named = statement.importClause?.namedBindings;
  return isFiles && named && ts.isNamedImports(named)
    ? named.elements.map(({ name }) => name.text)
    : [];
}
