/** What a Python server runs on. Runs none of its code: the names of folders say what `importlib.metadata` would. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { tryOr } from '../../base/files/try-or.js';
import { readCommandLine, readLink, readText } from '../../base/process/process-table.js';

/** Real environments have some hundred. */
const MOST_PACKAGES = 2000;
const KINDS = ['site-packages', 'dist-packages'];
const VERSION = /(\d+\.\d+)t?$/;
const MAPPED = /^[^/]*(\/.*\/(?:site|dist)-packages)\//;
const INSTALLED = /^(.+?)-(\d[^-]*)(?:-py[\d.]+)?\.(?:dist|egg)-info$/;

/**
 * @param {number} pid
 * @returns {{python: string | null, packages: Record<string, string> | null}} major and minor version; names as PyPI
 *   writes them with their versions; null: not known
 */
export function describePython(pid) {
  const program = readLink(`/proc/${pid}/exe`) ?? '';
  const python = VERSION.exec(program)?.[1] ?? null;
  const root = `/proc/${pid}/root`;
  const list = (/** @type {string} */ folder) => tryOr([], () => readdirSync(root + folder));
  const sitesOf = (/** @type {string} */ file) => {
    const folder = path.resolve(path.dirname(file), '../lib');
    const own = list(folder).filter(name => name === 'python3' || name === `python${python}`);
    return own.flatMap(name => KINDS.map(kind => path.join(folder, name, kind)));
  };
  // A virtual environment shows in the words of the command, and in the C code that was loaded from it.
  const words = (readCommandLine(pid) ?? []).slice(0, 2).filter(path.isAbsolute);
  const maps = (readText(`/proc/${pid}/maps`) ?? '').split('\n');
  const sites = [...words.flatMap(sitesOf), ...maps.flatMap(line => MAPPED.exec(line)?.[1] ?? [])];
  const known = [...new Set(sites)].flatMap(list);
  const found = (known.length > 0 ? known : sitesOf(program).flatMap(list)).flatMap(name => {
    const [, own, version = ''] = INSTALLED.exec(name) ?? [];
    return own ? [[own.toLowerCase().replace(/[-_.]+/g, '-'), version]] : [];
  });
  // The first on the path is imported.
  const packages = Object.fromEntries(found.slice(0, MOST_PACKAGES).reverse());
  return { python, packages: found.length > 0 ? packages : null };
}
