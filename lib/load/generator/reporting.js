/**
 * Turns the messages of workers into records of the run folder, events for plugins and `--output`, in the main thread.
 */
import { writeFileSync } from 'node:fs';
import { createPeriods } from '../metrics/periods.js';
import { createProgress } from '../metrics/progress.js';
import { formatOutput, formatStats } from './stats.js';

/** @import { SecondFields } from '../metrics/periods.js' */
/** @import { Stats } from './stats.js' */
/** @import { Phase } from '../script.d.ts' */
/** @import { NdjsonWriter } from '../../run/ndjson.js' */
/** @import { EventEmitter } from 'node:events' */

/**
 * @param {object} options
 * @param {Phase[]} options.phases
 * @param {number} options.workers
 * @param {NdjsonWriter} options.metrics
 * @param {{events: EventEmitter, count: number}} options.plugins
 * @param {EventEmitter} options.globalEvents
 * @param {boolean} options.extendedMetrics
 * @param {string | null} options.outputFile
 * @param {(text: string) => void} options.warn
 */
export async function createReporting(options) {
  const { phases, workers, metrics, plugins, globalEvents, outputFile, warn } = options;
  const progress = createProgress(phases.length);
  const { DDSketch } =
    plugins.count > 0 ? await import('@artilleryio/sketches-js') : { DDSketch: null };
  const format = { extendedMetrics: options.extendedMetrics, DDSketch };
  /** @type {Stats[]} */
  const intermediate = [];
  /** @type {Map<number, number>} phase → when it began */
  const began = new Map();
  /** @type {Set<number>} */
  const over = new Set();

  const periods = createPeriods(workers, period => {
    const formatted = formatStats(period, String(period.fromMs), format);
    emit('stats', formatted);
    const { histograms, ...kept } = formatted;
    if (outputFile) intermediate.push(kept);
  });

  /** @param {string} event @param {unknown} value */
  function emit(event, value) {
    plugins.events.emit(event, value);
    globalEvents.emit(event, value);
  }

  return {
    progress,
    /**
     * The first worker to report a phase begins it.
     * @param {number} index @param {number} t its scheduled start: the message may come late
     */
    startPhase(index, t) {
      if (began.has(index)) return;
      const spec = phases[index] ?? {};
      const name = spec.name ?? `phase ${index + 1}`;
      began.set(index, Date.now());
      progress.startPhase({ index, name });
      metrics.append('phase-start', { t, index, name, spec });
      emit('phaseStarted', { ...spec, index, startTime: Date.now() });
    },
    /** @param {number} index @param {number} t */
    endPhase(index, t) {
      if (over.has(index)) return;
      over.add(index);
      const spec = phases[index] ?? {};
      metrics.append('phase-end', { t, index, name: spec.name ?? `phase ${index + 1}` });
      emit('phaseCompleted', { ...spec, index, startTime: began.get(index), endTime: Date.now() });
    },
    /** @param {SecondFields} record */
    addSecond(record) {
      progress.addSecond(record);
      periods.addSecond(record);
    },
    tick: periods.tick,
    /**
     * Reports the rest and the totals.
     * @param {{complete: boolean}} end plugins get `done` only at the end of a complete run
     * @returns {Stats} of the run
     */
    finish({ complete }) {
      const total = periods.finish();
      const formatted = formatStats(total, total.fromMs, format);
      if (complete) emit('done', formatted);
      if (outputFile) {
        try {
          const output = { engine: 'loadflame', ...formatOutput(formatted, intermediate) };
          writeFileSync(outputFile, JSON.stringify(output, null, 2));
        } catch (error) {
          warn(`--output cannot be written: ${/** @type {Error} */ (error).message}`);
        }
      }
      return formatted;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof createReporting>>} Reporting */
