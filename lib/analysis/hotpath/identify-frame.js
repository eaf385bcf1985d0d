/** Identifies a frame by the text that a profiler provides: short, full and dotted names. */

/** @import { Frame } from '../stacks/profile.d.ts' */
/** @import { FrameIdentity, Origin, Rules } from '../../run/facts/rules.d.ts' */

const INSTALLED = /^.*\/(?:site|dist)-packages\/(?:[^/]+\.(?:egg|whl|zip)\/)?/i;
// …/lib/python3.11/, …/lib64/python3.9/, C:/Python311/Lib/, python311.zip/
const STANDARD =
  /^.*\/(?:lib(?:64)?\/(?:python|pypy)\d[\d.]*t?|python3?\d*(?:-\d+)?\/lib|python3\d+\.zip)\//i;
/** Its copy is often in the application's folder, but is not application code. */
const COMPANION = /^(?:.*\/)?(loadflame_(?:companion|gunicorn)\.py)$/;

/** @param {Pick<FrameIdentity, 'path'> | undefined} identity */
export const isCompanion = identity => COMPANION.test(identity?.path ?? '');

/**
 * @param {Frame} frame
 * @param {Pick<Rules, 'installed' | 'standardPackages' | 'standardModules'>} known
 * @returns {FrameIdentity}
 */
export function identifyFrame({ name, file, does }, known) {
  const { path, origin } = locate(file, known);
  // A dot in a symbol of C code begins its version: `pthread_cond_wait@@GLIBC_2.3.2`.
  const last = origin === 'native' ? name : lastPart(name);
  return {
    path,
    packages: packagesOf(path, origin),
    name: last,
    qualified: name,
    origin,
    does,
  };
}

/** @param {string} file @param {Parameters<typeof identifyFrame>[1]} known @returns {{path: string, origin: Origin}} */
function locate(file, known) {
  const path = file.replaceAll('\\', '/');
  if (
    path === '' ||
    /\.(?:so|dylib|dll|pyd)(?:\.[\d.]+)?$/i.test(path) ||
    /\.(?:c|cc|cpp|h|rs|S)$/.test(path)
  )
    return { path, origin: 'native' };
  if (path.startsWith('<')) return { path, origin: 'standard' };
  const [, companion] = COMPANION.exec(path) ?? [];
  if (companion) return { path: companion, origin: 'installed' };
  if (INSTALLED.test(path)) return { path: path.replace(INSTALLED, ''), origin: 'installed' };
  if (STANDARD.test(path)) return { path: path.replace(STANDARD, ''), origin: 'standard' };
  if (path.startsWith('/') || /^[A-Za-z]:\//.test(path))
    return { path: path.replace(/^\/+/, ''), origin: 'user' };
  const short =
    /^[\w.]+$/.test(path) && path.includes('.') && !/\.pyx?$/.test(path)
      ? `${path.replaceAll('.', '/')}.py`
      : path;
  return { path: short, origin: originOfShort(short, known) };
}

/**
 * py-spy removes the prefix that is in `sys.path`, so only a name remains.
 * @param {string} path @param {Parameters<typeof identifyFrame>[1]} known @returns {Origin}
 */
function originOfShort(path, { installed, standardPackages, standardModules }) {
  const [top = '', below] = path.split('/', 2).map(part => part.replace(/\.\w+$/, ''));
  if (installed.has(top)) return 'installed';
  if (below === undefined) return standardModules.has(top) ? 'standard' : 'user';
  return standardPackages.has(top) || standardPackages.has(`${top}/${below}`) ? 'standard' : 'user';
}

/** @param {string} path @param {Origin} origin @returns {string[]} */
function packagesOf(path, origin) {
  // code below the project's own folder can have the same name as a package
  if (origin === 'user' || origin === 'native') return [];
  const parts = path.replace(/\.[^/]*$/, '').split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Several distributions install below these names. */
const NAMESPACES = new Set(['azure', 'google', 'jaraco', 'zope']);

/** "fastapi", "google/protobuf" @param {FrameIdentity} identity @returns {string} '' without a package */
export const packageOf = ({ packages: [top = '', below = ''] }) =>
  (NAMESPACES.has(top) && below) || top;

/** @param {string} qualified */
function lastPart(qualified) {
  const dot = qualified.lastIndexOf('.');
  return dot < 0 || dot === qualified.length - 1 ? qualified : qualified.slice(dot + 1);
}
