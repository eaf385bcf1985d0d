/** `--explain-sql`: query plans of the statements that took the most time, from the user's database, after the load. */
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { orThrow } from '../../base/errors.js';
import { readRegularFile } from '../../base/files/regular-file.js';
import { pickVariables } from '../../base/process/bare-environment.js';
import { createRecordCheck } from '../../run/folder-shapes.js';
import { openJournal, streamNdjson } from '../../run/ndjson.js';
import { isSelect, splitSql } from './split-sql.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { Plan } from '../../run/facts/calls.d.ts' */
/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { Query } from './plans.js' */

const SCRIPT = fileURLToPath(new URL('ask-database.js', import.meta.url));
const MOST_STATEMENTS = 5;
/** The companion cuts statements at this length. */
const LONGEST = 1000;
const MOST_OWN_BYTES = 2 ** 20;
/** A statement of at most five seconds, and questions about the tables that it reads. */
const TIMEOUT_MS = 10_000;

/** @typedef {Plan & Partial<Query>} Asked without `sql`, it is refused */

/**
 * Writes `load/plans.ndjson`. The database's address appears in no file and on no command line, nor do its messages.
 * @param {object} options
 * @param {RunFiles} options.files
 * @param {string} options.url of the database
 * @param {Asked[]} options.own statements of the user, which are executed
 * @param {AbortSignal} options.signal
 */
export async function explainSql({ files, url, own, signal }) {
  const out = openJournal(files.plans);
  const found = await readStatements(files.loadCalls, /^sqlite/i.test(url));
  if (found.length === 0) out.append('plan', { ...refuse('none') });
  const statements = [...own, ...found];
  if (statements.length === 0) return;
  const timeoutMs = TIMEOUT_MS * (statements.length + 1);
  for (const plan of await askDatabase({ url, statements }, timeoutMs, signal))
    out.append('plan', plan);
}

/**
 * Asks in a process of its own, whose command line has no address.
 * @param {{url: string, statements: Asked[], stats?: boolean}} question @param {number} timeout ms @param {AbortSignal} signal
 * @returns {Promise<any[]>} what it printed, and last why it failed, if it did
 */
export async function askDatabase({ url, ...question }, timeout, signal) {
  const address = url.replace(/^(\w+)(?:\+\w+)?:/, (_, scheme) => `${scheme.toLowerCase()}:`);
  const args = ['--disable-warning=ExperimentalWarning', SCRIPT];
  const { stdout, failed, timedOut } = await execa(process.execPath, args, {
    ...{ env: pickVariables(), extendEnv: false, reject: false, cancelSignal: signal },
    input: JSON.stringify({ url: address, ...question }),
    timeout,
  });
  const lines = `${stdout}`.split('\n').filter(Boolean);
  const printed = lines.map(line => JSON.parse(line));
  return failed ? [...printed, refuse('connect', timedOut ? 'ETIMEDOUT' : 'ENDED')] : printed;
}

/**
 * The statements of a file for `--explain-analyze`.
 * @param {string} file
 * @returns {Asked[]}
 * @throws {LoadflameError} EXPLAIN_FILE_WRONG
 */
export function readOwnStatements(file) {
  return orThrow('EXPLAIN_FILE_WRONG', { file }, () => {
    const statements = splitSql(readRegularFile(file, MOST_OWN_BYTES)) ?? [];
    const isUsable = statements.length > 0 && statements.every(({ sql }) => isSelect(sql));
    if (!isUsable) throw new Error('it holds something else than complete SELECTs');
    return statements.map(own => ({ text: own.sql.trim().slice(0, LONGEST), ...own, runs: true }));
  });
}

/** The SELECTs that took the most time: texts that any server can send. @param {string} file @param {boolean} isSqlite @returns {Promise<Asked[]>} */
async function readStatements(file, isSqlite) {
  const system = isSqlite ? 'sqlite' : 'postgresql';
  /** @type {Map<string, RecordOf<'loadCalls', 'call-named'>['call']>} */
  const names = new Map();
  /** @type {Map<string, number>} */
  const spentUs = new Map();
  for await (const record of streamNdjson(file, { check: createRecordCheck('loadCalls') }))
    if (record.kind === 'call-named') names.set(record.id, record.call);
    else if (record.kind === 'calls')
      for (const [id, , , us] of record.calls) spentUs.set(id, (spentUs.get(id) ?? 0) + us);
  const selects = [...spentUs].flatMap(([id, us]) => {
    const { kind, system: own, text, file, line, function: name } = names.get(id) ?? {};
    const isAsked = kind === 'sql' && (own ?? system) === system && text && isSelect(text);
    return isAsked ? { id, ms: us / 1000, text, file, line, function: name } : [];
  });
  return selects
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, MOST_STATEMENTS)
    .map(call => ({ ...call, ...prepare(call.text, !isSqlite) }));
}

/** @param {string} text @param {boolean} numbered how parameters are written @returns {Asked} */
function prepare(text, numbered) {
  if (/ \.\.\.(?: |$)/.test(text) || text.length >= LONGEST) return refuse('cut');
  const [only, ...others] = splitSql(text, { numbered }) ?? [];
  const isOne = only && others.length === 0 && isSelect(only.sql);
  return isOne ? { ...only, runs: false } : refuse('text');
}

/** @param {NonNullable<Plan['refused']>['why']} why @param {string} [reason] @returns {Plan} */
const refuse = (why, reason = '') => ({ refused: { why, reason } });
