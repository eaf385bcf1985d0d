/** What a Python server runs on. Runs none of its code: folders and files say what `importlib.metadata` would. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { entryOf } from '../../base/files/maps.js';
import { readRegularFile } from '../../base/files/regular-file.js';
import { tryOr } from '../../base/files/try-or.js';
import {
  readCommandLine,
  readLink,
  readText,
  readVariable,
} from '../../base/process/process-table.js';

/** @import { Manifest } from '../../run/facts/records.d.ts' */

/** Real environments have some hundred. */
const MOST_PACKAGES = 2000;
const KINDS = ['site-packages', 'dist-packages'];
const VERSION = /(\d+\.\d+)t?$/;
const MAPPED = /^[^/]*(\/.*\/(?:site|dist)-packages)\//;
const INSTALLED = /^(.+?)-(\d[^-]*)(?:-py[\d.]+)?\.(?:dist|egg)-info$/;
const MOST_BYTES = 4e6;
/** A module or a package at the top, of a list of files. */
const TOP = /^((?!__)[A-Za-z_]\w{0,99})(?:\/|\.(?:py|so|[\w-]+\.so)(?:,|$)|$)/gm;
const NEEDS = /^Requires-Dist: *([\w.-]{1,100})/gm;

/**
 * @param {number} pid
 * @returns {{python: string | null, packages: Record<string, string> | null, modules?: Manifest['modules']}} major and minor
 *   version; names as PyPI writes them with their versions; null: not known
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
  const given = [...new Set(sites)].flatMap(site => list(site).map(name => path.join(site, name)));
  const known =
    given.length > 0
      ? given
      : sitesOf(program).flatMap(site => list(site).map(name => path.join(site, name)));
  const found = known.flatMap(place => {
    const [, own, version = ''] = INSTALLED.exec(path.basename(place)) ?? [];
    return own ? [{ name: nameOf(own), version, place: root + place }] : [];
  });
  if (found.length === 0) return { python, packages: null };
  // The first on the path is imported.
  const first = found.slice(0, MOST_PACKAGES).reverse();
  const packages = Object.fromEntries(first.map(({ name, version }) => [name, version]));
  const cwd = readLink(`/proc/${pid}/cwd`) ?? '/';
  const paths = ['', ...(readVariable(pid, 'PYTHONPATH') ?? '').split(':').filter(Boolean)];
  const isOwn = (/** @type {string} */ top) =>
    paths.some(folder =>
      ['', '.py'].some(end => existsSync(path.join(root, path.resolve(cwd, folder), top + end))),
    );
  return { python, packages, modules: listModules(first, isOwn) };
}

/** @param {string} name */
const nameOf = name => name.toLowerCase().replace(/[-_.]+/g, '-');

/**
 * @param {{name: string, place: string}[]} found
 * @param {(top: string) => boolean} isOwn the server finds a module of its own under this name
 */
function listModules(found, isOwn) {
  const read = (/** @type {string} */ place, /** @type {string} */ name) =>
    tryOr('', () => readRegularFile(path.join(place, name), MOST_BYTES));
  const needed = new Set();
  /** top → what installs it @type {Map<string, string[]>} */
  const owners = new Map();
  for (const { name, place } of found) {
    const [head = ''] = read(place, 'METADATA').split('\n\n', 1);
    for (const [, other = ''] of head.matchAll(NEEDS))
      if (nameOf(other) !== name) needed.add(nameOf(other));
    // of a project that someone works on
    if (/"dir_info"/.test(read(place, 'direct_url.json'))) continue;
    const listed = read(place, 'RECORD') || read(place, 'top_level.txt');
    const tops = Array.from(listed.matchAll(TOP), ([, top = '']) => top);
    for (const top of tops.length > 0 ? new Set(tops) : [name.replaceAll('-', '_')])
      entryOf(owners, top, () => []).push(name);
  }
  const tops = [...owners.keys()].filter(top => !isOwn(top)).sort();
  const isNeeded = (/** @type {string} */ top) => owners.get(top)?.every(name => needed.has(name));
  return { needed: tops.filter(isNeeded), unneeded: tops.filter(top => !isNeeded(top)) };
}
