/** Known causes that a report does not name: seen nowhere, or too little; and those that need the companion. */
import { listPresent } from '../base/files/maps.js';
import { formatPercent } from '../base/format.js';
import { joinWords } from './words.js';

/** @import { Act, ActKind, Statement } from '../run/facts/calls.d.ts' */
/** @import { Report } from '../run/facts/report.d.ts' */

/** Counted in requests that read, perhaps too little for a finding. @type {Record<string, RegExp>} */
const COUNTED = { 'counted-page': /^\W*SELECT COUNT\(/i, 'write-per-read': /^\W*(INS|UPD|DEL)/i };
/** Acts that the companion counts, too quick or too seldom for samples. @type {Partial<Record<ActKind, string>>} */
const OF_ACTS = {
  compile: 'template-compilation',
  engine: 'engine-per-request',
  import: 'import-in-request',
  lookup: 'name-lookup-per-request',
  thread: 'threads-started',
  tls: 'tls-context-per-request',
};
/** A saturated CPU makes their times upper bounds, from which no finding follows. */
const OF_TIMES = ['slow-call', 'pool-wait', 'held-transaction'];

/** The cause that the companion counts, too quick for stacks. @param {Pick<Act | Statement, 'kind' | 'system'>} own */
const causeOf = ({ kind, system }) =>
  kind === 'connect'
    ? `${system ? 'database-connection' : 'http-client'}-per-request`
    : (OF_ACTS[/** @type {ActKind} */ (kind)] ?? '');

/**
 * @param {Pick<Report, 'profile' | 'calls' | 'findings'>} report
 * @returns {{title: string, text: string} | undefined} undefined: an old report
 */
export function describeSought({ profile, calls, findings }) {
  const { sought, causes } = profile ?? {};
  if (!sought) return undefined;
  const found = [...(causes ?? []), ...findings].map(({ id }) => id.split(':', 1)[0]);
  // One is the other, where the rows are known.
  if (found.includes('repeated-call')) found.push('n-plus-one');
  for (const { facts } of findings) {
    const own = facts && ('act' in facts ? facts.act : 'call' in facts && facts.call);
    if (own) found.push(causeOf(own));
  }
  const { statements = [], acts = [] } = calls ?? {};
  const counted = [...statements, ...acts].map(causeOf);
  if (statements.some(({ most }) => most > 1)) counted.push('repeated-call');
  if (statements.some(({ openMs }) => openMs > 0)) counted.push('open-transaction');
  for (const { text, endpoints } of statements)
    if (endpoints.some(({ name }) => /^(?:GET|HEAD) /.test(name)))
      found.push(...Object.keys(COUNTED).filter(id => COUNTED[id]?.test(text ?? '')));
  const isUnsure = (/** @type {string} */ id) =>
    calls?.bound && OF_TIMES.includes(id) && !found.includes(id);
  const left = sought.filter(own => own.isCounted && (!calls || isUnsure(own.id)));
  const others = sought.filter(own => !found.includes(own.id) && !left.includes(own));
  const missing = others.filter(own => !own.seen && !counted.includes(own.id));
  const little = others.filter(own => !missing.includes(own));
  const name = (/** @type {typeof sought} */ all) =>
    joinWords(all.map(({ title, seen }) => (seen ? `${title} (${formatPercent(seen)})` : title)));
  return {
    title: `${sought.length - left.length} known causes were looked for, and ${missing.length} seen nowhere`,
    text: listPresent(
      `${name(missing)}. Work of C code in threads of its own may hide one.`,
      little.length > 0 && `Seen, but too little, or too seldom, to name it: ${name(little)}.`,
      left.length > 0 &&
        `${calls ? 'Not known, because times of calls are upper bounds' : 'Only with the companion'}: ${name(left)}.`,
    ).join(' '),
  };
}
