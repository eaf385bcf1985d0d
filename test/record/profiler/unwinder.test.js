import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readRunProfile, readRunWaits } from '../../../lib/analysis/read/read-run-profile.js';
import { startChild } from '../../../lib/base/process/child.js';
import {
  isProcessAlive,
  listProcesses,
  readCommandLine,
} from '../../../lib/base/process/process-table.js';
import { SCRIPT } from '../../../lib/record/profiler/unwinder/start-unwinder.js';
import { listWorkers } from '../../../lib/record/target/process-family.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { keepBusy, PYTHON, startGunicorn, waitUntil } from '../../helpers/gunicorn.js';
import { needs } from '../../helpers/needs.js';
import { NEW_GUNICORN, needsNewPython } from '../../helpers/new-python.js';
import { test } from '../../helpers/quiet.js';
import { startRecording } from '../../helpers/recording.js';
import { recordsOf } from '../../helpers/records.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @import { RunFiles } from '../../../lib/run/run-folder.js' */
/** @import { TestContext } from 'node:test' */

const onNewPython = { skip: needsNewPython() };
/** Looks are 20 ms apart; the rest is for a machine that is busy. */
const FRACTION_MS = 400;

/** @param {TestContext} t @param {{workers?: number, app?: string}} [options] */
async function startTarget(t, options) {
  const target = await startGunicorn(t, { command: NEW_GUNICORN, ...options });
  return { ...target, rest: keepBusy(t, target.url, 2, 300) };
}

/** @param {RunFiles} files */
async function readProfile(files) {
  const { records: segments } = await readNdjson(files.segments);
  const profile = await readRunProfile({ files, segments: recordsOf('segments', segments) });
  assert.ok(profile);
  return profile;
}

/** Times of the looks at a process, epoch ms. @param {string} file @param {number} pid */
function listLooks(file, pid) {
  const looks = readFileSync(file, 'utf8').matchAll(/^L\t(\d+)\t(\d+)$/gm);
  return [...looks].filter(([, , of]) => Number(of) === pid).map(([, us]) => Number(us) / 1000);
}

/** Does it get a core before all that share their time? @param {number} pid */
function isRealTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  return fields[38] === '1';
}

/** Samples of `burn` by process. @param {import('../../../lib/analysis/stacks/profile.d.ts').Profile} profile */
function countBurning({ rows, nodes, frames, processes }) {
  /** @type {Map<number, number>} */
  const byPid = new Map();
  for (const [row, leaf] of rows.node.entries())
    for (let node = leaf; node >= 0; node = nodes.parent[node] ?? -1)
      if (frames[nodes.frame[node] ?? 0]?.name === 'burn') {
        const pid = processes[rows.process[row] ?? -1]?.pid ?? 0;
        byPid.set(pid, (byPid.get(pid) ?? 0) + (rows.weight[row] ?? 0));
        break;
      }
  return byPid;
}

test(
  'on Python 3.15 one process of our own records all, in seconds without holes',
  onNewPython,
  async t => {
    const { masterPid } = await startTarget(t, { app: 'flask_app:app' });
    const { profiler, files, lines, events } = await startRecording(t, masterPid);
    const [recorder = 0] = profiler.pids();
    assert.equal(profiler.pids().length, 1);
    const isFirst = isRealTime(recorder);
    await waitUntil(() => profiler.stats().segments >= 4, 'four seconds');
    assert.deepEqual(await profiler.stop(), { reason: 'stopped' });
    assert.equal(isProcessAlive(recorder), false);

    const [start] = await lines('recording-start');
    assert.deepEqual([start?.recorder.name, start?.python.slice(0, 4)], ['loadflame', '3.15']);
    assert.equal(start?.recorder.sameCore, isFirst);
    const segments = await lines('segment');
    for (const [index, { startMs, endMs }] of segments.entries()) {
      if (index > 0) assert.equal(startMs, segments[index - 1]?.endMs);
      if (index > 0 && index < segments.length - 1) assert.equal(endMs - startMs, 1000);
    }
    assert.deepEqual(await events('recorder-died'), []);
    const workers = listWorkers(masterPid).sort();
    const profile = await readProfile(files);
    assert.deepEqual([...countBurning(profile).keys()].sort(), workers);
    assert.ok(profile.frames.some(({ name, file }) => name === 'burn' && file === 'burn_app.py'));
    const { samples } = profiler.stats();
    assert.ok(profile.totalWeight >= samples, `${profile.totalWeight} of ${samples} samples`);
    assert.equal(profile.processes.find(({ pid }) => pid === masterPid)?.parent, -1);

    const { records: calls } = await readNdjson(files.calls);
    assert.ok(calls.some(({ kind, function: name }) => kind === 'line' && name === 'burn'));
    const [route] = calls.filter(({ kind }) => kind === 'route');
    assert.deepEqual([route?.file, route?.path], ['flask_app.py', '/burn/<int:milliseconds>']);
    const records = /** @type {any} */ ({ files, segments: [start, ...segments], manifest: {} });
    const waits = await readRunWaits(records, []);
    const seen = waits?.looks;
    assert.ok(seen && seen.totalWeight > profile.totalWeight);
    assert.ok(seen.frames.some(({ file }) => file === '<loadflame running>'));
  },
);

