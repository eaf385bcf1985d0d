import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { appendEntry, readHistory } from '../../../lib/experiment/history/history-file.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { makeEntry } from './synthetic-history.js';

const MODULE = new URL('../../../lib/experiment/history/history-file.js', import.meta.url).href;

test('reads what was appended, in the order of the runs', async t => {
  const file = path.join(makeTempFolder(t), 'perf', 'history.ndjson');
  for (const at of [3, 1, 2]) appendEntry(file, makeEntry(at, { throughputPerSec: at }));
  const { entries, torn } = await readHistory(file);
  assert.deepEqual(
    entries.map(({ id }) => id),
    ['run-1', 'run-2', 'run-3'],
  );
  assert.equal(torn, 0);
});

test('appends after a torn last line, which is counted', async t => {
  const file = path.join(makeTempFolder(t), 'history.ndjson');
  appendEntry(file, makeEntry(1, {}));
  appendFileSync(file, JSON.stringify(makeEntry(2, {})).slice(0, 50));
  assert.equal((await readHistory(file)).torn, 1);
  appendEntry(file, makeEntry(3, {}));
  const { entries, torn } = await readHistory(file);
  assert.deepEqual(
    entries.map(({ id }) => id),
    ['run-1', 'run-3'],
  );
  assert.equal(torn, 1);
});

test('counts a run that was added twice once, as it was added last', async t => {
  const file = path.join(makeTempFolder(t), 'history.ndjson');
  appendEntry(file, { ...makeEntry(1, {}), commit: null });
  appendEntry(file, { ...makeEntry(1, {}), commit: 'abcdef0' });
  const { entries } = await readHistory(file);
  assert.deepEqual(
    entries.map(({ commit }) => commit),
    ['abcdef0'],
  );
});

test('keeps every line of four processes that append at once', async t => {
  const file = path.join(makeTempFolder(t), 'history.ndjson');
  const lines = 50;
  const code = `
    import { appendEntry } from ${JSON.stringify(MODULE)};
    const entry = ${JSON.stringify(makeEntry(0, {}))};
    for (let n = 0; n < ${lines}; n++)
      appendEntry(${JSON.stringify(file)}, { ...entry, id: process.argv[1] + '-' + n });`;
  const ends = ['a', 'b', 'c', 'd'].map(name => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code, name], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return once(child, 'exit');
  });
  for (const [status] of await Promise.all(ends)) assert.equal(status, 0);
  const { entries, torn } = await readHistory(file);
  assert.equal(entries.length, 4 * lines);
  assert.equal(torn, 0);
});

test('leaves out other lines, and says why if nothing is left', async t => {
  const file = path.join(makeTempFolder(t), 'history.ndjson');
  writeFileSync(file, '{"t":1,"kind":"run","measures":{"__proto__":"x"}}\nno JSON\n');
  await assert.rejects(readHistory(file), {
    code: 'HISTORY_UNREADABLE',
    message: /: no run$/,
    hint: /--history/,
  });
  await assert.rejects(readHistory(`${file}.none`), { message: /no such file/ });
  assert.ok(!existsSync(`${file}.none`));
  assert.match(readFileSync(file, 'utf8'), /^\{/);
});
