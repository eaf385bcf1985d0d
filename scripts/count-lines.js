/**
 * `node scripts/count-lines.js`: lines of code of the folders of `lib/`, without comments, blank lines and imports, each
 * against its budget. `npm run check` calls it, too.
 */
import { globSync, readFileSync } from 'node:fs';

/**
 * The most lines of code of each group of folders: 41,500 in all for what loadflame was in November 2026, 1,800 for
 * `try`, the history of runs and `explain`, 1,490 for statements of databases and annotated source, 160 for what
 * shorter paths bring, and 1,970 for text from outside, foreign services and other people's files. The issues allow 1,050.
 * A number falls when its folders shrink, and rises only by what another one gives.
 * @type {[folders: string[], most: number][]}
 */
const BUDGETS = [
  [['cli'], 2194],
  [['session.js', 'login.js', 'errors.js', 'errors', 'format.js'], 985],
  [['files', 'process'], 1428],
  [['live'], 222],
  [['config', 'auth', 'target', 'preflight'], 2595],
  [['record/load'], 7706],
  [['record'], 3600],
  [['run'], 434],
  [['facts'], 243],
  [['profile', 'hotpath', 'math', 'sample-table'], 3053],
  [['analysis'], 7379],
  [['bottleneck'], 835],
  [['many'], 3039],
  [['study'], 2379],
  [['try'], 790],
  [['traffic'], 919],
  [['find'], 242],
  [['text'], 4817],
  [['report'], 3971],
];
const MOST_FILES = 576;

/** @param {string} text */
function countLines(text) {
  return text
    .replace(/^import[\s\S]*?;\n/gm, '')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .filter(line => line.trim() !== '' && !line.trim().startsWith('//')).length;
}

/** The budget with the longest matching name counts: `record/load` before `record`. @param {string} file in `lib/` */
function findBudget(file) {
  const names = BUDGETS.flatMap(([folders]) => folders).filter(
    name => file === name || file.startsWith(`${name}/`),
  );
  const longest = names.sort((a, b) => b.length - a.length)[0];
  return BUDGETS.findIndex(([folders]) => longest !== undefined && folders.includes(longest));
}

const counts = BUDGETS.map(() => ({ lines: 0, files: 0 }));
const all = { lines: 0, files: 0 };
/** @type {string[]} */
const problems = [];
for (const path of globSync('lib/**/*.js')) {
  const count = counts[findBudget(path.slice('lib/'.length))];
  if (!count) problems.push(`${path} is in no folder with a budget (scripts/count-lines.js)`);
  const lines = countLines(readFileSync(path, 'utf8'));
  for (const sum of [all, ...(count ? [count] : [])]) {
    sum.lines += lines;
    sum.files += 1;
  }
}

const rows = BUDGETS.map(([folders, most], index) => {
  const { lines = 0, files = 0 } = counts[index] ?? {};
  const name = folders.join(', ');
  if (lines > most) problems.push(`${name}: ${lines} lines of code, at most ${most}`);
  return `${name.padEnd(44)} ${String(files).padStart(4)} files ${String(lines).padStart(6)} lines  budget ${most}`;
});
if (all.files > MOST_FILES) problems.push(`${all.files} files, at most ${MOST_FILES}`);
if (problems.length > 0 || !process.argv.includes('--quiet')) console.log(rows.join('\n'));
const budget = BUDGETS.reduce((sum, [, lines]) => sum + lines, 0);
console.log(`lib: ${all.files} files, ${all.lines} lines of code; the budgets sum to ${budget}`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
