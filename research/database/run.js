/**
 * `node scripts/run.js research/database/run.js [app …]`: what a report says of database statements and outgoing calls,
 * against what PostgreSQL (pg_stat_statements) and SQLite (its trace) count. `--seconds 15`: of each load;
 * `--keep FOLDER`: keeps the runs and logs there.
 *
 * Clocks of the libraries' own hooks (site-packages/) run along: what a statement takes its client beyond the database's own
 * time is the client's share. Of each app:
 *
 * - executions: the sum of all lines that execute a statement is exactly the database's count;
 * - time: the whole is within 10 % of the database's own time and the client's share;
 * - lines: each marked line executes its statement exactly `times` × the requests of its endpoint, and no other line any;
 *   the median of an endpoint's queries per request is their sum.
 *
 * Requests before the load go to a route that executes nothing. Control of transactions (BEGIN …) and what drivers send
 * when they take or give back a connection is not compared.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sum } from '../../lib/base/math/summary.js';
import { choose } from '../choose.js';
import { prepareVenv } from '../prepare-venv.js';
import { runTest } from '../run-tool.js';
import { startPostgres } from '../shares/start-server.js';
import { openWorkFolder } from '../work-folder.js';
import { ALL, APPS } from './apps.js';
import { startApp } from './start.js';
import { add, forget, query, readClock, readPostgres, readTrace, simplify } from './statements.js';

/** @import { App, Mark } from './apps.js' */
/** @import { Statements } from './statements.js' */
/** @import { LoadReport } from '../../lib/run/facts/load-report.d.ts' */
/** @import { CallsReport, Statement } from '../../lib/run/facts/calls.d.ts' */
/** @typedef {{load: LoadReport, calls: CallsReport | null, findings: any[]}} Report */
/**
 * @typedef {{truth: Statements, clocked: Statements, report: Report, others: number}} Measured `others`: requests that the
 *   other service got
 */

const PYTHON = prepareVenv('database', path.join(import.meta.dirname, 'requirements.in'));
const SETTINGS = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track_planning=on',
];
const USERS_PER_SEC = 4;
const OTHER_MS = 30;
const CLOSE = 0.1;
/** Of each route, beside what else is true of it; only what repeats for rows may be called an N+1. */
const FINDINGS = {
  books: ['n-plus-one', 'repeated-call'],
  again: ['repeated-call'],
  slow: ['slow-call'],
  pool: ['pool-wait'],
  open: ['open-transaction'],
  many: ['unused-rows'],
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '15' }, keep: { type: 'string' } },
});
const chosen = choose(ALL, positionals, ({ name }) => name);
const work = openWorkFolder('database', values.keep);

