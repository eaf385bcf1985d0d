import { formatCount } from '../../../format.js';
import { formatStep } from '../../../text/study-words.js';
import { scaleOfSteps } from './load-chart.js';
import { styleOfVariant } from './variants.js';

/** @import { StudyReport } from '../../../text/study-report.d.ts' */
/** @import { Chart } from './load-chart.js' */
/** @import { Shown } from './variants.js' */

/** What each user got, the most first. @param {StudyReport} report @param {Shown[]} shown @returns {Chart} */
export function describeUsers(report, shown) {
  const users = shown.flatMap(({ variant, index }) =>
    variant.fairness.flatMap(({ counts, step }) =>
      counts ? { label: variant.label, index, counts, step } : [],
    ),
  );
  const counts = users.flatMap(own => own.counts);
  const steps = new Set(users.map(({ step }) => formatStep(step, report)));
  const where = steps.size === 1 ? ` at ${[...steps][0]}` : '';
  return {
    title: `What each user got${where}, the most first`,
    about: `Completed scenarios of each user${where}: ${users.map(({ label, counts: own }) => `${label} ${own.join(', ')}`).join('; ')}`,
    xLabel: 'user',
    yLabel: 'completed scenarios',
    x: scaleOfSteps(users.flatMap(own => own.counts.map((_, rank) => rank + 1))),
    y: { isLog: false, low: 0, high: Math.max(1, ...counts) },
    formatX: formatCount,
    sayX: rank => `user ${formatCount(rank)}`,
    formatY: formatCount,
    series: users.map(({ label, index, counts: own }) => ({
      name: label,
      ...styleOfVariant(index),
      joined: true,
      points: own.map((count, rank) => ({ x: rank + 1, y: count })),
    })),
  };
}
