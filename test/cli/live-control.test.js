import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../lib/base/process/child.js';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { callLoadflame, LOADFLAME } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SCRIPT = {
  config: {
    phases: [
      { name: 'steady', duration: 7, arrivalRate: 5 },
      { name: 'peak', duration: 1, arrivalRate: 10 },
      { name: 'loop', duration: 5, users: 2 },
      { name: 'crowd', duration: 1, users: 4 },
      { name: 'batch', duration: 2, arrivalCount: 4 },
    ],
  },
  scenarios: [{ flow: [{ get: { url: '/' } }, { think: 0.1 }] }],
};

/**
 * A load test with its live page, and what the page gets.
 * @param {import('node:test').TestContext} t @param {string} folder @param {string[]} more arguments
 */
async function startRun(t, folder, ...more) {
  const args = ['test', 'load.json', '--live', '--profiles', 'profiles', ...more];
  const child = startChild(process.execPath, [LOADFLAME, ...args], {
    cwd: folder,
    env: { CI: '1', HOME: folder },
  });
  t.after(() => child.stop());
  let printed = '';
  for (const stream of [child.process.stdout, child.process.stderr])
    stream?.on('data', text => (printed += text));
  while (!/live page: \S+\n/.test(printed)) {
    assert.ok(child.isAlive(), printed);
    await sleep(20);
  }
  const page = new URL(/live page: (\S+)/.exec(printed)?.[1] ?? '');
  /** @type {any[]} */
  const controls = [];
  /** @type {any[]} */
  const loads = [];
  const events = await fetch(new URL('events', page));
  const follow = async () => {
    let text = '';
    for await (const part of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, type, data = ''] = /^event: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
        if (type === 'control') controls.push(JSON.parse(data));
        if (type === 'load') loads.push(JSON.parse(data));
        text = text.slice(end + 2);
      }
    }
  };
  void follow().catch(() => {});
  /** @param {(control: any) => boolean} isWanted */
  const waitFor = async isWanted => {
    for (const untilMs = Date.now() + 30_000; ; await sleep(10)) {
      const found = controls.findLast(isWanted);
      if (found) return found;
      assert.ok(child.isAlive() && Date.now() < untilMs, JSON.stringify(controls.slice(-3)));
    }
  };
  /** @param {string} body */
  const post = async body => {
    const headers = { origin: page.origin };
    return (await fetch(new URL('control', page), { method: 'POST', headers, body })).status;
  };
  return { child, controls, loads, waitFor, post, printed: () => printed };
}

/** @param {string} folder of the runs */
const onlyRun = folder =>
  path.join(folder, readdirSync(folder).find(name => /^\d/.test(name)) ?? '');

/** @param {string} run @returns {any[]} */
const readMetrics = run =>
  readFileSync(path.join(run, 'load/metrics.ndjson'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));

