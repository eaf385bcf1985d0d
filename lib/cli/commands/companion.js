/** @import { Call } from '../io.js' */
import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { createNamer } from '../io.js';

const NAME = 'loadflame_companion.py';
/** Its old name, which existing configurations import. */
const OLD_NAME = 'loadflame_gunicorn.py';
const SOURCE = path.resolve(import.meta.dirname, '../../../companion', NAME);

/** @param {string} module */
const describeNext = module => `
next, one of these:
  gunicorn without a configuration:  LOADFLAME=1 gunicorn -c ${module}.py app:app
  with one (gunicorn.conf.py):       add the line "import ${module}" anywhere in it
  an ASGI app (FastAPI, Starlette, Django) under uvicorn, hypercorn, granian and the like:
                                     from ${module} import wrap
                                     app = wrap(app)          at the end of the module with the app
and start the server with LOADFLAME=1 in its environment. Without that it does nothing.
If the API is elsewhere or behind a proxy, set LOADFLAME to a key, there and here (docs/companion.md).
It sets no hook of gunicorn, so it replaces none of yours.
then: loadflame doctor           says whether the API has it
`;

/** @param {Call} call */
export async function run({ args: [folder], options: { force = false }, io }) {
  const old = path.join(folder, OLD_NAME);
  const file = existsSync(old) ? old : path.join(folder, NAME);
  const next = createNamer(io)(describeNext(path.basename(file, '.py')));
  io.stdout.write(`${copyCompanion(file, force)}    ${file}\n${next}`);
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
