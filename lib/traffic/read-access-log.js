/** Reads access logs line by line, because they can have gigabytes. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { LoadflameError } from '../errors.js';
import { parseOrNull } from '../files/parse-json.js';
import { findMark, refusePacked } from '../files/regular-file.js';
import { createLineSplitter } from '../files/split-lines.js';
import { formatNumberOf } from '../format.js';
import { maskLine } from './addresses.js';

/** @import { LoggedRequest } from '../facts/traffic.d.ts' */

/** Servers reject request lines above 8 KB. */
const LONGEST_LINE = 32_768;
/** Common and Combined formats, as nginx, gunicorn, Apache and hypercorn write them, from the time on, with any suffix. */
const CLF =
  /\[([^\]]{26})\] {1,9}"((?:[^"\\]|\\.)*)" (\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" "((?:[^"\\]|\\.)*)")?(?: "([\d.:a-f]{2,45})(?:[, ][, \w.:]*)?")?/i;
const CLF_TIME = /^(\d\d)\/(\w{3})\/(\d{4}):(\S+ [+-]\d{4})$/;
/** Client, identity and user stand before the time, perhaps after the name of a container. */
const MOST_BEFORE = 500;
const REQUEST = /^([A-Z]{1,20}) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/;
/** A line that is not read although it seems to hold a request. */
const SEEMS_REQUEST =
  /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \/|"(?:request|method|request_method)":/;
/** Common field names in nginx's JSON logs, the most reliable first. */
const FIELDS = {
  time: 'msec time_iso8601 time_local @timestamp timestamp time ts date',
  client: 'http_x_forwarded_for x_forwarded_for realip remote_addr client_ip remote_ip client ip',
  request: 'request request_line',
  method: 'request_method method verb',
  target: 'request_uri uri path url',
  status: 'status status_code response code',
  agent: 'http_user_agent user_agent agent',
};

/**
 * `empty`: files without any request; `first`: the first line that is not a request, masked
 * @typedef {{lines: number, unknown: number, unread: number, first: string, empty: string[]}} ReadLines
 */

/**
 * @param {string[]} files also gzip and UTF-16; `-` is standard input. They are read in the order of their first request
 * @param {(request: LoggedRequest) => void} onRequest in the order of the lines
 * @param {(lines: number) => void} onProgress
 * @returns {Promise<ReadLines>} `unknown`: lines that are not requests; `unread`: those that seem to be some
 * @throws {LoadflameError} TRAFFIC_UNREADABLE, TRAFFIC_NO_LOG
 */
export async function readAccessLogs(files, onRequest, onProgress) {
  /** @type {ReadLines} */
  const counts = { lines: 0, unknown: 0, unread: 0, first: '', empty: [] };
  const starts = new Map();
  for (const file of files) starts.set(file, file === '-' ? Infinity : await findStart(file));
  for (const file of files.toSorted((a, b) => starts.get(a) - starts.get(b))) {
    const before = counts.lines - counts.unknown;
    await readLines(
      file,
      line => {
        counts.lines += 1;
        const request = parseLine(line);
        if (request) return onRequest(request);
        counts.unknown += 1;
        if (SEEMS_REQUEST.test(line)) counts.unread += 1;
        counts.first ||= maskLine(line);
      },
      () => onProgress(counts.lines),
    );
    if (counts.lines - counts.unknown === before) counts.empty.push(file);
  }
  const known = counts.lines - counts.unknown;
  if (known > counts.unread) return counts;
  throw new LoadflameError('TRAFFIC_NO_LOG', {
    ...{ file: files.join(', '), lines: formatNumberOf(counts.lines, 'line'), known },
    line: counts.first && `; the first of the others is: ${counts.first}`,
  });
}

/** The time of the first request. @param {string} file @returns {Promise<number>} ms; Infinity without one */
async function findStart(file) {
  /** @type {LoggedRequest | null} */
  let first = null;
  const take = (/** @type {string} */ line) => {
    first ??= parseLine(line);
  };
  await readLines(file, take, () => first !== null);
  return /** @type {LoggedRequest | null} */ (first)?.atMs ?? Infinity;
}

/**
 * @param {string} file
 * @param {(line: string) => void} onLine lines with text
 * @param {() => unknown} onChunk reading ends at `true`
 */
