/** The command that measures what the fix of a finding brings. */

import { REMEDIES } from '../base/config/remedies.js';
import { formatPlace, quoteForShell } from '../base/format.js';
import { nameCaller } from './calls.js';
import { CALL_FINDINGS, remedyOfRows } from './findings-calls.js';
import { joinWords } from './words.js';

/** @import { Finding } from '../run/facts/findings.d.ts' */
/** @import { Again } from '../run/facts/verdict.d.ts' */
/** @import { Proof } from './text.d.ts' */

const MISSING = { command: '`--command` and what starts your API', script: 'your script' };
/** Costs and bottlenecks, which a comparison of two versions shows. */
const PROVEN = new Set([
  ...['cause', 'observability', 'garbage-collection', 'event-loop-blocked', 'bottleneck'],
  ...['same-work', 'small-parts'],
  ...Object.keys(CALL_FINDINGS),
]);

/**
 * @param {Finding} finding
 * @param {Again} again
 * @param {Record<string, string>} [packages] installed for the server
 * @returns {Proof | null} null if no comparison of two versions shows it
 */
export function proveFix(finding, again, packages = {}) {
  if (!PROVEN.has(finding.id)) return null;
  const version = Number.parseInt(packages.sqlalchemy ?? '', 10);
  const remedy = finding.id === 'n-plus-one' && version < 2 ? null : findRemedy(finding);
  const sides = remedy ? `--fix ${remedy}` : '--a HEAD';
  const lacks = again.missing.map(id => MISSING[id]);
  return {
    place: placeOf(finding),
    command: [`loadflame try ${sides}`, ...again.words.map(quoteForShell)].join(' '),
    when: `${remedy ? 'Before you write it' : 'With your change, not committed'}${finding.id === 'n-plus-one' && remedy && !version ? ', with SQLAlchemy 2' : ''}`,
    lacks: lacks[0] ? `with ${joinWords(lacks)}, which this run does not know` : null,
  };
}

/** @param {Finding} finding @returns {string | null} */
function placeOf({ facts }) {
  const { cause, call, act = call } = /** @type {Record<string, any>} */ (facts);
  const [first] = cause?.places ?? [];
  if (first) return `${first.function} (${formatPlace(first)})`;
  return act ? nameCaller(act) : null;
}

/** What the companion can change by itself. @param {Finding} finding @returns {string | null} */
function findRemedy({ id, of, facts }) {
  if (id === 'cause') return REMEDIES.find(remedy => remedy === of) ?? null;
  if (id === 'n-plus-one') return remedyOfRows(facts);
  if (id === 'garbage-collection') return facts.isFull ? 'gc-freeze' : 'gc-threshold:50000';
  return id === 'observability' ? 'observability-off' : null;
}
