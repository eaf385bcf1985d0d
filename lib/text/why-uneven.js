/** Why traffic did not spread over pods or instances, and what would change that. */
import { formatCount, formatDuration, formatNumberOf, formatPercent } from '../format.js';
import { joinWords } from './words.js';

/** @import { WayIn } from '../facts/cluster.d.ts' */
/** @import { Staying, UnevenWhy } from '../facts/bottleneck.d.ts' */

const ALGORITHMS =
  "Look at the balancer's algorithm: `source` sends all that comes from one address to one instance, and passthrough routes, `ip_hash` and kept-alive connections do alike. Use `roundrobin`, `leastconn` or `random`.";

/**
 * @param {UnevenWhy} why
 * @param {{members: {id: string}[], min: number, max: number, mean: number, isPods: boolean}} group
 * @returns {{detail: string, advice: string}}
 */
export function describeWhy(why, { members, min, max, mean, isPods }) {
  const noun = isPods ? 'pods' : 'instances';
  const share = max / (mean * members.length);
  switch (why.id) {
    case 'not-ready':
      return {
        detail: `Only ${why.ready} of ${formatCount(why.ready + why.late.length)} pods ${why.ready === 1 ? 'was' : 'were'} ready all the time: ${describeLate(why)}. A pod that is not ready gets no requests.`,
        advice:
          'Start the load when all pods are ready (`kubectl rollout status`). Users that a cookie keeps at their pod do not come to one that is ready later.',
      };
    case 'source':
      return {
        detail: `${quoteSetting(why.setting)} of ${nameWay(why.way)} sends all that comes from one address to one pod.`,
        advice: adviseSource(why.way, why.setting),
      };
    case 'few-users':
      return {
        detail: `${describeStaying(why.staying, members.length, noun)} ${formatPercent(share)} is no more than chance brings: the router may be all right.`,
        advice: adviseFew(why.staying, why.way),
      };
    case 'unknown':
      return {
        detail: describeUnknown(why, { share, count: members.length, noun, isIdle: min === 0 }),
        advice:
          why.way || !why.isClusterSeen
            ? ALGORITHMS
            : `${ALGORITHMS} The host of the target is none of the routes, ingresses or services that were seen, so that their settings were not judged.`,
      };
  }
}

/** @param {Extract<UnevenWhy, {id: 'not-ready'}>} why */
function describeLate({ late, lengthMs }) {
  const told = late.slice(0, 3).map(({ name, readyMs }) => {
    return `${name} for ${formatDuration(readyMs)} of ${formatDuration(lengthMs)}`;
  });
  const more = late.length - told.length;
  return joinWords([...told, ...(more > 0 ? [formatNumberOf(more, 'other')] : [])]);
}

/** @param {Staying} staying @param {number} places @param {string} noun */
function describeStaying({ of, count, expected }, places, noun) {
  const [what, keeps] =
    of === 'users'
      ? [formatNumberOf(count, 'user'), 'each keeps its own by a cookie']
      : [formatNumberOf(count, 'WebSocket'), 'each stays with its own until it is closed'];
  return `There ${count === 1 ? 'was' : 'were'} ${what} for ${places} ${noun}, and ${keeps}: by chance the fullest gets ${formatPercent(expected.mean)} on average, and up to ${formatPercent(expected.high)}, if all send alike.`;
}

/** @param {Extract<UnevenWhy, {id: 'unknown'}>} why @param {{share: number, count: number, noun: string, isIdle: boolean}} group */
function describeUnknown({ staying, way }, { share, count, noun, isIdle }) {
  const reasons = [
    staying &&
      `${describeStaying(staying, count, noun)} ${formatPercent(share)} is more than that${isIdle ? '' : ': some may send far more than others'}.`,
    way &&
      (way.settings.length > 0
        ? `Of ${nameWay(way)} ${joinWords(way.settings.map(quoteSetting))} is known.`
        : `Of ${nameWay(way)} no setting about it is known.`),
  ];
  const known = reasons.filter(Boolean).join(' ');
  return `Why is not known.${known && ` ${known}`} The others add nothing to what the API can serve, and the one is full too early.`;
}

/** @param {WayIn} way */
const nameWay = ({ type, name }) => `the ${type} \`${name}\``;

/** @param {WayIn['settings'][number]} setting */
const quoteSetting = ({ name, value }) => `\`${name}: ${value}\``;

/** It may be pasted: a name is one as a cluster has it, or none. @param {WayIn} way */
const nameForShell = ({ name }) => (/^[a-z0-9][a-z0-9.-]*$/.test(name) ? name : '<name>');

/** @param {WayIn} way @param {WayIn['settings'][number]} setting */
function adviseSource(way, setting) {
  const { type } = way;
  const name = nameForShell(way);
  if (type === 'service')
    return `Set \`sessionAffinity: None\` of the service ${name}, or let the load come from several addresses.`;
  if (type === 'ingress')
    return `Remove the annotation \`${setting.name}\` of the ingress ${name} (or set it to \`roundrobin\` if it names an algorithm), or send the load from several addresses.`;
  return `\`oc annotate route ${name} --overwrite haproxy.router.openshift.io/balance=roundrobin\`${setting.name === 'termination' ? ', or a termination in which the router sees cookies (edge, reencrypt)' : ''}; or let the load come from several addresses.`;
}

/** @param {Staying} staying @param {WayIn | null} way */
function adviseFew({ of }, way) {
  const more = 'Measure with more users, each of them shorter';
  if (of === 'websockets') return `${more}: WebSockets spread only when they are opened.`;
  const cookies =
    way?.type === 'route'
      ? `\`oc annotate route ${nameForShell(way)} haproxy.router.openshift.io/disable_cookies=true\``
      : way?.type === 'ingress'
        ? `the ingress ${way.name} without its annotation for affinity (\`nginx.ingress.kubernetes.io/affinity\`)`
        : 'the router without its cookie (OpenShift: the route\'s annotation `haproxy.router.openshift.io/disable_cookies: "true"`; nginx: without `nginx.ingress.kubernetes.io/affinity`)';
  return `${more}; or, where no user needs to stay at its pod, with ${cookies}.`;
}
