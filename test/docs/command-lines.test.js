import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makeProgram, markSides } from '../../lib/cli/main.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** @type {{scripts: Record<string, string>}} */
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const OURS = 'exec node scripts/run.js bin/loadflame.js';

/** Words of a line for a shell, up to a comment or another command; `<run A>` is one of them. @param {string} line */
function splitWords(line) {
  const named = line
    .replace(/<[^<>]+>/g, 'NAME')
    .replace('{target}', 'http://127.0.0.1:8000')
    .replace(/[[\]…]/g, '')
    .replace(/ {4,}.*/, '');
  const words = named.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const end = words.findIndex(word => /^(?:#|&&?$|\|+$|;$|\d?>)/.test(word));
  return words.slice(0, end < 0 ? undefined : end).map(word => word.replace(/['"]/g, ''));
}

/** What loadflame is given by a line; null where it calls something else. @param {string} line @returns {string[] | null} */
function readArguments(line) {
  const words = splitWords(line);
  const start = words.findIndex(word => !/^[A-Z_]+=/.test(word));
  const [program, ...args] = words.slice(Math.max(start, 0));
  if (program === 'loadflame') return args;
  if (program === 'npx') return args[0] === 'loadflame' ? args.slice(1) : null;
  const isRun = program === 'npm' && args[0] === 'run';
  const [name = '', ...rest] = (isRun ? args.slice(1) : []).filter(word => word !== '--silent');
  if (!scripts[name]?.startsWith(OURS)) return null;
  // npm takes the first `--` for itself, and hands on nothing that begins with a dash before it
  const own = rest[0] === '--' ? rest.slice(1) : rest;
  return [...splitWords(scripts[name].slice(OURS.length)), ...own];
}

/** Commands of fenced blocks, and of `code` in sentences where it is a whole command. @param {string} text */
function findCommands(text) {
  const parts = text.split(/^```.*$/m);
  const blocks = parts
    .filter((_, index) => index % 2)
    .join('\n')
    .replaceAll('\\\n', ' ');
  const sentences = parts.filter((_, index) => index % 2 === 0).join('\n');
  return [
    ...blocks.split('\n'),
    ...[...sentences.matchAll(/`((?:npm run|npx loadflame|loadflame) [^`\n]+)`/g)].map(
      ([, command = '']) => command,
    ),
  ];
}

const FILES = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })];

/** @param {string[]} args @returns {Promise<string | null>} why they are wrong use */
async function findMistake(args) {
  let said = '';
  const stream = { write: (/** @type {unknown} */ text) => (said += text) };
  const program = makeProgram({ stdout: stream, stderr: stream, env: {} }, async () => {});
  try {
    await program.parseAsync(markSides(args), { from: 'user' });
    return null;
  } catch (error) {
    return /** @type {{exitCode: number}} */ (error).exitCode === 0 ? null : said || `${error}`;
  }
}

test('the command tree takes every command line of README and docs', async () => {
  let count = 0;
  const mistakes = [];
  for (const file of FILES) {
    for (const line of findCommands(readFileSync(path.join(ROOT, file), 'utf8'))) {
      const args = readArguments(line.trim());
      if (!args || args.length === 0 || args[0] === 'NAME') continue;
      count++;
      const mistake = await findMistake(args);
      // A sentence may name a command without what it is given.
      const isName = args.length < 4 && / argument missing|missing required /.test(mistake ?? '');
      if (mistake && !isName) mistakes.push(`${file}: ${line}\n${mistake}`);
    }
  }
  assert.deepEqual(mistakes, []);
  assert.ok(count > 60, `${count}`);
});

test('a line with a wrong option is found', async () => {
  const args = readArguments('npm run compare -- A1 -- B1 --markdwon summary.md   # comment');
  assert.deepEqual(args, ['compare', 'A1', '--', 'B1', '--markdwon', 'summary.md']);
  assert.match((await findMistake(args)) ?? '', /Did you mean --markdown/);
});
