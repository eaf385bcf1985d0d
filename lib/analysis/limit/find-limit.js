/** What limits the throughput. Pure: everything it knows stands in the report. */
import { formatCount, formatPercent, formatRoughShare } from '../../format.js';
import { gatherLimitFacts } from './limit-facts.js';
import { LIMIT_RULES } from './limit-rules.js';

/** Kinds of waiting that are told. */
const KINDS_TOLD = 3;

/**
 * @param {import('./limit-facts.js').LimitInput} input
 * @returns {import('../limit.d.ts').Limit | null} null without a load test
 */
export function findLimit({ load, ...input }) {
  if (!load) return null;
  const facts = gatherLimitFacts({ ...input, load });
  const rule = LIMIT_RULES.find(({ holds }) => holds(facts));
  if (!rule) return null;
  return { id: rule.id, text: rule.tell(facts), evidence: listEvidence(facts) };
}

/** A handful of looks tells no share. @param {{share: import('../report.d.ts').Estimate}} kind */
function isTellable({ share: { low, high } }) {
  return (high ?? 1) - (low ?? 0) < 0.5;
}

/** @param {import('./limit-facts.js').LimitFacts} facts */
function listEvidence({ sign, pressure, workers, host, waits, unevenBackends }) {
  const evidence = [
    { label: pressure.isPressed ? 'the load presses' : 'the load', value: pressure.why },
    workers && {
      label: 'worker CPU',
      value: `${workers.mean.toFixed(2)} of a core each, ${workers.min.toFixed(2)} to ${workers.max.toFixed(2)}`,
    },
    host && { label: 'machine', value: `${host.cores.toFixed(1)} of ${host.cpus} cores in use` },
    waits && {
      label: 'requests under way in the API',
      value: `${waits.busySlots.toPrecision(2)}${waits.slots === null ? '' : ` of ${waits.slots} slots`}`,
    },
    ...(waits?.kinds.filter(isTellable).slice(0, KINDS_TOLD) ?? []).map(
      ({ id, label, share, where }) => ({
        label: `time of requests: ${label}`,
        value: `${formatRoughShare(share)}${where[0] && id !== 'cpu' ? `, most in ${where[0].function} (${where[0].file})` : ''}`,
      }),
    ),
    unevenBackends && {
      label: 'requests per instance',
      value: unevenBackends.members.map(({ requests }) => formatCount(requests)).join(', '),
    },
    sign && {
      label: 'generator',
      value: `${sign.text} (${formatPercent(sign.seconds / sign.ofSeconds)})`,
    },
  ];
  return evidence.filter(item => item !== null);
}
