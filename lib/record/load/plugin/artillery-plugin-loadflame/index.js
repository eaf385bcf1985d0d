/**
 * What Artillery loads: once in its main thread, once in each worker. Named and placed the way that
 * Artillery looks for plugins.
 */
import { isMainThread } from 'node:worker_threads';

const { Plugin } = isMainThread
  ? await import('../main-thread.js')
  : await import('../worker-thread.js');

export { Plugin };
/** Sketches as they are, not as rounded percentiles. */
export const LEGACY_METRICS_FORMAT = false;
