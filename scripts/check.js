/**
 * `npm run check`: types, lint and format, which folder imports which, the language, and
 * the budgets of lines; all of them, so that one call shows every problem. `-- --fix` formats first, and writes what
 * is generated: rules as JSON, schemas and the pages of settings and errors.
 */
import { execa } from 'execa';

/** Folders with types of their own: the page runs in a browser, and facts are read by programs of others. */
const TYPES = ['.', 'lib/run/facts', 'lib/report/page', 'test/report/page'];

/** @param {string} name */
const script = name => [process.execPath, `scripts/${name}.js`];

const CHECKS = [
  ...TYPES.map(folder => ['tsc', '--project', folder]),
  ['biome', 'check', '--error-on-warnings', '.'],
  ['depcruise', '--config', '.dependency-cruiser.js', 'lib', 'bin'],
  script('check-code'),
  script('check-prose'),
  [...script('count-lines'), '--quiet'],
];

const FIXES = [
  ['biome', 'check', '--write', '.'],
  ...['write-rules', 'write-schemas', 'write-settings-doc', 'write-errors-doc'].map(script),
];

/** @param {string[]} command @returns {Promise<boolean>} whether it failed; it is quiet until it ends */
async function fails([program = '', ...args]) {
  const { failed, all, shortMessage } = await execa(program, args, { all: true, reject: false });
  if (all) process.stdout.write(`${all}\n`);
  if (!failed) return false;
  const command = [program, ...args].join(' ').replace(process.execPath, 'node');
  process.stderr.write(`check failed: ${command}\n${all ? '' : `${shortMessage}\n`}`);
  return true;
}

/** @type {boolean[]} */
const failures = [];
if (process.argv.includes('--fix')) for (const fix of FIXES) failures.push(await fails(fix));
// At once: the types of all take as long as the rest together.
failures.push(...(await Promise.all(CHECKS.map(fails))));
process.exitCode = failures.includes(true) ? 1 : 0;
