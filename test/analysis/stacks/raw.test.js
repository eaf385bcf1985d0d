import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatFrame } from '../../../lib/analysis/stacks/frame-text.js';
import { mergeProfiles } from '../../../lib/analysis/stacks/merge-profiles.js';
import { joinThreads } from '../../../lib/analysis/stacks/node-table.js';
import { readProfile } from '../../../lib/analysis/stacks/read-profile.js';
import { readRawSegments } from '../../../lib/analysis/stacks/read-raw.js';
import { stackOf } from '../../../lib/analysis/stacks/stack-of.js';
import { formatRaw } from '../../../lib/analysis/stacks/write-raw.js';
import { parseRaw } from '../../helpers/parse-raw.js';

const fixture = (/** @type {string} */ name) => join(import.meta.dirname, 'fixtures', name);

/** @param {import('../../../lib/analysis/stacks/profile.d.ts').Profile} profile @param {number} row */
const stackTexts = (profile, row) =>
  stackOf(profile, profile.rows.node[row] ?? -1).map(id =>
    formatFrame(/** @type {any} */ (profile.frames[id])),
  );

test('a stack of a gunicorn worker has its process, parent, thread and frames', () => {
  const profile = parseRaw(
    'process 1:"gunicorn a:b";process 2:"gunicorn a:b";thread (0x7F00): MainThread;<module> (gunicorn:8);get (app.py:3) 12\n',
  );
  assert.deepEqual(profile.processes, [
    { pid: 1, cmdline: 'gunicorn a:b', parent: -1 },
    { pid: 2, cmdline: 'gunicorn a:b', parent: 0 },
  ]);
  assert.deepEqual(profile.threads, [{ id: '0x7F00', name: 'MainThread' }]);
  assert.equal(profile.rows.process[0], 1);
  assert.deepEqual(stackTexts(profile, 0), ['<module> (gunicorn:8)', 'get (app.py:3)']);
  assert.equal(profile.totalWeight, 12);
});

for (const [what, cmdline] of [
  ['a semicolon', 'python -c import a; a.b()'],
  ['quotes', 'python -c "print(1)"'],
  ['a quote before a semicolon', 'python -c print("x");run("y");'],
  ['what looks like a frame', 'python x (app.py:1);f (b.py:2)'],
  ['nothing', ''],
]) {
  test(`a command line with ${what} stays one frame`, () => {
    const process = `process 7:"${cmdline}";`;
    const profile = parseRaw(`${process}thread (7): MainThread;f (a.py:1) 3\n`);
    assert.deepEqual(profile.processes, [{ pid: 7, cmdline, parent: -1 }]);
    assert.deepEqual(stackTexts(profile, 0), ['f (a.py:1)']);
    assert.deepEqual([...formatRaw(profile)], [`${process}f (a.py:1) 3\n`]);
  });
}

for (const [text, frame] of /** @type {[string, object][]} */ ([
  ['f (a.py:3)', { name: 'f', file: 'a.py', line: 3 }],
  ['f (a.py)', { name: 'f', file: 'a.py', line: null }],
  ['main', { name: 'main', file: '', line: null }],
  ['<lambda> (<string>:1)', { name: '<lambda>', file: '<string>', line: 1 }],
  ['f.<locals>.<genexpr> (a/b.py:9)', { name: 'f.<locals>.<genexpr>', file: 'a/b.py', line: 9 }],
  [
    'a (anonymous namespace)::f (lib x.so)',
    { name: 'a (anonymous namespace)::f', file: 'lib x.so', line: null },
  ],
  ['f (/My (dir)/a.py:3)', { name: 'f', file: '/My (dir)/a.py', line: 3 }],
  ['f (C:\\x\\new.py:3)', { name: 'f', file: 'C:\\x\\new.py', line: 3 }],
  ['operator()', { name: 'operator()', file: '', line: null }],
  [') odd', { name: ') odd', file: '', line: null }],
  ['odd)', { name: 'odd)', file: '', line: null }],
])) {
  test(`the frame "${text}" is understood and written as it was`, () => {
    const profile = parseRaw(`${text} 1\n`);
    assert.deepEqual(profile.frames, [frame]);
    assert.deepEqual([...formatRaw(profile)], [`${text} 1\n`]);
  });
}

for (const name of [
  '<img src=x onerror=alert(1)>',
  'a;b',
  'a\nb',
  'a\r\nb',
  '"\'`$x',
  '\\x3b',
  'ﬁ\u0000 4',
  '__proto__',
]) {
  test(`a frame named ${JSON.stringify(name)} survives writing and reading`, async () => {
    const { ProfileBuilder } = await import('../../../lib/analysis/stacks/profile-builder.js');
    const builder = new ProfileBuilder();
    builder.addRow(builder.internNode(-1, builder.internFrame({ name, file: 'a.py', line: 1 })), 5);
    const text = [...formatRaw(builder.build({ source: 'raw' }))].join('');
    assert.equal(text.split('\n').length, 2, 'one line');
    assert.deepEqual(parseRaw(text).frames, [{ name, file: 'a.py', line: 1 }]);
  });
}

