/**
 * What the main thread makes of what its workers tell: records of the run folder, events for plugins,
 * a summary in the log, `--output`.
 */
import { sketchToJson } from '../../../run/sketch.js';
import { createProgress } from '../metrics/progress.js';
import { writeOutput } from './output.js';
import { createPeriods, PERIOD_MS } from './periods.js';
import { printSummary } from './print-summary.js';
import { createStatsFormat } from './stats.js';

/**
 * @param {object} options
 * @param {Record<string, any>[]} options.phases
 * @param {number} options.workers
 * @param {import('../../../run/ndjson.js').NdjsonWriter} options.metrics
 * @param {{events: import('node:events').EventEmitter, legacyEvents: import('node:events').EventEmitter}} options.plugins
 * @param {import('node:events').EventEmitter} options.globalEvents
 * @param {boolean} options.extendedMetrics
 * @param {readonly string[]} options.hidden parts of names that the log does not show
 * @param {string | null} options.outputFile
 * @param {(text: string) => void} options.warn
 */
export async function createReporting(options) {
  const { phases, workers, metrics, plugins, globalEvents, outputFile, warn } = options;
  const progress = createProgress(phases.length);
  const stats = await createStatsFormat(options);
  /** @type {Record<string, any>[]} */
  const intermediate = [];
  /** @type {Map<number, number>} phase → when it began */
  const began = new Map();
  /** @type {Set<number>} */
  const over = new Set();

  const periods = createPeriods(workers, period => {
    metrics.append('period', {
      fromMs: period.fromMs,
      lengthMs: PERIOD_MS,
      counters: period.counters,
      sketches: Object.fromEntries(
        Object.entries(period.sketches).map(([name, sketch]) => [name, sketchToJson(sketch)]),
      ),
    });
    const formatted = stats.format(period, String(period.fromMs));
    emit('stats', formatted, stats.legacy(formatted));
    const { histograms, ...kept } = formatted;
    if (outputFile) intermediate.push(kept);
    print(`Metrics for period to: ${timeOf(period.fromMs + PERIOD_MS)}`, formatted);
  });

  /** @param {string} event @param {unknown} value @param {unknown} [legacy] */
  function emit(event, value, legacy = value) {
    plugins.events.emit(event, value);
    globalEvents.emit(event, value);
    plugins.legacyEvents.emit(event, legacy);
  }

  /** @param {string} title @param {Record<string, any>} formatted */
  function print(title, formatted) {
    console.log(printSummary(title, formatted, options.hidden));
  }

  return {
    progress,
    /** The first worker to say so begins it. @param {number} index */
    startPhase(index) {
      if (began.has(index)) return;
      const spec = phases[index] ?? {};
      const name = spec.name ?? `phase ${index + 1}`;
      began.set(index, Date.now());
      progress.startPhase({ index, name });
      metrics.append('phase-start', { index, name, spec });
      emit('phaseStarted', { ...spec, index, startTime: Date.now() });
      console.log(`Phase started: ${name} (index: ${index}) ${timeOf(Date.now())}\n`);
    },
    /** @param {number} index */
    endPhase(index) {
      if (over.has(index)) return;
      over.add(index);
      const spec = phases[index] ?? {};
      const name = spec.name ?? `phase ${index + 1}`;
      metrics.append('phase-end', { index, name });
      const startTime = began.get(index);
      emit('phaseCompleted', { ...spec, index, startTime, endTime: Date.now() });
      console.log(`Phase completed: ${name} (index: ${index}) ${timeOf(Date.now())}\n`);
    },
    /** @param {Record<string, any>} record */
    addSecond(record) {
      progress.addSecond(record);
      periods.addSecond(record);
    },
    tick: periods.tick,
    /**
     * Tells what is left and the whole.
     * @param {{complete: boolean}} end plugins hear of `done` at the end of a whole run only
     * @returns {Record<string, any>} stats of the run
     */
    finish({ complete }) {
      const total = periods.finish();
      const formatted = stats.format(total, total.fromMs);
      if (complete) emit('done', formatted, stats.legacy(formatted));
      print(`Summary report @ ${timeOf(Date.now())}`, formatted);
      if (outputFile) {
        try {
          writeOutput(outputFile, formatted, intermediate);
        } catch (error) {
          warn(`--output can not be written: ${/** @type {Error} */ (error).message}`);
        }
      }
      return formatted;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof createReporting>>} Reporting */

/** Time of day, UTC as all times of a run. @param {number} ms */
function timeOf(ms) {
  return `${new Date(ms).toISOString().slice(11, 19)}Z`;
}
