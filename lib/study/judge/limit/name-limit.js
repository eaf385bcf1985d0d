import { labelComponent } from '../component-labels.js';

/** @import { StudyLimit } from '../../study-report.d.ts' */

/** @type {Record<StudyLimit['id'], (component: string | null) => string | null>} */
const NAMES = {
  workers: () => 'the CPU of its workers',
  gil: () => 'the GIL of its workers',
  machine: () => 'the CPU of the machine',
  component: component => `the CPU of ${labelComponent(component ?? 'a component')}`,
  stage: component => `the stage ${component}`,
  database: () => 'the database',
  'external-call': () => 'another service that requests wait for',
  slots: () => 'the number of its threads',
  pool: () => 'a pool of connections',
  lock: () => 'a lock',
  imbalance: () => 'that work is spread unevenly',
  quota: () => 'its CPU quota',
  connections: () => 'the number of connections',
  generator: () => 'the load generator',
  none: () => null,
  unknown: () => null,
};

/**
 * What limits a variant, in a few words: "the CPU of Redis".
 * @param {Pick<StudyLimit, 'id' | 'component'>} limit
 * @returns {string | null} null where nothing does or it is not known
 */
export function nameLimit({ id, component }) {
  return NAMES[id](component);
}
