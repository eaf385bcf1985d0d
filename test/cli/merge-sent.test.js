/** What `report` takes of folders that somebody sent: what recorders write, and nothing that a link leads to. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { mergeFolders } from '../../lib/cli/merge-folders.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { listFiles } from '../helpers/list-files.js';
import { splitRun } from '../helpers/split-run.js';
import { makeRun } from '../helpers/synthetic-run/index.js';
import { endWithFile, makeTempFolder } from '../helpers/temp-folder.js';

const run = makeRun({ companion: true, durationSec: 10, generator: { workers: 1 } });
/** @type {string} */
let load;
/** @type {string} */
let recording;
const untilEnd = endWithFile();
before(() => {
  ({ load, recording } = splitRun(makeTempFolder(untilEnd), run, {
    behindMs: () => 37_400,
  }));
});

test('copies from a foreign folder only files of recorders, and no link', async t => {
  const home = makeTempFolder(t);
  const sent = path.join(home, 'sent');
  cpSync(recording, sent, { recursive: true });
  const secret = path.join(home, 'secret.txt');
  writeFileSync(secret, 'the secret of who reads');
  mkdirSync(path.join(sent, 'logs'));
  symlinkSync(secret, path.join(sent, 'logs', '1.ndjson'));
  mkdirSync(path.join(sent, 'task-workers', '1'), { recursive: true });
  symlinkSync(home, path.join(sent, 'task-workers', '1', 'profile'));
  writeFileSync(path.join(sent, 'envs.sh'), 'touch pwned\n');
  writeFileSync(path.join(sent, 'profile', 'run me.sh'), 'touch pwned\n');
  const folder = await mergeFolders([load, sent], { profiles: path.join(home, 'runs') });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    assert.ok(entry.isFile() || entry.isDirectory(), file);
    assert.doesNotMatch(file, /envs|run me|task-workers|1\.ndjson/);
    assert.equal(lstatSync(file).mode & 0o077, 0, `${file} is for its user alone`);
  }
  assert.ok(!existsSync(path.join(home, 'pwned')));
});

test('copies nothing of a foreign load through a link', async t => {
  const home = makeTempFolder(t);
  const names = ['metrics', 'errors', 'probes', 'processes', 'artillery', 'load', 'log'];
  for (const name of names) {
    const sent = path.join(home, name);
    cpSync(load, sent, { recursive: true });
    const { log, artillery, ...files } = runFiles(sent);
    const { metrics, errors, probes, processes } = files;
    const linked = { metrics, errors, probes, processes, artillery, load: metrics, log: log(1) };
    const file = linked[/** @type {keyof typeof linked} */ (name)];
    mkdirSync(path.dirname(file), { recursive: true });
    const record = { t: run.manifest.startedAtMs, kind: 'sample', role: 'generator', pid: 7 };
    const text = JSON.stringify({ ...record, aggregate: {}, text: 'the secret of who reads' });
    appendFileSync(file, `${text}\n`);
    const place = name === 'load' ? path.dirname(file) : file;
    const elsewhere = path.join(home, `elsewhere-${name}`);
    renameSync(place, elsewhere);
    symlinkSync(elsewhere, place);
    const folder = await mergeFolders([sent, recording], {
      profiles: path.join(home, 'runs'),
    });
    for (const [merged, , held] of listFiles(folder))
      assert.doesNotMatch(held, /the secret/, `${merged}, of a linked ${name}`);
  }
});
