/** Known causes that a report does not name: seen nowhere, or too little; and those that need the companion. */
import { listPresent } from '../base/files/maps.js';
import { formatPercent } from '../base/format.js';
import { joinWords } from './words.js';

/** @import { Report } from '../run/facts/report.d.ts' */

/** Counted in requests that read, perhaps too little for a finding. @type {Record<string, RegExp>} */
const COUNTED = { 'counted-page': /^\W*SELECT COUNT\(/i, 'write-per-read': /^\W*(INS|UPD|DEL)/i };

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
  // The companion counts connections that are too quick for stacks.
  for (const { id, facts } of findings)
    if (id === 'repeated-call' && facts?.call.kind === 'connect')
      found.push(`${facts.call.system ? 'database-connection' : 'http-client'}-per-request`);
  for (const { text, endpoints } of calls?.statements ?? [])
    if (endpoints.some(({ name }) => /^(?:GET|HEAD) /.test(name)))
      found.push(...Object.keys(COUNTED).filter(id => COUNTED[id]?.test(text ?? '')));
  const left = sought.filter(({ isCounted }) => isCounted && !calls);
  const others = sought.filter(own => !found.includes(own.id) && !left.includes(own));
  const [little, missing] = [others.filter(own => own.seen), others.filter(own => !own.seen)];
  const name = (/** @type {typeof sought} */ all) =>
    joinWords(all.map(({ title, seen }) => (seen ? `${title} (${formatPercent(seen)})` : title)));
  return {
    title: `${sought.length - left.length} known causes were looked for, and ${missing.length} seen nowhere`,
    text: listPresent(
      `${name(missing)}. Work of C code in threads of its own may hide one.`,
      little.length > 0 && `Seen, but too little, or too seldom, to name it: ${name(little)}.`,
      left.length > 0 && `Only with the companion: ${name(left)}.`,
    ).join(' '),
  };
}
