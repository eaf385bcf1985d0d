import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readRunProfile } from '../../../lib/analysis/read/read-run-profile.js';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { startChild } from '../../../lib/base/process/child.js';
import { cleanLeftSegments, cleanSegment } from '../../../lib/record/profiler/clean-segment.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { PYTHON, waitUntil } from '../../helpers/gunicorn.js';
import { NEW_GUNICORN, needsNewPython } from '../../helpers/new-python.js';
import { test } from '../../helpers/quiet.js';
import { startRecording } from '../../helpers/recording.js';
import { recordsOf } from '../../helpers/records.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const [NEW_PYTHON = ''] = NEW_GUNICORN;
const BUSY = 'import time\nwhile True:\n  sum(range(200_000)); time.sleep(0.005)';
const WORDS = ['--name', 'a;"b";', '--password', 'kn0wn-Zebra-17', 'redis://:0ther-Zebra-18@h/1'];
const CLEAN = '--name a;"b"; --password [redacted] redis://[redacted]@h/1';

for (const [profiler, program, skip] of /** @type {const} */ ([
  ['py-spy', PYTHON, false],
  ['remote', NEW_PYTHON, needsNewPython()],
])) {
  test(`no secret of a command line is in a profile: ${profiler}`, { skip }, async t => {
    const file = path.join(makeTempFolder(t), 'busy.py');
    writeFileSync(file, BUSY);
    const child = startChild(program, [file, ...WORDS]);
    t.after(() => child.stop({ signal: 'SIGKILL' }));
    const recording = await startRecording(t, child.pid, { profiler, waits: true });
    await waitUntil(() => recording.profiler.stats().segments >= 2, 'two segments');
    await recording.profiler.stop();
    const { files } = recording;
    const folder = path.dirname(files.segments);
    const texts = readdirSync(folder).map(name => readFileSync(path.join(folder, name), 'utf8'));
    assert.doesNotMatch(texts.join(''), /Zebra/);
    const { records: segments } = await readNdjson(files.segments);
    const profile = await readRunProfile({ files, segments: recordsOf('segments', segments) });
    const [seen] = profile?.processes ?? [];
    assert.equal(seen?.pid, child.pid);
    assert.equal(seen?.cmdline, `${program} ${file} ${CLEAN}`);
    assert.ok((profile?.rows.weight.length ?? 0) > 0);
  });
}

test('segments that a killed loadflame left are redacted, in a folder that is ours alone', t => {
  const root = makeTempFolder(t);
  const { redactText } = createRedactor();
  const stack = (/** @type {string} */ words) =>
    `process 7:"python ${words}";process 8:"python ${words}";thread (8): MainThread;f_token (a.py:1) 3\n`;
  const make = () => {
    const files = createRunFolder(root, 'left');
    writeFileSync(files.segment(1), stack(WORDS.join(' ')).repeat(2));
    writeFileSync(files.waits(1), stack(WORDS.join(' ')));
    return files;
  };
  const files = make();
  cleanLeftSegments(files.folder, redactText);
  assert.equal(readFileSync(files.segment(1), 'utf8'), stack(CLEAN).repeat(2));
  assert.equal(readFileSync(files.waits(1), 'utf8'), stack(CLEAN));
  const linked = make();
  symlinkSync('/dev/null', path.join(linked.folder, 'link'));
  cleanLeftSegments(linked.folder, redactText);
  assert.match(readFileSync(linked.segment(1), 'utf8'), /Zebra/);
});

test('a command line ends at a thread, whether that is known by its id or its address', t => {
  const file = path.join(makeTempFolder(t), 'segment-00001.raw');
  const stack = (/** @type {string} */ thread, command = 'b ";"') =>
    `process 8:"${command}";thread (${thread}): t;f (a.py:1) 3\n`;
  writeFileSync(file, stack('0x7FA0') + stack('12'));
  cleanSegment(file, () => 'c');
  assert.equal(readFileSync(file, 'utf8'), stack('0x7FA0', 'c') + stack('12', 'c'));
});

test('paths are those that py-spy shortens, but packages without __init__.py keep their names', async t => {
  const home = makeTempFolder(t);
  const site = path.join(home, 'lib/python3.11/site-packages');
  const sources = {
    [path.join(home, 'shop/__init__.py')]: '',
    [path.join(home, 'shop/views/__init__.py')]: '',
    [path.join(home, 'shop/views/orders.py')]:
      'import json, plain.core, spread.core\ndef view():\n  while True:\n    plain.core.work(); spread.core.work(); json.dumps([1] * 200)',
    [path.join(site, 'plain/__init__.py')]: '',
    [path.join(site, 'plain/core.py')]: 'def work():\n  return sum(range(9000))',
    [path.join(site, 'spread/core.py')]: 'def work():\n  return sum(range(9000))',
    [path.join(home, 'start.py')]:
      `import sys\nsys.path.append(${JSON.stringify(site)})\nfrom shop.views import orders\norders.view()`,
  };
  for (const [file, text] of Object.entries(sources)) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const child = startChild(PYTHON, [path.join(home, 'start.py')]);
  t.after(() => child.stop({ signal: 'SIGKILL' }));
  const recording = await startRecording(t, child.pid, { profiler: 'py-spy' });
  await waitUntil(() => recording.profiler.stats().segments >= 1, 'a segment');
  await recording.profiler.stop();
  const folder = path.dirname(recording.files.segments);
  const names = readdirSync(folder).filter(name => name.endsWith('.raw'));
  const text = names.map(name => readFileSync(path.join(folder, name), 'utf8')).join('');
  const files = new Set([...text.matchAll(/ \(([^();]*):\d+\)/g)].map(([, file]) => file));
  for (const file of ['start.py', 'shop/views/orders.py', 'plain/core.py', 'spread/core.py'])
    assert.ok(files.has(file), `${file} in ${[...files]}`);
  assert.ok(
    [...files].every(file => !file?.startsWith('/')),
    `${[...files]}`,
  );
});

test('a frame ends with its line', t => {
  const file = path.join(makeTempFolder(t), 'segment-00001.raw');
  const lib = '/usr/lib/python3.11';
  writeFileSync(
    file,
    `f (${lib}/a.py:1);g (${lib}/b.py:5) 3\nf (${lib}/a.py:1);h (${lib}/c.py:7) 4\n`,
  );
  cleanSegment(file, text => text);
  assert.equal(readFileSync(file, 'utf8'), 'f (a.py:1);g (b.py:5) 3\nf (a.py:1);h (c.py:7) 4\n');
});
