import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createRedactor } from '../../lib/files/redaction.js';
import { openTryFolder } from '../../lib/try/try-folder.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @typedef {import('../../lib/try/try-folder.js').TryPlan} TryPlan */

const redactor = createRedactor();

/** @param {Partial<TryPlan>} [more] @returns {TryPlan} */
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
  return run;
}

/** A try with two runs, as a process leaves it that ended well. @param {import('node:test').TestContext} t */
async function makeTry(t) {
  const root = makeTempFolder(t);
  const own = await openTryFolder(makePlan(), { root, name: 'shop', redactor });
  const { folder } = own.files;
  for (const side of /** @type {const} */ (['a', 'b']))
    own.add({ pair: 0, side, folder: makeRun(folder, `20261126-${side}`) });
  own.end();
  return { root, folder, files: own.files };
}

test('a try resumes with its runs, and no secret is in its folder', async t => {
  const { root, folder, files } = await makeTry(t);
  assert.match(path.basename(folder), /^\d{8}-\d{6}-try-shop$/);
  // What a killed process left of a line.
  writeFileSync(files.journal, `${readFileSync(files.journal, 'utf8')}{"t": 1, "kin`);
  const again = await openTryFolder(makePlan(), { root, name: 'shop', redactor, earlier: folder });
  assert.deepEqual(
    again.runs.map(({ pair, side, folder }) => [pair, side, path.basename(folder)]),
    [
      [0, 'a', '20261126-a'],
      [0, 'b', '20261126-b'],
    ],
  );
  again.add({ pair: 1, side: 'b', folder: makeRun(folder, '20261126-c') });
  again.end();
  const third = await openTryFolder(makePlan(), { root, name: 'shop', redactor, earlier: folder });
  assert.equal(third.runs.length, 3);
  third.end();
  for (const file of [files.plan, files.journal])
    assert.doesNotMatch(readFileSync(file, 'utf8'), /Zebra/);
});

test('a try without a run leaves no folder', async t => {
  const own = await openTryFolder(makePlan(), { root: makeTempFolder(t), name: 'shop', redactor });
  own.end();
  assert.equal(existsSync(own.files.folder), false);
});

test('a journal cannot lead to runs in other folders', async t => {
  const { root, folder, files } = await makeTry(t);
  const elsewhere = makeRun(makeTempFolder(t), 'run');
  const line = {
    t: 1,
    kind: 'run',
    pair: 1,
    side: 'a',
    folder: path.relative(files.runs, elsewhere),
  };
  writeFileSync(files.journal, `${readFileSync(files.journal, 'utf8')}${JSON.stringify(line)}\n`);
  const again = await openTryFolder(makePlan(), { root, name: 'shop', redactor, earlier: folder });
  assert.equal(again.runs.length, 2);
  again.end();
});

test('resumes only the same try, in a folder of this user that no other process uses', async t => {
  const { root, folder } = await makeTry(t);
  /** @param {Partial<TryPlan>} more @param {RegExp} message @param {string} [earlier] */
  const refuses = (more, message, earlier = folder) =>
    assert.rejects(openTryFolder(makePlan(more), { root, name: 'shop', redactor, earlier }), {
      code: 'TRY_FOLDER',
      message,
    });
  await refuses(
    { script: { name: 'shop.yaml', sha256: 'abd' } },
    /was measured with another script/,
  );
  const { a, b } = makePlan().sides;
  await refuses({ sides: { a, b: { ...b, env: {} } } }, /another sides: .*CACHE/);
  await refuses({}, /has no readable plan\.json/, makeTempFolder(t));
  const own = await openTryFolder(makePlan(), { root, name: 'shop', redactor, earlier: folder });
  await refuses({}, new RegExp(`process ${process.pid}`));
  own.end();
  symlinkSync('/tmp', path.join(folder, 'link'));
  await refuses({}, /is not yours, or has links in it/);
});
