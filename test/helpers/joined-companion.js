/** The companion as users copy it, compiled once for all tests: a server would take a tenth of a second of CPU for it. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { joinCompanion } from '../../lib/cli/commands/companion.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PYTHON = path.join(ROOT, '.venv/bin/python');
const NAME = 'loadflame_companion.py';

const text = joinCompanion();
const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Its folder, for PYTHONPATH. */
export const COMPANION = path.join(ROOT, `.compiled/companion-${hash}`);
/** For `gunicorn -c`. */
export const COMPANION_FILE = path.join(COMPANION, NAME);

if (!existsSync(COMPANION)) {
  const folder = `${COMPANION}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, NAME), text);
  // A traceback names the file as it was compiled.
  const program = 'import py_compile, sys; py_compile.compile(sys.argv[1], dfile=sys.argv[2])';
  execFileSync(PYTHON, ['-c', program, path.join(folder, NAME), COMPANION_FILE]);
  try {
    renameSync(folder, COMPANION);
  } catch (error) {
    // Another process of tests was first.
    rmSync(folder, { recursive: true });
    if (!existsSync(COMPANION)) throw error;
  }
}
