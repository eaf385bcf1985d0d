import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { buildProfileReport } from '../../../lib/analysis/profile/profile-report.js';
import { selectSamples } from '../../../lib/analysis/sample-table/select.js';
import { unpackSampleTable } from '../../../lib/analysis/sample-table/unpack.js';
import { readProfile } from '../../../lib/analysis/stacks/read-profile.js';
import { parseRaw } from '../../helpers/parse-raw.js';
import { AUTH, build, POLL, REQUEST, rules, TLS, VIEW } from '../built-profiles.js';

test('only active samples of workers inside the window are the base', () => {
  const profile = build([
    [0, 2, VIEW, 100],
    [1, 2, VIEW, 60],
    [1, 3, AUTH, 40],
    [1, 3, POLL, 30],
    [1, 1, POLL, 7],
    [2, 2, VIEW, 100],
  ]);
  const analysis = analyseProfile({
    profile,
    rules,
    windows: [{ startMs: 4000, endMs: 11_000 }],
    masterPid: 1,
  });
  assert.deepEqual(analysis.samples, {
    recorded: 337,
    inWindow: 137,
    active: 100,
    waiting: 30,
    master: 7,
    waitingForCore: 0,
    failedShare: 0,
    unseenShare: 0,
    skew: 1,
  });
  assert.deepEqual([...analysis.base.byPid].sort(), [
    [2, 60],
    [3, 40],
  ]);
  assert.deepEqual(
    analysis.categories.map(({ id, samples }) => [id, samples]),
    [
      ['business', 60],
      ['auth', 40],
    ],
  );
});

test('the share of a driver that waits in C may be much smaller, as far as its samples had to be taken for waits', () => {
  const seenIn = (/** @type {string} */ frame) => {
    const ask = [...VIEW, frame];
    const segments = [0, 1, 2, 3, 4];
    const profile = build(
      segments.flatMap(at => [
        [at, 2, VIEW, 100],
        [at, 2, ask, 200],
      ]),
    );
    const windows = [{ startMs: 0, endMs: 25_000 }];
    return analyseProfile({ profile, rules, windows, workersMs: 16_000, requests: 100, skew: 1.5 });
  };
  const { samples, packages } = seenIn('Connection.wait (psycopg/connection.py:495)');
  const { value, low } = packages.find(({ name }) => name === 'psycopg')?.share ?? {};
  assert.equal(samples.skew, 1 + 700 / 800);
  assert.equal(value, 3 / 8, 'what Python leaves of 16 s');
  assert.ok((low ?? 1) < 0.25, `${low}`);
  assert.equal(seenIn('write (socket.py:723)').samples.skew, 1.5, 'a hand-over is short');
});

test('CPU per request comes from the operating system, and samples only split it', () => {
  const profile = build([
    [0, 2, VIEW, 150],
    [0, 2, AUTH, 50],
    [1, 2, VIEW, 150],
    [1, 2, AUTH, 50],
  ]);
  const { cpu, categories } = analyseProfile({ profile, rules, workersMs: 4000, requests: 400 });
  assert.equal(cpu.perRequest?.value, 10);
  assert.equal(cpu.basis, 'process-cpu');
  assert.equal(cpu.samplesToCpu, 2, '400 samples at 50 Hz are 8 s');
  const auth = categories.find(({ id }) => id === 'auth');
  assert.equal(auth?.cpuMsPerRequest?.value, 2.5);
  assert.ok(Math.abs((auth?.cpuMsPerRequest?.low ?? 0) - 10 * (auth?.share.low ?? 1)) < 1e-9);
});

test('samples beyond twice the CPU time, and missed samples, widen the intervals', () => {
  const profile = build([
    [0, 2, VIEW, 300],
    [0, 2, AUTH, 100],
  ]);
  const authOf = (/** @type {Partial<Parameters<typeof analyseProfile>[0]>} */ known) => {
    const { categories, samples } = analyseProfile({ profile, rules, ...known });
    const { low, high } = categories.find(({ id }) => id === 'auth')?.share ?? {};
    return { low: low ?? 1, high: high ?? 0, unseen: samples.unseenShare };
  };
  const plain = authOf({ workersMs: 4000 });
  assert.equal(plain.unseen, 0, '8 s of samples for 4 s of CPU');
  const crowded = authOf({ workersMs: 1000 });
  assert.equal(crowded.unseen, 0.75);
  assert.ok(crowded.low < plain.low / 3 && crowded.high > 0.75);
  const late = authOf({ workersMs: 8000, sampledShare: 0.9 });
  assert.ok(Math.abs(late.unseen - 0.1) < 1e-9);
  assert.ok(late.low < plain.low && late.high > plain.high);
});

