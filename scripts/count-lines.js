/**
 * `node scripts/count-lines.js`: lines of code of everything that is kept, without comments, docstrings, blank lines and
 * imports, each room against its budget. `npm run check` calls it, too.
 */
import { globSync, readFileSync } from 'node:fs';

/**
 * The most lines of code of each room of `lib/`, and of the folders beside it. A number falls when its room shrinks,
 * and rises only by what another one gives, or by what an issue allows for its feature.
 * @type {[room: string, most: number][]}
 */
const BUDGETS = [
  ['lib/base', 4238],
  ['lib/run', 663],
  ['lib/load', 10076],
  ['lib/record', 4060],
  ['lib/analysis', 13149],
  ['lib/experiment', 7452],
  ['lib/text', 5917],
  ['lib/report', 4324],
  ['lib/cli', 2275],
  ['companion', 2816],
  ['research', 8095],
  ['scripts', 1608],
];

/** @param {string} path @param {string} text */
function countLines(path, text) {
  const isPython = path.endsWith('.py');
  const code = isPython
    ? text.replace(/^[ \t]*[rf]?"""[\s\S]*?"""$/gm, '').replace(/^(?:import|from) .*$/gm, '')
    : text.replace(/^import[\s\S]*?;\n/gm, '').replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, '');
  // In JavaScript, a line that begins with # has a private member.
  const nothing = isPython ? /^\s*(?:#.*)?$/ : /^\s*(?:\/\/.*)?$/;
  return code.split('\n').filter(line => !nothing.test(line)).length;
}

/** @type {string[]} */
const problems = [];
const rows = BUDGETS.map(([room, most]) => {
  // The apps that rebuild public fixes do not count.
  const paths = globSync(`${room}/**/*.{js,py}`, { exclude: ['research/replay/*/**'] });
  const lines = paths.reduce((sum, path) => sum + countLines(path, readFileSync(path, 'utf8')), 0);
  if (lines > most) problems.push(`${room}: ${lines} lines of code, at most ${most}`);
  return { room, files: paths.length, lines, most };
});
const rooms = rows.filter(({ room }) => room.startsWith('lib/'));
for (const { room, files, lines, most } of process.argv.includes('--quiet') ? [] : rows)
  console.log(
    `${room.padEnd(16)} ${String(files).padStart(4)} files ${String(lines).padStart(6)} lines  budget ${most}`,
  );
/** @param {'lines' | 'files' | 'most'} name */
const total = name => rooms.reduce((sum, row) => sum + row[name], 0);
console.log(
  `lib: ${total('files')} files, ${total('lines')} lines of code; the budgets sum to ${total('most')}`,
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
