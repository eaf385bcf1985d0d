/** Reads access logs line by line, because they can have gigabytes. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { LoadflameError } from '../../base/errors.js';
import { nameOther } from '../../base/files/detect-format.js';
import { parseOrNull } from '../../base/files/parse-json.js';
import { isPlain } from '../../base/files/read-yaml.js';
import { findMark, refusePacked } from '../../base/files/regular-file.js';
import { createLineSplitter } from '../../base/files/split-lines.js';
import { formatNumberOf } from '../../base/format.js';
import { maskLine } from './addresses.js';

/** @import { LoggedRequest } from '../../run/facts/traffic.d.ts' */

/** Servers reject request lines above 8 KB. */
const LONGEST_LINE = 32_768;
/** Most frequent first; what follows may have any suffix. Without `client`, it stands before the time. */
const LINES = [
  // Common and Combined, as nginx, gunicorn, Apache, hypercorn, Werkzeug and Django write them.
  /\[(?<time>\d\d\/\w{3}\/\d{4}[: ][^\]]{8,15})\] {1,9}"(?<request>(?:[^"\\]|\\.)*)" (?<status>\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" "(?<agent>(?:[^"\\]|\\.)*)")?(?: "(?<client>[\d.:a-f]{2,45})(?:[, ][, \w.:]*)?")?/i,
  // HAProxy
  /^.{0,200}?haproxy\[\d+\]: (?<client>\S+) \[(?<time>[^\]]+)\] \S+ \S+ \S+ (?<status>\d{3}) .*"(?<request>[A-Z]+ \S+ [^"]*)"$/,
  // load balancers of AWS, application and classic
  /^(?:\w+ )?(?<time>\d{4}-\S+Z) \S+ (?<client>\S+) \S+ \S+ \S+ \S+ (?<status>\d{3}) \S+ \d+ \d+ "(?<request>[^"]*)" "(?<agent>[^"]*)"/,
  // Envoy
  /^\[(?<time>[^\]]{20,30})\] "(?<request>[^"]*)" (?<status>\d{3}) (?:\S+ ){5,9}?"(?<client>[^"]*)" "(?<agent>[^"]*)"(?: "[^"]*" "(?<host>[^"]*)")?/,
  // uvicorn with a time
  /^[^"]{0,40}?(?<time>\d{4}-\d\d-\d\d[T ][\d:]{8}(?:[.,]\d{1,6})?Z?)\D[^"]{0,100}?(?<client>[\d.:a-f[\]]{2,45}) - "(?<request>[^"]*)" (?<status>\d{3})/,
];
const CLF_TIME = /^(\d\d)\/(\w{3})\/(\d{4})[: ](\S+)/;
/** Client, identity and user stand before the time, perhaps after the name of a container. */
const MOST_BEFORE = 500;
const REQUEST = /^([A-Z]{1,20}) (\S+)(?: (?:HTTP\/)?\d(?:\.\d)?)?$/;
/** A line that is not read although it seems to hold a request. */
const SEEMS_REQUEST =
  /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \/|"(?:request|method|request_method)":/;
/** Of a virtual host: with a dot or a port, unlike the name of a machine in a JSON line. */
const HOST = /^(?=.{1,200}$)((?=[^:]*[a-z])[\w-]+(?:\.[\w-]+)+|localhost(?=:))\.?(?::\d+)?$/i;
const HOST_FIELD = / (?:v?host|http_host|server_name)[=:]"?([\w.:-]{1,200})/;
/** Lost line ends join lines. */
const MORE_REQUESTS = /"[A-Z]{3,7} \S+ HTTP\/\d/g;
/** Common field names in logs of JSON, the most reliable first. */
const FIELDS = {
  time: 'msec time_iso8601 time_local StartUTC start_time @timestamp timestamp time ts date',
  client:
    'http_x_forwarded_for x_forwarded_for realip remote_addr client_ip remote_ip ClientHost remoteIp client ip',
  request: 'request request_line',
  method: 'request_method RequestMethod requestMethod method verb',
  target: 'request_uri RequestPath requestUrl uri path url',
  status: 'status status_code DownstreamStatus response_code response code',
  agent: 'http_user_agent user_agent userAgent agent',
  query: 'args',
  host: 'http_host RequestHost server_name vhost virtual_host host',
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
  let unknown = '';
  const starts = new Map();
  for (const file of files) starts.set(file, file === '-' ? Infinity : await findStart(file));
  for (const file of files.toSorted((a, b) => starts.get(a) - starts.get(b))) {
    const before = counts.lines - counts.unknown;
    await readLines(
      file,
      line => {
        counts.lines += 1;
        const request = parseLine(line);
        const requests = line.match(MORE_REQUESTS)?.length ?? 0;
        if (request && requests > 1) counts.unread += requests - 1;
        if (request) return onRequest(request);
        if (unknown.length < LONGEST_LINE) unknown += `${line}\n`;
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
  const other = nameOther(unknown || '-', 'an access log');
  throw new LoadflameError('TRAFFIC_NO_LOG', {
    ...{ file: files.join(', '), lines: formatNumberOf(counts.lines, 'line'), known },
    more: `${counts.unread > 0 ? `; ${counts.unread} more seem to be requests` : ''}${other ? `: it ${other}` : ''}`,
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
  const found = parseText(line) ?? parseJsonLine(line);
  const { time = '', client = '', request = '', status = '', agent = '', host = '' } = found;
  const [, method, target = ''] = REQUEST.exec(request) ?? [];
  const sec = Number(time || 'none');
  // Seconds or milliseconds of the epoch.
  const atMs =
    sec > 0
      ? sec * (sec > 1e11 ? 1 : 1000)
      : Date.parse(
          /\d:\d/.test(time) ? time.replace(CLF_TIME, '$1 $2 $3 $4').replace(',', '.') : '',
        );
  if (!method || Number.isNaN(atMs) || !/^\d{3}$/.test(status)) return null;
  return {
    atMs,
    host: (HOST.exec(URL.parse(target)?.host || host)?.[1] ?? '').toLowerCase(),
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

/** @param {string} line @returns {Record<string, string | undefined> | null} */
function parseText(line) {
  if (line.startsWith('{')) return null;
  for (const format of LINES) {
    const match = format.exec(line);
    if (!match) continue;
    const before = line.slice(Math.max(0, match.index - MOST_BEFORE), match.index);
    const { client = findClient(before), ...parts } = match.groups ?? {};
    const words = before.trim().split(/[\s,]+/);
    const host = words[words.indexOf(`${client}`) - 1];
    const field = HOST_FIELD.exec(line.slice(match.index + match[0].length))?.[1];
    return { host: HOST.test(host ?? '') ? host : field, ...parts, client };
  }
  return null;
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
  const given = parseOrNull(line.replace(/(?<!\\)\\x(?=[0-9a-f]{2})/gi, '\\\\x'));
  if (!isPlain(given)) return {};
  // A log line within a JSON line, as Docker writes it.
  if (typeof given.log === 'string') return parseText(given.log) ?? {};
  // Caddy, Kong and Google Cloud have an object for the request.
  const record = Object.assign({}, ...Object.values(given).filter(isPlain), given);
  const found = Object.fromEntries(
    Object.entries(FIELDS).map(([field, names]) => {
      const all = names.split(' ').map(name => record[name]);
      const value = all.find(one => !['', '-', null, undefined].includes(one) && !isPlain(one));
      return [field, value === undefined ? undefined : String(value)];
    }),
  );
  const query = found.query && !found.target?.includes('?') ? `?${found.query}` : '';
  return { ...found, request: found.request ?? `${found.method} ${found.target}${query}` };
}
