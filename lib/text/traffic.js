/** Describes what a script of recorded traffic keeps and leaves out. */
import { addTo, listPresent } from '../base/files/maps.js';
import {
  formatCount,
  formatDuration,
  formatMoment,
  formatNumberOf,
  formatPercent,
  formatRate,
} from '../base/format.js';
import { nameFirst } from '../base/name-first.js';

/** @import { HarReason, LeftOutReason, RecordedFlow, Session, Traffic } from '../run/facts/traffic.d.ts' */

/** In the order in which they are shown. @type {Record<LeftOutReason, string>} */
const REASONS = {
  host: 'other hosts; for one of them: `grep -F HOST access.log | loadflame init --log -`',
  method: 'could not decide which body to send, or whether it may change data',
  masked: 'could not decide what to send for a token or personal data in the path',
  unreadable: 'could not read the address, or its path has more than 200 characters',
  failed: 'refused, or no plain response, by status (5xx and 499 are part of the load)',
  static: 'static files, which a proxy or a CDN serves',
  health: 'health checks',
  rare: 'rare endpoints',
};
/** @type {Record<HarReason, string>} */
const HAR_REASONS = {
  body: 'whose body is missing, or neither JSON nor a plain form, or whose method is rare: could not decide what to send',
  websocket: 'for WebSockets, whose messages are not read',
  internal: 'within the browser (data, blob, extensions)',
  failed: 'without status 2xx or 3xx in the recording',
  stream: 'for streams of events: could not decide how long to listen',
  login: 'of the login, which loadflame does before the load',
  foreign: 'to other hosts',
  static: 'for static files, which a proxy or a CDN serves',
  preflight: 'that only browsers and proxies send (OPTIONS, CONNECT)',
  unreadable: 'that cannot be read',
};
const MOST_NAMES = 10;
/** From one address come the users of a proxy, a pool, or a test. */
const MOST_OF_CLIENT = 0.5;

/** @param {Traffic} traffic @returns {string[]} for the head of the script */
export function describeScript({ curve: { phases, fromMs }, firstMs, lastMs }) {
  const lengthMs = phases.reduce((all, { seconds }) => all + seconds * 1000, 0);
  const allMs = lastMs - firstMs;
  const whole = allMs > lengthMs + 60_000 ? `, the busiest of ${formatDuration(allMs)}` : '';
  const rates = phases.flatMap(({ fromPerSec, toPerSec }) => [fromPerSec, toPerSec]);
  const [low, high] = [Math.min(...rates), Math.max(...rates)].map(formatRate);
  return [
    `arrivals ${formatDuration(lengthMs)} from ${formatMoment(fromMs)}${whole}: ${low} to ${high} requests`,
    'not kept the order of rare sequences, cookies, caches, and ids that a client asks for again',
    'not kept how the mix changes in time: it is that of the whole log',
  ];
}

/** @param {Traffic} traffic @returns {string[]} lines */
export function describeLeftOut({ leftOut, requests }) {
  return Object.entries(REASONS).flatMap(([reason, words]) => {
    const own = [...leftOut].filter(([key]) => key.split(' ', 1)[0] === reason);
    const names = new Map(own.map(([key, count]) => [key.slice(reason.length + 1), count]));
    const count = own.reduce((all, [, one]) => all + one, 0);
    names.delete('');
    const list = names.size > 0 ? `: ${listShares(names, requests)}` : '';
    return count > 0 ? [`left out ${formatPercent(count / requests)}: ${words}${list}`] : [];
  });
}

/**
 * @param {Traffic} traffic
 * @param {{lines: number, unknown: number, unread: number, first: string, empty: string[]}} read
 * @returns {string[]} lines
 */
