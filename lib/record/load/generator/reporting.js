/** What the main thread makes of what its workers report: records of the run folder, events for plugins. */
import { createProgress } from '../metrics/progress.js';
import { addRecord, createSum, formatStats } from './stats.js';

/** @import { SecondFields } from '../metrics/second.d.ts' */
/** @import { Stats } from './stats.js' */
/** @import { Phase } from '../script.d.ts' */
/** @import { NdjsonWriter } from '../../../run/ndjson.js' */
/** @import { EventEmitter } from 'node:events' */

/**
 * @param {object} options
 * @param {Phase[]} options.phases
 * @param {NdjsonWriter} options.metrics
 * @param {{events: EventEmitter, count: number}} options.plugins
 * @param {EventEmitter} options.globalEvents
 * @param {boolean} options.extendedMetrics
 */
export async function createReporting(options) {
  const { phases, metrics, plugins, globalEvents } = options;
  const progress = createProgress(phases.length);
  const { DDSketch } =
    plugins.count > 0 ? await import('@artilleryio/sketches-js') : { DDSketch: null };
  const format = { extendedMetrics: options.extendedMetrics, DDSketch };
  /** @type {Map<number, number>} phase → when it began */
  const began = new Map();
  /** @type {Set<number>} */
  const over = new Set();
  const total = createSum();

  /** @param {string} event @param {unknown} value */
  function emit(event, value) {
    plugins.events.emit(event, value);
    globalEvents.emit(event, value);
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
    },
    /** @param {SecondFields} record */
    addSecond(record) {
      progress.addSecond(record);
      addRecord(total, record);
    },
    /**
     * Artillery has `stats` every ten seconds, too.
     * @param {{complete: boolean}} end plugins hear of `done` at the end of a whole run only
     * @returns {Stats} of the run
     */
    finish({ complete }) {
      const stats = formatStats(total, format);
      emit('stats', stats);
      if (complete) emit('done', stats);
      return stats;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof createReporting>>} Reporting */