test(
  'a recorder that is killed loses nothing that it saw, and another one goes on',
  onNewPython,
  async t => {
    const { masterPid } = await startTarget(t);
    const { profiler, files, lines, events } = await startRecording(t, masterPid);
    await waitUntil(() => profiler.stats().segments >= 2, 'two seconds');
    const killedMs = Date.now();
    for (const pid of profiler.pids()) process.kill(pid, 'SIGKILL');
    const untilMs = Math.max(...listLooks(files.samples(1), masterPid));
    await waitUntil(() => existsSync(files.samples(2)), 'the next recorder');
    const { segments } = profiler.stats();
    await waitUntil(() => profiler.stats().segments >= segments + 2, 'two more seconds');
    await profiler.stop();
    assert.match((await events('recorder-died'))[0]?.message, /SIGKILL/);
    assert.ok(killedMs - untilMs < FRACTION_MS, `${killedMs - untilMs} ms lost`);
    const again = Math.min(...listLooks(files.samples(2), masterPid));
    assert.ok(again - killedMs < 3000, `${again - killedMs} ms without a recorder`);

    // The index may not know the second in which it was killed.
    const { segments: spans } = await readProfile(files);
    const hasLast = spans.some(
      ({ startMs, endMs }) => (startMs ?? 0) <= untilMs && untilMs <= (endMs ?? 0),
    );
    assert.ok(hasLast, `${untilMs} is in none of ${JSON.stringify(spans)}`);
    assert.deepEqual(await lines('segment-lost'), []);
  },
);

test(
  'a worker that is killed keeps its samples, and its successor is recorded',
  onNewPython,
  async t => {
    const { masterPid } = await startTarget(t);
    const { profiler, files, lines, events } = await startRecording(t, masterPid);
    await waitUntil(() => profiler.stats().segments >= 2, 'two seconds');
    const before = listWorkers(masterPid);
    const [victim = 0] = before;
    const killedMs = Date.now();
    process.kill(victim, 'SIGKILL');
    const successor = Number(
      await waitUntil(
        () => listWorkers(masterPid).find(pid => !before.includes(pid)),
        'a successor',
      ),
    );
    await waitUntil(() => listLooks(files.samples(1), successor).length > 50, 'looks at it');
    await profiler.stop();
    const lastMs = Math.max(...listLooks(files.samples(1), victim));
    assert.ok(killedMs - lastMs < FRACTION_MS, `${killedMs - lastMs} ms lost`);
    assert.deepEqual(
      (await lines('worker-end')).map(({ pid }) => pid),
      [victim],
    );
    assert.ok((countBurning(await readProfile(files)).get(victim) ?? 0) > 0);
    assert.deepEqual(await events('recorder-died'), []);
  },
);

test('workers that HUP brings are recorded as they come', onNewPython, async t => {
  const { masterPid, child } = await startTarget(t);
  const { profiler, files, events } = await startRecording(t, masterPid);
  const before = listWorkers(masterPid);
  child.signal('SIGHUP');
  const isNew = () => {
    const now = listWorkers(masterPid);
    return now.length === 2 && now.every(pid => !before.includes(pid)) && now;
  };
  const now = /** @type {number[]} */ (await waitUntil(isNew, 'new workers'));
  await waitUntil(
    () => now.every(pid => listLooks(files.samples(1), pid).length > 50),
    'looks at each',
  );
  await profiler.stop();
  assert.deepEqual(await events('recorder-died'), []);
});