export function describeTraffic(traffic, { lines, unknown, unread, first, empty }) {
  const { host, requests, kept, flows, sessions, thinks, thinkSec, masked, mostOfClient } = traffic;
  /** @type {Map<string, number>} */
  const mix = new Map();
  for (const { names, count } of flows) for (const name of names) addTo(mix, name, count);
  const sent = [...mix.values()].reduce((all, count) => all + count, 0);
  const pause = thinks > 0 ? `, pauses of ${formatDuration((thinkSec / thinks) * 1000)}` : '';
  return listPresent(
    `read     ${formatNumberOf(lines, 'line')}, ${formatCount(unknown)} without a request${first && `, such as: ${first}`}`,
    unread > 0 &&
      `lost     ${formatNumberOf(unread, 'line')} that seem to hold a request, in a format that could not be read`,
    ...empty.map(file => `empty    ${file} has no request`),
    `mix      ${host && `${host}, `}${formatPercent(sent / requests)} of the requests: ${listShares(mix, sent)}`,
    `sessions ${formatCount(sessions)} of ${(kept / sessions).toFixed(1)} requests${pause} on average`,
    mostOfClient > kept * MOST_OF_CLIENT &&
      `users    could not distinguish users: ${formatPercent(mostOfClient / kept)} of the requests have the same address and user agent. Sequences and pauses may mix several users; log the client's address, such as X-Forwarded-For`,
    ...describeScript(traffic),
    ...describeLeftOut(traffic),
    masked.size > 0 &&
      `masked   the values of ${listShares(masked, requests)}: could not decide what to send`,
  );
}

/** @param {Map<string, number>} counts @param {number} whole */
function listShares(counts, whole) {
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const shares = sorted.map(([name, n]) => `${name} ${formatPercent(n / whole)}`);
  return nameFirst(shares, MOST_NAMES);
}

/**
 * @param {Session} session
 * @param {RecordedFlow} made
 * @returns {string[]} lines
 */
export function describeSession({ origin, exchanges, leftOut }, made) {
  const left = Object.entries(HAR_REASONS).flatMap(([reason, words]) => {
    const names = leftOut.get(/** @type {HarReason} */ (reason)) ?? [];
    const shown = [...new Set(names)].slice(0, MOST_NAMES).join(', ');
    return names.length > 0
      ? [`left out ${formatNumberOf(names.length, 'request')} ${words}: ${shown}`]
      : [];
  });
  const { variables, login, cookies, dates } = made;
  const lost = exchanges.filter(({ answer }) => answer.isLost).length;
  return listPresent(
    `flow     ${formatNumberOf(exchanges.length, 'request')}${origin && ` to ${origin}`}, one after the other`,
    ...left,
    lost > 0 &&
      `no body  ${lost} of ${formatNumberOf(exchanges.length, 'response')} without their text in the recording: nothing could be captured from them. Save it with content`,
    ...describeJoins(made),
    login &&
      `login    set OIDC_ISSUER=${login.issuer} OIDC_CLIENT_ID=${login.clientId} and how users log in (OIDC_FLOW) in envs.sh`,
    ...Object.entries(variables).map(
      ([name, { secret, about }]) => secret && `secret   set ${name} in envs.sh: ${about}`,
    ),
    ...dates.map(
      ({ as, days }) =>
        `date     for a day as far from today, set ${as}=$(date -d '${days} days' +%F) in envs.sh`,
    ),
    ...[...cookies].map(
      name => `could not decide where the cookie ${name} comes from: record from the login on`,
    ),
  );
}

const WHYS = { name: 'equal names', rare: 'a value that is rare in the recording' };

/** @param {RecordedFlow} made @returns {string[]} lines, also for the head of the script */
export function describeJoins({ captured, literal }) {
  const kept = [...new Map(literal.map(({ at, places }) => [at, places]))];
  const more = kept.length - MOST_NAMES;
  return [
    ...captured.map(one => `captured ${one.as} from ${one.from} for ${one.to}: ${WHYS[one.why]}`),
    ...kept
      .slice(0, MOST_NAMES)
      .map(
        ([at, places]) =>
          `literal  ${at} stays as recorded: ${formatNumberOf(places, 'place')} of earlier responses have its value, under other names`,
      ),
    ...(more > 0 ? [`literal  ${more} more`] : []),
  ];
}
