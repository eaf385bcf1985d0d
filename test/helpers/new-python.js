/** Python 3.15, for tests of what only newer Pythons offer; `scripts/install-python-3.15.sh` gets it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const SCRIPT = 'scripts/install-python-3.15.sh';
const BIN = path.resolve(import.meta.dirname, '../../.tools/python-3.15/venv/bin');

/** What starts its gunicorn. */
export const NEW_GUNICORN = [path.join(BIN, 'python'), path.join(BIN, 'gunicorn')];

/** For `test(title, { skip: needsNewPython() }, …)`. It can't be had everywhere: `.ci/run` tries. @param {...string} modules */
export function needsNewPython(...modules) {
  const isThere = NEW_GUNICORN.every(file => existsSync(file));
  const code = modules.map(name => `import ${name}`).join('\n');
  if (isThere && spawnSync(NEW_GUNICORN[0] ?? '', ['-c', code]).status === 0) return false;
  return `needs ${['Python 3.15', ...modules].join(' with ')}: ${SCRIPT}`;
}
