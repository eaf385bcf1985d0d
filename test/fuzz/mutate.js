/** What may be wrong with a folder that somebody sent, or that a full disk left: one change at a time. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** @import { Random } from '../helpers/synthetic-run/random.js' */

const LONG_LINE = 30 * 2 ** 20;
/** As they stand in JSON. */
const NUMBERS =
  '-1 0 1e13 1e15 -1e13 1e308 1e999 -1e999 5e-324 0.5 9007199254740993 4294967296 2147483648 1e9 -1e9'.split(
    ' ',
  );
const VALUES =
  `null true "" "x" "." ".." "kube-system" "\\u001b[31m" [] {} [null] [[1,2]] {"a":{"b":1}} {"__proto__":1} "1e999" "constructor" ${'['.repeat(500)}${']'.repeat(500)}`.split(
    ' ',
  );
const KEYS = ['__proto__', 'constructor', 'toString', '', 'length', 'GET /x', '\u202e'];

/**
 * @param {string} root a file, or a folder
 * @param {Random} random
 * @returns {string} what was done
 */
export function mutate(root, random) {
  const all = listFiles(root).sort();
  if (all.length === 0) return 'nothing is left';
  const records = all.filter(file => /json$/.test(file));
  const file = pick(random.below(3) > 0 && records.length > 0 ? records : all, random);
  const name = pick(Object.keys(MUTATIONS), random);
  MUTATIONS[name]?.(file, random);
  return `${name} ${path.relative(path.dirname(root), file)}`;
}

/** @param {string} root @returns {string[]} */
function listFiles(root) {
  // A link to standard input may lead to a pipe or a socket, and one to `..` out of here.
  const stat = lstatSync(root);
  if (!stat.isDirectory()) return stat.isFile() ? [root] : [];
  return readdirSync(root).flatMap(name => listFiles(path.join(root, name)));
}

/** @type {Record<string, (file: string, random: Random) => void>} */
const MUTATIONS = {
  delete: file => rmSync(file),
  empty: file => truncateSync(file),
  cut: (file, random) => truncateSync(file, random.below(statSync(file).size + 1)),
  flip(file, random) {
    const bytes = readFileSync(file);
    for (let n = 1 + random.below(20); n > 0 && bytes.length > 0; n--) {
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    }
    writeFileSync(file, bytes);
  },
  'wild number': (file, random) => changeText(file, /-?\d+(?:\.\d+)?/g, NUMBERS, random),
  // as a second one, for most of what a record says are numbers
  'number moved': (file, random) => {
    const text = readFileSync(file, 'utf8');
    const by = pick([1e13, -1e12, 864e5, 1e9], random);
    const { index = 0, 0: digits = '' } = pick([...text.matchAll(/\b\d{2,15}\b/g)], random) ?? [];
    writeFileSync(
      file,
      text.slice(0, index) + String(Number(digits) + by) + text.slice(index + digits.length),
    );
  },
  'wild type': (file, random) => changeValue(file, random, VALUES),
  'wild types': (file, random) => {
    for (let n = 0; n < 10; n++) changeValue(file, random, VALUES);
  },
  'no value': (file, random) => changeValue(file, random, [undefined]),
  'wild key': (file, random) => changeText(file, /"[^"\\]+"(?=:)/g, KEYS.map(toJson), random),
  'doubled lines': (file, random) =>
    changeLines(file, lines =>
      lines.flatMap(line => (random.below(3) === 0 ? [line, line] : line)),
    ),
  'many lines': (file, random) =>
    changeLines(file, lines => {
      const line = pick(lines, random) ?? '';
      return [...lines, ...new Array(20_000).fill(line.slice(0, 500))];
    }),
  'shuffled lines': (file, random) =>
    changeLines(file, lines =>
      lines
        .map(line => ({ line, at: random.uniform() }))
        .sort((a, b) => a.at - b.at)
        .map(({ line }) => line),
    ),
  'long line': (file, random) => {
    const unit = pick(
      ['x', '[', '{"a":', '; ', '0', '\\u001b', '<title>a (1 samples, 1%)</title>'],
      random,
    );
    const long = unit.repeat(Math.ceil(LONG_LINE / unit.length));
    changeLines(file, lines => lines.toSpliced(random.below(lines.length + 1), 0, long));
  },
  'long text': (file, random) =>
    changeText(file, /"[^"\\]+"/g, [`"${'x'.repeat(LONG_LINE)}"`], random),
  'folder in its place'(file) {
    rmSync(file);
    mkdirSync(file);
  },
  'link in its place'(file, random) {
    rmSync(file);
    symlinkSync(
      pick([file, '/dev/zero', '/dev/null', '/nowhere', '..', '/dev/stdin'], random),
      file,
    );
  },
};

/**
 * @template T @param {T[]} list @param {Random} random
 * @returns {T}
 */
function pick(list, random) {
  return /** @type {T} */ (list[random.below(list.length)]);
}

/** @param {string} text */
function toJson(text) {
  return JSON.stringify(text);
}

/** One of what matches. @param {string} file @param {RegExp} what @param {string[]} by @param {Random} random */
function changeText(file, what, by, random) {
  const text = readFileSync(file, 'utf8');
  const match = pick([...text.matchAll(what)], random);
  if (!match) return;
  const behind = match.index + match[0].length;
  writeFileSync(file, text.slice(0, match.index) + pick(by, random) + text.slice(behind));
}

/** @param {string} file @param {(lines: string[]) => string[]} change */
function changeLines(file, change) {
  writeFileSync(file, change(readFileSync(file, 'utf8').split('\n')).join('\n'));
}

/** One value of one record, wherever it stands in it. @param {string} file @param {Random} random @param {(string | undefined)[]} by */
function changeValue(file, random, by) {
  const isRecords = file.endsWith('.ndjson');
  const parts = isRecords ? readFileSync(file, 'utf8').split('\n') : [readFileSync(file, 'utf8')];
  const at = random.below(parts.length);
  try {
    const data = JSON.parse(parts[at] ?? '');
    const places = listPlaces(data);
    const { owner, key } = pick(places, random);
    const value = pick(by, random);
    if (value === undefined) delete owner[key];
    else owner[key] = JSON.parse(value);
    parts[at] = JSON.stringify(data);
  } catch {
    parts[at] = pick(VALUES, random);
  }
  writeFileSync(file, parts.join('\n'));
}

/** @param {any} data @returns {{owner: any, key: string}[]} */
function listPlaces(data) {
  if (data === null || typeof data !== 'object') return [];
  return Object.keys(data).flatMap(key => [{ owner: data, key }, ...listPlaces(data[key])]);
}
