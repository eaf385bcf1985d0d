/**
 * The language of what people read: no words that `scripts/prose/words.yaml` replaces, no sentence that is too long,
 * and not more documentation than its budget. `npm run check` calls it. textlint reads the Markdown.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import { split } from 'sentence-splitter';
import ts from 'typescript';
import { parse } from 'yaml';
import { parseSource, readString } from './prose/read-source.js';

/** Of all documentation, counted as `wc -w` does. */
const MOST_WORDS = 25_000;
/** More places than these need another rule. */
const MOST_ALLOWED = 10;
/** Not documentation: what tests compare with, and results that `loadflame study` wrote. */
const NO_DOCUMENTATION = /^(?:test|studies)\/(?!README)/;
/** Code whose strings are sentences for users; docs/ has the errors and settings as generated pages. */
const SENTENCES = 'lib/**/*.js';
/** Code whose comments and docstrings keep to the words as well. Other folders follow. */
const COMMENTS =
  '{companion/**/*.py,lib/{analysis/{bottleneck,hotpath,stacks},base,cli,experiment/compare,load/auth,record/target,report,run,text}/**/*.js}';
/** In either language. */
const COMMENT = /(?:\/\*\*|""")[\s\S]*?(?:\*\/|""")|^\s*(?:\/\/|# ).*| {2}# .*/gm;
/** Data whose strings are sentences for users. */
const SENTENCES_OF_RULES = 'lib/analysis/hotpath/rules/*.yaml';

/** Three words in a row: names and keys have fewer. */
const PHRASE = /[a-z]+ [a-z]+ [a-z]/i;

/**
 * @typedef {object} Words
 * @property {number} mostWords of a sentence
 * @property {{words: string, write: string}[]} words
 * @property {{file: string, sentence: string, reason: string}[]} allowed
 */
const { mostWords, words, allowed } = /** @type {Words} */ (
  parse(readFileSync('scripts/prose/words.yaml', 'utf8'))
);
const replaced = words.map(({ words: pattern, write }) => ({
  pattern: new RegExp(`(?<![\\w-])(?:${pattern})(?![\\w-])`, 'i'),
  write,
}));

/** The words of a node; code counts as one word, and is not read. @param {any} node @returns {string} */
function readWords(node) {
  if (node.type === 'Code') return '`x`';
  if (node.type === 'Str') return node.value;
  return node.type === 'Break' ? ' ' : (node.children ?? []).map(readWords).join('');
}

/** A sentence also ends with a number or `ms`, which the splitter takes for abbreviations. @param {string} text */
function listSentences(text) {
  return split(text.replace(/\s+/g, ' '))
    .filter(({ type }) => type === 'Sentence')
    .flatMap(({ raw }) => raw.split(/(?<=(?:\d|\bms)\.) (?=[A-Z])/));
}

/** @param {string} text @returns {string[]} */
function findWords(text) {
  return replaced.flatMap(({ pattern, write }) => {
    const [found] = pattern.exec(text) ?? [];
    return found ? [`"${found}": write ${write}`] : [];
  });
}

/** What is wrong with a sentence. @param {string} sentence @returns {string[]} */
function judge(sentence) {
  const count = sentence.split(/\s+/).filter(word => /\w/.test(word)).length;
  const length = count > mostWords ? [`${count} words, at most ${mostWords}`] : [];
  return [...length, ...findWords(sentence)];
}

/** @type {import('@textlint/types').TextlintRuleModule} */
const plainEnglish = ({ Syntax, RuleError, report }) => {
  /** @param {any} node */
  const check = node => {
    for (const sentence of listSentences(readWords(node)))
      for (const problem of judge(sentence)) report(node, new RuleError(`${problem}\t${sentence}`));
  };
  return { [Syntax.Paragraph]: check, [Syntax.Header]: check, [Syntax.TableCell]: check };
};

const kernel = new TextlintKernel();
/** @type {Set<object>} */
const used = new Set();
/** @type {string[]} */
const problems = [];

/** @param {string} file @param {string} text Markdown @param {number} [line] of the file where the text begins */
async function lint(file, text, line = 1) {
  const { messages } = await kernel.lintText(text, {
    ext: '.md',
    filePath: file,
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules: [{ ruleId: 'plain-english', rule: plainEnglish }],
  });
  for (const message of messages) {
    const [problem = '', sentence = ''] = message.message.split('\t');
    const place = allowed.find(one => one.file === file && sentence.includes(one.sentence));
    if (place) used.add(place);
    else problems.push(`${file}:${line + message.line - 1}: ${problem}\n  ${sentence}`);
  }
}

/** Strings with two words and more; what a template inserts counts as one word. @param {string} file */
function listStrings(file) {
  const source = parseSource(file);
  /** @type {[line: number, text: string][]} */
  const strings = [];
  /** @param {ts.Node} node */
  const visit = node => {
    const text = readString(node);
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    // Indented lines of help are commands to type.
    if (PHRASE.test(text)) strings.push([line, text.replace(/^ {2}.*$/gm, '')]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return strings;
}

/** Comments without code and without types and names of parameters. @param {string} file */
function listComments(file) {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(COMMENT)].map(({ 0: comment, index }) => ({
    line: text.slice(0, index).split('\n').length,
    comment: comment
      .replace(/@\w+ \{.*\}(?: \[?\w+\]?)?/g, '')
      .replace(/`[^`]*`/g, '')
      .replace(/\s*\n\s*\*? ?/g, ' '),
  }));
}

/** @param {unknown} value @returns {string[]} */
function listValues(value) {
  if (typeof value === 'string') return PHRASE.test(value) ? [value] : [];
  return value && typeof value === 'object' ? Object.values(value).flatMap(listValues) : [];
}

const tracked = spawnSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).stdout.split('\n');
const pages = tracked.filter(file => file && !NO_DOCUMENTATION.test(file));
let total = 0;
for (const page of pages) {
  const text = readFileSync(page, 'utf8');
  if (!page.startsWith('skills/')) total += text.split(/\s+/).filter(Boolean).length;
  await lint(page, text);
}
for (const file of globSync(SENTENCES))
  for (const [line, text] of listStrings(file)) await lint(file, text, line);
for (const file of globSync(COMMENTS))
  for (const { line, comment } of listComments(file))
    for (const problem of findWords(comment)) problems.push(`${file}:${line}: comment: ${problem}`);
for (const file of globSync(SENTENCES_OF_RULES))
  for (const text of listValues(parse(readFileSync(file, 'utf8')))) await lint(file, text);

if (total > MOST_WORDS) problems.push(`${total} words of documentation, at most ${MOST_WORDS}`);
if (allowed.length > MOST_ALLOWED)
  problems.push(`${allowed.length} places are allowed, at most ${MOST_ALLOWED}`);
for (const place of allowed)
  if (!used.has(place))
    problems.push(`scripts/prose/words.yaml allows what is not there: ${place.sentence}`);
console.log(`documentation: ${pages.length} pages, ${total} words, at most ${MOST_WORDS}`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
