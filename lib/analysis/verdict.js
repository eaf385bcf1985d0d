/**
 * The first thing a reader sees: is it all right, what limits it, where does a request's time go, and
 * what would a fix buy.
 */
import {
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
  formatRoughShare,
} from '../format.js';
import { compareStarts } from './intended-start.js';
import { judgeValidity } from './validity.js';

/** Shares of failed requests. */
const BAD_ERRORS = 0.05;
const WARN_ERRORS = 0.01;
/** Fewer active samples than this say little. */
const FEW_SAMPLES = 200;

/**
 * Limits of the target itself, in a word. @type {Partial<Record<import('./limit.d.ts').LimitId, string>>}
 */
const AT_LIMIT = {
  workers: 'the CPU of its workers',
  gil: 'one core for each worker',
  database: 'the database',
  'external-call': 'calls to other services',
  slots: 'its threads are all taken',
  pool: 'its pool of connections',
  lock: 'a lock',
  imbalance: 'the load does not spread',
  quota: 'the CPU quota of its container',
};

/** @typedef {import('./report.d.ts').Report} Report */

/**
 * @param {Pick<Report, 'run' | 'load' | 'profile' | 'findings' | 'limit' | 'whatIf'>} facts
 * @returns {import('./report.d.ts').Verdict}
 */
export function judge({ run, load, profile, findings, limit, whatIf }) {
  const sentences = [
    describeLoad(load),
    limit?.text ?? null,
    describeTime(profile),
    describeGain({ profile, whatIf }),
  ];
  return {
    ...headline({ run, load, profile, findings, limit }),
    sentences: sentences.filter(sentence => sentence !== null),
  };
}

/**
 * @param {Pick<Report, 'run' | 'load' | 'profile' | 'findings' | 'limit'>} facts
 * @returns {Pick<import('./report.d.ts').Verdict, 'level' | 'headline'>}
 */
function headline({ run, load, profile, findings, limit }) {
  const invalid = load && judgeValidity(load);
  if (invalid) return { level: 'invalid', headline: `Not valid: ${invalid.reason}.` };
  if (!load && !profile) {
    return {
      level: 'unknown',
      headline: 'Nothing was measured: there is neither load nor a profile.',
    };
  }
  const partial = run.status === 'partial' ? ' (partial run)' : '';
  const failing = load ? load.http.errorRate : 0;
  const cause = findings.find(({ id, severity }) => id.startsWith('cause.') && severity !== 'info');
  if (load && failing >= BAD_ERRORS) {
    return {
      level: 'bad',
      headline: `${formatPercent(failing)} of the requests failed${partial}.`,
    };
  }
  const sign = load?.generator?.signs.find(({ isLimit }) => isLimit);
  if (sign) {
    return {
      level: 'warn',
      headline: `Doubtful: the load generator was the limit: ${sign.text}${partial}.`,
    };
  }
  if (cause) {
    // Inside a sentence a title begins as its cause does.
    const { title } = profile?.causes.find(({ id }) => cause.id === `cause.${id}`) ?? cause;
    const waste = `the largest waste is ${title}${cause.title.slice(title.length).replace(/\.$/, '')}`;
    const answered = failing >= WARN_ERRORS ? 'Some requests failed' : 'The requests were answered';
    const headline = load ? `${answered}; ${waste}${partial}.` : `T${waste.slice(1)}${partial}.`;
    return { level: 'warn', headline };
  }
  if (load && failing >= WARN_ERRORS) {
    return {
      level: 'warn',
      headline: `${formatPercent(failing)} of the requests failed${partial}.`,
    };
  }
  if (!load && profile && profile.samples.active < FEW_SAMPLES) {
    return {
      level: 'unknown',
      headline: `Not enough data: only ${formatNumberOf(profile.samples.active, 'active sample')}.`,
    };
  }
  const place = load && limit && AT_LIMIT[limit.id];
  if (place)
    return {
      level: 'warn',
      headline: `The target answered everything and is at its limit: ${place}${partial}.`,
    };
  if (!load)
    return { level: 'good', headline: `No known cause of waste in this profile${partial}.` };
  return { level: 'good', headline: `The target answered everything at this load${partial}.` };
}

