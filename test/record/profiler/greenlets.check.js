/** `npm run test:slow servers`: work in greenlets on Python 3.15, which our own recorder can't follow. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { readRunProfile } from '../../../lib/analysis/read/read-run-profile.js';
import { stackOf } from '../../../lib/profile/node-table.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { startAsgi } from '../../helpers/asgi.js';
import { keepBusy, waitUntil } from '../../helpers/gunicorn.js';
import { needsNewPython } from '../../helpers/new-python.js';
import { test } from '../../helpers/quiet.js';
import { makeFakePySpy, startRecording } from '../../helpers/recording.js';

const modules = ['sqlalchemy', 'greenlet'];
const skip = needsNewPython('uvicorn', ...modules);
const target = { app: 'greenlet_asgi:app', modules, isNew: true };

/** @param {import('../../../lib/run/run-folder.js').RunFiles} files */
async function readAll(files) {
  const { records: segments } = await readNdjson(files.segments);
  const profile = await readRunProfile({ files, segments });
  assert.ok(profile);
  /** Samples below a function that began before, or after, a moment. @param {string} name @param {(startMs: number) => boolean} isWanted */
  const countBelow = (name, isWanted = () => true) => {
    const { rows, frames } = profile;
    return [...rows.node].reduce((sum, node, row) => {
      const { startMs } = profile.segments[rows.segment[row] ?? -1] ?? {};
      const isBelow = stackOf(profile, node).some(id => frames[id]?.name === name);
      return sum + (isBelow && isWanted(startMs ?? 0) ? (rows.weight[row] ?? 0) : 0);
    }, 0);
  };
  return { segments, countBelow };
}

test('py-spy takes over where much of the work is in greenlets, and nothing is lost', {
  skip,
}, async t => {
  const { url, pid } = await startAsgi(t, target);
  keepBusy(t, url);
  const { profiler, files, lines, events } = await startRecording(t, pid, { waits: true });
  const starts = () => lines('recording-start');
  assert.equal((await starts())[0]?.recorder.name, 'loadflame');
  const [own] = profiler.pids();
  const isHandedOver = async () => (await starts()).length === 2;
  for (let tries = 0; !(await isHandedOver()) && tries < 300; tries++)
    await new Promise(resolve => setTimeout(resolve, 100));
  assert.ok(await isHandedOver(), 'handed over');
  const { segments: before } = profiler.stats();
  await waitUntil(() => profiler.stats().segments >= before + 6, 'segments of py-spy');
  assert.ok(!profiler.pids().includes(own ?? 0));
  assert.deepEqual(await profiler.stop(), { reason: 'stopped' });

  const [first, second] = await starts();
  assert.deepEqual([second?.recorder.name, second?.python.slice(0, 4)], ['py-spy', '3.15']);
  assert.match(second?.notRemote, /^\d+ % of what ran was in greenlets$/);
  assert.ok(second?.t - first?.t < 20_000, `${second?.t - first?.t} ms`);
  assert.ok(statSync(files.samples(1)).size > 0);
  assert.deepEqual(await events('recorder-died'), []);
  assert.deepEqual(await lines('segment-lost'), []);
  assert.ok((await lines('waits-start')).length > 0);

  const { segments, countBelow } = await readAll(files);
  const untilMs = second?.t - 1000;
  const isEarly = (/** @type {number} */ startMs) => startMs < untilMs;
  assert.ok(countBelow('burn_outside', isEarly) > 20, 'what our own recorder saw');
  assert.equal(countBelow('burn_in_greenlet', isEarly), 0);
  const isLate = (/** @type {number} */ startMs) => startMs > second?.t;
  const [inside, outside] = ['burn_in_greenlet', 'burn_outside'].map(name =>
    countBelow(name, isLate),
  );
  const share = Number(inside) / (Number(inside) + Number(outside));
  t.diagnostic(`${inside} samples in greenlets, ${outside} outside`);
  assert.ok(Number(inside) > 20 && Math.abs(share - 0.5) < 0.2, `${share}`);
  const ends = segments.filter(({ kind }) => kind === 'segment').map(({ endMs }) => endMs);
  const holes = segments
    .filter(({ kind }) => kind === 'segment')
    .map(({ startMs }, at) => startMs - Math.max(...ends.slice(0, at), 0))
    .slice(1);
  assert.ok(Math.max(...holes) < 300, `holes of ${holes} ms`);
});

test('our own recorder stays where py-spy can’t do it', { skip }, async t => {
  const { url, pid } = await startAsgi(t, target);
  keepBusy(t, url);
  const pySpy = makeFakePySpy(t, 'echo "Error: Permission Denied" >&2; exit 1');
  const { profiler, lines, events } = await startRecording(t, pid, { pySpy });
  await waitUntil(() => profiler.stats().segments >= 8, 'eight seconds');
  assert.deepEqual(await profiler.stop(), { reason: 'stopped' });
  const starts = await lines('recording-start');
  assert.deepEqual(
    starts.map(({ recorder }) => recorder.name),
    ['loadflame'],
  );
  assert.deepEqual(await events('recorder-died'), []);
  const counted = await lines('segment');
  const errors = counted.reduce((sum, one) => sum + one.errors, 0);
  assert.ok(errors > 0.1 * counted.reduce((sum, one) => sum + one.looks, 0), `${errors} failed`);
});
