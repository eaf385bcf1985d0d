/** What a test needs of this machine beside Node and Python. Where that is missing, the test is skipped. */
import { findPython, Missing } from '../../research/shares/start-server.js';
import { findChrome } from './browser.js';
import { findProgram } from './find-program.js';

const SERVERS = 'scripts/install-study-servers.sh';

/** How to get a program, where that is not the script for servers. @type {Record<string, string>} */
const GET = {
  buildah: 'apt-get install buildah',
  chromium: 'apt-get install chromium, or name another Chrome with CHROME_PATH',
  ps: 'apt-get install procps',
  taskset: 'apt-get install util-linux',
  java: 'apt-get install default-jdk-headless',
  mvn: 'apt-get install maven',
};

/**
 * For `test(title, { skip: needs('nginx') }, …)`: which programs are missing and how to get them, or
 * `false`. With LOADFLAME_TEST_STRICT=1, as in `.ci/run`, nothing is skipped: such a test fails.
 * @param {...string} programs
 * @returns {string | false}
 */
export function needs(...programs) {
  if (process.env.LOADFLAME_TEST_STRICT === '1') return false;
  const missing = programs.filter(program => !isThere(program));
  if (missing.length === 0) return false;
  const ways = new Set(missing.map(program => GET[program] ?? SERVERS));
  return `needs ${missing.join(' and ')}: ${[...ways].join('; ')}`;
}

/** @param {string} program */
function isThere(program) {
  if (program === 'chromium') return findChrome() !== null;
  return findProgram(program) !== null;
}

/**
 * For `test(title, { skip: needsModules('uvicorn') }, …)`: why there is no Python with these modules and how
 * to get them, or `false`. As with `needs`, nothing is skipped where tests are strict.
 * @param {...string} modules of Python
 * @returns {string | false}
 */
export function needsModules(...modules) {
  if (process.env.LOADFLAME_TEST_STRICT === '1') return false;
  try {
    findPython(modules);
    return false;
  } catch (error) {
    if (error instanceof Missing) return error.message;
    throw error;
  }
}
