/** Python 3.8 to 3.10, in which py-spy can't see whether a thread sleeps without pausing it. */
import { spawnSync } from 'node:child_process';

/** Empty where there is none; such a Python may be a link that starts nothing. */
export const OLD_PYTHON =
  ['python3.10', 'python3.9', 'python3.8', process.env.OLD_PYTHON ?? 'python3']
    .map(name => spawnSync(name, ['-c', 'import sys; print(sys.version_info[1], sys.executable)']))
    .map(({ stdout }) => /^(?:8|9|10) (.+)$/m.exec(String(stdout))?.[1] ?? '')
    .find(program => program !== '') ?? '';

/** For `test(title, { skip: needsOldPython() }, …)`. */
export const needsOldPython = () =>
  OLD_PYTHON === '' && 'needs Python 3.8, 3.9 or 3.10: on PATH, or named by OLD_PYTHON';