test('intervals are wider if samples came from another core than that of the target', () => {
  const profile = build([
    [0, 2, VIEW, 300],
    [0, 2, AUTH, 100],
  ]);
  const authOf = (/** @type {Record<string, unknown> | null} */ start) => {
    const records = [{ kind: 'recording-start', ...start }];
    const recording = /** @type {any} */ ({
      ...{ windows: [], processes: [], threads: [], viewRoutes: [], segments: {}, records },
      ...{ masterPid: null, grid: null, rates: null, load: null, waits: null, cpuOf: () => null },
    });
    const source = start ? 'run' : 'raw';
    const { report } = buildProfileReport({
      ...{ profile, rules, source, recording: start ? recording : undefined },
    });
    const { low, high } = report.categories.find(({ id }) => id === 'auth')?.share ?? {};
    return { low: low ?? 1, high: high ?? 0 };
  };
  const loose = authOf(null);
  const near = authOf({ recorder: { name: 'loadflame', sameCore: true } });
  assert.ok(near.low < loose.low && near.high > loose.high);
  // Before recorders declared what they are, recordings did not say it.
  const others = [{ recorder: { name: 'loadflame' } }, { recorder: { name: 'py-spy' } }, {}];
  for (const start of others) {
    const { low, high } = authOf(start);
    // Odds of 1 : 3 are between 2 : 9 and 1 : 2.
    assert.ok(low < 2 / 11 && high > 1 / 3, `${low} to ${high}`);
    assert.ok(low < near.low && high > near.high);
    assert.ok(loose.low > 2 / 11 && loose.high < 1 / 3, `${loose.low} to ${loose.high}`);
  }
});

test('without it samples are an upper bound, and without requests nothing is claimed', () => {
  const profile = build([[0, 2, VIEW, 100]]);
  const bound = analyseProfile({ profile, rules, requests: 100 }).cpu;
  assert.equal(bound.basis, 'samples-upper-bound');
  assert.equal(bound.perRequest?.value, 20);
  const none = analyseProfile({ profile, rules, workersMs: 4000 });
  assert.equal(none.cpu.basis, 'none');
  assert.equal(none.cpu.perRequest, null);
  assert.equal(none.categories[0]?.cpuMsPerRequest, null);
});

test('a cause of one per cent is a remark and flags nothing', () => {
  const { causes, hotPaths } = analyseProfile({
    profile: build([
      [0, 2, VIEW, 985],
      [0, 2, TLS, 15],
    ]),
    rules,
  });
  assert.deepEqual(
    causes.map(({ id, severity }) => [id, severity]),
    [['tls-context-per-request', 'info']],
  );
  assert.ok(hotPaths.every(({ flagged }) => !flagged));
});

test('lines of one function are one entry, with the line that most samples took', async () => {
  const at = (/** @type {number} */ line) => [...REQUEST, `show (shop/views.py:${line})`];
  const { hotPaths, table } = analyseProfile({
    profile: build([
      [0, 2, at(3), 10],
      [0, 2, at(5), 30],
    ]),
    rules,
  });
  assert.deepEqual(hotPaths[0]?.entry, { function: 'show', file: 'shop/views.py', line: 5 });
  assert.deepEqual(hotPaths[0]?.heaviest, [
    { function: 'show', file: 'shop/views.py', line: 5, self: 1, total: hotPaths[0]?.share },
  ]);
  const { tree } = await unpackSampleTable(table);
  assert.equal(table.nodeCount, 4);
  assert.equal(tree.line[3], 5);
});

test('a function that calls itself is counted once', () => {
  const f = 'walk (shop/tree.py:3)';
  const { hotPaths } = analyseProfile({
    profile: build([
      [0, 2, [...REQUEST, f, f, f], 10],
      [0, 2, [...REQUEST, f], 10],
    ]),
    rules,
  });
  assert.deepEqual(
    hotPaths[0]?.heaviest.map(({ self, total }) => [self, total.value]),
    [[1, 1]],
  );
});

test('the share of a function within a path has the interval of its own samples', () => {
  const [even, uneven] = ['show (shop/views.py:3)', 'show (shop/views.py:4)'];
  const { hotPaths } = analyseProfile({
    profile: build([
      [0, 2, [...REQUEST, even, 'even (shop/sums.py:1)'], 10],
      [0, 2, [...REQUEST, uneven, 'uneven (shop/sums.py:9)'], 20],
      [1, 2, [...REQUEST, even, 'even (shop/sums.py:1)'], 10],
      [1, 2, TLS, 20],
      [2, 2, [...REQUEST, even, 'even (shop/sums.py:1)'], 10],
      [2, 2, TLS, 20],
    ]),
    rules,
  });
  const heaviest = hotPaths[0]?.heaviest ?? [];
  assert.deepEqual(
    heaviest.slice(0, 3).map(one => [one?.function, one?.total.value.toFixed(3)]),
    [
      ['show', '0.556'],
      ['even', '0.333'],
      ['uneven', '0.222'],
    ],
  );
  const [, narrow = 0, wide = 0] = heaviest.map(
    ({ total }) => Number(total.high) - Number(total.low),
  );
  assert.ok(wide > 1.3 * narrow, `${wide}, ${narrow}`);
});