test('a line that a name tore in two is read as one, and a torn end is counted', () => {
  const profile = parseRaw('f\ng (a.py:1) 3\nh (a.py:2) 4\ni (a.py');
  assert.deepEqual(
    profile.frames.map(({ name }) => name),
    ['f\ng', 'h'],
  );
  assert.equal(profile.totalWeight, 7);
  assert.equal(profile.skipped, 1);
});

for (const name of ['gunicorn-gthread.raw', 'gunicorn-sync.raw']) {
  test(`${name}: reading, writing and reading again gives the same`, async () => {
    const profile = await readProfile(fixture(name));
    assert.ok(profile.totalWeight > 300, `${profile.totalWeight} samples`);
    assert.equal(profile.skipped, 0);
    assert.ok(profile.processes.filter(({ parent }) => parent === 0).length === 2, 'two workers');
    const write = (
      /** @type {import('../../../lib/analysis/stacks/profile.d.ts').Profile} */ own,
    ) => [...formatRaw(joinThreads(own))].join('');
    const text = write(profile);
    assert.equal(write(parseRaw(text)), text);
    assert.equal(parseRaw(text).totalWeight, profile.totalWeight);
  });
}

test('segments of one recording share their stacks and keep their times', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loadflame-raw-'));
  try {
    const files = ['one.raw', 'two.raw'].map(name => join(folder, name));
    for (const file of files) await writeFile(file, 'f (a.py:1);g (a.py:2) 5\n');
    const profile = await readRawSegments(
      files.map((file, index) => ({ file, startMs: index * 5000, endMs: index * 5000 + 5000 })),
      { rateHz: 50 },
    );
    assert.deepEqual(profile.segments, [
      { startMs: 0, endMs: 5000 },
      { startMs: 5000, endMs: 10000 },
    ]);
    assert.deepEqual([...profile.rows.segment], [0, 1]);
    assert.equal(profile.nodes.frame.length, 2);
    assert.equal(profile.rateHz, 50);
  } finally {
    await rm(folder, { recursive: true });
  }
});

for (const [what, stack, kept] of [
  [
    'its call where a driver has no frame',
    'list_rows (app.py:9);followed_query (/srv/loadflame_companion.py:1745)',
    ['list_rows (app.py:9)', 'execute (<C code of a driver>)'],
  ],
  [
    'nothing where the driver is Python, however often it is followed',
    'list_rows (app.py:9);followed_query (loadflame_companion.py:1745);do_execute (sqlalchemy/engine/default.py:924);followed_query (loadflame_companion.py:1745);execute (pg8000/core.py:8)',
    [
      'list_rows (app.py:9)',
      'do_execute (sqlalchemy/engine/default.py:924)',
      'execute (pg8000/core.py:8)',
    ],
  ],
  [
    'its call below a class of its own',
    'list_rows (app.py:9);of_sqlite3.<locals>.Connection.execute (loadflame_companion.py:1874);followed_query (loadflame_companion.py:1745)',
    ['list_rows (app.py:9)', 'execute (<C code of a driver>)'],
  ],
  [
    'what finds rows that SQLite returns',
    'list_rows (app.py:9);follow_rows_of.<locals>.follow_fetch.<locals>.fetch (loadflame_companion.py:1390)',
    ['list_rows (app.py:9)', 'fetch (<C code of a driver>)'],
  ],
  [
    'what the companion does itself as its own',
    'list_rows (app.py:9);followed_query (loadflame_companion.py:1740);begin (loadflame_companion.py:1772);find_call (loadflame_companion.py:1403);sub (re/__init__.py:185)',
    ['list_rows (app.py:9)', 'companion (<loadflame>)'],
  ],
  [
    'the frames around the app',
    'Companion.__call__ (loadflame_companion.py:310);app (app.py:3)',
    ['Companion.__call__ (loadflame_companion.py:310)', 'app (app.py:3)'],
  ],
]) {
  test(`a frame that the companion puts around a call leaves ${what}`, () => {
    const once = parseRaw(`thread (7): MainThread;${stack} 3\n`);
    assert.deepEqual(stackTexts(once, 0), kept);
    assert.deepEqual(stackTexts(mergeProfiles([once, once]), 0), kept);
  });
}

test('a template has no lines: those of its code are others', () => {
  const profile = parseRaw(
    'show (app.py:3);root (templates/list.html:367) 2\nshow (app.py:3);root (templates/list.html:12) 3\n',
  );
  assert.deepEqual(stackTexts(profile, 0), ['show (app.py:3)', 'root (templates/list.html)']);
  assert.equal(profile.rows.node[0], profile.rows.node[1]);
});
