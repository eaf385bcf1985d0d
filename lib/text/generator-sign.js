import { formatCores, formatMs, formatPercent } from '../base/format.js';

/** @import { GeneratorSign } from '../run/facts/load-report.d.ts' */

/**
 * Why the figures of the load generator are doubtful: "worker 1 was busy 97 % of the time in 34 of
 * 58 s".
 * @param {GeneratorSign} sign
 */
export const describeSign = sign =>
  `worker ${sign.worker} ${SIGNS[sign.id](sign)} in ${sign.seconds} of ${sign.ofSeconds} s`;

/** The same as a clause. One that got no core is a doubt, and maybe no bottleneck. @param {GeneratorSign} sign */
export const sayLimit = sign =>
  `the load generator was ${sign.id === 'starved' ? 'starved of CPU' : 'the bottleneck'}: ${describeSign(sign)}`;

/** @type {Record<GeneratorSign['id'], (sign: GeneratorSign) => string>} */
const SIGNS = {
  busy: ({ utilization }) => `was busy ${formatPercent(utilization)} of the time`,
  starved: ({ utilization, cores, others }) =>
    `had work ${formatPercent(utilization)} of the time, but ran on a core only ${formatPercent(cores)}, because ${
      others
        ? `programs outside this run took ${formatCores(others.cores)} of ${others.cpus} cores`
        : 'other processes, a quota or a hook held it back'
    },`,
  late: ({ lagMaxMs }) =>
    `started users up to ${formatMs(lagMaxMs)} behind schedule (p99 of a second)`,
  paused: ({ pauseMaxMs, isCrowded, utilization, cores }) =>
    `stalled for up to ${formatMs(pauseMaxMs)} (p99 of a second)${
      isCrowded
        ? `, because other processes took the CPU (it had work to do ${formatPercent(utilization)} of the time, but ran on a core only ${formatPercent(cores)}),`
        : ''
    }`,
};
