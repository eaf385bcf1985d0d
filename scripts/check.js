/**
 * `npm run check`: types, lint and format, which folder imports which, the language, and
 * the budgets of lines; all of them, so that one call shows every problem. `-- --fix` formats first, and writes what
 * is generated: schemas and the pages of settings and errors.
 */
import { spawnSync } from 'node:child_process';

/** Folders with types of their own: the page runs in a browser, and facts are read by programs of others. */
const TYPES = ['.', 'lib/facts', 'lib/report/page', 'test/report/page'];

const CHECKS = [
  ...TYPES.map(folder => ['tsc', '--project', folder]),
  ['biome', 'check', '--error-on-warnings', '.'],
  ['depcruise', '--config', '.dependency-cruiser.js', 'lib', 'bin'],
  [process.execPath, 'scripts/check-code.js'],
  [process.execPath, 'scripts/check-prose.js'],
  [process.execPath, 'scripts/count-lines.js', '--quiet'],
];

const FIXES = [
  ['biome', 'check', '--write', '.'],
  ...['write-schemas', 'write-settings-doc', 'write-errors-doc'].map(name => [
    process.execPath,
    `scripts/${name}.js`,
  ]),
];

const commands = process.argv.includes('--fix') ? [...FIXES, ...CHECKS] : CHECKS;
const failed = commands.filter(([program = '', ...args]) => {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  return status !== 0;
});
for (const check of failed)
  process.stderr.write(`check failed: ${check.join(' ').replace(process.execPath, 'node')}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
