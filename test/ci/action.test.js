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

test('the job that runs code of the change has no token, and the one that comments runs none of it', () => {
  assert.doesNotMatch(JSON.stringify(read('action.yml')), /github\.token|secrets\.|GATE_TOKEN/);
  const steps = read('ci/comment/action.yml').runs.steps;
  assert.ok(!JSON.stringify(steps).includes('checkout'));
  const { loadflame: measures, 'loadflame-comment': comments } = read('ci/gitlab.yml');
  assert.ok(!JSON.stringify(measures).includes('TOKEN'));
  assert.equal(comments.variables.GIT_STRATEGY, 'none');
});

test('the workflows of docs/gate.md comment in a job of its own, with the only right to write', () => {
  const page = readFileSync(path.join(ROOT, 'docs/gate.md'), 'utf8');
  const [own, fork] = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => parse(text));
  assert.deepEqual(own.permissions, {});
  assert.deepEqual(own.jobs.gate.permissions, { contents: 'read' });
  assert.equal(own.jobs.comment.needs, 'gate');
  assert.deepEqual(own.jobs.comment.permissions, fork.permissions);
  assert.deepEqual(own.jobs.comment.steps, fork.jobs.comment.steps);
  const inputs = own.jobs.gate.steps.at(-1).with;
  for (const name of Object.keys(inputs)) assert.ok(read('action.yml').inputs[name], name);
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
