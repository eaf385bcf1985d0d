import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../../../lib/base/config/read-config.js';
import { readStat } from '../../../../lib/base/process/process-table.js';
import { runSession } from '../../../../lib/experiment/session.js';
import { measureCell } from '../../../../lib/experiment/study/measure/measure-cell.js';
import { describeServer } from '../../../../lib/record/target/describe-server.js';
import { listWorkers } from '../../../../lib/record/target/process-family.js';
import { startGunicorn } from '../../../helpers/gunicorn.js';
import { test } from '../../../helpers/quiet.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

const USERS = 4;
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

test('what is measured of a real cell is what the access log and /proc say of the same seconds', async t => {
  const folder = makeTempFolder(t);
  const log = path.join(folder, 'access.log');
  const { masterPid, url } = await startGunicorn(t, {
    workers: 2,
    args: ['--access-logfile', log, '--access-logformat', '%(p)s %(t)s %(s)s'],
  });
  const readCpu = followCpu(t, listWorkers(masterPid));
  const script = path.join(folder, 'cell.json');
  const load = { users: USERS };
  const scenarios = [{ flow: [{ get: { url: '/burn/3' } }, { get: { url: '/sleep/9' } }] }];
  const phases = [
    { name: 'warm-up', duration: 1, ...load },
    { name: 'measured', duration: 4, ...load },
  ];
  writeFileSync(script, JSON.stringify({ config: { target: url, phases }, scenarios }));
  const countLines = ['awk', 'END {print "{\\"answers\\": " NR "}"}', log];
  const { files } = await runSession({
    config: readConfig({ flags: { TARGET: url }, env: {}, folder }),
    command: 'test',
    root: path.join(folder, 'runs'),
    signal: new AbortController().signal,
    load: { script, options: { wholeSecondAfterMs: 1000 } },
    profile: null,
    servers: [await describeServer(masterPid)],
    processes: [{ name: 'api', selector: { pid: masterPid }, members: 'all' }],
    probes: [{ name: 'log', url: null, command: countLines, intervalMs: 200 }],
    onProgress: () => {},
    onNote: () => {},
  });
  const cell = await measureCell(files.folder, {
    componentsMost: { workers: 2 },
    throughput: { probe: 'log', field: 'answers' },
  });
  const { startMs, endMs } = cell.window;
  assert.deepEqual([cell.seconds, endMs - startMs], [4, 4000]);

  const lines = readFileSync(log, 'latin1').trim().split('\n').map(readLine);
  const inside = lines.filter(({ atMs }) => atMs >= startMs && atMs < endMs);
  // At each end of the window the answer of each user may be on its way.
  const near = (/** @type {number} */ n, /** @type {number} */ truth, slack = 2 * USERS) =>
    assert.ok(Math.abs(n - truth) <= slack, `${n} measured, ${truth} true`);
  assert.ok(inside.length > 50, `${inside.length} answers`);
  near(cell.requests, inside.length);
  assert.deepEqual([cell.errors, cell.errorNames], [0, []]);
  assert.equal(cell.latency?.count, cell.good);
  assert.equal(cell.dispatchPerSec, cell.good / cell.seconds);
  near(cell.throughputPerSec * cell.seconds, inside.length, 0.3 * inside.length);

  const cpuMs = readCpu(endMs) - readCpu(startMs);
  const [workers, master, api] = cell.components;
  assert.deepEqual([workers?.name, master?.name, api?.name], ['workers', 'master', 'api']);
  const measuredMs = (workers?.cores ?? 0) * (endMs - startMs);
  // Ticks of 10 ms of two workers, and samples of two clocks with a straight line between them.
  assert.ok(
    Math.abs(measuredMs - cpuMs) <= 60 + 0.15 * cpuMs,
    `${measuredMs} ms, /proc ${cpuMs} ms`,
  );
  assert.deepEqual(workers?.processes, { mean: 2, max: 2 });
  assert.equal(workers?.mostCores, 2);
  assert.ok((workers?.pssBytes ?? 0) > 1e6 && (workers?.pssBytes ?? 0) < (workers?.rssBytes ?? 0));
  assert.ok((cell.host?.cores ?? 0) >= (workers?.cores ?? 0) * 0.9);
  assert.ok((cell.generator.cores ?? 0) > 0);

  // Users wait for nothing but answers; what a crowded generator takes between two is not in them.
  const inFlight = cell.inFlightMean ?? 0;
  assert.ok(inFlight > USERS / 2 && inFlight < USERS * 1.1, `${inFlight} in flight`);
  const users = cell.shares.find(({ of }) => of === 'users');
  assert.equal(users?.counts.length, USERS);
  // Two requests are one scenario; users are counted over the whole phase.
  const scenariosSeen = (users?.counts ?? []).reduce((sum, n) => sum + n, 0);
  assert.ok(scenariosSeen * 2 >= cell.good - 2 * USERS);
  const balance = cell.shares.find(({ of }) => of === 'workers');
  assert.deepEqual([balance?.unit, balance?.counts.length], ['cpuMs', 2]);
});

/** @param {string} line of the access log */
function readLine(line) {
  const [, pid, day, month = '', year, time, zone = ''] =
    /^<?(\d+)>? \[(\d+)\/(\w+)\/(\d+):([\d:]+) ([+-]\d{4})\]/.exec(line) ?? [];
  const number = String(MONTHS.indexOf(month) / 3 + 1).padStart(2, '0');
  const offset = `${zone.slice(0, 3)}:${zone.slice(3)}`;
  return { pid: Number(pid), atMs: Date.parse(`${year}-${number}-${day}T${time}${offset}`) };
}

/**
 * CPU time of processes, read by the test itself.
 * @param {import('node:test').TestContext} t @param {number[]} pids
 * @returns {(momentMs: number) => number}
 */
function followCpu(t, pids) {
  /** @type {{t: number, cpuMs: number}[]} */
  const points = [];
  const timer = setInterval(() => {
    const cpuMs = pids.reduce((sum, pid) => sum + (readStat(pid)?.cpuMs ?? 0), 0);
    points.push({ t: Date.now(), cpuMs });
  }, 50);
  t.after(() => clearInterval(timer));
  return momentMs => {
    const [nearest] = points.toSorted(
      (a, b) => Math.abs(a.t - momentMs) - Math.abs(b.t - momentMs),
    );
    return nearest?.cpuMs ?? 0;
  };
}
