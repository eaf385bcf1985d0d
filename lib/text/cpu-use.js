import { formatCores, formatMs, formatNumberOf } from '../base/format.js';

/** @import { CpuUse } from '../run/facts/profile-report.d.ts' */

/**
 * What is known about the CPU of the workers without stacks.
 * @param {Pick<CpuUse, 'processes' | 'cores' | 'perRequest'>} cpu
 */
export function describeCpuUse({ processes, cores, perRequest }) {
  const each = perRequest ? `; a request cost ${formatMs(perRequest.value)} of CPU` : '';
  const used =
    processes === null
      ? "The CPU time of the API's workers is not known."
      : `${describeCores({ processes, cores: cores ?? 0 })}${each}, counted by the operating system.`;
  return `${used} No stacks were recorded, so the code that uses it is not known. Stacks need py-spy, or Python 3.15 (\`loadflame doctor\` says what it needs).`;
}

/** @param {{processes: number, cores: number}} used */
export const describeCores = ({ processes, cores }) =>
  `${formatNumberOf(Math.round(processes), 'worker')} used ${formatCores(cores)} cores`;
