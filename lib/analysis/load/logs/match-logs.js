/** What the logs say about a burst of errors. */
import { fitsPath } from '../../../base/config/endpoint-names.js';
import { groupTracebacks } from './tracebacks.js';

/** Access lines have times in whole seconds, and a request is logged when it has ended. */
const SLACK_MS = 1500;
const MOST_LINES = 10;
const MOST_TRACEBACKS = 3;
/** Shorter ids appear in many lines by accident. */
const SHORTEST_ID = 6;
const MOST_TEXT = 4096;

/** @typedef {import('../../../run/facts/logs.d.ts').ErrorBurst} ErrorBurst */
/** @typedef {import('./find-bursts.js').Burst} Burst */
/** @typedef {import('./read-logs.js').KeptLine} KeptLine */
/** @typedef {import('../../../run/facts/load-report.d.ts').ErrorSample} ErrorSample */

/**
 * @param {Pick<ErrorSample, 'requestId' | 'traceparent'>[]} samples
 * @returns {Set<string>} ids by which lines can be found, in lower case
 */
export function collectIds(samples) {
  return new Set(samples.flatMap(own => [requestIdOf(own) ?? [], traceIdOf(own) ?? []].flat()));
}

/**
 * @param {Burst} burst
 * @param {ErrorSample[]} samples of the run
 * @param {KeptLine[] | null} kept lines of the run; null where no log was followed
 * @param {ErrorBurst['answeredBy']} [answeredBy]
 * @param {ReadonlySet<string>} [needed] modules of packages that others need
 * @returns {ErrorBurst}
 */
export function matchLogs(burst, samples, kept, answeredBy = null, needed) {
  const lines = kept ?? [];
  const pods = answeredBy && new Set(answeredBy.map(({ pod }) => pod));
  const names = new Set(burst.endpoints.map(({ name }) => name));
  const own = samples.filter(
    ({ atMs, code, endpoint }) =>
      code === burst.code &&
      (names.size === 0 || names.has(endpoint)) &&
      atMs >= burst.startMs - SLACK_MS &&
      atMs <= burst.endMs + SLACK_MS,
  );
  const requestIds = new Set(own.flatMap(sample => requestIdOf(sample) ?? []));
  const traceIds = new Set(own.flatMap(sample => traceIdOf(sample) ?? []));
  const paths = own.flatMap(({ url }) => (URL.canParse(url) ? new URL(url).pathname : []));
  /** @param {KeptLine} line @returns {import('../../../run/facts/logs.d.ts').LogLine['matchedBy'] | null} */
  const matchedBy = ({ ids, atMs, level, isAccess, text, pod }) => {
    if (ids.some(id => requestIds.has(id))) return 'request-id';
    if (ids.some(id => traceIds.has(id))) return 'traceparent';
    // An access line of the same second repeats what is known, and may belong to another request.
    const isThen = atMs >= burst.startMs - SLACK_MS && atMs <= burst.endMs + SLACK_MS;
    if (!isThen || !(level === 'error' || level === 'warn') || isAccess) return null;
    // Lines that another pod wrote meanwhile are about its own requests.
    if (pods && pod !== null && !pods.has(pod)) return null;
    const raised = readRaised(text);
    if (!raised) return pods && pod !== null ? 'pod' : 'time';
    // A line of a request that raised is about a 500 of the endpoint that it names, and no other failure.
    const isOwn = paths.includes(raised.path) || [...names].some(name => isOf(name, raised));
    if (Number(burst.code) < 500) return null;
    return isOwn ? 'endpoint' : names.size === 0 ? 'time' : null;
  };
  const matched = lines.flatMap(line => {
    const by = matchedBy(line);
    return by ? { ...line, matchedBy: by } : [];
  });
  const groups = groupAlike(matched, line => rank(line, paths));
  const basis = ['request-id', 'traceparent', 'endpoint', 'pod', 'time'].find(by =>
    matched.some(line => line.matchedBy === by),
  );
  return {
    ...burst,
    answeredBy,
    log: {
      isFollowed: kept !== null,
      basis: /** @type {ErrorBurst['log']['basis']} */ (basis ?? 'none'),
      lines: groups.slice(0, MOST_LINES),
      more: Math.max(0, groups.length - MOST_LINES),
      tracebacks: groupTracebacks(
        // A traceback that only happened at the same time is a line like any other.
        matched.filter(
          ({ isTraceback, matchedBy: by }) =>
            isTraceback && by !== 'time' && (by !== 'pod' || basis === 'pod'),
        ),
        MOST_TRACEBACKS,
        needed,
      ),
    },
  };
}

