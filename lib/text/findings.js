/** Every finding of a run in English. */

import { CLUSTER_FINDINGS } from './cluster.js';
import { BOTTLENECK_FINDINGS } from './findings-bottleneck.js';
import { CALL_FINDINGS } from './findings-calls.js';
import { CODE_FINDINGS } from './findings-code.js';
import { ERROR_FINDINGS } from './findings-errors.js';
import { MACHINE_FINDINGS } from './findings-machine.js';
import { say, wordStatement } from './say.js';

/** @import { Finding, FindingTable } from '../run/facts/findings.d.ts' */
/** @import { Catalogue, StatementText, StatementWords } from './text.d.ts' */

/** @type {Catalogue<FindingTable, StatementWords>} */
const FINDINGS = {
  ...BOTTLENECK_FINDINGS,
  ...ERROR_FINDINGS,
  ...MACHINE_FINDINGS,
  ...CODE_FINDINGS,
  ...CALL_FINDINGS,
  ...CLUSTER_FINDINGS,
};

/** @param {Finding} finding @returns {StatementText} */
export const describeFinding = finding => wordStatement(say(FINDINGS, finding));
