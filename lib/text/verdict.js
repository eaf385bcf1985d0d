/** The verdict of a run: a headline and at most three short lines. */
import { listPresent } from '../base/files/maps.js';
import {
  formatCount,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatPlace,
  formatRate,
} from '../base/format.js';
import { nameBottleneck, sayBottleneck } from './bottleneck.js';
import { describeCores } from './cpu-use.js';
import { describeFailures } from './failures.js';
import { describeFinding } from './findings.js';
import { describeWaste } from './findings-code.js';
import { nameMost } from './findings-errors.js';
import { describeFullMachine } from './findings-machine.js';
import { sayLimit } from './generator-sign.js';
import { summarizePath } from './hot-path.js';
import { describeInvalid } from './quality.js';
import { OUTSIDE } from './resources.js';
import { say } from './say.js';
import { capitalize, describeTail, endSentence } from './words.js';

/** @import { Finding } from '../run/facts/findings.d.ts' */
/** @import { Doubt, HeadlineTable, PointTable, Verdict } from '../run/facts/verdict.d.ts' */
/** @import { Catalogue, VerdictText } from './text.d.ts' */

/** @type {Catalogue<HeadlineTable, string>} */
const HEADLINES = {
  'nothing-measured': () => 'Nothing was measured: there is neither load nor a profile',
  'few-samples': ({ active }) => `Not enough data: only ${formatNumberOf(active, 'active sample')}`,
  'few-responses': ({ responses }) =>
    `Not enough data: only ${formatNumberOf(responses, 'response')}`,
  'all-answered': () => 'The target responded to everything at this load',
  'mostly-answered': ({ isUnsent }) =>
    `Not everything ${isUnsent ? 'was sent' : 'got a response'} at this load, but no single problem stands out`,
  'part-unread': ({ entries, skipped }) =>
    `Only a part of the profile was read: ${formatCount(skipped)} of ${formatCount(entries)} entries could not be`,
  'no-python': () =>
    'No frame has a file of Python, so no known cause of waste could be looked for',
  'no-waste': () => 'No known cause of waste in this profile',
  'no-stacks': used => `${describeCores(used)}; no load and no stacks were recorded`,
  finding: ({ finding, waste, counted, isOneOf }) => {
    const largest = isOneOf ? 'one of the largest wastes' : 'the largest waste';
    const most = waste ? `; ${largest} is ${describeWaste(waste.cause)}` : '';
    const count = counted ? `; ${describeFinding(counted).title.replace(/\.$/, '')}` : '';
    const lead = LEADS[finding.id]?.(/** @type {never} */ (finding), largest);
    return `${lead ?? describeFinding(finding).title}${most}${count}`;
  },
};

/** Reasons that need a note about what failed. */
const OF_USERS = ['most-users-failed', 'scenario-failed'];

/** @param {Doubt} doubt */
const describeDoubt = ({ id, facts }) =>
  `Doubtful: ${id === 'full-machine' ? describeFullMachine(facts) : sayLimit(facts.sign)}`;

/**
 * What a headline says instead of the title of the finding; `largest`: how much of a waste a cause is.
 * @type {{[Id in Finding['id']]?: (finding: Extract<Finding, {id: Id}>, largest: string) => string | null}}
 */
const LEADS = {
  'invalid-load': ({ facts }) =>
    `Not valid: ${describeInvalid(facts.reason)}${OF_USERS.includes(facts.reason.id) ? nameMost(facts) : ''}`,
  'generator-limit': describeDoubt,
  'full-machine': describeDoubt,
  'request-errors': ({ facts }) =>
    `${formatPercent(facts.share)} of ${facts.failures.every(({ isStatus }) => isStatus) ? 'the requests' : 'requests and messages'} failed${nameMost(facts)}`,
  cause: ({ facts }, largest) => `${capitalize(largest)} is ${describeWaste(facts.cause)}`,
  bottleneck: ({ facts }) => {
    const name = nameBottleneck(facts);
    const isFull = facts.facts.isSaturated && !OUTSIDE.includes(facts.id);
    const place = facts.id === 'wait' && !facts.orElse && facts.facts.longestWait?.place;
    const where = place ? `, in ${place.function} (${formatPlace(place)})` : '';
    return (
      name && `${isFull ? 'The target is saturated: the' : 'The'} bottleneck is ${name}${where}`
    );
  },
};

/** @type {Catalogue<PointTable, string>} */
const POINTS = {
  load: facts => {
    const { requests, meanRatePerSec, times, lateStarts, failures } = facts;
    const kinds = facts.messages.map(
      ({ kind, count, p50Ms: medianMs }, index) =>
        `${formatNumberOf(count, MESSAGES[kind].one, MESSAGES[kind].many)}${requests === 0 && index === 0 ? ` ${describeUsers(facts)}` : ''}, median ${formatMs(medianMs)}`,
    );
    return `${listPresent(
      (requests > 0 || kinds.length === 0) &&
        `${formatNumberOf(requests, 'request')} ${describeUsers(facts)}, ${formatRate(meanRatePerSec)}`,
      times && `median ${formatMs(times.p50Ms)}, ${describeTail(times)} (time to first byte)`,
      lateStarts &&
        `p${lateStarts.percent} of the total time from the scheduled start ${formatMs(lateStarts.intendedMs)}`,
      ...(requests > 0 ? [] : kinds),
      describeFailures(failures),
      ...(requests > 0 ? kinds : []),
      facts.connects > 0 && formatNumberOf(facts.connects, 'socket.io connection'),
    ).join('; ')}.`;
  },
  bottleneck: ({ bottleneck }) => sayBottleneck(bottleneck).title,
  'hot-path': ({ path }) => summarizePath(path),
};

const MESSAGES = {
  websocket: { one: 'WebSocket reply', many: 'WebSocket replies' },
  socketio: { one: 'socket.io acknowledgement', many: 'socket.io acknowledgements' },
};

/** In a closed loop, each round starts a new user. @param {PointTable['load']} facts */
function describeUsers({ started, closedUsers }) {
  if (closedUsers === null) return `of ${formatNumberOf(started, 'user')}`;
  return `in ${formatNumberOf(started, 'round')} of ${formatNumberOf(closedUsers, 'user')} (closed loop)`;
}

/** @param {Verdict} verdict @returns {VerdictText} */
export function describeVerdict({ headline, doubt, points, isPartial }) {
  return {
    doubt: doubt ? endSentence(describeDoubt(doubt)) : null,
    headline: `${isPartial ? 'Partial run: ' : ''}${endSentence(say(HEADLINES, headline))}`,
    sentences: points.map(point => say(POINTS, point)),
  };
}
