/** Reads time, level and process from the first line of a log record. */
import { parseOrNull } from '../../base/files/parse-json.js';

/** The head is within these first characters; the rest is message. */
const MOST_READ = 400;
/** `2026-11-21 04:15:17,123`, `2026-11-21T04:15:17.123456789Z`, `2026-11-21 04:15:17 +0000`. */
const ISO = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(?: ?(Z|[+-]\d\d:?\d\d)\b)?/;
/** `[21/Nov/2026:04:15:17 +0000]`, of access logs. */
const COMMON = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})\]/;
/** `"GET /path HTTP/1.1" 500`, as gunicorn, nginx and HAProxy write it. */
const ACCESS = /"[A-Z]{3,10} \S+ HTTP\/[\d.]+" (\d{3})\b/;
/** gunicorn: `[2026-11-21 04:15:17 +0000] [4312] [ERROR] …`; in access lines `pid=4312` (or `<4312>`). */
const PID = /^\[[^\]]{19,40}\] \[(\d{1,7})\] \[|\bpid[=:] ?(\d{1,7})\b|<(\d{1,7})>/;
const LEVEL =
  /\b(?:(CRITICAL|FATAL|ERROR|EXCEPTION)|(WARN(?:ING)?)|(INFO|NOTICE|DEBUG|TRACE))\b|\blevel=["']?(?:(critical|fatal|error)|(warn(?:ing)?)|(info|notice|debug|trace))\b/;
/** A line that starts no record although it may contain a date: the source of a frame, SQL. */
const CONTINUED = /^(\s|Traceback \(most recent call last\))/;

/** A time without a zone is local or UTC, whichever is this near to its arrival. */
const ZONE_MS = 10 * 60_000;

/**
 * @typedef {object} LogHead
 * @property {boolean} isHead a record certainly begins with this line
 * @property {number | null} atMs the time in the line, epoch ms
 * @property {'error' | 'warn' | 'info' | null} level an access line with a status ≥ 500 is an error, with one ≥ 400
 *   a warning
 * @property {number | null} pid
 * @property {number | null} status of an access line
 */

/**
 * @param {string} line
 * @param {number} arrivedMs epoch ms: determines the zone of a time without one
 * @returns {LogHead}
 */
export function readLogLine(line, arrivedMs) {
  const head = line.slice(0, MOST_READ);
  if (CONTINUED.test(head)) {
    const level = head.startsWith('Traceback') ? 'error' : null;
    return { isHead: false, atMs: null, level, pid: null, status: null };
  }
  const json = head.startsWith('{') ? readJson(line, arrivedMs) : null;
  if (json) return json;
  const atMs = readTime(head, arrivedMs);
  const access = ACCESS.exec(line);
  const status = access ? Number(access[1]) : null;
  const pid = PID.exec(access ? line : head);
  return {
    isHead: access !== null || (atMs !== null && startsWithTime(head)) || LEVEL_FIRST.test(head),
    atMs,
    level: status === null ? readLevel(head) : levelOfStatus(status),
    pid: pid ? Number(pid[1] ?? pid[2] ?? pid[3]) : null,
    status,
  };
}

/** @param {string} head */
function startsWithTime(head) {
  const at = ISO.exec(head) ?? COMMON.exec(head);
  // It may follow an address, a level, or the name of a pod or unit.
  return at !== null && at.index < 80;
}

/** `ERROR:root:message`, `WARNING - message`: Python's default. */
const LEVEL_FIRST = /^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)[: \]]/;

/** @param {number} status @returns {LogHead['level']} */
const levelOfStatus = status => (status >= 500 ? 'error' : status >= 400 ? 'warn' : null);

/** @param {string} text @returns {LogHead['level']} */
function readLevel(text) {
  const found = LEVEL.exec(text);
  if (!found) return null;
  if (found[1] ?? found[4]) return 'error';
  return (found[2] ?? found[5]) ? 'warn' : 'info';
}

/** @param {string} text @param {number} arrivedMs @returns {number | null} */
function readTime(text, arrivedMs) {
  const [, day, month, year, clock, offset] = COMMON.exec(text) ?? [];
  if (day) return parseTime(`${day} ${month} ${year} ${clock} ${offset}`);
  const [, date, time, fraction = '', zone] = ISO.exec(text) ?? [];
  if (!date) return null;
  const written = `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  if (zone) return parseTime(written + zone.replace(/(\d\d):?(\d\d)$/, '$1:$2'));
  const [here, utc] = [parseTime(written), parseTime(`${written}Z`)];
  return [here, utc].find(ms => ms !== null && Math.abs(arrivedMs - ms) < ZONE_MS) ?? null;
}

/** @param {string} text */
const parseTime = text => Date.parse(text) || null;

/** @param {string} line @param {number} arrivedMs @returns {LogHead | null} */
function readJson(line, arrivedMs) {
  const value = parseOrNull(line);
  if (value === null) return null;
  const first = (/** @type {string[]} */ names) =>
    names.map(name => value[name]).find(item => ['string', 'number'].includes(typeof item)) ?? null;
  const time = first(['time', 'timestamp', '@timestamp', 'ts', 'asctime']);
  const pid = Number(first(['pid', 'process']));
  const status = Number(first(['status', 'status_code']));
  const isStatus = Number.isInteger(status) && status >= 100 && status < 600;
  const level = first(['level', 'levelname', 'severity', 'log.level', 'lvl']);
  return {
    isHead: true,
    atMs: typeof time === 'number' ? fromEpoch(time) : time && readTime(time, arrivedMs),
    level:
      level === null && isStatus ? levelOfStatus(status) : readLevel(String(level).toUpperCase()),
    pid: Number.isInteger(pid) && pid > 0 ? pid : null,
    status: isStatus ? status : null,
  };
}

/** Seconds or milliseconds since 1970; anything else is unknown. @param {number} value */
function fromEpoch(value) {
  if (value > 1e9 && value < 1e10) return Math.floor(value * 1000);
  return value > 1e12 && value < 1e13 ? Math.floor(value) : null;
}
