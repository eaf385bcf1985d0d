/** Where the throughput of a variant stops rising. */
import { formatCount, formatRate } from '../base/format.js';

/** @import { Saturation } from '../run/facts/saturation.d.ts' */

/** @param {Saturation} saturation */
export function describeSaturation(saturation) {
  const { sign, step, throughputPerSec, kneeInFlight, steps, leastSteps } = saturation;
  const { lastStep, dispatchPerSec, generatorStep } = saturation;
  const height = formatRate(throughputPerSec?.value ?? null);
  const last = formatCount(lastStep);
  switch (sign) {
    case 'levels-off': {
      const queues = kneeInFlight
        ? `; requests begin to queue at ${kneeInFlight.value.toFixed(kneeInFlight.value < 9.95 ? 1 : 0)} in progress`
        : '';
      return `throughput levels off at ${height} from step ${formatCount(step)} on${queues}`;
    }
    case 'falls-behind':
      return `at step ${last} ${formatRate(dispatchPerSec)} were put in and ${height} came out: more load brings no more throughput`;
    case 'generator-limit':
      return `the load generator was the bottleneck at step ${formatCount(generatorStep)}: the target takes at least ${height}, and how much more is not known`;
    case 'still-rises':
      return `throughput still rises at step ${last}, the highest: the target takes at least ${height}`;
    case 'queued':
      return `bursts queue from ${formatCount(step)} at once on: ${height} are completed, and no more`;
    case 'keeps-up':
      return `${last} at once were completed as fast as they were accepted: at least ${height}, and how much more is not known`;
    case 'too-few-steps':
      return `where it saturates is not known: that needs at least ${leastSteps} steps that the load generator kept up with, and there are ${steps}`;
  }
}
