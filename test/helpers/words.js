import { describeFinding } from '../../lib/text/findings.js';

/** @import { Finding } from '../../lib/run/facts/findings.d.ts' */
/** @import { StatementText } from '../../lib/text/text.d.ts' */

/** The text of a finding that has to be there. @param {Finding | undefined} finding @returns {StatementText} */
export function wordsOf(finding) {
  if (!finding) throw new Error('there is no such finding');
  return describeFinding(finding);
}
