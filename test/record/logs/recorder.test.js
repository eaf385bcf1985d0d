import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { checkLogFiles } from '../../../lib/record/logs/log-files.js';
import { createLogWriter } from '../../../lib/record/logs/log-writer.js';
import { startLogRecorder } from '../../../lib/record/logs/recorder.js';
import { createNdjsonWriter, readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { waitUntil } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** Begins a line of now: older ones are not of the run. */
const makeHead = () =>
  `[${new Date().toISOString().slice(0, 19).replace('T', ' ')} +0000] [7] [ERROR]`;
const UNTIL_READ_MS = 350;

/** @param {import('node:test').TestContext} t @param {string} [secret] */
function makeRun(t, secret) {
  const folder = makeTempFolder(t);
  const redactor = createRedactor([secret]);
  const files = createRunFolder(path.join(folder, 'runs'), 'test');
  const logs = path.join(folder, 'log files');
  mkdirSync(logs);
  /** @param {string} logFiles */
  const start = logFiles => {
    const recorder = startLogRecorder({
      logFiles,
      files,
      redactor,
      events: createNdjsonWriter(files.events),
    });
    t.after(recorder.stop);
    return recorder;
  };
  /** @param {number} n */
  const read = async n => (await readNdjson(files.log(n))).records;
  /** @param {number} n */
  const texts = async n =>
    (await read(n)).filter(({ kind }) => kind === 'line').map(({ text }) => text);
  return {
    files,
    redactor,
    logs,
    start,
    read,
    texts,
    at: (/** @type {string} */ name) => path.join(logs, name),
  };
}

/** @param {string} link */
function readLink(link) {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

// They wait for files most of the time.
describe('the recorder of logs', { concurrency: true }, () => {
  test('what is written during the run is kept: through rotation, truncation and a torn last line', async t => {
    const run = makeRun(t);
    const file = run.at('api.log');
    writeFileSync(file, 'from before\nbegun befo');
    const recorder = run.start(`${path.join(run.logs, '*.log')}`);
    appendFileSync(file, 're\none\n');
    await sleep(UNTIL_READ_MS);
    appendFileSync(file, 'two\n');
    renameSync(file, run.at('api.1.log'));
    appendFileSync(run.at('api.1.log'), 'three, after the rename\n');
    writeFileSync(file, 'four, in the new file\n');
    await sleep(UNTIL_READ_MS);
    truncateSync(file, 0);
    appendFileSync(file, 'five\n');
    writeFileSync(run.at('second.log'), 'a file that came later\n');
    await sleep(2300);
    appendFileSync(file, 'six, \u{1f525} torn');
    await recorder.stop();
    await recorder.stop();
    const expected = [
      'begun before',
      'one',
      'two',
      'three, after the rename',
      'four, in the new file',
    ];
    assert.deepEqual(await run.texts(1), [...expected, 'five', 'six, \u{1f525} torn']);
    assert.deepEqual(await run.texts(2), ['a file that came later']);
    assert.deepEqual(await run.texts(3), [], 'the rotated file is not read again');
  });

  test('hostile lines stay text, secrets are taken out, and a record has 4 KB at most', async t => {
    const secret = 'p4ssw0rd&<x>';
    const run = makeRun(t, secret);
    const file = run.at('api.log');
    writeFileSync(file, '');
    const recorder = run.start(file);
    const head = makeHead();
    const hostile =
      '</script><img src=x onerror=alert(1)>\u001b]0;title\u0007"}\\n{"t":1,"kind":"line"}';
    const lines = [
      `${head} ${hostile}`,
      `${head} Authorization: Bearer abcdef.ghijkl password=hunter22 ${secret} ${encodeURIComponent(secret)}`,
      `${head} ${'x'.repeat(16_384 - head.length - 4)}${secret}`,
      `${head} ${'long '.repeat(100_000)}`,
      `${head} \ufffd\u0000 and more`,
    ];
    appendFileSync(file, `${lines.join('\n')}\n`);
    appendFileSync(file, Buffer.from([0xff, 0xfe, 0x0a]));
    await recorder.stop();
    const records = await run.read(1);
    const texts = await run.texts(1);
    assert.equal(texts[0], `${head} ${hostile}`);
    assert.ok(!JSON.stringify(records).match(/p4ss|hunter22|abcdef\.ghijkl/));
    assert.match(texts[1], /Bearer \[redacted\] password=\[redacted\] \[redacted\] \[redacted\]$/);
    for (const text of texts) assert.ok(Buffer.byteLength(text) <= 4096);
    assert.ok(
      records.find(({ bytes }) => bytes > 400_000),
      'and says how long it was',
    );
  });

  test('a flood is bounded, what is left out is counted, and errors go before the rest', async t => {
    const run = makeRun(t);
    mkdirSync(run.files.logs);
    const log = createLogWriter({
      writer: createNdjsonWriter(run.files.log(1)),
      redactor: createRedactor(),
      startedMs: Date.now(),
      limits: { telling: { perSec: 20, bytes: 2000 }, plain: { perSec: 10, bytes: 300 } },
    });
    const base = {
      pid: null,
      status: null,
      lines: 1,
      isTraceback: false,
      isHead: true,
    };
    for (let second = 1; second <= 30; second++) {
      const arrivedMs = second * 1000;
      for (let n = 0; n < 100; n++) {
        const text = `line ${n} of second ${second}`;
        const level = n % 10 === 9 ? /** @type {const} */ ('error') : null;
        log.add({ ...base, atMs: null, arrivedMs, level, text, bytes: text.length });
      }
    }
    log.add({
      ...base,
      atMs: Date.now() - 3_600_000,
      arrivedMs: 31_000,
      level: 'error',
      text: 'old',
      bytes: 3,
    });
    log.flush();
    const records = await run.read(1);
    const lines = records.filter(({ kind }) => kind === 'line');
    const left = records.filter(({ kind }) => kind === 'left-out');
    assert.equal(lines.length + left.reduce((sum, record) => sum + record.lines, 0), 3001);
    assert.ok(lines.filter(({ level }) => level === 'error').length > 80);
    assert.ok(lines.filter(({ level }) => level === null).length < 20);
    assert.deepEqual([...new Set(left.map(({ why }) => why))].toSorted(), [
      'before',
      'plain',
      'size',
    ]);
  });

  test('follows the newest files up to the limit, and reports the others', async t => {
    const run = makeRun(t);
    for (let n = 10; n < 35; n++) {
      writeFileSync(run.at(`${n}.log`), '');
      utimesSync(run.at(`${n}.log`), n, n);
    }
    const recorder = run.start(run.at('*.log'));
    for (let n = 10; n < 35; n++) appendFileSync(run.at(`${n}.log`), `of ${n}\n`);
    await sleep(2500);
    await recorder.stop();
    const { records } = await readNdjson(run.files.events);
    assert.equal(records.length, 1, 'told once');
    assert.match(
      records[0]?.message,
      /more than 20 files: 5 are not recorded, such as .*14\.log, .*13\.log/,
    );
    const texts = await Promise.all(Array.from({ length: 20 }, (_, index) => run.texts(index + 1)));
    assert.deepEqual(texts.flat().sort()[0], 'of 15');
    assert.equal(new Set(texts.flat()).size, 20);
  });

  test('reports an unreadable file once, and keeps following the others', async t => {
    const run = makeRun(t);
    const good = run.at('good.log');
    const replaced = run.at('replaced.log');
    const loop = run.at('loop.log');
    writeFileSync(good, '');
    writeFileSync(replaced, '');
    // Files are followed from the newest on, and of the same age by name.
    for (const file of [good, replaced]) utimesSync(file, 1, 1);
    const recorder = run.start(run.at('*.log'));
    // A link to itself: not even root can open it.
    symlinkSync(loop, loop);
    appendFileSync(replaced, 'its last words');
    rmSync(replaced);
    mkdirSync(replaced);
    await sleep(4500);
    appendFileSync(good, 'still there\n');
    await recorder.stop();
    const { records } = await readNdjson(run.files.events);
    const messages = records.map(({ message }) => message).sort();
    assert.equal(messages.length, 2, messages.join());
    assert.match(messages[0], /loop\.log cannot be read: ELOOP/);
    assert.match(messages[1], /replaced\.log cannot be read: EISDIR/);
    assert.deepEqual(await run.texts(1), ['still there']);
    assert.deepEqual(await run.texts(2), ['its last words']);
    assert.equal(readdirSync(run.files.logs).length, 2);
    const open = readdirSync('/proc/self/fd').map(fd => readLink(`/proc/self/fd/${fd}`));
    assert.ok(!open.some(file => file.startsWith(run.logs)), 'no descriptor is left open');
    assert.throws(() => checkLogFiles(loop), { code: 'LOG_FILE_UNREADABLE' });
  });

  test('a log that can not be followed is an error before anything is sent', async t => {
    const run = makeRun(t, 'sesame-open');
    const file = run.at('[there].log');
    writeFileSync(file, '');
    const missing = `${file},${run.at('*.txt')}`;
    assert.throws(() => checkLogFiles(missing), {
      code: 'LOG_FILE_UNREADABLE',
    });
    assert.throws(() => checkLogFiles(run.logs), {
      code: 'LOG_FILE_UNREADABLE',
    });
  });

  test('redacts a secret from lines that were written before it became known', async t => {
    const run = makeRun(t);
    const file = run.at('api.log');
    writeFileSync(file, '');
    const recorder = run.start(file);
    const head = makeHead();
    appendFileSync(file, `${head} asked with hook/made-a-moment-ago\n${head} next\n`);
    await sleep(UNTIL_READ_MS);
    run.redactor.add('hook/made-a-moment-ago');
    await recorder.stop();
    const [first, second] = await run.texts(1);
    assert.match(first, /asked with \[redacted\]/);
    assert.match(second, /next$/);
  });

  test('a load that joins a recording does not record its logs a second time', async t => {
    const run = makeRun(t);
    const [first, second] = [run.at('first.log'), run.at('second.log')];
    writeFileSync(first, '');
    writeFileSync(second, '');
    run.start(first);
    const joined = run.start(`${first},${second}`);
    appendFileSync(first, 'once\n');
    appendFileSync(second, 'only here\n');
    await joined.stop();
    await waitUntil(async () => (await run.texts(1)).length > 0, 'the line in the first record');
    assert.deepEqual(await run.texts(1), ['once']);
    assert.deepEqual(await run.texts(2), ['only here']);
    assert.deepEqual(await run.read(3), []);
  });
});
