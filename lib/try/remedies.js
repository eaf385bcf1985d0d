/** `--fix <cause>`: makes side B side A with a remedy of the companion, and reads what the remedy reported. */
import { LoadflameError } from '../errors.js';
import { parseOrNull } from '../files/parse-json.js';
import { isPlain } from '../files/read-yaml.js';
import { formatNumberOf } from '../format.js';
import { sum } from '../math/summary.js';

/** @import { SideOptions } from './sides.js' */

/** As in companion/loadflame_companion.py; some take a value behind a colon. */
const REMEDIES =
  'tls-context-per-request, http-client-per-request, remote-introspection, lazy-loading, access-log';
const LINE = /^loadflame remedy (.*)$/gm;

/**
 * @param {SideOptions & {fix?: string | true}} options as typed; `true`: without a cause
 * @returns {SideOptions}
 * @throws {LoadflameError} TRY_SIDES
 */
export function addRemedy({ fix, ...options }) {
  if (fix === undefined) return options;
  const cause = fix === true ? '' : (fix.split(':')[0] ?? '');
  if (fix === true || !REMEDIES.split(', ').includes(cause))
    throw new LoadflameError('TRY_SIDES', {
      problem: cause ? `there is no remedy for ${cause}` : '--fix names no cause',
      change: `the remedies are ${REMEDIES}; docs/companion.md explains them`,
    });
  if ((options.b ?? '.') !== '.' || options.bEnv || options.bCommand)
    throw new LoadflameError('TRY_SIDES', {
      problem: 'with --fix, side B is side A with a remedy',
      change: 'remove --b, --b-env and --b-command, or --fix',
    });
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
 * @throws {LoadflameError} TRY_SIDES: both sides would be the same
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
  const [problem, change] = refused
    ? ['refuses', refused]
    : last.length > 0
      ? [
          `never acted, so both sides are the same; left alone: ${left}`,
          'name a cause from the report of this load, and import loadflame_companion before the libraries of the app',
        ]
      : [
          'did not start',
          'import the current loadflame_companion (docs/companion.md), and let the server write to its stderr',
        ];
  throw new LoadflameError('TRY_SIDES', {
    problem: `the remedy for ${fix} ${problem}${ignored}`,
    change,
  });
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
