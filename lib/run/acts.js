/** What requests make the process do, beside calls of others (`calls.d.ts`). */

/** @import { ActKind } from './facts/calls.d.ts' */

/** @type {readonly ActKind[]} */
export const ACT_KINDS = ['file', 'folder', 'import', 'compile', 'process', 'thread', 'lookup'];

/** @param {string} kind @returns {kind is ActKind} */
export const isAct = kind => ACT_KINDS.some(one => one === kind);
