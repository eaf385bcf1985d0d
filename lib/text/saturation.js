/** Where the throughput of a variant stops rising. */
import { formatCount, formatRate } from '../base/format.js';

/** @import { Saturation } from '../run/facts/saturation.d.ts' */

/** @type {Record<Saturation['sign'], (saturation: Saturation, height: string) => string>} */
const SIGNS = {
  'levels-off': ({ step, kneeInFlight }, height) =>
    `throughput levels off at ${height} from step ${formatCount(step)} on${kneeInFlight ? `; requests begin to queue at ${kneeInFlight.value.toFixed(kneeInFlight.value < 9.95 ? 1 : 0)} in progress` : ''}`,
  'falls-behind': ({ lastStep, dispatchPerSec }, height) =>
    `at step ${formatCount(lastStep)} ${formatRate(dispatchPerSec)} were put in and ${height} came out: more load brings no more throughput`,
  'generator-limit': ({ generatorStep }, height) =>
    `the load generator was the bottleneck at step ${formatCount(generatorStep)}: the target takes at least ${height}, and how much more is not known`,
  'still-rises': ({ lastStep }, height) =>
    `throughput still rises at step ${formatCount(lastStep)}, the highest: the target takes at least ${height}`,
  queued: ({ step }, height) =>
    `bursts queue from ${formatCount(step)} at once on: ${height} are completed, and no more`,
  'keeps-up': ({ lastStep }, height) =>
    `${formatCount(lastStep)} at once were completed as fast as they were accepted: at least ${height}, and how much more is not known`,
  'too-few-steps': ({ steps, leastSteps }) =>
    `where it saturates is not known: that needs at least ${leastSteps} steps that the load generator kept up with, and there are ${steps}`,
};

/** @param {Saturation} saturation */
export const describeSaturation = saturation =>
  SIGNS[saturation.sign](saturation, formatRate(saturation.throughputPerSec?.value ?? null));
