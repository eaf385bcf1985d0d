import { formatCount, formatPercent } from '../../format.js';
import { countIdle, isUneven } from '../limit/uneven.js';

/** Workers race for connections: their unevenness matters when one of them is busy. */
const BUSY_WORKER = 0.7;
/** Users that stay where their cookie sends them spread by chance: so few per instance look unbalanced. */
const USERS_PER_INSTANCE = 20;

/** @typedef {import('../costs.d.ts').BalanceGroup} BalanceGroup */

/** Traffic that does not spread over instances or workers. @type {import('./index.js').FindingRule} */
export function findImbalance({ balance, load, profile }) {
  const findings = [];
  const { backends = null, workers = null } = balance ?? {};
  if (backends && isUneven(backends)) {
    const isByChance =
      backends.basis === 'sticky-cookie' &&
      (load?.users.created ?? 0) < backends.members.length * USERS_PER_INSTANCE;
    findings.push(
      describe(backends, {
        noun: 'instances of the API',
        severity: isByChance ? 'info' : countIdle(backends) > 0 ? 'bad' : 'warn',
        detail: isByChance
          ? `Each user keeps its instance by a cookie, and there were only ${formatCount(load?.users.created ?? 0)} of them: the router may be all right.`
          : 'The others add nothing to what the API can serve, and the one is full before its time.',
        advice: isByChance
          ? 'Measure with more users, each of them shorter.'
          : "Look at the balancer's algorithm: `source` sends all that comes from one address to one instance, and passthrough routes, `ip_hash` and kept-alive connections do alike. Use `roundrobin`, `leastconn` or `random`.",
      }),
    );
  }
  const busiest = Math.max(0, ...(profile?.workers.map(({ cores }) => cores ?? 0) ?? []));
  if (workers && isUneven(workers) && busiest >= BUSY_WORKER) {
    findings.push(
      describe(workers, {
        noun: 'workers',
        severity: 'warn',
        detail:
          'Workers race for new connections, and a connection stays with the worker that took it.',
        advice:
          'Let clients open connections anew now and then, or try `--reuse-port`; a few long WebSockets can do this, too.',
      }),
    );
  }
  return findings;
}

/**
 * @param {BalanceGroup} group
 * @param {{noun: string, severity: import('../report.d.ts').Severity, detail: string, advice: string}} words
 * @returns {import('./index.js').FindingDraft}
 */
function describe(group, { noun, severity, detail, advice }) {
  const { members, max, min, mean, jain, basis } = group;
  const isCpu = basis === 'process-cpu';
  const total = mean * members.length;
  const what = isCpu ? 'of the CPU time' : `of ${formatCount(total)} requests`;
  const amount = isCpu ? formatPercent(max / total) : formatCount(max);
  const title =
    max >= total * 0.995 && !isCpu
      ? `All ${formatCount(total)} requests went to one of ${members.length} ${noun}.`
      : `One of ${members.length} ${noun} got ${amount} ${what}, the least got ${isCpu ? formatPercent(min / total) : formatCount(min)}.`;
  return {
    id: `imbalance.${noun === 'workers' ? 'workers' : 'backends'}`,
    severity,
    title,
    detail,
    evidence: [
      { label: "Jain's index (1 is even)", value: jain.toFixed(2) },
      {
        label: isCpu ? 'CPU time of each' : 'requests of each',
        value: members
          .slice(0, 6)
          .map(({ requests, cpuMs }) =>
            isCpu ? `${formatCount(cpuMs)} ms` : formatCount(requests),
          )
          .join(', '),
      },
      {
        label: 'told by',
        value: {
          companion: 'worker ids in the answers',
          'sticky-cookie': "the router's cookie",
          'process-cpu': 'CPU time of the processes',
        }[basis],
      },
    ],
    advice,
    link: 'balance',
  };
}
