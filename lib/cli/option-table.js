/** Options that several commands have, and readers of their values. */
import { InvalidArgumentError } from 'commander';
import { duration, wholeNumber } from '../base/config/parsers.js';
import { RUNS_FOLDER } from '../run/run-folder.js';

/** @import { Parser } from '../base/config/parsers.js' */

/**
 * Flags, their help, the allowed values (a list, a parser, or a function that reads one after the earlier ones of the
 * same flag), the default as a user would type it, and options that conflict with it.
 * @typedef {[flags: string, about: string, allowed?: string[] | Parser<any> | ((text: string, earlier?: any) => unknown), fallback?: any, conflicts?: string]} OptionRow
 */

/** @type {OptionRow} */
export const PROFILES = ['--profiles <folder>', 'folder of the runs', undefined, RUNS_FOLDER];

/** Options of commands that print a run's report. @type {OptionRow[]} */
export const PRINTED = [['--full', 'print the whole report'], PROFILES];

/** @type {OptionRow} */
export const INSECURE = ['-k, --insecure', 'accept any TLS certificate'];

/** Options of a load: Artillery's own flags, and ours. @type {OptionRow[]} */
export const LOAD = [
  ['--engine <name>', 'what runs the scenarios', ['loadflame', 'artillery'], 'loadflame'],
  ['--workers <n>', 'threads that send; the default suits phases and CPUs', wholeNumber(1, 256)],
  ['-e, --environment <name>', "environment of the script's config.environments"],
  ['-c, --config <file>', 'YAML or JSON file that is merged over the script'],
  ['--overrides <json>', 'JSON that is merged over the script'],
  ['-v, --variables <json>', 'JSON with variables for the script'],
  ['--payload <file>', 'CSV file that replaces the payload of the script'],
  ['-o, --output <file>', "also write Artillery's own JSON"],
  ['--scenario-name <name>', 'run only this scenario'],
  INSECURE,
  ['--no-log', 'do not show what `log` steps and hooks print'],
];

/** @type {OptionRow} */
export const USERS = [
  '--users <n>',
  "number of users that repeat their scenario for DURATION, instead of the script's phases",
  wholeNumber(1, 100_000),
];

/** @type {OptionRow} */
export const SET = [
  '--set <NAME=value>',
  'set a variable that the script declares, or any setting; may be repeated',
  setting,
];

/** Options of a search. @type {OptionRow[]} */
export const FIND = [
  [
    '--find <limit>',
    "find the highest arrival rate, or number of users, that keeps this limit: 'http.p95 < 400ms'; may be repeated",
    (text, earlier = []) => [...earlier, text],
    undefined,
    'baseline dbStats explainAnalyze explainSql full history junit output sameWork thresholds',
  ],
  ['--max-duration <time>', 'longest time for --find, e.g. 5m', duration(60, 86_400), '10m'],
  ['--continue <folder>', 'resume a search of --find; repeat its other options'],
];

/** @type {OptionRow} */
export const NO_SOURCE = ['--no-source', "keep no lines of the app's hot functions"];

/** @type {OptionRow} */
export const LIVE = ['--live', 'serve the report as a local page during the run; not with --find'];

/** What is asked after the load: development databases, and the companion. @type {OptionRow[]} */
export const EXPLAIN = [
  ['--same-work', 'with --profile: compare calls, to find work that is done again'],
  ['--explain-sql', 'ask EXPLAIN_DATABASE_URL for plans of the five most expensive SELECTs'],
  ['--db-stats', 'ask it what pg_stat_statements counted during the run: executions, time'],
  ['--explain-analyze <file>', 'the same, and execute the SELECTs of this file (EXPLAIN ANALYZE)'],
];

/** @type {OptionRow} */
export const SERVER_COMMAND = [
  '--command <text>',
  'start the server with this, and stop it at the end',
];

/** @type {OptionRow} */
export const ONCE = [
  '--once',
  'run every scenario once, and print each request, capture, check and value; no load, no report',
  undefined,
  undefined,
  'baseline command dbStats engine explainAnalyze explainSql find full history junit live markdown output profile sameWork thresholds users workers',
];

/** @type {OptionRow} */
export const HEADER = [
  '--header <text>',
  "send a header with each request: 'X-Api-Key: $KEY' takes KEY from the environment, envs.sh or .env; may be repeated",
  header,
];

/** @type {OptionRow} */
export const BASELINE = [
  '--baseline <run>',
  'compare with this run (id, folder or last), or with the runs in this folder',
];

/** For a comparison. @type {OptionRow} */
export const LABELS = ['--labels <before,after>', 'names of the sides', twoLabels];

/** Files for a build server or a pull request. @type {OptionRow[]} */
export const OUTPUTS = [
  ['--junit <file>', 'also write thresholds and their outcome as junit.xml'],
  ['--markdown <file>', 'also write a summary for a pull request'],
];

/** For a run that is added to a history. @type {OptionRow[]} */
export const HISTORY = [
  ['--history <file>', 'add the figures of the run to this file: loadflame history <file>'],
  ['--commit <id>', 'commit of the code that the API runs, for the history'],
  ['--branch <name>', 'branch of that code, for the history'],
];

/** @param {string} text @param {Record<string, string>} [earlier] of the same flag */
export function setting(text, earlier = {}) {
  const [, name, value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('Write NAME=value.');
  return { ...earlier, [name]: value };
}

/** @param {string} text @param {string[]} [earlier] */
function header(text, earlier = []) {
  if (!/^[\w-]+:\s*\S/.test(text)) throw new InvalidArgumentError("Write 'Name: value'.");
  return [...earlier, text];
}

/** @param {string} text */
function twoLabels(text) {
  const [before, after, ...more] = text.split(',').map(label => label.trim());
  if (!before || !after || more.length > 0)
    throw new InvalidArgumentError('Two names with a comma between are allowed: main,branch');
  return { before, after };
}
