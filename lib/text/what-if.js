/** The predicted gain of a fix, and its condition. */
import { formatMs, formatPercent, formatRate, formatRoughShare } from '../base/format.js';
import { nameBottleneck } from './bottleneck.js';

/** @import { CauseShare } from '../run/facts/profile-report.d.ts' */
/** @import { BottleneckId, WhatIf, WhatIfCondition } from '../run/facts/bottleneck.d.ts' */
/** @import { WhatIfText } from './text.d.ts' */

/** Of bottlenecks about which the general sentence says too little, or too much. @type {Partial<Record<BottleneckId, string>>} */
const NO_GAIN = {
  machine: 'how much throughput that brings is not known while the CPU is saturated',
  slots: 'it will not raise the throughput much, because all threads are taken while CPU is idle',
  connections: 'it will not raise the throughput, because requests wait before they reach a worker',
  loop: 'it raises the throughput as far as it is what blocks the event loop',
  imbalance: 'how much throughput that brings depends on how the requests are spread',
  quota: 'how much throughput that brings depends on the quota of the container',
  generator:
    'how much throughput that brings is not known, because the load generator was the bottleneck',
  none: 'it will not raise the throughput of this run, because CPU is not the bottleneck',
  unknown: 'whether it raises the throughput is not known from this run',
};

/** @type {Record<Exclude<WhatIfCondition['id'], 'bottleneck'>, string>} */
const CONDITIONS = {
  'cpu-bound':
    'the workers are CPU-bound in this run; less if the replacement costs something, more if the rest gets cheaper, too',
  'full-machine':
    'the workers are CPU-bound in this run; less if the replacement costs something, or other programs share the saturated CPU',
  vague: 'how much throughput that brings is not known from so few samples',
  'no-cpu-time': 'whether it raises the throughput is not known without process CPU',
};

/** @param {WhatIf} whatIf @returns {WhatIfText} */
export function sayWhatIf({ titles, condition: { id, bottleneck } }) {
  return {
    title: nameCauses(titles),
    condition:
      id === 'bottleneck'
        ? (NO_GAIN[bottleneck] ??
          `it will not raise the throughput of this run, because the bottleneck is ${nameBottleneck({ id: bottleneck, component: null, orElse: null })}`)
        : CONDITIONS[id],
  };
}

/** @param {string[]} titles */
export const nameCauses = titles =>
  titles.length > 1 ? `all of them: ${titles.join(', ')}` : (titles[0] ?? '');

/**
 * The gain of fixing a cause: throughput if CPU is the bottleneck, else CPU.
 * @param {WhatIf} whatIf
 * @param {CauseShare} cause
 * @returns {string} a sentence
 */
export function describeGain(whatIf, { title, share, cpuMsPerRequest }) {
  const { gain, capacityPerSec, capacityAfterPerSec } = whatIf;
  const { condition } = sayWhatIf(whatIf);
  if (gain && capacityPerSec && capacityAfterPerSec)
    return `Without "${title}" the same workers could serve about ${formatPercent(gain.value)} more requests (${formatPercent(gain.low)} to ${formatPercent(gain.high)}): ${formatRate(capacityAfterPerSec.value)} instead of ${formatRate(capacityPerSec.value)}.`;
  const saved = cpuMsPerRequest ? ` (${formatMs(cpuMsPerRequest.value)} a request)` : '';
  return `Fixing "${title}" would save about ${formatRoughShare(share)} of the CPU${saved}; ${condition}.`;
}
