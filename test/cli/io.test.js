import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { keepPlain, Painted, printJson, startProgress } from '../../lib/cli/io.js';
import { callLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** Clears the screen, names the window, turns the direction, opens an 8-bit sequence. */
const DRIVES = '\u001b[2J\u001b]0;x\u0007\u202e\u009b1m\r';
const CONTROLS = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;

test('an error with a name from outside cannot control the terminal', async t => {
  const folder = makeTempFolder(t);
  const name = `${DRIVES}run`;
  const { stderr, exit } = await callLoadflame(folder, ['report', name]);
  assert.equal(exit, 2);
  assert.doesNotMatch(stderr, CONTROLS);
  assert.match(stderr, /\ufffd\[2J/);
});

test('the content of a refused file cannot control the terminal', async t => {
  const folder = makeTempFolder(t);
  mkdirSync(path.join(folder, 'run'));
  writeFileSync(path.join(folder, 'run/run.json'), `{"schema": ${DRIVES}`);
  const { stderr } = await callLoadflame(folder, ['report', 'run']);
  assert.match(stderr, /RUN_FOLDER_NOT_ONE/);
  assert.doesNotMatch(stderr, CONTROLS);
});

/** @param {Partial<import('../../lib/cli/io.js').Stream>} [about] */
function collect(about = {}) {
  /** @type {string[]} */
  const written = [];
  return { written, stream: keepPlain({ ...about, write: text => written.push(text) }) };
}

test('progress shows its text, and only its own sequences drive the line', () => {
  for (const isTTY of [true, false]) {
    const { written, stream } = collect({ isTTY });
    const progress = startProgress({ stderr: stream, env: {} });
    progress.say(`cell ${DRIVES}`);
    progress.stop();
    assert.deepEqual(written, [`cell \ufffd[2J\ufffd]0;x\ufffd\ufffd\ufffd1m\n`]);
  }
});

test('keeps our own colours, and does not change JSON', () => {
  const { written, stream } = collect();
  stream.write(new Painted('\u001b[1mx\u001b[22m'));
  assert.deepEqual(written, ['\u001b[1mx\u001b[22m']);
  printJson({ stdout: stream, stderr: stream, env: {} }, { name: DRIVES });
  assert.doesNotMatch(written[1] ?? '', CONTROLS);
  assert.deepEqual(JSON.parse(written[1] ?? ''), { name: DRIVES });
});
