/** Single requests in words: `loadflame ping`, and `loadflame test --once`. */
import { listPresent } from '../base/files/maps.js';
import { readReason } from '../base/files/read-reason.js';
import { formatBytes, formatMs, formatNumberOf } from '../base/format.js';
import { sum } from '../base/math/summary.js';
import { sumCollections } from '../run/facts/of-request.js';
import { nameCall, nameCaller } from './calls.js';
import {
  amount,
  code,
  column,
  item,
  list,
  pairs,
  paragraph,
  section,
  table,
} from './document/build.js';

/** @import { PingReport, WholeRequest } from '../run/facts/whole-request.d.ts' */
/** @import { Document, Level } from './document/document.d.ts' */

/** @param {WholeRequest} request @returns {Level} */
const levelOf = ({ error, status, checks }) =>
  error || status === null || status >= 400 || checks.some(({ isMet }) => !isMet) ? 'bad' : 'good';

/** @param {WholeRequest} request */
const describeOutcome = ({ status, error }) =>
  [status === null ? 'no response' : String(status), error].filter(Boolean).join(', ');

/** "CPU 4.2 ms, 3 statements, 1.1 ms in calls, worker 4312" @param {WholeRequest} request */
function describeServer({ server, calls }) {
  if (!server) return null;
  const ofStatements = calls?.calls.filter(([, , , , , , kind = 'sql']) => kind === 'sql') ?? [];
  const statements = sum(ofStatements.map(([, n]) => n)) + (calls?.more[0] ?? 0);
  const us = sum(calls?.calls.map(call => call[2]) ?? []);
  const gcMs = sumCollections(server);
  return listPresent(
    server.cpuMs === null ? 'CPU not known' : `CPU ${formatMs(server.cpuMs)}`,
    formatNumberOf(statements, 'statement'),
    us > 0 && `${formatMs(us / 1000)} in calls`,
    calls && calls.pool[1] > 0 && `${formatMs(calls.pool[1] / 1000)} of waiting for a pool`,
    gcMs > 0 && `${formatMs(gcMs)} of garbage collection`,
    server.blockedMs !== null && `blocked the event loop for ${formatMs(server.blockedMs)}`,
    `worker ${server.worker.replace(/^.*\./, '')}`,
  ).join(', ');
}

/** "12 ms: DNS 0.2 ms, connect 0.4 ms, first byte 11 ms, body 0.1 ms (2.1 kB)" @param {WholeRequest} request */
function describeTimes({ phases, bytes }) {
  const { totalMs, firstByteMs, bodyMs, opening } = phases;
  const parts = Object.entries({
    DNS: opening?.dnsMs,
    connect: opening?.tcpMs,
    TLS: opening?.tlsMs,
    'first byte': firstByteMs,
    body: bodyMs,
  }).flatMap(([name, ms]) => (ms == null ? [] : `${name} ${formatMs(ms)}`));
  return `${formatMs(totalMs)}: ${opening ? '' : 'open connection, '}${parts.join(', ')} (${formatBytes(bytes)})`;
}

/** @param {Record<string, string>} values */
const listValues = values =>
  Object.entries(values)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ');

/** A request of a script, as it was sent, with its response. @param {WholeRequest} request */
export function describeWhole(request) {
  const { scenario, method, url, values, captures, checks, body } = request;
  return section(
    'request',
    `${scenario || 'scenario'}: ${method} ${url}`,
    list([item(describeOutcome(request), { level: levelOf(request) })]),
    pairs([
      ['time', describeTimes(request)],
      ['server', describeServer(request)],
      ['used', listValues(values)],
      ['captured', listValues(captures)],
      ['reason', levelOf(request) === 'bad' && readReason(body)],
    ]),
    list(
      checks.map(({ isMet, what, expected, got }) => {
        const wanted = isMet || expected === null ? '' : `expected ${expected}, `;
        return item(`${what}: ${wanted}got ${got}`, { level: isMet ? 'good' : 'bad' });
      }),
    ),
  );
}

/** @param {NonNullable<PingReport['typical']>} typical */
function describeTypical({ count, totalMs, cpuMs, cpuErrorMs, gcMs }) {
  const time = `Median of ${formatNumberOf(count, 'request')}, one after the other: ${formatMs(totalMs)}`;
  if (cpuMs === null) return `${time}.`;
  return `${time}, CPU ${formatMs(cpuMs)}${cpuErrorMs === null ? '' : ` ± ${formatMs(cpuErrorMs)}`} as in a load's mean, ${formatMs(gcMs)} of it in garbage collections, which few requests run${count < 20 ? ' (`-n 20` shows their share)' : ''}. On busy cores it can be 1.8 times that: programs share caches and the clock.`;
}

const MOST_SLOW = 4;

/** @param {WholeRequest[]} requests in order: the first opens the connection */
function listRequests([first, ...more]) {
  const slowest = more.toSorted((a, b) => b.phases.totalMs - a.phases.totalMs).slice(0, MOST_SLOW);
  const shown = [first, ...more.filter(own => slowest.includes(own))].flatMap(own => own ?? []);
  return section(
    'requests',
    more.length > MOST_SLOW
      ? `Requests: the first, and the slowest of ${more.length} more`
      : 'Requests',
    list(shown.map(own => [describeTimes(own), describeServer(own)].filter(Boolean).join('; '))),
  );
}

/** @param {PingReport} report @returns {Document} */
export function describePing({ requests, typical, calls, unnamed, reported }) {
  const failed = requests.filter(request => levelOf(request) === 'bad');
  const first = failed[0] ?? requests.at(-1);
  if (!first)
    return {
      headline: { level: 'bad', text: 'No request was sent', sentences: [] },
      sections: [],
      page: '',
    };
  return {
    headline: {
      level: failed.length > 0 ? 'bad' : 'good',
      text: `${first.method} ${first.url}: ${describeOutcome(first)}`,
      sentences: listPresent(
        typical && describeTypical(typical),
        failed.length > 0 && `${failed.length} of ${requests.length} requests failed.`,
        failed.length > 0 && (readReason(first.body) || null),
      ),
    },
    sections: [
      listRequests(requests),
      section(
        'calls',
        'What a request executes',
        table('What a request executes', calls, [
          column('call', call => [code(nameCall(call))]),
          amount('times', ({ n: [least, most] }) =>
            least === most ? `${most}` : `${least}–${most}`,
          ),
          amount('time', ({ ms }) => ms || null, 'ms'),
          column('line', call => nameCaller(call) ?? ''),
        ]),
        unnamed > 0 &&
          paragraph(
            `${formatNumberOf(unnamed, 'call')} without a name yet: more requests (\`-n 20\`) name them.`,
          ),
      ),
      reported === 0 && MISSING,
      section(
        'response',
        'Response',
        pairs(Object.entries(first.headers).map(([name, value]) => [name, [code(value)]])),
        first.omittedHeaders > 0 && paragraph(formatNumberOf(first.omittedHeaders, 'more header')),
        first.body && paragraph([code(first.body.slice(0, 300))]),
      ),
    ].flatMap(one => one || []),
    page: '',
  };
}

const MISSING = section(
  'missing',
  'Not known: CPU, statements, other calls, connections and garbage collection',
  paragraph(
    'Copy the companion beside the API (`loadflame companion <folder>`) and start it with LOADFLAME=1 (docs/companion.md). From another machine or through a proxy, set LOADFLAME to the same key there and here.',
    'advice',
  ),
);
