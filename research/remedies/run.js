/**
 * `node scripts/run.js research/remedies/run.js [cause …]`: for each remedy of the companion, what the report predicts
 * for the fix of its cause, and what `loadflame try` measures with the remedy and with the fix that a person would
 * write, as changes of the CPU time per request. Prints the table of docs/try.md. `--seconds 60`: at most for each try;
 * `--keep FOLDER`: keep the runs there.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findFreePort } from '../bench/servers/find-free-port.js';
import { choose } from '../choose.js';
import { runTool } from '../run-tool.js';
import { startOther } from '../start-app.js';
import { openWorkFolder } from '../work-folder.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PYTHON = path.join(ROOT, '.venv/bin/python');
const COMPANION = path.join(ROOT, 'companion/loadflame_companion.py');
const LOG = '--access-logfile access.log';
const MEASURE = 'cpuMsPerRequest';

/** `fixed`: options of `try` for the fix; without a route it is the demo. @type {{fix: string, route?: string, server?: string, fixed?: string[]}[]} */
const CASES = [
  { fix: 'tls-context-per-request', route: '/call' },
  { fix: 'http-client-per-request', route: '/call' },
  {
    fix: 'remote-introspection:30',
    fixed: ['--b-env', 'DEMO_AUTH=cached'],
  },
  { fix: 'lazy-loading:Order.items', route: '/orders' },
  { fix: 'access-log', route: '/light', server: LOG },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' }, keep: { type: 'string' } },
});
const folder = openWorkFolder('remedies', values.keep);
const other = await startOther(PYTHON, { answers: { '*': { json: {} } } });

console.log('| `--fix` | predicted | remedy | real fix |');
console.log('|---|---|---|---|');
try {
  for (const one of choose(CASES, positionals, causeOf)) await measure(one);
} finally {
  await other.stop();
}

/** @param {typeof CASES[number]} one */
function causeOf({ fix }) {
  return fix.split(':')[0] ?? '';
}

/** @param {typeof CASES[number]} one */
async function measure(one) {
  const remedy = await tryIt(one, ['--fix', one.fix]);
  const fixed = await tryIt(one, fixOf(one));
  const [first] = remedy.predictions;
  const cells = [
    tell(find(first?.figures, MEASURE)?.predicted),
    tell(find(remedy.decisions, MEASURE)?.relative),
    tell(find(fixed.decisions, MEASURE)?.relative),
  ];
  console.log(`| ${[`\`${one.fix}\``, ...cells].join(' | ')} |`);
}

/** The companion is in both sides, as with `--fix`. @param {typeof CASES[number]} one */
function fixOf(one) {
  if (one.fixed) return one.fixed;
  const both = ['--a-env', 'LOADFLAME=1', '--b-env', 'LOADFLAME=1'];
  return [...both, '--b-env', `FIXED=${causeOf(one)}`];
}

/** @template {{measure: string}} T @param {T[] | undefined} figures @param {string} measure */
function find(figures, measure) {
  return figures?.find(own => own.measure === measure);
}

/** @param {import('../../lib/base/math/estimate.d.ts').Estimate | undefined} change */
function tell(change) {
  const percent = (/** @type {number} */ share) =>
    `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(0)}`;
  return change ? `${percent(change.value)} %` : '–';
}

/** @param {typeof CASES[number]} one @param {string[]} sides @returns {Promise<import('../../lib/run/facts/try.d.ts').TryReport>} */
async function tryIt({ route, server = '' }, sides) {
  const port = await findFreePort();
  const runs = mkdtempSync(path.join(folder, 'try-'));
  const isLog = server !== '' && sides.includes(`FIXED=access-log`);
  const commandWith = (/** @type {string} */ more) =>
    `${PYTHON} -m gunicorn -c ${COMPANION} --no-control-socket -k gthread --threads 4 -w 1 -b 127.0.0.1:${port} ${more} --chdir ${import.meta.dirname} app:app`;
  const log = server.replace('access.log', path.join(runs, 'access.log'));
  const own = route
    ? ['--a-command', commandWith(log), '--b-command', commandWith(isLog ? '' : log)]
    : [];
  const command = sides.includes('--fix') ? ['--command', commandWith(log)] : own;
  const url = `http://127.0.0.1:${port}${route}`;
  const load = ['--duration', '6', '--warm-up-duration', '2', '--max', `${values.seconds}s`];
  const args = ['try', ...sides, ...(route ? [...command, '--users', '4', url] : []), ...load];
  const said = await runTool([...args, '--profiles', runs], {
    OTHER: `${other.url}/`,
    FOLDER: runs,
    PYTHONDONTWRITEBYTECODE: '1',
  });
  const [tried] = readdirSync(runs).filter(name => name.includes('-try-'));
  const file = path.join(runs, tried ?? '', 'compare.json');
  if (!existsSync(file)) throw new Error(said);
  const comparison = JSON.parse(readFileSync(file, 'utf8'));
  return comparison.tried;
}