test('a target that ends, ends the recording with what there is', onNewPython, async t => {
  const { masterPid, child, rest } = await startTarget(t);
  const { profiler, files, lines } = await startRecording(t, masterPid);
  await waitUntil(() => profiler.stats().segments >= 2, 'two seconds');
  await rest();
  const toldMs = Date.now();
  await child.stop();
  assert.deepEqual(await profiler.ended, { reason: 'the server is gone' });
  const lastMs = Math.max(...listLooks(files.samples(1), masterPid));
  assert.ok(toldMs - lastMs < FRACTION_MS, `${toldMs - lastMs} ms lost`);
  assert.ok((await lines('segment')).at(-1)?.endMs >= Math.floor(lastMs));
  assert.ok(countBurning(await readProfile(files)).size > 0);
});

test(
  'when loadflame is killed its recorder ends, and all that it saw can be read',
  onNewPython,
  async t => {
    const { masterPid } = await startTarget(t);
    const files = createRunFolder(makeTempFolder(t), 'profile');
    const script = path.resolve(import.meta.dirname, '../../fixtures/record-forever.js');
    const loadflame = startChild(process.execPath, [script, `${masterPid}`, files.folder]);
    t.after(() => loadflame.stop());
    const hasLooks = () =>
      existsSync(files.samples(1)) && listLooks(files.samples(1), masterPid).length > 100;
    await waitUntil(hasLooks, 'a hundred looks');
    const ours = () =>
      listProcesses().filter(
        ({ pid }) => readCommandLine(pid)?.slice(-2).join() === `50,${masterPid}`,
      );
    assert.equal(ours().length, 1);
    const killedMs = Date.now();
    await loadflame.stop({ signal: 'SIGKILL' });
    await waitUntil(() => ours().length === 0, 'the end of the recorder');
    const lastMs = Math.max(...listLooks(files.samples(1), masterPid));
    assert.ok(killedMs - lastMs < FRACTION_MS, `${killedMs - lastMs} ms lost`);
    const profile = await readProfile(files);
    assert.ok((profile.segments.at(-1)?.endMs ?? 0) >= Math.floor(lastMs));
  },
);

test('a recorder that may not have real-time priority looks from wherever it is', {
  skip: needsNewPython() || needs('setpriv'),
}, async t => {
  const [python = ''] = NEW_GUNICORN;
  const target = startChild(python, ['-c', 'while True: pass']);
  t.after(() => target.stop({ signal: 'SIGKILL' }));
  const rest = ['-I', '-S', '-B', '-', '100', `${target.pid}`];
  const mayNot = process.getuid?.() === 0 ? ['--bounding-set=-sys_nice'] : [];
  const recorder = startChild('setpriv', [...mayNot, python, ...rest], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  t.after(() => recorder.stop());
  recorder.process.stdin?.end(SCRIPT);
  let [samples, said] = ['', ''];
  recorder.process.stdout?.on('data', chunk => {
    samples += chunk;
  });
  recorder.process.stderr?.on('data', chunk => {
    said += chunk;
  });
  await waitUntil(
    () => /^T\t\d+\t(?:6[4-9]|[7-9]\d|\d{3})\t/m.test(samples),
    'a sample with a core',
  );
  assert.equal(isRealTime(recorder.pid), false);
  assert.match(said, /"ready".*"sameCore": false/);
  await recorder.stop();
  assert.doesNotMatch(said, /Error|Traceback/);
});

test('an older Python is recorded by py-spy, and the index says why', async t => {
  const { masterPid } = await startGunicorn(t, { workers: 1 });
  const { profiler, lines } = await startRecording(t, masterPid);
  await profiler.stop();
  const [start] = await lines('recording-start');
  assert.equal(start?.recorder.name, 'py-spy');
  assert.match(start?.notRemote, /the target runs Python 3\.\d+/);
  await assert.rejects(startRecording(t, masterPid, { profiler: 'remote' }), {
    code: 'PROFILER_REFUSED',
  });
});

test('PROFILER=py-spy takes py-spy on Python 3.15, too', onNewPython, async t => {
  const { masterPid } = await startTarget(t, { workers: 1 });
  const { profiler, lines } = await startRecording(t, masterPid, { profiler: 'py-spy' });
  await profiler.stop();
  assert.equal((await lines('recording-start'))[0]?.recorder.name, 'py-spy');
});

test('on a Python without what it needs the recorder says so and ends', () => {
  assert.throws(
    () =>
      execFileSync(PYTHON, ['-I', '-S', '-B', '-', '50', '1'], {
        input: SCRIPT,
        stdio: 'pipe',
      }),
    /Python 3\.\d+ can't tell what the threads of another process do/,
  );
});