let others = 0;
const other = createServer(async (_request, response) => {
  others++;
  await sleep(OTHER_MS);
  response.end('ok');
}).listen(0, '127.0.0.1');
await once(other, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (other.address());

const postgres = await startPostgres(work, path.join(work, 'postgres.log'), SETTINGS);
const url = postgres.env.SHARES_POSTGRES;
let isRight = true;
try {
  query(url, readFileSync(path.join(APPS, 'schema.sql'), 'utf8'));
  for (const app of chosen) isRight = (await judgeApp(app)) && isRight;
} finally {
  await postgres.stop();
  other.close();
  other.closeAllConnections();
}
process.exitCode = isRight ? 0 : 1;

/** @param {App} app @returns {Promise<boolean>} whether all is as it is */
async function judgeApp(app) {
  const { truth, clocked, report, others } = await measure(app);
  // the demo asks its identity provider for keys, once per worker
  const all = (report.calls?.statements ?? []).filter(
    ({ kind }) => kind === 'sql' || app.server !== 'demo',
  );
  /** @type {Statements} */
  const reported = new Map();
  for (const { kind, text, count, ms } of all)
    if (kind === 'sql') add(reported, text ?? '', { count, us: 1000 * ms });

  console.log(
    `\n${app.name}: executions, ms as reported / as the client's clock has it / in the database`,
  );
  const texts = [...new Set([...truth.keys(), ...reported.keys()])];
  const none = { count: 0, us: 0 };
  const rows = texts.map(text => ({
    text,
    own: truth.get(text) ?? none,
    client: clocked.get(text) ?? none,
    told: reported.get(text) ?? none,
  }));
  for (const { text, own, client, told } of rows) {
    const mark = told.count === own.count ? '✓' : '✗';
    const count = `${told.count} of ${own.count}`.padEnd(12);
    const times = [told, client, own].map(meanMs).join(' / ');
    console.log(`  ${mark} ${count} ${times} ms  ${text.slice(0, 90)}`);
  }
  const exact = rows.filter(({ told, own }) => told.count === own.count).length;
  const toldUs = sum(rows.map(({ told }) => told.us));
  const ownUs = sum(rows.map(({ own }) => own.us));
  const clientUs = sum(rows.map(({ own, client }) => Math.max(own.us, client.us)));
  const isClose = toldUs >= (1 - CLOSE) * ownUs && toldUs <= clientUs + CLOSE * ownUs;

  const marks = app.marks();
  const wrong = judgeMarks(marks, all, report);
  for (const line of wrong) console.log(`  ✗ ${line}`);
  const lacking = app.server === 'demo' ? [] : judgeFindings(report.findings);
  for (const line of lacking) console.log(`  ✗ ${line}`);
  const http = sum(all.filter(({ kind }) => kind === 'http').map(({ count }) => count));
  console.log(
    [
      `  executions exact: ${exact} of ${rows.length} statements`,
      `http calls ${http} of ${others}`,
      `time ${(toldUs / ownUs).toFixed(3)} of the database's, ${(toldUs / clientUs).toFixed(3)} of the client's${isClose ? '' : ' ✗'}`,
      `lines: ${wrong.length} wrong of ${marks.length}`,
      `findings: ${lacking.length} wrong`,
      `${report.calls?.more.count ?? '–'} executions without a statement`,
    ].join('; '),
  );
  return exact === rows.length && http === others && isClose && wrong.length + lacking.length === 0;
}

/** @param {any[]} findings @returns {string[]} those that are missing, and N+1 that are none */
function judgeFindings(findings) {
  const pairs = findings.flatMap(({ id, facts }) =>
    [facts.endpoint, facts.first, ...(facts.endpoints ?? []), ...(facts.call?.endpoints ?? [])]
      .filter(Boolean)
      .map(endpoint => ({ id, route: (endpoint.name ?? endpoint).replace('GET /', '') })),
  );
  const missing = Object.entries(FINDINGS).filter(
    ([own, ids]) => !pairs.some(({ id, route }) => route === own && ids.includes(id)),
  );
  const wrong = pairs.filter(({ id, route }) => id === 'n-plus-one' && route !== 'books');
  return [
    ...missing.map(([route, [id]]) => `no ${id} at ${route}`),
    ...wrong.map(({ route }) => `an N+1 at ${route}`),
  ];
}

/**
 * @param {Mark[]} marks @param {Statement[]} all @param {Report} report
 * @returns {string[]} marks that are not as they should be, and lines that have none
 */
function judgeMarks(marks, all, { load, calls }) {
  /** @param {Mark} mark @param {Statement} one */
  const isOf = ({ file, line, text, kind }, one) =>
    one.kind === kind &&
    one.line === line &&
    Boolean(one.file?.endsWith(file)) &&
    text.test(one.text ?? '');
  const missing = marks.flatMap(mark => {
    const { endpoint, times, file, line } = mark;
    const requests = load.endpoints.find(({ name }) => name === endpoint)?.requests ?? 0;
    const counts = all
      .filter(one => isOf(mark, one))
      .flatMap(({ endpoints }) => endpoints)
      .filter(({ name }) => name === endpoint);
    const count = sum(counts.map(one => one.count));
    const wanted = times * requests;
    const what = `${file}:${line} ${endpoint} ${mark.text.source}`;
    return count === wanted && requests > 0 ? [] : [`${what}: ${count} executions, true ${wanted}`];
  });
  const endpoints = (calls?.endpoints ?? []).flatMap(({ name, queries }) => {
    const own = marks.filter(({ endpoint, kind }) => endpoint === name && kind === 'sql');
    const wanted = sum(own.map(({ times }) => times));
    return queries.p50 === wanted ? [] : [`${name}: ${queries.p50} queries, true ${wanted}`];
  });
  const strange = all.filter(
    one =>
      (one.kind === 'http' || (one.kind === 'sql' && simplify(one.text ?? '') !== null)) &&
      !marks.some(mark => isOf(mark, one)),
  );
  return [
    ...missing,
    ...endpoints,
    ...strange.map(
      ({ file, line, function: name, text, count, endpoints }) =>
        `${file}:${line} ${name}: ${count} executions of a line that is not marked, ${endpoints[0]?.name}: ${text?.slice(0, 80)}`,
    ),
  ];
}

/** @param {App} app @returns {Promise<Measured>} */
async function measure(app) {
  const isTraced = app.server === 'demo';
  const [clock = '', trace = ''] = [`${app.name}.clock`, `${app.name}.trace`].map(name =>
    path.join(work, name),
  );
  const server = await startApp(app, {
    python: PYTHON,
    log: path.join(work, `${app.name}.log`),
    env: {
      LOADFLAME: '1',
      CLOCK: clock,
      ...(isTraced ? { TRACE: trace } : { DATABASE_URL: url, OTHER: `http://127.0.0.1:${port}/` }),
    },
  });
  try {
    for (const file of [clock, trace]) writeFileSync(file, '');
    forget(url);
    others = 0;
    const report = await load(app, server);
    const truth = isTraced ? readTrace(trace) : readPostgres(url);
    return { truth, clocked: readClock(clock), report, others };
  } finally {
    await server.stop();
  }
}

/** @param {App} app @param {import('./start.js').Server} server @returns {Promise<Report>} */
async function load(app, server) {
  const script = path.join(work, `${app.name}.json`);
  const phases = [{ duration: Number(values.seconds), arrivalRate: USERS_PER_SEC }];
  const flow = app.paths.map(url => ({ get: { url } }));
  writeFileSync(
    script,
    JSON.stringify({ config: { target: server.url, phases }, scenarios: [{ flow }] }),
  );
  const runs = mkdtempSync(path.join(work, `${app.name}-`));
  const { report, said } = await runTest([script], runs, server.env);
  const failed = sum(report.load.endpoints.map((/** @type {any} */ { errors }) => errors));
  if (failed > 0) throw new Error(`${failed} requests failed: ${said}`);
  return report;
}

/** @param {import('./statements.js').Executed} executed */
function meanMs({ count, us }) {
  return (count ? us / count / 1000 : 0).toFixed(3);
}
