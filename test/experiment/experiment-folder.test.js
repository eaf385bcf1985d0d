import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createRedactor } from '../../lib/base/files/redaction.js';
import { openExperiment } from '../../lib/experiment/experiment-folder.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const redactor = createRedactor();

/** @param {Record<string, unknown>} [more] */
function makePlan(more) {
  const side = {
    folder: '/shop',
    reference: null,
    env: {},
    command: 'serve --token=kn0wn-Zebra-17',
  };
  return {
    sides: { a: { ...side, label: 'old' }, b: { ...side, label: 'new', env: { CACHE: 'on' } } },
    script: { name: 'shop.yaml', sha256: 'abc' },
    load: { model: 'closed', level: 4, most: null, warmUpSec: 3, durationSec: 10 },
    target: 'http://127.0.0.1:8000',
    ...more,
  };
}

/** @param {string} folder @param {string} name */
function makeRun(folder, name) {
  const run = path.join(folder, 'runs', name);
  mkdirSync(run, { recursive: true });
  writeFileSync(path.join(run, 'run.json'), '{}');
  return name;
}

/** A try with two runs, as a process leaves it that ended well. @param {import('node:test').TestContext} t */
async function makeTry(t) {
  const root = makeTempFolder(t);
  const own = await openExperiment('try', makePlan(), { root, name: 'shop', redactor });
  const { folder } = own;
  for (const side of /** @type {const} */ (['a', 'b']))
    own.append({ kind: 'run', pair: 0, side, folder: makeRun(folder, `20261126-${side}`) });
  own.end('decided', null);
  return { root, folder, journal: path.join(folder, 'journal.ndjson'), runs: own.runsRoot };
}

test('a try resumes with its runs, and no secret is in its folder', async t => {
  const { root, folder, journal } = await makeTry(t);
  assert.match(path.basename(folder), /^\d{8}-\d{6}-try-shop$/);
  // What a killed process left of a line.
  writeFileSync(journal, `${readFileSync(journal, 'utf8')}{"t": 1, "kin`);
  const again = await openExperiment('try', makePlan(), {
    root,
    name: 'shop',
    redactor,
    earlier: folder,
  });
  assert.deepEqual(
    again.runs.map(({ pair, side, folder }) => [pair, side, folder]),
    [
      [0, 'a', '20261126-a'],
      [0, 'b', '20261126-b'],
    ],
  );
  again.append({ kind: 'run', pair: 1, side: 'b', folder: makeRun(folder, '20261126-c') });
  again.end('decided', null);
  const third = await openExperiment('try', makePlan(), {
    root,
    name: 'shop',
    redactor,
    earlier: folder,
  });
  assert.equal(third.runs.length, 3);
  third.end('decided', null);
  for (const file of [path.join(folder, 'plan.json'), journal])
    assert.doesNotMatch(readFileSync(file, 'utf8'), /Zebra/);
});

test('a try without a run leaves no folder', async t => {
  const own = await openExperiment('try', makePlan(), {
    root: makeTempFolder(t),
    name: 'shop',
    redactor,
  });
  own.end('decided', null);
  assert.equal(existsSync(own.folder), false);
});

test('a journal cannot lead to runs in other folders', async t => {
  const { root, folder, journal, runs } = await makeTry(t);
  const elsewhere = makeTempFolder(t);
  makeRun(elsewhere, 'run');
  const place = path.relative(runs, path.join(elsewhere, 'runs', 'run'));
  const line = { t: 1, kind: 'run', pair: 1, side: 'a', folder: place };
  writeFileSync(journal, `${readFileSync(journal, 'utf8')}${JSON.stringify(line)}\n`);
  const again = await openExperiment('try', makePlan(), {
    root,
    name: 'shop',
    redactor,
    earlier: folder,
  });
  assert.equal(again.runs.length, 2);
  again.end('decided', null);
});

test('resumes only the same try, in a folder of this user that no other process uses', async t => {
  const { root, folder } = await makeTry(t);
  /** @param {string} code @param {RegExp} message @param {Record<string, unknown>} [more] @param {string} [earlier] */
  const refuses = (code, message, more = {}, earlier = folder) =>
    assert.rejects(
      openExperiment('try', makePlan(more), { root, name: 'shop', redactor, earlier }),
      { code, message },
    );
  const script = { name: 'shop.yaml', sha256: 'abd' };
  await refuses('CONTINUE_OTHER', /has another script/, { script });
  const { a, b } = makePlan().sides;
  const sides = { a, b: { ...b, env: {} } };
  await refuses('CONTINUE_OTHER', /another sides: .*CACHE/, { sides });
  await refuses('CONTINUE_NOT_ONE', /it has no readable plan\.json/, {}, makeTempFolder(t));
  const options = { root, name: 'shop', redactor, earlier: folder };
  await assert.rejects(openExperiment('find', makePlan(), options), {
    message: /is not the folder of a find: its plan\.json is of something else/,
  });
  const own = await openExperiment('try', makePlan(), options);
  await refuses('ALREADY_RUNNING', new RegExp(`process ${process.pid}`));
  own.end('decided', null);
  symlinkSync('/tmp', path.join(folder, 'link'));
  await refuses('CONTINUE_NOT_ONE', /it is not yours, or has links in it/);
});

test('a run that was cut off is removed, and one whose load crashed stays for its log', async t => {
  const { root, folder, runs } = await makeTry(t);
  const options = { root, name: 'shop', redactor, earlier: folder };
  const again = await openExperiment('try', makePlan(), options);
  makeRun(folder, 'crashed');
  again.end('decided', null);
  assert.deepEqual(readdirSync(runs).sort(), ['20261126-a', '20261126-b', 'crashed']);
  const third = await openExperiment('try', makePlan(), options);
  makeRun(folder, 'cut');
  third.end('interrupted', null);
  assert.deepEqual(readdirSync(runs).sort(), ['20261126-a', '20261126-b']);
});
