/**
 * Facts of runs of every kind, before and after a change: nothing that was found may be lost.
 *
 *     node test/run/facts/record-facts.js --make FOLDER
 *     node test/run/facts/record-facts.js --record before.json --from FOLDER [--lib TREE]
 *     node test/run/facts/record-facts.js --diff before.json after.json
 *
 * `--record` calls the loadflame of a checkout (this one where `--lib` is absent) on copies of the folders.
 * A run folder put into FOLDER/live is recorded as well.
 */
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runFiles } from '../../../lib/run/run-folder.js';
import { makeBases } from '../../fuzz/bases.js';
import { mutate } from '../../fuzz/mutate.js';
import { asArtillery, splitRun } from '../../helpers/split-run.js';
import { makeRun, writeRun } from '../../helpers/synthetic-run/index.js';
import { createRandom } from '../../helpers/synthetic-run/random.js';
import { withoutStacks } from '../../helpers/synthetic-run/without-stacks.js';
import * as studies from '../../helpers/synthetic-study/examples.js';
import { makeStudy, writeStudy } from '../../helpers/synthetic-study/index.js';

/** @import { SyntheticSpec } from '../../helpers/synthetic-run/synthetic-run.d.ts' */

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** Mutations of one folder. */
const HOSTILE = 6;

const THRESHOLDS = `thresholds:
  - http.p95 < 400ms
  - auth.cpuMsPerRequest < 2
  - errors < 1%
  - throughput > 50/s
  - worker.memory < 500MB
  - regression(p95) < 10%
  - regression(throughput) < 5%
endpoints:
  "*":
    - errors < 2%
    - regression(cpuMsPerRequest) < 10%
`;

const BUSY = {
  name: 'GET /a',
  view: 'a',
  ratePerSec: 30,
  cpuMs: { 'auth:local': 12, business: 8 },
};
const CALM = {
  name: 'GET /b',
  view: 'b',
  ratePerSec: 20,
  cpuMs: { business: 9, 'database:load': 5 },
};
/** @type {Record<string, SyntheticSpec>} */
const SPECS = {
  good: { companion: true, durationSec: 20, endpoints: [BUSY, CALM] },
  'no-companion': { durationSec: 20, endpoints: [{ ...BUSY, route: '/a' }, CALM] },
  saturated: { durationSec: 15, users: 40, endpoints: [{ ...BUSY, ratePerSec: 200 }, CALM] },
  'failing-open': {
    ...{ model: 'open', durationSec: 20, companion: true, restarts: [{ atSec: 9, worker: 1 }] },
    endpoints: [BUSY, { ...CALM, errorShare: 0.2, waitMs: { database: 40 } }],
    errorBursts: [{ fromSec: 5, lengthSec: 4, share: 0.9, status: 502 }],
  },
  uneven: {
    ...{ durationSec: 20, workerWeights: [4, 1], stickyCookies: true, cpus: 2, otherCores: 1.2 },
    ...{ backends: [1, 2].map(n => ({ id: `host${n}`, weight: n })), memory: { bytesPerSec: 4e5 } },
    generator: { utilization: 0.97, delayP99Ms: 400, lagMs: 90, skippedPerSec: 3 },
  },
};

/** @param {string} folder */
async function make(folder) {
  const at = (/** @type {string[]} */ ...names) => path.join(folder, ...names);
  mkdirSync(at('runs'), { recursive: true });
  /** @type {Record<string, string[]>} name → what is typed in the folder */
  const commands = {};
  const report = (/** @type {string} */ name) => {
    commands[name] = ['report', name];
  };
  for (const base of await makeBases(folder)) {
    const [command = '', ...rest] = base.args(path.relative(folder, base.path));
    commands[path.relative(folder, base.path)] = [command, ...rest];
  }
  cpSync(path.join(ROOT, 'test/fixtures/runs'), at('recorded'), { recursive: true });
  for (const file of globSync('recorded/*/run.json', { cwd: folder })) report(path.dirname(file));
  for (const [name, spec] of Object.entries(SPECS)) writeRun(at('runs', name), makeRun(spec));
  const good = makeRun(SPECS.good);
  writeRun(at('runs/no-stacks'), withoutStacks(good));
  writeRun(at('runs/artillery'), good);
  asArtillery(at('runs/artillery'));
  writeRun(at('runs/partial'), {
    ...good,
    manifest: { ...good.manifest, status: 'running', endedAtMs: null },
  });
  const { metrics } = runFiles(at('runs/partial'));
  truncateSync(metrics, Math.floor(readFileSync(metrics).length * 0.7));
  for (const name of globSync('runs/*', { cwd: folder })) report(name);
  commands.baseline = [
    'report',
    'runs/good',
    '--baseline',
    'runs/saturated',
    '--thresholds',
    'thresholds.yaml',
  ];
  writeFileSync(at('thresholds.yaml'), THRESHOLDS);

  for (let seed = 1; seed <= HOSTILE; seed++) {
    cpSync(at('synthetic'), at(`hostile/${seed}`), { recursive: true });
    mutate(at(`hostile/${seed}`), createRandom(seed));
    report(`hostile/${seed}`);
  }
  splitRun(at('split'), good, { behindMs: () => 37_400 });
  commands.merged = ['report', 'split/a-load', 'split/a-recording', '--profiles', 'merged'];

  const sides = { A: {}, B: { cpuFactor: 1.8, latencyFactor: 1.4 } };
  for (const [side, spec] of Object.entries(sides)) {
    for (const n of [1, 2, 3, 4]) {
      const startMs = 1795211098000 + (2 * n + (side === 'B' ? 1 : 0)) * 60_000;
      const seed = n + (side === 'B' ? 10 : 0);
      const run = makeRun({ ...SPECS.good, durationSec: 12, id: side + n, startMs, seed, ...spec });
      writeRun(at('pairs', side + n), run);
    }
  }
  const list = (/** @type {string} */ side) => [1, 2, 3, 4].map(n => `pairs/${side}${n}`);
  commands.compare = [
    'compare',
    ...list('A'),
    '--thresholds',
    'thresholds.yaml',
    '--',
    ...list('B'),
  ];
  commands['compare-two'] = ['compare', 'pairs/A1', 'runs/uneven'];

  for (const [name, spec] of Object.entries(studies)) {
    if (typeof spec !== 'object' || !('truth' in spec)) continue;
    writeStudy(at('studies', name), makeStudy(spec));
    commands[`studies/${name}`] = ['study', 'report', `studies/${name}`];
  }
  writeFileSync(at('commands.json'), JSON.stringify(commands, null, 2));
}

