/**
 * `node scripts/run.js research/database/foreign/run.js [ara prefect]`: which N+1 a report names in two services that
 * nobody tuned to, against what PostgreSQL executes for one request alone. `--seconds 20`: of the load; `--keep FOLDER`:
 * keeps the runs and logs there; `--truth`: without the load.
 *
 * Each endpoint is requested alone with 5 rows and with 20. A statement is an N+1 where the executions grow by one or more
 * for each three rows more. Exits with 1 where a report names any other.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findFreePort } from '../../bench/servers/find-free-port.js';
import { choose } from '../../choose.js';
import { prepareVenv } from '../../prepare-venv.js';
import { testScript } from '../../run-tool.js';
import { startPostgres } from '../../shares/start-server.js';
import { responds, startApp } from '../../start-app.js';
import { openWorkFolder } from '../../work-folder.js';
import { forget, query, readPostgres, simplify } from '../statements.js';
import { SERVICES } from './services.js';

/** @import { Request, Service } from './services.js' */

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PYTHON = prepareVenv('database-foreign', path.join(import.meta.dirname, 'requirements.in'));
/** As a team has its own code: outside of the installed libraries. */
const OWN = path.resolve(path.dirname(PYTHON), '../apps');
const PYTHONPATH = [OWN, import.meta.dirname, path.join(ROOT, 'companion')].join(':');
const SETTINGS = ['shared_preload_libraries=pg_stat_statements'];
const FEW = 5;
const MANY = 20;
const LEAST_GROWTH = 1 / 3;
/** However busy the machine is, they wait for each response. */
const USERS = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '20' },
    keep: { type: 'string' },
    truth: { type: 'boolean', default: false },
  },
});
if (!existsSync(OWN))
  execFileSync(PYTHON, [
    '-m',
    'pip',
    'install',
    '-q',
    '--no-deps',
    '--target',
    OWN,
    'ara',
    'prefect',
  ]);
const work = openWorkFolder('database', values.keep);
const postgres = await startPostgres(work, path.join(work, 'postgres.log'), SETTINGS);
const database = postgres.env.SHARES_POSTGRES;
let wrong = 0;
try {
  query(database, 'CREATE EXTENSION pg_stat_statements');
  for (const service of choose(SERVICES, positionals, ({ name }) => name))
    wrong += await judge(service);
} finally {
  await postgres.stop();
}
process.exitCode = wrong > 0 ? 1 : 0;

/** @param {Service} service @returns {Promise<number>} of N+1 that are named and are none */
async function judge(service) {
  query(database, `CREATE DATABASE ${service.name}`);
  const base = mkdtempSync(path.join(work, `${service.name}-`));
  const env = {
    ...process.env,
    ...{ PYTHONPATH, HOME: base, LOADFLAME: '1' },
    ...service.env(new URL(database)),
  };
  execFileSync(PYTHON, service.prepare, { env, cwd: base, stdio: ['ignore', 'ignore', 'inherit'] });
  const port = await findFreePort();
  const target = `http://127.0.0.1:${port}`;
  const server = await startApp(PYTHON, ['-m', ...service.serve(port)], {
    env,
    cwd: base,
    log: path.join(base, 'server.log'),
    find: () => responds(`${target}${service.none}`),
  });
  try {
    await service.seed((url, json) => send(target, { method: 'post', url, json }));
    const truth = await findTruth(service, target);
    console.log(`\n${service.name}: ${truth.length} N+1 in ${service.ask(MANY).length} endpoints`);
    for (const { endpoint, text, few, many } of truth)
      console.log(`  ${endpoint}: ${few} → ${many} × ${text.slice(0, 120)}`);
    if (values.truth) return 0;
    const report = await load(service, target, base);
    writeFileSync(path.join(base, 'report.json'), JSON.stringify(report));
    return compare(truth, report);
  } finally {
    await server.stop();
  }
}

/** @typedef {{endpoint: string, text: string, few: number, many: number}} Growing executions in a request for few rows and for many */

/** @param {Service} service @param {string} target @returns {Promise<Growing[]>} */
async function findTruth(service, target) {
  const many = service.ask(MANY);
  /** @type {Growing[]} */
  const found = [];
  for (const [index, request] of service.ask(FEW).entries()) {
    const counts = [];
    for (const one of [request, many[index] ?? request]) {
      await send(target, one);
      forget(database);
      await send(target, one);
      counts.push(readPostgres(database));
    }
    const [before, after] = counts;
    for (const [text, { count }] of after ?? []) {
      const few = before?.get(text)?.count ?? 0;
      if (count - few >= (MANY - FEW) * LEAST_GROWTH)
        found.push({ endpoint: nameEndpoint(request), text, few, many: count });
    }
  }
  return found;
}

/** As in a report. @param {Request} request */
function nameEndpoint({ method, url }) {
  const [route = ''] = url.split('?');
  return `${method.toUpperCase()} ${route.replace(/\/\d+(?=\/|$)/g, '/:id')}`;
}

/** @param {string} target @param {Request} request @returns {Promise<any>} */
async function send(target, { method, url, json }) {
  const response = await fetch(target + url, {
    method: method.toUpperCase(),
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 500)}`);
  return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null;
}

/** @param {Service} service @param {string} target @param {string} base */
async function load(service, target, base) {
  const phases = [{ duration: Number(values.seconds), users: USERS }];
  const asked = [FEW, MANY].flatMap(service.ask);
  const flow = [
    { get: { url: service.none } },
    ...asked.map(({ method, ...request }) => ({ [method]: request })),
  ];
  const script = { config: { target, phases }, scenarios: [{ flow }] };
  return testScript(script, [], path.join(base, 'run'));
}

/** @param {Growing[]} truth @param {any} report @returns {number} wrongly named */
function compare(truth, report) {
  /** @param {string} id @returns {string[]} endpoint and text of each statement that a finding names */
  const namedIn = id =>
    report.findings
      .filter((/** @type {any} */ finding) => finding.id === id)
      .flatMap((/** @type {any} */ { facts: { call, endpoints } }) =>
        endpoints.map((/** @type {any} */ { name }) => `${name}: ${simplify(call.text)}`),
      );
  const growing = new Set(truth.map(({ endpoint, text }) => `${endpoint}: ${text}`));
  const named = new Set(namedIn('n-plus-one'));
  const repeated = new Set(namedIn('repeated-call'));
  const wrong = [...named].filter(one => !growing.has(one));
  const missed = [...growing].filter(one => !named.has(one) && !repeated.has(one));
  for (const one of wrong) console.log(`  ✗ wrongly named: ${one.slice(0, 160)}`);
  for (const one of missed) console.log(`  not named: ${one.slice(0, 160)}`);
  const found = [...growing].filter(one => named.has(one)).length;
  const other = [...growing].filter(one => repeated.has(one)).length;
  console.log(
    `  named as N+1: ${found} of ${growing.size}, and ${other} as repeated; wrongly: ${wrong.length}`,
  );
  return wrong.length;
}