/** What Flask, Django and gunicorn log for a request that raised. */
const RAISED =
  /\bException on (?<path>\/\S*) \[(?<method>[A-Z]+)\]|\b(?:Internal Server Error:|Error handling request) (?<only>\/\S*)/;

/** The HTTP request that raised. @param {string} text @returns {{path: string, method: string | null} | null} */
export function readRaised(text) {
  const { path, method = null, only = '' } = RAISED.exec(text)?.groups ?? {};
  return path || only ? { path: path ?? only, method } : null;
}

/** @param {string} endpoint `GET /a/:id/` @param {{path: string, method: string | null}} raised */
function isOf(endpoint, { path, method }) {
  const [ownMethod, ownPath = ''] = endpoint.split(' ');
  if (method !== null && method !== ownMethod) return false;
  return fitsPath(ownPath, path.split('?')[0] ?? '');
}

/** Lower is more informative. @param {KeptLine & {matchedBy: string}} line @param {string[]} paths */
function rank({ matchedBy, level, isTraceback, isAccess, text }, paths) {
  const known = { time: 0, pod: 1, endpoint: 3 }[matchedBy] ?? 4;
  const names = paths.some(path => path.length > 1 && text.includes(path)) ? 2 : 0;
  const kind = isTraceback ? 3 : level === 'error' && !isAccess ? 1 : 0;
  // A traceback of the same second that names the path says more than the request's own access line.
  return -(isAccess ? known / 4 : known + names + kind);
}

/**
 * Merges lines that say the same.
 * @param {(KeptLine & {matchedBy: import('../../../run/facts/logs.d.ts').LogLine['matchedBy']})[]} lines
 * @param {(line: KeptLine & {matchedBy: string}) => number} rankOf
 * @returns {import('../../../run/facts/logs.d.ts').LogLine[]} the most informative first
 */
export function groupAlike(lines, rankOf) {
  const groups = [...Map.groupBy(lines, fingerprint).values()].map(alike => {
    const [best] = alike.toSorted((a, b) => rankOf(a) - rankOf(b));
    return { line: /** @type {typeof lines[number]} */ (best), alike: alike.length };
  });
  return groups
    .sort((a, b) => rankOf(a.line) - rankOf(b.line) || b.alike - a.alike)
    .map(({ line, alike }) => ({
      atMs: line.atMs,
      source: line.source,
      level: line.level,
      pid: line.pid,
      text: line.text.slice(0, MOST_TEXT),
      matchedBy: line.matchedBy,
      alike,
    }));
}

/** Numbers, ids and times differ from line to line. @param {KeptLine} line */
const fingerprint = ({ source, text }) =>
  `${source}\n${text.replace(/0x[0-9a-f]+|[0-9a-f]{8,}|[\w-]{16,}|\d+/gi, '#')}`;

/** @param {Pick<ErrorSample, 'requestId'>} sample */
const requestIdOf = ({ requestId }) =>
  requestId && requestId.length >= SHORTEST_ID ? requestId.toLowerCase() : null;

/** @param {Pick<ErrorSample, 'traceparent'>} sample */
const traceIdOf = ({ traceparent }) =>
  /^[0-9a-f]{2}-([0-9a-f]{32})-/i.exec(traceparent ?? '')?.[1]?.toLowerCase() ?? null;
