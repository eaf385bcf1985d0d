/**
 * Reads the source of functions with samples, if it is on this machine. Records what a sampled line calls (the time
 * of C code is attributed to the line that calls it) and the routes of views; on request, also the source lines of
 * the app's own functions.
 */
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { entryOf } from '../../base/files/maps.js';
import { statOrNull } from '../../base/files/regular-file.js';
import { readStartMs, readText, readVariable } from '../../base/process/process-table.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { listWorkers } from '../target/process-family.js';
import { readPythonLines } from './python-calls.js';
import { readPythonRoutes, readUrlTable } from './python-routes.js';
import { keepSource } from './python-source.js';

/** @import { PythonLine } from './python-calls.js' */
/** @import { PythonRoute } from './python-routes.js' */
/** @import { KeptSource, SourceFile } from './python-source.js' */

/** A line with fewer samples is not looked up. */
const LEAST_SAMPLES = 3;
const MOST_LINES = 1000;
/** The stacks of a recording contain a few hundred files; more is not handwritten code. */
const MOST_FILES = 600;
const MOST_BYTES = 500_000;
/** Folders below the target's working directory; a folder with more is no project. */
const MOST_FOLDERS = 3000;
const NO_CODE = /^(?:\..*|__pycache__|node_modules|site-packages|dist-packages|proc|sys|dev)$/;
/** The innermost frame of a line of py-spy, and its samples. */
const LEAF = /(?:^|;)([^;\n]+) \(([^;()\n]+\.py):(\d{1,7})\) (\d{1,15})$/gm;
/** The part of a line of py-spy above the first access to a relation, or the first query of an ORM. */
const ABOVE_TOUCH =
  /^(.*?);(?:[^;]*__get__ \((?:sqlalchemy\/orm\/attributes|django\/db\/models\/fields\/related_descriptors)|[^;]* \((?:sqlalchemy\/orm\/(?:session|scoping|query)|django\/db\/models\/(?:manager|query)))\.py:/gm;
/** What runs for each element of a comprehension. */
const EACH = /(\w+)\*$/;
/** Any frame of a line of py-spy. */
const FRAME = /(?:^|;)([^;\n]+) \(([^;()\n]+\.py):(\d{1,7})\)/gm;

/** @typedef {{lines: ReadonlyMap<number, PythonLine>, routes: PythonRoute[]} & SourceFile} PythonFile */
/** @typedef {[name: string, short: string, line: string | number, samples: string | number]} CountedLine */

/**
 * @param {{pid: number, file: string, source?: KeptSource | null}} options `pid` of the target; `file` to write
 * @returns {{look: (segment: string) => void, count: (seen: {lines: CountedLine[], functions: [name: string, short: string][]}) => void, stop: () => Promise<void>}}
 *   `look` reads the samples of a py-spy file, `count` takes counted samples of lines and functions; `stop` resolves
 *   when all are processed. It never rejects: a profile without names of C code is still a profile.
 */
export function recordCalls({ pid, file, source = null }) {
  const out = createNdjsonWriter(file);
  out.append('start');
  const { find, changed } = createFinder(pid);
  const keep = source && keepSource(source, changed);
  /** Samples per line; NaN after the line was looked up. @type {Map<string, number>} */
  const counts = new Map();
  let found = 0;
  /** @param {Iterable<CountedLine>} lines */
  const count = async lines => {
    for (const [name, short, line, samples] of lines) {
      const key = `${name}\n${short}\n${line}`;
      const sum = (counts.get(key) ?? 0) + Number(samples);
      counts.set(key, sum);
      if (!(sum >= LEAST_SAMPLES) || found >= MOST_LINES) continue;
      counts.set(key, NaN);
      const known = findLine(await find(short), name, Number(line));
      if (!known) continue;
      found++;
      const { calls, inLoop } = known;
      out.append('line', { function: name, file: short, line: Number(line), calls, inLoop });
    }
  };
  const { findRoutes, findTouches } = createReader(find, out, keep);
  let working = Promise.resolve();
  /** @param {() => Promise<void>} work */
  const queue = work => {
    working = working.then(work).catch(() => {});
  };
  return {
    look: segment =>
      queue(async () => {
        const text = await readFile(segment, 'utf8');
        await count(listGroups(text, LEAF));
        await findRoutes(listGroups(text, FRAME));
        await findTouches(text);
      }),
    count: ({ lines, functions }) =>
      queue(async () => {
        await count(lines);
        await findRoutes(functions);
      }),
    stop: () => working,
  };
}

/**
 * Records routes of functions, their calls of loggers, and relations that lines access, once each.
 * @param {(short: string) => Promise<PythonFile[]>} find
 * @param {import('../../run/ndjson.js').NdjsonWriter} out
 * @param {ReturnType<typeof keepSource> | null} keep
 */
function createReader(find, out, keep) {
  const seen = new Set();
  /** Whether it is asked for the first time. @param {string[]} parts */
  const isNew = (...parts) => seen.size < seen.add(parts.join('\n')).size;
  /** @param {Iterable<[name: string, short: string]>} frames */
  const findRoutes = async frames => {
    for (const [name, short] of frames) {
      if (!isNew(name, short)) continue;
      const files = await find(short);
      for (const route of routesOf(files, name)) out.append('route', { ...route, file: short });
      for (const found of logCallsOf(files, name))
        out.append('log-call', { function: name, file: short, ...found });
      keep?.(name, short, files);
    }
  };
  /** Records which attributes the lines above a relation or a query access, and whether they repeat. @param {string} text */
  const findTouches = async text => {
    const frames = listGroups(text, ABOVE_TOUCH).flatMap(([above]) => listGroups(above, FRAME));
    for (const [name, short, line] of frames) {
      if (!isNew('touch', name, short, line)) continue;
      const files = await find(short);
      if (files.some(({ isInstalled }) => isInstalled)) continue;
      const found = findLine(files, name, Number(line));
      if (!found) continue;
      const { calls, repeats, inLoop, touches } = found;
      const each = calls.flatMap(call => EACH.exec(call)?.[1] ?? []);
      const place = { function: name, file: short, line: Number(line) };
      out.append('touch', { ...place, repeats, inLoop, each, touches });
    }
  };
  return { findRoutes, findTouches };
}

/** The groups of each match. @param {string} text @param {RegExp} pattern @returns {any[]} */
const listGroups = (text, pattern) => Array.from(text.matchAll(pattern), ([, ...groups]) => groups);

/** @param {string} name of a function, qualified from Python 3.11 on */
const scopeOf = name => name.split('.').findLast(part => !part.startsWith('<'));

/** Lines of a function of the app that only call a logger. @param {PythonFile[]} files @param {string} name */
function logCallsOf([file, ...others], name) {
  if (!file || file.isInstalled || others.length > 0) return [];
  const scope = scopeOf(name);
  return [...file.lines].flatMap(([line, { logs, ...own }]) =>
    logs && own.scope === scope ? [{ line, ...logs }] : [],
  );
}

/**
 * The line in the file that has it in this function; null if several files do, and differ.
 * @param {PythonFile[]} files with the name
 * @param {string} name of the function, qualified from Python 3.11 on
 * @param {number} line
 */
function findLine(files, name, line) {
  const scope = scopeOf(name);
  const [first, ...others] = files
    .map(({ lines }) => lines.get(line))
    .filter(found => found && (scope === undefined || found.scope === scope));
  return first && others.every(other => isDeepStrictEqual(other, first)) ? first : null;
}

/**
 * The routes of a function. If several functions share the name, under their qualified names; none if several files
 * match.
 * @param {PythonFile[]} files @param {string} name of the function, qualified from Python 3.11 on
 */
function routesOf(files, name) {
  const [routes = [], ...others] = files.map(file => file.routes).filter(own => own.length > 0);
  const own = routes.filter(
    route => route.function === name || route.function.endsWith(`.${name}`),
  );
  const isOne = new Set(own.map(route => route.function)).size === 1;
  return others.length > 0 ? [] : own.map(route => (isOne ? { ...route, function: name } : route));
}

/**
 * Finds files by py-spy's shortened names: relative to the first folder that is no package, which is on `sys.path`.
 * @param {number} pid
 * @returns {{find: (short: string) => Promise<PythonFile[]>, changed: ReadonlySet<string>}} `find`: all files with
 *   that name, except `changed`: those modified since the target started
 */
function createFinder(pid) {
  const root = `/proc/${pid}/root`;
  const startMs = readStartMs(pid);
  /** @type {Map<string, Promise<PythonFile[]>>} */
  const known = new Map();
  /** @type {Set<string>} */
  const changed = new Set();
  /** @type {ReturnType<typeof listPlaces> | null} */
  let places = null;
  /** @param {string} file */
  const statSource = file => {
    const stat = statOrNull(file);
    return stat?.isFile() && stat.size <= MOST_BYTES ? stat : null;
  };
  /** Modified since the target started: it runs other lines. @param {import('node:fs').Stats} stat */
  const isChanged = stat => startMs === null || stat.mtimeMs > startMs;
  /** @param {string} short */
  const read = async short => {
    places ??= listPlaces(pid, root);
    const [top = '', ...rest] = short.split('/');
    const files = [];
    for (const folder of (await places).get(top) ?? []) {
      const packages = rest.map((_, depth) => path.join(folder, top, ...rest.slice(0, depth)));
      if (!packages.every(inner => existsSync(path.join(inner, '__init__.py')))) continue;
      const file = path.join(folder, short);
      const stat = statSource(file);
      if (!stat) continue;
      if (isChanged(stat)) {
        changed.add(short);
        return [];
      }
      await nextTurn();
      const source = await readFile(file, 'utf8');
      const urls = path.join(path.dirname(file), 'urls.py');
      const module = [path.basename(path.dirname(file)), path.basename(file, '.py')];
      const ofUrls = statSource(urls);
      const table =
        ofUrls && !isChanged(ofUrls)
          ? readUrlTable(await readFile(urls, 'utf8'), module)
          : readUrlTable(source);
      const isInstalled = /\/(?:site|dist)-packages\//.test(file);
      const isLinked = [...packages, file].some(one => lstatSync(one).isSymbolicLink());
      files.push(readWhenAsked(source, table, { isInstalled, isLinked }));
    }
    return files;
  };
  const find = async (/** @type {string} */ short) => {
    if (short.startsWith('/') || (known.size >= MOST_FILES && !known.has(short))) return [];
    return entryOf(known, short, () => read(short));
  };
  return { find, changed };
}

/**
 * Reads the lines of a file on first access: few files have lines that are needed.
 * @param {string} source @param {ReadonlyMap<string, string[]>} table
 * @param {Pick<PythonFile, 'isInstalled' | 'isLinked'>} about
 * @returns {PythonFile}
 */
function readWhenAsked(source, table, about) {
  /** @type {ReadonlyMap<number, PythonLine> | null} */
  let lines = null;
  return {
    get lines() {
      lines ??= readPythonLines(source);
      return lines;
    },
    ...about,
    source,
    routes: readPythonRoutes(source, table),
  };
}

/**
 * The folders that may be on `sys.path`: below the target's working directory, in its PYTHONPATH, and the
 * package folders from which the target or a worker has mapped libraries.
 * @param {number} pid
 * @param {string} root of the target's files, as visible from here
 * @returns {Promise<Map<string, string[]>>} name of a module or package → folders
 */
async function listPlaces(pid, root) {
  const cwd = readlinkSync(`/proc/${pid}/cwd`);
  const set = readVariable(pid, 'PYTHONPATH') ?? '';
  // The first process of a server may have loaded almost nothing of the application.
  const maps = [pid, ...listWorkers(pid)].map(own => readText(`/proc/${own}/maps`) ?? '').join('');
  const mapped = maps.matchAll(/\/.*?\/(?:site|dist)-packages(?=\/)/g);
  const single = [...set.split(':').filter(Boolean), ...Array.from(mapped, ([folder]) => folder)];
  /** @type {Map<string, string[]>} */
  const places = new Map();
  const seen = new Set();
  /** @param {string} folder @returns {Promise<string[]>} folders in it */
  const add = async folder => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    if (seen.has(folder) || entries.some(({ name }) => name === 'pyvenv.cfg')) return [];
    seen.add(folder);
    const isPackage = entries.some(({ name }) => name === '__init__.py');
    for (const { name } of isPackage ? [] : entries)
      places.set(name, [...(places.get(name) ?? []), folder]);
    return entries
      .filter(entry => entry.isDirectory() && !NO_CODE.test(entry.name))
      .map(({ name }) => path.join(folder, name));
  };
  for (const folder of single) await add(path.join(root, path.resolve(cwd, folder)));
  const open = await add(path.join(root, cwd));
  // If the working directory is itself a package, the names of its files begin with its name.
  let [topPackage, above] = ['', path.join(root, cwd)];
  while (existsSync(path.join(above, '__init__.py')) && above !== root)
    [topPackage, above] = [path.basename(above), path.dirname(above)];
  if (topPackage) places.set(topPackage, [...(places.get(topPackage) ?? []), above]);
  const first = new Map(places);
  for (let at = 0; at < open.length && at < MOST_FOLDERS; at++)
    open.push(...(await add(open[at] ?? '')));
  return open.length > MOST_FOLDERS ? first : places;
}
