import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ProfileBuilder } from '../../../lib/analysis/stacks/profile-builder.js';
import { createRawParser, readRawSegments } from '../../../lib/analysis/stacks/read-raw.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const MASTER = 'process 1:"gunicorn a:b"';
const HALF = 3_590_422_210;
const route = (/** @type {number} */ half, /** @type {string} */ line = '') =>
  `GET /a (<loadflame route>);${half} (<loadflame time>${line})`;

/** Lines that a hasty reader would take for one another, or for something else. */
const LINES = [
  `${MASTER};process 2:"w";thread (0x7F): MainThread;run (g.py:1);view (v.py:2) 3`,
  `${MASTER};process 2:"w";thread (0x7F): MainThread;run (g.py:1);view (v.py:3) 1`,
  `${MASTER};process 3:"w";thread (0x7F): MainThread;run (g.py:1);view (v.py:2) 2`,
  `${MASTER};process 2:"w";thread (0x80): pool;run (g.py:1);view (v.py:2) 12345`,
  `${MASTER};process 2:"w";thread (0x7F): MainThread 4`,
  `${MASTER};process 2:"w";thread (0x7F): Main;hread;run (g.py:1) 1`,
  `${MASTER};process 2:"x";thread (12) y";thread (0x7F): MainThread;run (g.py:1) 1`,
  `${MASTER};process 2:"w; thread (1): no";thread (9): T;process 4:"not one";run (g.py:1) 1`,
  'thread (5): alone;run (g.py:1) 2',
  'run (g.py:1);view (v.py:2) 2',
  `${MASTER};process 2:"w";thread (9): T;caf\u00e9 (v.py:1);a\\x3bb (v.py:2) 7`,
  `${MASTER};process 2:"w";thread (9): T;app (a.py:1);${route(HALF)};view (v.py:2) 1`,
  `${MASTER};process 2:"w";thread (9): T;app (a.py:1);${route(HALF + 1)};view (v.py:2) 1`,
  `${MASTER};process 2:"w";thread (9): T;app (a.py:1);${route(HALF + 2, ':1')};view (v.py:2) 1`,
  `${MASTER};process 2:"w";thread (9): T;app (a.py:1);${route(HALF)};view (v.py:3) 1`,
  `${MASTER};process 2:"w";thread (9): T;app (a.py:1);${route(HALF)} 1`,
  `${MASTER};process 2:"w";thread (9): T;app (a.py:1);${route(HALF)};${HALF + 1} (<loadflame time>);f (v.py:3) 1`,
  `${MASTER};process 2:"w";thread (9): T;x${HALF} (<loadflame time>);f (v.py:3) 1`,
  'no count',
  '',
  `${MASTER};process 2:"w";thread (9): T;last (v.py:1) 1234567890123456`,
];

test('recognised stacks equal those of reading each line by itself', async t => {
  const folder = makeTempFolder(t);
  const lines = [...LINES, ...LINES.toReversed(), ...LINES];
  const startMs = HALF * 500 - 1000;
  for (const end of ['\n', '\r\n']) {
    const file = path.join(folder, 'a.raw');
    writeFileSync(file, lines.join(end));
    const read = await readRawSegments([{ file, startMs, endMs: startMs + 5000 }]);
    const builder = new ProfileBuilder();
    const parser = createRawParser(builder);
    parser.begin(builder.addSegment(startMs, startMs + 5000));
    for (const line of lines) parser.addLine(line);
    parser.end();
    assert.deepEqual(read, builder.build({ source: 'raw' }));
  }
});

test('lines are the same where a chunk of the file ends inside them, or is shorter than they are', async t => {
  const folder = makeTempFolder(t);
  const long = `${MASTER};process 2:"w";thread (9): T;${'deep (d.py:1);'.repeat(120_000)}leaf (l.py:1) 5`;
  const lines = Array.from({ length: 4000 }, (_, i) => LINES[i % 5] ?? '');
  lines.splice(1500, 0, long);
  const file = path.join(folder, 'a.raw');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const { totalWeight, skipped, rows } = await readRawSegments([{ file, startMs: 0, endMs: 1 }]);
  assert.equal(totalWeight, 800 * (3 + 1 + 2 + 12345 + 4) + 5);
  assert.equal(rows.node.length, 4001);
  assert.equal(skipped, 0);
});
