/**
 * `npm run check`: types, lint and format, the rules of the rooms and the size of the house; all of them, so
 * that one call shows every complaint.
 */
import { spawnSync } from 'node:child_process';

const CHECKS = [
  ['tsc', '--project', '.'],
  ['tsc', '--project', 'lib/report/page'],
  ['tsc', '--project', 'test/report/page'],
  ['biome', 'check', '--error-on-warnings', '.'],
  [process.execPath, 'scripts/check-rooms.js'],
  [process.execPath, 'scripts/count-lines.js', '--quiet'],
];

const failed = CHECKS.filter(([program = '', ...args]) => {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  return status !== 0;
});
for (const check of failed)
  process.stderr.write(`check failed: ${check.join(' ').replace(process.execPath, 'node')}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
