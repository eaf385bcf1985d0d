/** @import { Call } from '../io.js' */
import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';

const NAME = 'loadflame_gunicorn.py';
const SOURCE = path.resolve(import.meta.dirname, '../../../companion', NAME);

const NEXT = `
next, one of these, in the folder from which gunicorn is started:
  gunicorn without a configuration:  LOADFLAME=1 gunicorn -c ${NAME} app:app
  with one (gunicorn.conf.py):       add the line "import loadflame_gunicorn" anywhere in it,
                                     and start gunicorn with LOADFLAME=1 in its environment
It sets no hook, so it replaces none of yours. Without LOADFLAME=1 it does nothing.
then: loadflame doctor           says whether the API has it
`;

/** @param {Call} call */
export async function run({ args: [folder], options: { force = false }, io }) {
  const file = path.join(folder, NAME);
  io.stdout.write(`${copyCompanion(file, force)}    ${file}\n${NEXT}`);
}

/**
 * @param {string} file
 * @param {boolean} force
 * @returns {'kept ' | 'wrote'}
 * @throws {LoadflameError} COMPANION_DIFFERS, COMPANION_UNWRITABLE
 */
function copyCompanion(file, force) {
  try {
    if (!statSync(path.dirname(file)).isDirectory()) throw new Error('it is no folder');
    if (existsSync(file)) {
      if (readFileSync(file).equals(readFileSync(SOURCE))) return 'kept ';
      if (!force) throw new LoadflameError('COMPANION_DIFFERS', { file });
    }
    copyFileSync(SOURCE, file);
    return 'wrote';
  } catch (cause) {
    if (cause instanceof LoadflameError) throw cause;
    const reason = /** @type {Error} */ (cause).message;
    throw new LoadflameError('COMPANION_UNWRITABLE', { file, reason }, { cause });
  }
}
