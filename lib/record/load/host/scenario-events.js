/** What scenarios, their hooks and plugins report, as Artillery's runner takes it (core/runner.ts). */
import { EventEmitter } from 'node:events';
import { nameError } from '../metrics/error-samples.js';

/** Artillery cuts names of metrics there (core/ssms.ts). */
const MAX_NAME_LENGTH = 1024;
/** Derived from the endpoints where our recorder counts them. */
const DERIVED =
  /^http\.(?:requests|responses|codes\.\d+|response_time(?:\.\dxx)?|total_from_intended)$/;

/**
 * @param {import('../metrics/second-recorder.js').SecondRecorder} recorder
 * @param {{withoutDerived?: boolean}} [options] for scenarios on Artillery's own HTTP engine, whose
 *   requests are told to our recorder one by one besides
 * @returns {EventEmitter}
 */
export function createScenarioEvents(recorder, { withoutDerived = false } = {}) {
  const events = new EventEmitter();
  const skips = (/** @type {string} */ name) => withoutDerived && DERIVED.test(name);
  const count = (/** @type {unknown} */ name, /** @type {unknown} */ value) => {
    const text = cutName(name);
    if (!skips(text)) recorder.count(text, Number(value));
  };
  const measure = (/** @type {unknown} */ name, /** @type {unknown} */ value) => {
    const text = cutName(name);
    if (!skips(text)) recorder.measure(text, Number(value));
  };
  events.on('counter', count);
  events.on('summary', measure);
  events.on('histogram', measure);
  events.on('customStat', ({ stat, value }) => measure(stat, value));
  events.on('rate', name => recorder.rate(cutName(name)));
  events.on('error', code => count(`errors.${nameOf(code)}`, 1));
  return events;
}

/** @param {unknown} error a name, or an error */
function nameOf(error) {
  return error instanceof Error ? nameError(error) : error;
}

/** @param {unknown} name */
function cutName(name) {
  const text = String(name);
  return text.length > MAX_NAME_LENGTH ? text.slice(0, MAX_NAME_LENGTH) : text;
}
