/** The findings about the bottleneck, what the workers can serve, and how the work spreads. */
import { formatCount, formatPercent, formatRate } from '../base/format.js';
import { sayBottleneck } from './bottleneck.js';
import { nameCauses } from './what-if.js';

/** @import { Estimate } from '../base/math/estimate.d.ts' */
/** @import { BottleneckFindingTable } from '../run/facts/bottleneck.d.ts' */
/** @import { Catalogue, StatementWords } from './text.d.ts' */

/** What shows which worker or instance responded. */
export const BALANCE_BASES = {
  companion: 'worker ids in the responses',
  'sticky-cookie': "the router's cookie",
  'process-cpu': 'CPU time of the processes',
};

/** @type {Catalogue<BottleneckFindingTable, StatementWords>} */
export const BOTTLENECK_FINDINGS = {
  bottleneck: bottleneck => {
    const { title, detail: fix, evidence: own, advice } = sayBottleneck(bottleneck);
    const detail =
      fix ??
      (bottleneck.id === 'unknown'
        ? 'A longer run, or one with more users, may show it.'
        : 'Judged by the CPU time of the workers, by what their threads do inside requests, and by whether the load saturates the target.');
    const evidence = own.map(({ label, value }) => [label, value]);
    return { title, detail, evidence, advice };
  },
  capacity: ({ capacityPerSec, servedPerSec, without }) => {
    const [most] = without;
    const after = most
      ? `, without ${nameCauses(most.titles)} about ${formatRate(most.capacityPerSec.value)}`
      : '';
    const { low, high } = capacityPerSec;
    const isLeast = low !== null && high === null;
    return {
      title: `At full CPU these workers serve ${isLeast ? `at least ${formatRate(low)}` : `about ${describeRate(capacityPerSec)}`}${after}.`,
      detail:
        'The cores that the workers used, a core each at least, ÷ CPU time per request, with the mix of requests of this run. After a fix: by Amdahl’s law; the rest often gets cheaper, too.',
      evidence: [
        ['served in this run', formatRate(servedPerSec)],
        ...without.map(({ titles, capacityPerSec: perSec, gain }) => [
          `without ${nameCauses(titles)}`,
          `${describeRate(perSec)}, + ${formatPercent(gain.value)}`,
        ]),
      ],
    };
  },
  imbalance: ({ of, isPods, basis, members, min, mean, max }) => {
    if (of === 'backends' && members.length === 1) {
      return {
        title: `The router's cookie named one instance of the API for all ${formatCount(max)} requests. It is not known whether it is the only one, or one of several that got all traffic.`,
        detail: 'Instances that sent no response leave no trace.',
        advice:
          'Set BACKENDS to how many instances (pods) serve the target, or KUBE_WORKLOAD to see the pods themselves. If the router uses another cookie, name it in STICKY_COOKIE.',
        evidence: [['shown by', BALANCE_BASES[basis]]],
      };
    }
    const isCpu = basis === 'process-cpu';
    const noun = of === 'workers' ? 'workers' : isPods ? 'pods' : 'instances of the API';
    const total = mean * members.length;
    const what = isCpu ? 'of the CPU time' : `of ${formatCount(total)} requests`;
    const amount = (/** @type {number} */ count) =>
      isCpu ? formatPercent(count / total) : formatCount(count);
    return {
      title:
        max >= total * 0.995 && !isCpu
          ? `All ${formatCount(total)} requests went to one of ${members.length} ${noun}.`
          : `One of ${members.length} ${noun} got ${amount(max)} ${what}, the least got ${amount(min)}.`,
      ...(of === 'workers'
        ? {
            detail:
              'Workers race for new connections, and a connection stays with the worker that took it.',
            advice:
              'Let clients reopen connections now and then, or try `--reuse-port` of gunicorn. A few long WebSockets can also cause this.',
          }
        : {
            detail:
              'The cause is not known. Users with a sticky cookie, and WebSockets, spread evenly only when there are many. An instance that was ready late gets less.',
            advice:
              'Start the load when all are ready, with more users. Then check the balancer: `source`, passthrough routes, `ip_hash` and `sessionAffinity: ClientIP` send all requests from one address to one instance.',
          }),
      evidence: [
        [
          isCpu ? 'CPU time of each' : 'requests of each',
          members
            .slice(0, 6)
            .map(({ id, requests, cpuMs }) =>
              isCpu
                ? `${formatCount(cpuMs)} ms`
                : `${isPods ? `${id} ` : ''}${formatCount(requests)}`,
            )
            .join(', '),
        ],
        ['shown by', BALANCE_BASES[basis]],
      ],
    };
  },
};

/** "118/s (110/s to 126/s)" @param {Estimate} estimate */
function describeRate({ value, low, high }) {
  const range = low === null || high === null ? '' : ` (${formatRate(low)} to ${formatRate(high)})`;
  return `${formatRate(value)}${range}`;
}