test('the live page changes the running phase, and such a run is compared with no other', async t => {
  const folder = makeTempFolder(t);
  /** @type {number[]} */
  const arrivals = [];
  const target = await serve(t, (_, response) => {
    arrivals.push(Date.now());
    response.end('ok');
  });
  const script = { ...SCRIPT, config: { ...SCRIPT.config, target } };
  writeFileSync(path.join(folder, 'load.json'), JSON.stringify(script));
  const run = await startRun(t, folder, '--workers', '2');

  const steady = await run.waitFor(({ index }) => index === 0);
  assert.deepEqual(steady, {
    ...{ index: 0, phase: 'steady', of: 'arrivalRate', now: 5, most: 10 },
    label: 'Load of steady, users/s',
    text: 'now 5 users/s, at most 10 as in the script',
  });
  for (const [body, status] of /** @type {[string, number][]} */ ([
    ['{"index":0,"to":10.001}', 409],
    ['{"index":0,"to":-1}', 409],
    ['{"index":0,"to":1e999}', 409],
    ['{"index":0,"to":"10"}', 409],
    ['{"index":0,"to":[10]}', 409],
    ['{"index":0}', 409],
    ['{"index":0,"to":NaN}', 400],
    ['{"index":1,"to":10}', 409],
    ['{"index":"0","to":10}', 409],
    ['{"to":10}', 409],
    ['[0,10]', 409],
    ['7', 409],
  ]))
    assert.deepEqual([body, await run.post(body)], [body, status]);
  await sleep(1200);
  const askedMs = Date.now();
  assert.equal(await run.post('{"index":0,"to":10}'), 204);
  await run.waitFor(({ index, now }) => index === 0 && now === 10);
  assert.ok(Date.now() - askedMs < 1000, 'confirmed within a second');

  await run.waitFor(({ index }) => index === 2);
  assert.equal(await run.post('{"index":2,"to":2.5}'), 409);
  assert.equal(await run.post('{"index":2,"to":4}'), 204);
  await run.waitFor(({ why }) => why === 'phase');
  assert.equal(await run.post('{"index":4,"to":2}'), 409);
  const { exitCode } = await run.child.ended;
  assert.equal(exitCode, 0, run.printed());

  const place = onlyRun(path.join(folder, 'profiles'));
  const records = readMetrics(place);
  const steered = records.filter(({ kind }) => kind === 'steered');
  const turns = steered.map(({ phase, of, from, to }) => [phase, of, from, to]);
  assert.deepEqual(turns, [
    ['steady', 'arrivalRate', 5, 10],
    ['loop', 'users', 2, 4],
  ]);
  const [turnedMs, joinedMs] = steered.map(({ t: atMs }) => atMs);
  assert.ok(turnedMs - askedMs < 1000);
  const start = records.find(({ kind }) => kind === 'phase-start').t;
  const within = (/** @type {number} */ fromMs, /** @type {number} */ toMs) =>
    arrivals.filter(atMs => atMs >= fromMs && atMs < toMs).length;
  const secBefore = (turnedMs - start) / 1000;
  const perSec = [
    within(start, turnedMs) / secBefore,
    within(turnedMs, start + 7000) / (7 - secBefore),
  ];
  assert.ok(
    Math.abs((perSec[0] ?? 0) - 5) < 0.7 && Math.abs((perSec[1] ?? 0) - 10) < 0.7,
    `${perSec}`,
  );
  assert.ok(within(turnedMs, turnedMs + 1000) >= 9);
  const crowded = records.filter(
    ({ kind, fromMs }) => kind === 'second' && fromMs >= joinedMs && fromMs < start + 12_000,
  );
  const active = Map.groupBy(crowded, ({ fromMs }) => fromMs).values();
  for (const own of active)
    assert.equal(
      own.reduce((sum, { usersActive = 0 }) => sum + usersActive, 0),
      4,
    );

  const report = JSON.parse(readFileSync(path.join(place, 'report.json'), 'utf8'));
  const [mark] = report.load.steered;
  assert.deepEqual([mark.atMs, mark.text], [turnedMs, '5 → 10 users/s']);
  assert.ok(run.loads.at(-1).load.steered, 'the live timeline has the mark, too');
  assert.match(run.printed(), /The load was changed on the live page: 5 → 10 users\/s at/);

  // the same run as if nobody had changed it
  const other = path.join(folder, 'profiles/20261120-120000-other');
  cpSync(place, other, { recursive: true, filter: from => !/report\./.test(from) });
  const others = records.filter(({ kind }) => kind !== 'steered').map(own => JSON.stringify(own));
  writeFileSync(path.join(other, 'load/metrics.ndjson'), `${others.join('\n')}\n`);
  const manifest = path.join(other, 'run.json');
  const about = JSON.parse(readFileSync(manifest, 'utf8'));
  writeFileSync(manifest, JSON.stringify({ ...about, id: '20261120-120000-other' }));
  const compared = await callLoadflame(folder, ['compare', other, place]);
  assert.equal(compared.exit, 6, compared.stderr);
  assert.match(
    compared.stdout,
    /Invalid comparison: no run of “after” is valid. The load was changed/,
  );
  const gated = await callLoadflame(folder, ['report', place, '--baseline', other]);
  assert.match(gated.stdout, /no run of “this run” is valid. The load was changed/);
  const [first, second] = [
    await callLoadflame(folder, ['report', other, '--history', 'h.ndjson']),
    await callLoadflame(folder, ['report', place, '--history', 'h.ndjson']),
  ];
  assert.match(first.stdout, /history: h.ndjson/);
  assert.match(second.stdout, new RegExp(`history: without ${path.basename(place)}, whose load`));
  assert.equal(readFileSync(path.join(folder, 'h.ndjson'), 'utf8').split('\n').length, 2);
});

test('a load of Artillery has no control, and its page says so', async t => {
  const folder = makeTempFolder(t);
  const target = await serve(t, (_, response) => void response.end('ok'));
  const phases = [{ duration: 3, arrivalRate: 2 }];
  const script = { ...SCRIPT, config: { target, phases } };
  writeFileSync(path.join(folder, 'load.json'), JSON.stringify(script));
  const run = await startRun(t, folder, '--engine', 'artillery');
  const { text } = await run.waitFor(({ why }) => why === 'sender');
  assert.equal(text, 'A load that Artillery or several machines send cannot be changed.');
  assert.equal(await run.post('{"index":0,"to":1}'), 409);
});