/** @param {Report['load']} load */
function describeLoad(load) {
  if (!load) return null;
  const { http, socketio } = load;
  const latency = http.timeToFirstByte;
  const starts = compareStarts(http);
  const [amount, ...messages] = describeAmounts(load);
  const parts = [
    amount,
    latency &&
      `half answered within ${formatMs(latency.p50Ms)} and 95 % within ${formatMs(latency.p95Ms)} (time to first byte)`,
    starts?.matters &&
      `counted from when they were due, ${starts.percent} % were complete within ${formatMs(starts.intendedMs)}`,
    http.errorRate > 0 ? `${formatPercent(http.errorRate)} failed` : 'none failed',
    ...messages,
    socketio?.connects ? formatNumberOf(socketio.connects, 'socket.io connection') : null,
  ];
  return `${parts.filter(Boolean).join('; ')}.`;
}

/**
 * Requests, and messages that were answered; a load of messages alone has no requests to speak of.
 * @param {import('./report.d.ts').LoadReport} load
 */
function describeAmounts(load) {
  const { http, socketio, websocket } = load;
  const kinds = [
    { times: websocket?.replyTime, one: 'WebSocket reply', many: 'WebSocket replies' },
    {
      times: socketio?.acknowledged,
      one: 'socket.io acknowledgement',
      many: 'socket.io acknowledgements',
    },
  ];
  const users = ` ${describeUsers(load)}`;
  const messages = kinds.flatMap(({ times, one, many }, index) => {
    if (!times) return [];
    const isFirst = http.requests === 0 && kinds.findIndex(kind => kind.times) === index;
    return `${formatNumberOf(times.count, one, many)}${isFirst ? users : ''}, half within ${formatMs(times.p50Ms)}`;
  });
  if (http.requests === 0 && messages.length > 0) return messages;
  const rate = formatRate(http.meanRatePerSec);
  return [`${formatNumberOf(http.requests, 'request')}${users}, ${rate}`, ...messages];
}

/**
 * In a closed loop each round counts as a user, as every walk through a scenario does.
 * @param {import('./report.d.ts').LoadReport} load
 */
function describeUsers({ phases, seconds, users }) {
  const loops = phases.some(({ model }) => model === 'closed');
  if (!loops || phases.some(({ model }) => model === 'open'))
    return `of ${formatNumberOf(users.created, 'user')}`;
  const most = Math.max(...seconds.map(({ usersActive }) => usersActive ?? 0));
  return `in ${formatNumberOf(users.created, 'round')} of ${formatNumberOf(most, 'user')} (closed loop)`;
}

/** @param {Report['profile']} profile */
function describeTime(profile) {
  if (!profile) return null;
  const flagged = profile.hotPaths.find(path => path.flagged) ?? profile.hotPaths[0];
  if (!flagged) return null;
  return flagged.sentence.charAt(0).toUpperCase() + flagged.sentence.slice(1);
}

/**
 * What the largest cause costs and what mending it would bring, told as throughput only where CPU is
 * what limits.
 * @param {Pick<Report, 'profile' | 'whatIf'>} facts
 */
function describeGain({ profile, whatIf }) {
  const foreseen = whatIf.find(({ causes }) => causes.length === 1);
  const cause = profile?.causes.find(({ id }) => id === foreseen?.causes[0]);
  if (!foreseen || !cause) return null;
  const { gain, capacityPerSec, capacityAfterPerSec, condition } = foreseen;
  if (gain && capacityPerSec && capacityAfterPerSec)
    return `Without "${cause.title}" the same workers could serve up to ${formatPercent(gain.value)} more requests (about ${formatRate(capacityAfterPerSec.value)} instead of ${formatRate(capacityPerSec.value)}); its share is ${formatRoughShare(cause.share)}.`;
  const saved = cause.cpuMsPerRequest
    ? ` (${formatMs(cause.cpuMsPerRequest.value)} a request)`
    : '';
  return `Mending "${cause.title}" saves up to ${formatRoughShare(cause.share)} of the CPU${saved}; ${condition}.`;
}
