/** What requests make the process do, beside calls of others (`calls.d.ts`). */

/** @typedef {import('./facts/calls.d.ts').ActKind} ActKind */

/** @type {readonly string[]} */
export const ACT_KINDS = 'file folder import compile process thread lookup tls engine'.split(' ');

/** @param {string} kind @returns {kind is ActKind} */
export const isAct = kind => ACT_KINDS.includes(kind);
