import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DEPCRUISE = path.join(ROOT, 'node_modules/.bin/depcruise');

/** @param {Record<string, string>} files @param {string[]} args of Node */
function runOver(files, args) {
  const folder = mkdtempSync(path.join(tmpdir(), 'layers-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    cpSync(path.join(ROOT, 'tsconfig.json'), path.join(folder, 'tsconfig.json'));
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder });
    return { status, text: `${stdout}${stderr}` };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {Record<string, string>} files */
const cruise = files =>
  runOver(files, [DEPCRUISE, '--config', path.join(ROOT, '.dependency-cruiser.js'), 'lib']);
/** @param {Record<string, string>} files */
const checkCode = files => runOver(files, [path.join(ROOT, 'scripts/check-code.js')]);

test('an import upward fails, of code, of types in comments and of declarations', () => {
  const text = 'export const say = () => 0;\n';
  const types = 'export interface Said { id: string }\n';
  const good = { 'lib/text/say.js': text, 'lib/run/facts/said.d.ts': types };
  assert.equal(cruise(good).status, 0, cruise(good).text);
  /** @type {Record<string, string>[]} */
  const upward = [
    { 'lib/analysis/a.js': "import { say } from '../text/say.js';\nsay();\n" },
    { 'lib/analysis/a.js': "/** @import { Said } from '../text/said.d.ts' */\nexport {};\n" },
    {
      'lib/analysis/a.js':
        "/** @param {import('../text/said.d.ts').Said} a */\nexport const f = a => a;\n",
    },
    {
      'lib/run/facts/a.d.ts':
        "import type { Said } from '../../text/said.d.ts';\nexport type A = Said;\n",
    },
    {
      'lib/new-folder/a.js': 'export const a = 0;\n',
      'lib/cli/b.js': "import '../new-folder/a.js';\n",
    },
  ];
  for (const bad of upward) {
    const { status, text } = cruise({ ...good, 'lib/text/said.d.ts': types, ...bad });
    assert.notEqual(status, 0, JSON.stringify(bad));
    assert.match(text, /imports-of-|known-room/);
  }
});

test('a cycle of code fails', () => {
  const { status, text } = cruise({
    'lib/text/a.js': "import './b.js';\n",
    'lib/text/b.js': "import './a.js';\n",
  });
  assert.notEqual(status, 0);
  assert.match(text, /no-cycle/);
});

test('a sentence or a laid-out number among the facts fails, errors and comments do not', () => {
  const said = "export const a = 'there is nobody who knows';\n";
  assert.match(checkCode({ 'lib/analysis/a.js': said }).text, /says "there is nobody/);
  const gap = `export const a = b => \`there \${b} is nobody here\`;\n`;
  assert.match(checkCode({ 'lib/analysis/a.js': gap }).text, /says/);
  const call = 'export const a = b => formatMs(b);\n';
  assert.match(checkCode({ 'lib/analysis/a.js': call }).text, /calls formatMs/);
  const fine =
    "// there is nobody who knows\nexport const a = new TypeError('there is nobody who knows');\nexport const b = /a b c d e f/;\n";
  assert.equal(checkCode({ 'lib/analysis/a.js': fine, 'lib/text/b.js': said }).status, 0);
});

test('writing past the two files that write fails, reading does not', () => {
  const write = "import { writeFileSync } from 'node:fs';\nwriteFileSync('a', '');\n";
  assert.match(checkCode({ 'lib/run/a.js': write }).text, /writeFileSync/);
  const open = "import { open } from 'node:fs/promises';\nawait open('a', 'w');\n";
  assert.match(checkCode({ 'lib/run/a.js': open }).text, /open/);
  const read = "import { openSync } from 'node:fs';\nopenSync('a', 'r');\n";
  const own = 'const open = () => 0;\nopen();\n';
  assert.equal(checkCode({ 'lib/run/a.js': read, 'lib/run/b.js': own }).status, 0);
});

test('a function of many lines fails where there are more than remain, whatever is said in comments', () => {
  const lines = (/** @type {string} */ line, count = 60) => `${line}\n`.repeat(count);
  const functions = (/** @type {string} */ body) =>
    Array.from({ length: 60 }, (_, i) => `export function f${i}() {\n${body}}\n`).join('');
  const { status, text } = checkCode({ 'lib/run/a.js': functions(lines('  call();')) });
  assert.equal(status, 1);
  assert.match(text, /function of more than 60 lines: 60, at most \d+: lib\/run\/a\.js:1, /);
  const said = functions(`${lines('  // why')}\n${lines('  call();', 50)}`);
  assert.equal(checkCode({ 'lib/run/a.js': said }).status, 0);
});
