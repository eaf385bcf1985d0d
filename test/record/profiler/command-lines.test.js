import assert from 'node:assert/strict';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readRunProfile } from '../../../lib/analysis/read/read-run-profile.js';
import { createRedactor } from '../../../lib/files/redaction.js';
import { startChild } from '../../../lib/process/child.js';
import {
  redactCommandLines,
  redactLeftSegments,
} from '../../../lib/record/profiler/command-lines.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { PYTHON, waitUntil } from '../../helpers/gunicorn.js';
import { NEW_GUNICORN, needsNewPython } from '../../helpers/new-python.js';
import { test } from '../../helpers/quiet.js';
import { startRecording } from '../../helpers/recording.js';
import { recordsOf } from '../../helpers/records.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const [NEW_PYTHON = ''] = NEW_GUNICORN;
const BUSY = 'while True:\n  sum(range(1000))';
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
  redactLeftSegments(files.folder, redactText);
  assert.equal(readFileSync(files.segment(1), 'utf8'), stack(CLEAN).repeat(2));
  assert.equal(readFileSync(files.waits(1), 'utf8'), stack(CLEAN));
  const linked = make();
  symlinkSync('/dev/null', path.join(linked.folder, 'link'));
  redactLeftSegments(linked.folder, redactText);
  assert.match(readFileSync(linked.segment(1), 'utf8'), /Zebra/);
});

test('a command line ends at a thread, whether that is known by its id or its address', t => {
  const file = path.join(makeTempFolder(t), 'segment-00001.raw');
  const stack = (/** @type {string} */ thread, command = 'b ";"') =>
    `process 8:"${command}";thread (${thread}): t;f (a.py:1) 3\n`;
  writeFileSync(file, stack('0x7FA0') + stack('12'));
  redactCommandLines(file, () => 'c');
  assert.equal(readFileSync(file, 'utf8'), stack('0x7FA0', 'c') + stack('12', 'c'));
});
