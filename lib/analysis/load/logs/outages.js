/** When a service that the API calls did not respond, by the errors of connections in the API's log. */
import { addTo, heaviestOf } from '../../../base/files/maps.js';
import { readTraceback } from './tracebacks.js';

/** @import { LogReport } from '../../../run/facts/logs.d.ts' */

/** @typedef {LogReport['outages'][number]} Outage */

/** What clients and drivers say when a server is gone, refuses, or does not respond. */
const REASONS =
  /connection (?:refused|timed out|reset by peer)|could not connect|all connection attempts failed|server closed the connection|terminating connection|the database system is (?:starting up|shutting down)|name or service not known|temporary failure in name resolution|no route to host|network is unreachable|connect ?timeout|lost connection to|can't connect to/i;
/** Who did not respond: by what its client calls itself, or by the address. */
const SERVICES = /** @type {const} */ ([
  ['identity-provider', /introspect|openid-connect|\bjwks?\b|\/realms\/|oauth|oidc/i],
  [
    'database',
    /psycopg|asyncpg|pg8000|pymysql|mysql|mariadb|OperationalError|InterfaceError|pymongo|redis|the database system|\bport[ =:]{1,3}(?:5432|3306|6379|27017)\b/i,
  ],
]);
/** `host='idp', port=8080`; `server at "127.0.0.1", port 5432`; `localhost:6379`. */
const ADDRESS =
  /host='([\w.-]{1,253})', port=(\d{1,5})|server at "([\w.:-]{1,253})"[^\n]{0,40}?port (\d{1,5})|\bto ([\w.-]{1,253}):(\d{1,5})\b/;
/** An outage ends when no connection failed for so long. */
const PAUSE_MS = 10_000;
/** One failed connection is no outage. */
const LEAST_ERRORS = 3;
const MOST_OUTAGES = 5;

/**
 * @param {{atMs: number, text: string}[]} lines errors and warnings of the API during the load, oldest first
 * @returns {Outage[]} the most errors first
 */
export function findOutages(lines) {
  /** @type {(Outage & {reasons: Map<string, number>})[]} */
  const found = [];
  for (const { atMs, text } of lines) {
    const said = readTraceback(text)?.exception ?? text.split('\n')[0] ?? '';
    const [reason] = REASONS.exec(said) ?? REASONS.exec(text) ?? [];
    if (!reason) continue;
    const service = SERVICES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'service';
    const [, ...parts] = ADDRESS.exec(text) ?? [];
    const address = parts.filter(Boolean).join(':') || null;
    let outage = found.findLast(
      known =>
        known.service === service &&
        // A connection that was lost does not say to whom: it is the one that is away.
        (known.address === address || known.address === null || address === null) &&
        atMs - known.endMs <= PAUSE_MS,
    );
    if (!outage) {
      const times = { startMs: atMs, endMs: atMs };
      outage = { service, address, ...times, errors: 0, reason: '', reasons: new Map() };
      found.push(outage);
    }
    outage.address ??= address;
    outage.endMs = atMs;
    outage.errors += 1;
    addTo(outage.reasons, reason.toLowerCase(), 1);
  }
  return found
    .filter(({ errors }) => errors >= LEAST_ERRORS)
    .sort((a, b) => b.errors - a.errors)
    .slice(0, MOST_OUTAGES)
    .map(({ reasons, ...outage }) => ({ ...outage, reason: heaviestOf(reasons) ?? '' }));
}