/** @param {string} from @param {string} file @param {string} tree */
async function record(from, file, tree) {
  const { callLoadflame } = await import(path.join(tree, 'test/helpers/run-loadflame.js'));
  const folder = mkdtempSync(path.join(os.tmpdir(), 'loadflame-facts-'));
  /** @type {Record<string, unknown>} */
  const facts = {};
  try {
    cpSync(from, folder, { recursive: true });
    const commands = JSON.parse(readFileSync(path.join(folder, 'commands.json'), 'utf8'));
    for (const live of globSync('live/*', { cwd: folder })) commands[live] = ['report', live];
    for (const [name, args] of Object.entries(commands)) {
      const listFiles = () => globSync(path.join(folder, '**/{report,study,compare}.json'));
      const timeOf = (/** @type {string} */ at) => statSync(at).mtimeMs;
      const before = new Map(listFiles().map(at => [at, timeOf(at)]));
      const { exit } = await callLoadflame(folder, args);
      const written = listFiles().filter(at => timeOf(at) !== before.get(at));
      const reports = written.sort().map(at => JSON.parse(readFileSync(at, 'utf8')));
      facts[name] = { exit, reports: reports.map(json => normalise(json, folder)) };
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  writeFileSync(file, `${JSON.stringify(facts, null, 1)}\n`);
  console.log(`${Object.keys(facts).length} commands: ${file}`);
}

/** Sorted keys, no path of this machine, no time of building. @param {any} value @param {string} folder @returns {any} */
function normalise(value, folder) {
  if (typeof value === 'string') return value.replaceAll(folder, '').replace(/\d{8}-\d{6}-/, '');
  if (Array.isArray(value)) return value.map(item => normalise(item, folder));
  if (value === null || typeof value !== 'object') return value;
  const names = Object.keys(value).filter(name => name !== 'createdAtMs');
  return Object.fromEntries(names.sort().map(name => [name, normalise(value[name], folder)]));
}

/** @param {any} a @param {any} b @param {string} at @returns {string[]} where they differ */
function listDifferences(a, b, at) {
  if (Object.is(a, b)) return [];
  const areBoth = [a, b].every(value => value !== null && typeof value === 'object');
  if (!areBoth)
    return [`${at}: ${JSON.stringify(a)?.slice(0, 99)} → ${JSON.stringify(b)?.slice(0, 99)}`];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].flatMap(name => listDifferences(a[name], b[name], at ? `${at} ${name}` : name));
}

const { values, positionals } = parseArgs({
  options: {
    make: { type: 'string' },
    record: { type: 'string' },
    from: { type: 'string' },
    lib: { type: 'string', default: ROOT },
    diff: { type: 'boolean' },
  },
  allowPositionals: true,
});
if (values.make && !existsSync(values.make)) await make(path.resolve(values.make));
else if (values.record && values.from)
  await record(values.from, values.record, path.resolve(values.lib));
else if (values.diff && positionals.length === 2) {
  const [a, b] = positionals.map(file => JSON.parse(readFileSync(file, 'utf8')));
  const differences = listDifferences(a, b, '');
  console.log([...differences, `${differences.length} differences`].join('\n'));
  process.exitCode = differences.length > 0 ? 1 : 0;
} else throw new Error('--make a new FOLDER, --record FILE --from FOLDER, or --diff A B');