test('the table of everything is what the tables of the report say: active samples, categories, paths, causes', async () => {
  const profile = await readProfile(
    join(import.meta.dirname, '../stacks/fixtures/gunicorn-gthread.raw'),
  );
  const { table, categories, hotPaths, causes, samples, base } = analyseProfile({
    profile,
    rules,
  });
  const unpacked = await unpackSampleTable(table);
  const counts = selectSamples(unpacked);
  assert.equal(table.totalSamples, samples.active);
  assert.equal(counts.totals[0], samples.active);
  assert.deepEqual(
    [...counts.categories],
    categories.map(own => own.samples),
  );
  assert.deepEqual(
    [...counts.causes],
    causes.map(({ share }) => Math.round(share.value * samples.active)),
  );
  assert.ok(causes.length > 0);
  for (const { category, entry, share } of hotPaths) {
    const index = table.paths.findIndex(
      path =>
        table.categories[path.category]?.id === category &&
        path.function === entry.function &&
        path.file === entry.file,
    );
    assert.equal(counts.paths[index], Math.round(share.value * samples.active));
    assert.equal(table.paths[index]?.line, entry.line);
  }
  assert.deepEqual(
    table.workers.map((pid, index) => [pid, selectSamples(unpacked, { workers: [index] }).total]),
    [...base.byPid].sort(([a], [b]) => a - b),
  );
});

for (const name of ['gunicorn-gthread.raw', 'gunicorn-sync.raw']) {
  test(`a recording of real gunicorn is understood: ${name}`, async () => {
    const profile = await readProfile(join(import.meta.dirname, '../stacks/fixtures', name));
    const masterPid = profile.processes.find(({ parent }) => parent === -1)?.pid ?? null;
    const { categories, samples } = analyseProfile({ profile, rules, masterPid });
    const share = (/** @type {string} */ id) =>
      categories.find(item => item.id === id)?.share.value ?? 0;
    assert.ok(share('unknown') < 0.01, `${share('unknown')} unknown`);
    for (const id of ['server', 'business', 'serialization', 'auth', 'framework'])
      assert.ok(share(id) > 0, id);
    if (name.includes('gthread'))
      assert.ok(samples.waiting > samples.active * 0.5, 'idle threads and the poller');
  });
}

test('a profile without samples in the window gives empty tables and no NaN', () => {
  const analysis = analyseProfile({
    profile: build([[0, 2, VIEW, 5]]),
    rules,
    windows: [{ startMs: 90_000, endMs: 99_000 }],
    workersMs: 5,
    requests: 5,
  });
  assert.equal(analysis.samples.active, 0);
  assert.deepEqual([analysis.categories, analysis.hotPaths, analysis.causes], [[], [], []]);
  assert.equal(analysis.table.totalSamples, 0);
  assert.equal(analysis.costs, null);
  assert.doesNotMatch(JSON.stringify({ ...analysis, classes: null }), /NaN/);
});

test('hostile names come through as text', () => {
  const name = '<img src=x onerror=alert(1)></script>';
  const { hotPaths, table } = analyseProfile({
    profile: parseRaw(`${name} (shop/a.py:1);__proto__ (constructor:2) 5\n`),
    rules,
  });
  assert.equal(hotPaths[0]?.entry.function, name);
  assert.deepEqual(
    table.frames.map(frame => frame.function),
    [name, '__proto__'],
  );
});

test('with much CPU outside of requests a path has a share but no cost, and a request has the rest', () => {
  const profile = build([[0, 2, AUTH, 100]]);
  const known = { profile, rules, workersMs: 1000, requests: 10 };
  const quiet = analyseProfile({ ...known, idleMs: 20 });
  assert.equal(quiet.cpu.perRequest?.value, 98);
  assert.equal(quiet.hotPaths[0]?.cpuMsPerRequest?.value, 98);
  const idling = analyseProfile({ ...known, idleMs: 800 });
  assert.equal(idling.cpu.perRequest?.value, 20);
  assert.equal(idling.hotPaths[0]?.share.value, 1);
  assert.equal(idling.hotPaths[0]?.cpuMsPerRequest, null);
  assert.deepEqual(
    idling.categories.map(({ cpuMsPerRequest }) => cpuMsPerRequest),
    [null],
  );
});
