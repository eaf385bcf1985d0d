/** @import { Call } from '../io.js' */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError, orThrow } from '../../base/errors.js';
import { createNamer } from '../io.js';

const NAME = 'loadflame_companion.py';
/** Its old name, which existing configurations import. */
const OLD_NAME = 'loadflame_gunicorn.py';
const SOURCE = path.resolve(import.meta.dirname, '../../../companion');

/** @param {string} module */
const describeNext = module => `
next, one of these:
  gunicorn without a configuration:  LOADFLAME=1 gunicorn -c ${module}.py app:app
  with one (gunicorn.conf.py):       add the line "import ${module}" anywhere in it
  an ASGI app (FastAPI, Starlette, Django) under uvicorn, hypercorn, granian and the like, or one of aiohttp:
                                     from ${module} import wrap
                                     app = wrap(app)          at the end of the module with the app
and start the server with LOADFLAME=1 in its environment. Without that it does nothing.
If the API is elsewhere or behind a proxy, set LOADFLAME to a key, there and here (docs/companion.md).
It sets no hook of gunicorn, so it replaces none of yours.
then: loadflame doctor           says whether the API has it
`;

/** The modules of the companion as the one file that users copy; companion/loadflame_companion.py makes the same one. */
export function joinCompanion() {
  /** @param {string} name */
  const read = name => readFileSync(path.join(SOURCE, name), 'utf8');
  const names = read('modules.txt').trim().split('\n');
  const text = names.map(name => read(`loadflame/${name}.py`)).join('\n\n');
  const imports = [...new Set(text.match(/^(?:import|from \w).*\n/gm))].toSorted().join('');
  const [first, ...rest] = text.split(/(?:^(?:import|from) .*\n+)+/m);
  return `${first}${imports}\n${rest.join('\n')}`;
}

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
  const text = joinCompanion();
  return orThrow('COMPANION_UNWRITABLE', { file }, () => {
    if (!statSync(path.dirname(file)).isDirectory()) throw new Error('it is no folder');
    if (existsSync(file)) {
      if (readFileSync(file, 'utf8') === text) return 'kept ';
      if (!force) throw new LoadflameError('COMPANION_DIFFERS', { file });
    }
    writeFileSync(file, text);
    return 'wrote';
  });
}
