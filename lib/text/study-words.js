/** Words and figures of a study for all its renderers (also in the browser). */
import {
  formatChange,
  formatChangeInterval,
  formatCount,
  formatDuration,
  formatEstimate,
  formatInUnit,
  formatP,
  formatRate,
} from '../base/format.js';

import { describeStep, nameHost } from './words.js';

/** @import { Estimate } from '../base/math/estimate.d.ts' */
/** @import { Point, StudyReport, VariantComparison, VariantReport } from './study-report.d.ts' */

/** Custom properties of the page: variants are distinguished by colour, then by dashes. */
export const VARIANT_COLORS = ['one', 'two', 'three', 'four', 'five', 'six'].map(
  name => `--s-${name}`,
);

/** @param {string} id @param {StudyReport} report */
export const labelVariant = (id, { variants }) =>
  variants.find(variant => variant.id === id)?.label ?? id;

/** @typedef {Pick<StudyReport['load'], 'model' | 'of' | 'base' | 'steps'>} Load */

/**
 * Describes the load model: throughput and latency have a different meaning in each.
 * @param {Load} load @param {string | null} until the rule that ends the steps; null: all are run
 */
export function describeLoad({ model, of, base, steps }, until) {
  const [what, unit] = {
    closed: ['Closed users: each sends, waits for the response and sends again', 'users'],
    open: ['Open arrivals: they follow a schedule, however slow the target is', 'a second'],
    burst: ['Bursts: all come at once, and the target does nothing else', 'at once'],
    spike: [
      `Spikes of "${of}" beside ${formatRate(base ?? null)} of all scenarios. Throughput, CPU and failures are those of the spike. Median and p95 are those of the other endpoints during it`,
      'a second',
    ],
  }[model];
  const listed = steps.map(step => formatCount(step)).join(', ');
  return `${what}. Steps of ${listed} ${unit}${until === null ? '' : `, until ${until}`}.`;
}

/** @param {Load['model']} model @param {Pick<StudyReport['study'], 'warmUpSec' | 'durationSec' | 'settleSec'>} times */
export function describeTimes(model, { warmUpSec, durationSec, settleSec }) {
  const [warmUp, duration, settle] = [warmUpSec, durationSec, settleSec].map(sec =>
    formatDuration(sec * 1000),
  );
  if (model === 'burst')
    return `a burst, ${duration} at most until all is done; rates are those of its middle 80 %`;
  return model === 'spike'
    ? `${warmUp} of warm-up without the spike, ${duration} each before, in and after it, ${settle} of rest`
    : `${warmUp} of warm-up with the same load, ${duration} measured, ${settle} of rest`;
}

/** "16 users", "200/s" @param {number | null} step @param {StudyReport} report */
export const formatStep = (step, { load }) =>
  step === null ? '–' : describeStep(step, load.model);

/** @param {Estimate | null} own of seconds */
export const formatSeconds = own => formatEstimate(own, sec => `${(sec ?? 0).toFixed(1)} s`);

/**
 * The point with a variant's highest throughput: where it levels off, else the highest point.
 * @param {VariantReport} variant
 * @returns {Point | null}
 */
export function findPlateau({ points, saturation }) {
  const [highest = null] = points.toSorted(
    (a, b) => b.throughputPerSec.value - a.throughputPerSec.value,
  );
  return points.find(({ step }) => step === saturation.step) ?? highest;
}

/** The highest throughput; "≥ 375/s ± 5" if it is only a lower bound. @param {VariantReport} variant */
export function formatMost({ saturation }) {
  if (!saturation.throughputPerSec) return '–';
  const text = formatEstimate(saturation.throughputPerSec, formatRate);
  return saturation.state === 'reached' ? text : `≥ ${text}`;
}

/** A comparison as cells of a table; "~" if no difference is significant, also for lack of runs. @param {VariantComparison} comparison */
export function describeComparison({ measure, beforeValue, afterValue, relative, call, p }) {
  const change = formatChange(relative?.value ?? null);
  const unit = ['p95Ms', 'cpuMsPerTransaction'].includes(measure) ? 'ms' : 'perSec';
  return {
    before: formatInUnit(beforeValue, unit),
    after: formatInUnit(afterValue, unit),
    change: call === 'none' ? `~ ${change}` : change,
    interval: relative && relative.low !== null ? formatChangeInterval(relative) : '',
    p: formatP(p),
  };
}

/** How it was measured and with what, as pairs. @param {StudyReport} report @returns {[string, string][]} */
export function listMeasuring({ study, generator, cells, load }) {
  const { host, versions, startedAtMs, endedAtMs } = study;
  const measured = cells.filter(({ outcome }) => outcome === 'measured').length;
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  /** @type {[string, string | false | null][]} */
  const facts = [
    ['cells', `${formatCount(measured)} of ${formatCount(cells.length)} measured`],
    ['repeats', `${formatCount(study.repeats)}, in random order (seed ${study.seed})`],
    ['each cell', describeTimes(load.model, study)],
    ['form', study.isQuick ? 'quick: fewer and shorter cells than the full study' : 'full'],
    ['time', endedAtMs !== null && formatDuration(endedAtMs - startedAtMs)],
    ['host', host && `${nameHost(host)}, ${formatInUnit(host.memoryBytes, 'bytes')}`],
    ['versions', names.join(', ')],
    ['report', `${generator.name} ${generator.version}`.trim()],
  ];
  return facts.flatMap(([name, fact]) => (fact ? [[name, fact]] : []));
}
