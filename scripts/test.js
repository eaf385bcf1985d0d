/**
 * `npm test`: every test under `test/`, by Node's own runner. `node scripts/test.js keycloak` runs the
 * checks against a real Keycloak instead, which need Java and Maven and take minutes;
 * `node scripts/test.js limits` those of what limits the demo in six set-ups. Other arguments are paths
 * of tests, or flags for the runner (they start with `--`).
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const args = process.argv.slice(2);
const flags = args.filter(arg => arg.startsWith('--'));
const names = args.filter(arg => !arg.startsWith('--'));
const BESIDE = ['keycloak', 'limits'];
const files =
  names[0] && BESIDE.includes(names[0])
    ? globSync(`test/${names[0]}/*.check.js`)
    : names.length > 0
      ? names
      : globSync('test/**/*.test.js').sort();

const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    // Tests start servers, profilers and browsers: one file at a time, so that they don't starve each other.
    '--test-concurrency=1',
    '--test-timeout=600000',
    // Older Nodes print another form into pipes.
    '--test-reporter=spec',
    ...flags,
    ...files,
  ],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
