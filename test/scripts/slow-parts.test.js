import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';
import { minutesOf, PARTS, partsOf, TURNS } from '../../scripts/testing/slow-parts.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('every check of the slow lane belongs to one part, and no part is empty', () => {
  const found = PARTS.map(({ name, files }) => ({ name, files: globSync(files) }));
  for (const { name, files } of found) assert.ok(files.length > 0, name);
  assert.deepEqual(
    found.flatMap(({ files }) => files).sort(),
    globSync('test/**/*.check.js').sort(),
  );
});

test('five turns in a row run every part, and each fits into the time of a build server', () => {
  const rotating = PARTS.filter(part => !part.byHand);
  for (const first of [0, 1, 1932]) {
    const turns = Array.from({ length: TURNS }, (_, n) => partsOf(first + n));
    const names = new Set(turns.flat().map(part => part.name));
    assert.deepEqual(
      rotating.map(part => part.name).filter(name => !names.has(name)),
      [],
    );
    for (const parts of turns) {
      assert.ok(minutesOf(parts) <= 38, parts.map(part => part.name).join(', '));
      assert.ok(parts.some(part => part.name === 'secrets'));
    }
  }
  // .ci/run has the parts with a cluster in turn 0, and ends the others twenty minutes earlier.
  assert.ok(minutesOf(partsOf(5)) <= 18);
});

test('the slow lane says first and last what runs and what does not', async () => {
  const { stdout } = await execa({
    env: { TEST_TOTALS: '' },
  })`${process.execPath} scripts/test-slow.js --turn 1 --within 0.001`;
  const lines = stdout.split('\n');
  assert.equal(lines[0], 'turn 1 of 0 to 4 (--turn 1)');
  assert.match(lines[1] ?? '', /^runs: artillery, .*package, gate/);
  assert.match(lines[2] ?? '', /^not in this run: image, .*conformance.*keycloak$/);
  assert.ok(lines.includes('ran: none'));
  assert.ok(lines.includes('not run: artillery takes 16 min, and 0 min were left'));
  assert.equal(lines.filter(line => line === lines[2]).length, 2);
  const { exitCode, stderr } = await execa({
    reject: false,
  })`${process.execPath} scripts/test-slow.js --turn x`;
  assert.equal(exitCode, 2);
  assert.equal(stderr, 'error: --turn x is no whole number, such as 3');
});

test('the last lines say what ran before, too, and nothing of parts that were not asked for', async t => {
  const env = { TEST_TOTALS: path.join(makeTempFolder(t), 'totals.json') };
  await execa({ env })`${process.execPath} scripts/test-slow.js --turn 0 --within 0.001`;
  const { stdout } = await execa({
    env,
  })`${process.execPath} scripts/test-slow.js --within 0.001 cluster`;
  const [first, ...lines] = stdout
    .split('\n')
    .filter(line => /^(?:not in|runs|ran|not run)/.test(line));
  assert.equal(first, 'runs: cluster-load, cluster-pods, cluster-profiles');
  assert.deepEqual(
    lines.map(line => line.split(/[, ]/, 3).join(' ')),
    [
      'ran: none',
      'not in this',
      ...['package', 'gate', 'scenarios', 'whole', 'machines', 'secrets'].map(n => `not run: ${n}`),
      'ran: none',
      ...['load', 'pods', 'profiles'].map(name => `not run: cluster-${name}`),
    ],
  );
});
