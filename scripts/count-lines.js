/**
 * `npm run size`: lines of code and files of each room of `lib/`, without comments, blank lines and
 * imports. `npm run check` calls it, too: it fails where there is more than the house may have.
 */
import { globSync, readFileSync } from 'node:fs';

/** All of `lib/`. To be lowered whenever something went, and raised only with a reason. */
const BUDGET = { lines: 48_261, files: 580 };

/** @param {string} text */
function countLines(text) {
  return text
    .replace(/^import[\s\S]*?;\n/gm, '')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .filter(line => line.trim() !== '' && !line.trim().startsWith('//')).length;
}

/** @type {Map<string, {lines: number, files: number}>} */
const rooms = new Map();
const all = { lines: 0, files: 0 };
for (const file of globSync('lib/**/*.js')) {
  const room = file
    .split('/')
    .slice(0, 3)
    .filter(part => !part.endsWith('.js'))
    .join('/');
  const own = rooms.get(room) ?? { lines: 0, files: 0 };
  rooms.set(room, own);
  const lines = countLines(readFileSync(file, 'utf8'));
  for (const sum of [own, all]) {
    sum.lines += lines;
    sum.files += 1;
  }
}

const isTooMuch = all.lines > BUDGET.lines || all.files > BUDGET.files;
if (isTooMuch || !process.argv.includes('--quiet')) {
  for (const [room, { lines, files }] of [...rooms].sort(([, a], [, b]) => b.lines - a.lines)) {
    console.log(
      `${room.padEnd(28)} ${String(files).padStart(4)} files ${String(lines).padStart(6)} lines`,
    );
  }
}
console.log(
  `lib: ${all.files} files of at most ${BUDGET.files}, ${all.lines} lines of code of at most ${BUDGET.lines}`,
);
if (isTooMuch) process.exitCode = 1;
