/** `npm run check`: types, lint and format; all of them, so that one call shows every complaint. */
import { spawnSync } from 'node:child_process';

const CHECKS = [
  ['tsc', '--project', '.'],
  ['tsc', '--project', 'lib/report/page'],
  ['tsc', '--project', 'test/report/page'],
  ['biome', 'check', '--error-on-warnings', '.'],
];

const failed = CHECKS.filter(([program = '', ...args]) => {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  return status !== 0;
});
for (const check of failed) process.stderr.write(`check failed: ${check.join(' ')}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