async function readLines(file, onLine, onChunk) {
  const source = file === '-' ? process.stdin : createReadStream(file);
  try {
    await once(source, 'readable');
    const head = source.read();
    if (head) source.unshift(head);
    if (head) refusePacked(head);
    const isPacked = head !== null && findMark(head) === 'gzip';
    /** @type {AsyncIterable<Buffer>} */
    const pieces = isPacked ? pipeline(source, createGunzip(), () => {}) : source;
    const splitter = createLineSplitter(line => line.trim() && onLine(line), LONGEST_LINE, {
      isForeign: true,
    });
    for await (const bytes of pieces) {
      splitter.add(bytes);
      if (onChunk() === true) return;
    }
    splitter.flush();
  } catch (cause) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (cause);
    const reason = code.startsWith('Z_')
      ? `its gzip data is damaged (${message})`
      : code || message;
    throw new LoadflameError('TRAFFIC_UNREADABLE', { file, reason }, { cause });
  }
}

/** @param {string} line @returns {LoggedRequest | null} */
export function parseLine(line) {
  const isJson = line.trimStart().startsWith('{');
  const {
    time = '',
    client = '',
    request = '',
    status = '',
    agent = '',
  } = isJson ? parseJsonLine(line) : parseClf(line);
  const [, method, target = ''] = REQUEST.exec(request) ?? [];
  const sec = Number(time || 'none');
  // Seconds or milliseconds of the epoch.
  const atMs =
    sec > 0 ? sec * (sec > 1e11 ? 1 : 1000) : Date.parse(time.replace(CLF_TIME, '$1 $2 $3 $4'));
  if (!method || Number.isNaN(atMs) || !/^\d{3}$/.test(status)) return null;
  return {
    atMs,
    client: `${withoutPort(client.replace(/,.*$/, ''))} ${agent.slice(0, 200)}`,
    method,
    // nginx and Apache write bytes as `\xC3`, and Apache a backslash before quotes.
    target: target
      .replace(/\\x([0-9a-f]{2})/gi, '%$1')
      .replace(/\\(["\\])/g, (_, sign) => encodeURIComponent(sign)),
    status: Number(status),
    agent,
  };
}

/** hypercorn also writes the port of each connection. @param {string} address */
function withoutPort(address) {
  return address.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/(?<=^[\d.]+):\d+$/, '');
}

/** @param {string} line @returns {Record<string, string | undefined>} empty if the line does not match */
function parseClf(line) {
  const match = CLF.exec(line);
  if (!match) return {};
  const [, time, request, status, agent, forwarded] = match;
  const before = line.slice(Math.max(0, match.index - MOST_BEFORE), match.index);
  return { time, client: forwarded ?? findClient(before), request, status, agent };
}

/**
 * The first of the last addresses in a row: X-Forwarded-For begins with the client, proxies follow.
 * @param {string} text before the time: `10.0.0.1 - ann smith`, `203.0.113.1, 10.2.2.2 - -`
 */
function findClient(text) {
  const words = text.trim().split(/[\s,]+/);
  const isAddress = (/** @type {string | undefined} */ word) => isIP(withoutPort(word ?? '')) > 0;
  let at = words.findLastIndex(isAddress);
  while (at > 0 && isAddress(words[at - 1])) at -= 1;
  if (at >= 0) return words[at];
  // A host name, before an identity and a user.
  const third = words.at(-3) ?? '-';
  return third === '-' ? (words[words.indexOf('-') - 1] ?? '-') : third;
}

/** @param {string} line @returns {Record<string, string | undefined>} */
function parseJsonLine(line) {
  // nginx without `escape=json` writes `\x22`.
  const record = parseOrNull(line.replace(/(?<!\\)\\x(?=[0-9a-f]{2})/gi, '\\\\x'));
  if (record === null) return {};
  // A log line within a JSON line, as Docker writes it.
  if (typeof record.log === 'string') return parseClf(record.log);
  const found = Object.fromEntries(
    Object.entries(FIELDS).map(([field, names]) => {
      const name = names.split(' ').find(one => !['', '-', null, undefined].includes(record[one]));
      return [field, name && String(record[name])];
    }),
  );
  const { args } = record;
  const query = args && args !== '-' && !found.target?.includes('?') ? `?${args}` : '';
  return { ...found, request: found.request ?? `${found.method} ${found.target}${query}` };
}
