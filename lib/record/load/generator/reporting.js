/**
 * What the main thread makes of what its workers tell: records of the run folder, events for plugins,
 * a summary in the log, `--output`.
 */
import { writeFileSync } from 'node:fs';
import { createPeriods, PERIOD_MS } from '../metrics/periods.js';
import { createProgress } from '../metrics/progress.js';
import { createStatsFormat, formatOutput, printSummary } from './stats.js';

/** @import { NdjsonWriter } from '../../../run/ndjson.js' */
/** @import { EventEmitter } from 'node:events' */

/**
 * @param {object} options
 * @param {Record<string, any>[]} options.phases
 * @param {number} options.workers
 * @param {NdjsonWriter} options.metrics
 * @param {{events: EventEmitter, legacyEvents: EventEmitter}} options.plugins
 * @param {EventEmitter} options.globalEvents
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
    const formatted = stats.format(period, String(period.fromMs));
    emit('stats', formatted, stats.legacy(formatted));
    const { histograms, ...kept } = formatted;
    if (outputFile) intermediate.push(kept);
    printStats(`Metrics for period to: ${timeOf(period.fromMs + PERIOD_MS)}`, formatted);
  });

  /** @param {string} event @param {unknown} value @param {unknown} [legacy] */
  function emit(event, value, legacy = value) {
    plugins.events.emit(event, value);
    globalEvents.emit(event, value);
    plugins.legacyEvents.emit(event, legacy);
  }

  /** @param {string} title @param {Record<string, any>} formatted */
  function printStats(title, formatted) {
    print(printSummary(title, formatted, options.hidden));
  }

  return {
    progress,
    /**
     * The first worker to say so begins it.
     * @param {number} index @param {number} t when it was to begin: word of it may come late
     */
    startPhase(index, t) {
      if (began.has(index)) return;
      const spec = phases[index] ?? {};
      const name = spec.name ?? `phase ${index + 1}`;
      began.set(index, Date.now());
      progress.startPhase({ index, name });
      metrics.append('phase-start', { t, index, name, spec });
      emit('phaseStarted', { ...spec, index, startTime: Date.now() });
      print(`Phase started: ${name} (index: ${index}) ${timeOf(Date.now())}\n`);
    },
    /** @param {number} index @param {number} t */
    endPhase(index, t) {
      if (over.has(index)) return;
      over.add(index);
      const spec = phases[index] ?? {};
      const name = spec.name ?? `phase ${index + 1}`;
      metrics.append('phase-end', { t, index, name });
      const startTime = began.get(index);
      emit('phaseCompleted', { ...spec, index, startTime, endTime: Date.now() });
      print(`Phase completed: ${name} (index: ${index}) ${timeOf(Date.now())}\n`);
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
      printStats(`Summary report @ ${timeOf(Date.now())}`, formatted);
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

/** In the generator's log alone, beside what scripts print. @param {string} text */
function print(text) {
  process.stdout.write(`${text}\n`);
}

/** Time of day, UTC as all times of a run. @param {number} ms */
function timeOf(ms) {
  return `${new Date(ms).toISOString().slice(11, 19)}Z`;
}
