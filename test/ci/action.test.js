import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ACTIONS = ['action.yml', 'ci/comment/action.yml'];

/** @param {string} file @returns {any} */
const read = file => parse(readFileSync(path.join(ROOT, file), 'utf8'));

test('no step puts an expression into shell text, and actions of others are pinned by commit', () => {
  for (const file of ACTIONS)
    for (const { run = '', uses = '' } of read(file).runs.steps) {
      assert.ok(!run.includes('${'.concat('{')), `${file}: ${run}`);
      if (uses) assert.match(uses, /@[0-9a-f]{40}$/, file);
    }
});

test('only the step that comments has the token, and it runs no code of the change', () => {
  const steps = read('action.yml').runs.steps.filter((/** @type {any} */ step) => step.run);
  const withToken = steps.filter((/** @type {any} */ step) => /token/i.test(JSON.stringify(step)));
  assert.deepEqual(
    withToken.map((/** @type {any} */ step) => step.name),
    ['Comment'],
  );
  const { loadflame: measures } = read('ci/gitlab.yml');
  assert.ok(!JSON.stringify(measures).includes('TOKEN'));
});

test('the action sets every variable that the scripts read, and their heads name it', () => {
  const set = new Set(JSON.stringify(ACTIONS.map(read)).match(/GATE_[A-Z]+/g));
  for (const file of globSync('ci/*.js', { cwd: ROOT })) {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    const [head = ''] = text.split('*/');
    for (const [, name = ''] of text.matchAll(/(?:env\.|require\(')(GATE_[A-Z]+)/g)) {
      assert.ok(set.has(name), `${file}: ${name}`);
      assert.ok(head.includes(name), `${file}: ${name}`);
    }
  }
});
