/** `--fix <cause>`: makes side B side A with a remedy of the companion, and reads what the remedy reported. */

import { REMEDIES } from '../../base/config/remedies.js';
import { LoadflameError } from '../../base/errors.js';
import { parseOrNull } from '../../base/files/parse-json.js';
import { isPlain } from '../../base/files/read-yaml.js';
import { formatNumberOf } from '../../base/format.js';
import { sum } from '../../base/math/summary.js';

/** @import { SideOptions } from './sides.js' */

const LINE = /^loadflame remedy (.*)$/gm;

/**
 * @param {SideOptions & {fix?: string | true}} options as typed; `true`: without a cause
 * @returns {SideOptions}
 * @throws {LoadflameError} TRY_REMEDY_UNKNOWN, TRY_FIX_SIDES
 */
export function addRemedy({ fix, ...options }) {
  if (fix === undefined) return options;
  const cause = fix === true ? '' : (fix.split(':')[0] ?? '');
  if (fix === true || !REMEDIES.includes(cause))
    throw new LoadflameError('TRY_REMEDY_UNKNOWN', { cause, remedies: REMEDIES.join(', ') });
  if ((options.b ?? '.') !== '.' || options.bEnv || options.bCommand)
    throw new LoadflameError('TRY_FIX_SIDES');
  const labels = { before: 'no remedy', after: `remedy ${fix}` };
  const aEnv = { ...options.aEnv, LOADFLAME: '1' };
  const bEnv = { ...aEnv, LOADFLAME_REMEDY: fix };
  return { labels, ...options, b: options.a, bCommand: options.aCommand, aEnv, bEnv };
}

/**
 * @param {string} fix
 * @param {string} log of the server of one run, with lines of others
 * @param {string} token of this run, which the companion's own lines begin with
 * @returns {string} how often the remedy acted, in all processes
 * @throws {LoadflameError} TRY_REMEDY_REFUSED, TRY_REMEDY_IDLE, TRY_REMEDY_ABSENT: both sides would be the same
 */
export function describeRemedy(fix, log, token) {
  const lines = [...log.matchAll(LINE)].map(([, line = '']) => readReport(line, token, fix));
  const reports = lines.filter(one => one !== null);
  const others = lines.length - reports.length;
  const ignored =
    others > 0
      ? `; ${formatNumberOf(others, 'line')} of a remedy ignored: damaged, or not of this run`
      : '';
  const last = [...new Map(reports.map(one => [one.pid, one])).values()];
  const join = (/** @type {string[]} */ names) => [...new Set(names)].join(', ');
  const left = join(last.flatMap(one => Object.keys(one.left))) || 'nothing';
  const refused = last.find(one => one.refused)?.refused;
  const acted = sum(last.map(one => one.acted));
  if (acted > 0 && !refused)
    return `${fix}: acted ${acted} times in place of ${join(last.flatMap(one => one.replaced))}; left alone: ${left}${ignored}`;
  if (refused) throw new LoadflameError('TRY_REMEDY_REFUSED', { fix, refused, ignored });
  if (last.length > 0) throw new LoadflameError('TRY_REMEDY_IDLE', { fix, left, ignored });
  throw new LoadflameError('TRY_REMEDY_ABSENT', { fix, ignored });
}

/**
 * @param {string} line @param {string} token @param {string} fix
 * @returns {Record<string, any> | null} null unless the companion wrote it, whole, in this run
 */
function readReport(line, token, fix) {
  const facts = line.startsWith(`${token} `) ? parseOrNull(line.slice(token.length)) : null;
  const isText = (/** @type {unknown} */ value) => typeof value === 'string';
  const isReport =
    isPlain(facts) &&
    facts.remedy === fix.split(':')[0] &&
    [facts.pid, facts.acted].every(Number.isSafeInteger) &&
    Array.isArray(facts.replaced) &&
    facts.replaced.every(isText) &&
    isPlain(facts.left) &&
    (facts.refused === null || isText(facts.refused));
  return isReport ? facts : null;
}
